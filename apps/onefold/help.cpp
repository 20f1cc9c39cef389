// SPDX-License-Identifier: Apache-2.0
// What `onefold help` says. The options of a command come from the parser itself (options.cpp).
#include "help.hpp"

namespace onefold::program {

std::string_view general_help() noexcept {
  return R"(onefold: many numbers in, one answer out: the exact one, the same bits everywhere.

  onefold sum prices.npy                 the sum, correctly rounded
  seq 10 | onefold sum -                 numbers from a pipe, as text
  onefold sum *.npy --total --json       several files, and all of them together, as JSON
  onefold sum data.raw --dtype f32       elements without a header

Commands:
  sum INPUT...       the sum of every input
  plan OP INPUT      what a reduction would do, without doing it
  doctor             what this build and this machine are, and what is wrong with them
  fingerprint        one number that is the same on every machine
  ladder ...         the textbook kernels, step by step (a program of its own)
  tour               what all this is good for, in a few seconds (a program of its own)
  help [COMMAND]     this text, or the options of a command
  --version          the version

INPUT is a .npy file, raw elements (.raw, .bin; --dtype), text (.txt), or - for standard input.
Exit codes: 0 ok, 1 input, output or run time, 2 usage, 3 malformed data, 4 the data have no such
answer, 130 interrupted.
)";
}

std::string_view examples_of(command what) noexcept {
  switch (what) {
  case command::sum:
    return R"(The sum of every input, exact: the true sum of the stored numbers, rounded once.

  onefold sum prices.npy
  printf '0.1\n0.2\n' | onefold sum -                    0.3
  onefold sum a.npy b.npy --total                        a line each, and one for both
  onefold sum data.raw --dtype f32 --shape 10,20 --endian big
  onefold sum huge.npy --accuracy fast --progress always)";
  case command::plan:
    return R"(What a reduction would do, without doing it.

  onefold plan sum data.npy
  onefold plan sum data.raw --dtype f32 --threads 8)";
  case command::doctor:
    return R"(What this build and this machine are, and whether anything is wrong with them.

  onefold doctor
  onefold doctor --json)";
  case command::fingerprint:
    return R"(One number over the states and the sums of a fixed set of generated data. Two
machines, builds or settings that print the same number give the same bits.

  onefold fingerprint
  onefold fingerprint --verbose --threads 1)";
  default:
    return "";
  }
}

std::string_view siblings_help() noexcept {
  return R"(The ladder: the textbook reduction kernels, step by step, each one run and
checked. It is a program of its own, onefold-ladder; everything behind `ladder` goes
to it unchanged.

  onefold ladder list
  onefold ladder --help

The tour shows exact sums where others go wrong, a few rungs of the ladder, and the speed of this
machine. It is onefold-tour.

  onefold tour
)";
}

}  // namespace onefold::program
