// SPDX-License-Identifier: Apache-2.0
// The texts of `onefold help`. The options of a command come from the parser itself (options.cpp).
#include "help.hpp"

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

// "  sum, mean …" in lines that fit a terminal.
std::string wrapped_names() {
  constexpr std::size_t columns = 78;
  std::string text, line = "  ";
  for (const op op : all_ops) {
    if (line.size() + name(op).size() + 1 > columns) text += line + "\n", line = "  ";
    line.append(line.size() > 2 ? " " : "").append(name(op));
  }
  return text + line + "\n";
}

std::string reduction_help(const op_list& ops) {
  std::string text = "For every input, exact and rounded once:\n\n";
  std::string words;
  for (const op op : ops) {
    text += fmt::format("  {:<14}{}\n", name(op), meaning_of(op));
    words.append(words.empty() ? "" : ",").append(name(op));
  }
  if (ops.contains(op::dot))
    return text + "\n  onefold dot prices.npy amounts.npy\n"
                  "  onefold dot a.raw b.raw --dtype f32 --shape 10,20 --axis -1";
  return text +
         fmt::format("\n  onefold {0} prices.npy\n"
                     "  onefold {0} a.npy b.npy --json                 several inputs\n"
                     "  onefold {0} image.npy --axis 0,1               an answer a channel\n"
                     "  onefold {0} data.raw --dtype f32 --shape 10,20 --endian big\n"
                     "  onefold {0},{1} prices.npy                   several at once, one pass",
                     words, ops.contains(op::count) ? "sum" : "count");
}

// The programs of their own that are there: packages leave the tour out, and wheels both.
std::string sibling_lines() {
  std::string text;
  if (has_sibling(command::ladder))
    text += "  ladder ...            the textbook kernels, step by step\n";
  if (has_sibling(command::tour))
    text += "  tour                  what all this is good for, in a few seconds\n";
  return text;
}

}  // namespace

std::string general_help() {
  return R"(onefold: many numbers in, one answer out: the exact one, the same bits everywhere.

  onefold sum prices.npy                 the sum, correctly rounded
  seq 10 | onefold sum -                 numbers from a pipe, as text
  onefold mean,std,max *.npy             several answers from one pass over each file
  onefold mean image.npy --axis 0,1      one answer for each channel
  onefold sum *.npy --total --json       several files, and all of them together, as JSON
  onefold sum data.raw --dtype f32       elements without a header
  onefold stats data.npy                 count, sum, mean, var, std, min, max and more

Commands:
  OP[,OP...] INPUT...   these operators over every input
  dot A B               the sum of the products of two inputs
  stats INPUT...        every statistic of every input
  merge STATE...        the answer of all elements of several states (OP --state-out)
  audit INPUT...        how wrong other sums are: naive, pairwise and compensated
  plan OP[,OP...] INPUT what a reduction would do, without doing it
  doctor                what this build and this machine are, and what is wrong with them
  fingerprint           one number that is the same on every machine
)" + sibling_lines() +
         R"(  help [COMMAND|OP]     this text, or the options of a command
  -V, --version         the version

OP is one of
)" + wrapped_names() +
         R"(
INPUT is a .npy file, a .safetensors file (a row for each tensor), raw elements (.raw, .bin;
--dtype), text (.txt), or - for standard input.
Exit codes: 0 ok, 1 input, output or run time, 2 usage, 3 malformed data, 4 the data have no such
answer, 130 interrupted.
)";
}

std::string examples_of(command command, const op_list& ops) {
  switch (command) {
  case command::reduce:
    return reduction_help(ops);
  case command::stats:
    return R"(Every statistic of every input, in one pass, a row each: count (of elements that are
no NaN), nan (how many are), sum, mean, var, std, norm2, min, argmin, max, argmax.

  onefold stats prices.npy
  onefold stats *.npy --nan omit --json
  onefold stats model.safetensors                a row for each tensor
  onefold stats table.npy --axis 0               a row for each column)";
  case command::audit:
    return R"(How wrong the sums of every input are that programs compute in the elements' type,
a row each: count, nan, inf, missing; naive (from left to right), pairwise (NumPy's
scheme) and neumaier (compensated); exact (correctly rounded); how many units in
the last place of the exact sum each of them is wrong; condition, sum|x| / |sum x|; and
receipt, a hash of the exact sum before it is rounded, equal for the same elements in
any order. Sums of integers are exact: - is in place of what is rounded.

  onefold audit prices.npy
  onefold audit model.safetensors                a row for each tensor
  onefold audit table.npy --axis 0 --json        each column)";
  case command::merge:
    return R"(The answer of all elements of several states, to the bit the one of a single run
over all of them, in any order; prod in the order of its elements.

  onefold sum monday.npy --state-out monday.state
  onefold merge tuesday.state monday.state --hex
  onefold merge week.state --subtract monday.state
  onefold merge monday.state --words             64-bit integers, which add
  sqlite3 sums.db 'select sum(w0), …' | onefold merge - --additive)";
  case command::plan:
    return R"(What a reduction would do, without doing it.

  onefold plan sum data.npy
  onefold plan mean,var data.npy --axis 0
  onefold plan sum data.raw --dtype f32 --threads 8)";
  case command::doctor:
    return R"(What this build and this machine are, and whether anything is wrong with them.

  onefold doctor
  onefold doctor --json)";
  case command::fingerprint:
    return R"(One number over the answers and states of every operator for a fixed set of
generated data, and over the answers to the conformance vectors. Two machines,
builds or settings that print the same number give the same bits.

  onefold fingerprint
  onefold fingerprint --verbose --threads 1)";
  default:
    return "";
  }
}

std::string_view sibling_help(command command) noexcept {
  if (command == command::tour)
    return R"(The tour shows exact sums where others go wrong, a few rungs of the ladder, and the
speed of this machine. It is a program of its own, onefold-tour, in the build folder of
the sources.

  onefold tour
)";
  return R"(The ladder: the textbook reduction kernels, step by step, each one run and
checked. It is a program of its own, onefold-ladder; everything after `ladder` goes
to it unchanged.

  onefold ladder list
  onefold ladder --help
)";
}

}  // namespace onefold::program
