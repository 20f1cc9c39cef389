// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/lesson.hpp"

#include "ladder/learn/exercise_files.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace onefold::ladder {
namespace {

std::string divergent_branches(const simt::counts& c) {
  return fmt::format("{} divergent branches", c.divergent_branches);
}

std::string conflicts(const simt::counts& c) {
  return fmt::format("{} conflicts in shared memory", c.shared_conflicts());
}

lesson tail() {
  return {
      .number = 1,
      .title = "The tail",
      .file = "1_tail.cu",
      .rung = "reduce/modulo",
      .question = "16,383 elements, blocks of 256 lanes: how many lanes of the last block have no "
                  "element?",
      .task = "Change the marked line so that a lane without an element takes 0 instead.",
      .as_given = "bounds, wrong value",
      .goal = {},
      .hints = {{"bounds",
                 {"The report names the lengths at which the kernel fails. What is special about "
                  "them?",
                  "16,383 is no multiple of 256: one lane of the last block reads in[16383], which "
                  "is not there.",
                  "A lane knows its element's number, i, and the length, n. When may it read?",
                  "Write `i < n ? in[i] : 0` where the line reads in[i]."}},
                {"wrong value",
                 {"No read leaves the array now, but the sum is wrong: what does a lane without an "
                  "element put into the tree?",
                  "Adding 0 changes no sum, so every lane without an element must store 0."}},
                {"does not compile",
                 {"The compiler names the line. A conditional expression is `a < b ? x : y`."}},
                {"", {"Run the check first: its report says what is wrong."}}},
      .learnt = "Every kernel guards its loads: the grid is rounded up to whole blocks, the data "
                "are not.",
  };
}

lesson identity() {
  return {
      .number = 2,
      .title = "The identity",
      .file = "2_identity.cu",
      .rung = "reduce/modulo",
      .question =
          "What is the maximum of -3 and -5, if a lane without an element adds its 0 to the "
          "contest?",
      .task = "Change the marked line so that idle lanes take the value that no int is below.",
      .op = "max",
      .as_given = "wrong identity, wrong value",
      .goal = {},
      .hints = {{"wrong identity",
                 {"The identity of an operator is the value that changes nothing. For sums it is "
                  "0. For a maximum?",
                  "All elements may be negative: 0 then beats every one of them.",
                  "The smallest int has a name in <climits>.",
                  "Write INT_MIN where the line says 0."}},
                {"does not compile",
                 {"INT_MIN is an int and needs no suffix; the guard `i < n ?` stays."}},
                {"", {"The maximum must be right even if every element is negative."}}},
      .learnt = "0 is the identity of sums only: 1 of products, the smallest value of a maximum, "
                "the largest of a minimum.",
  };
}

lesson strided() {
  return {
      .number = 3,
      .title = "Neighbouring lanes",
      .file = "3_strided.cu",
      .rung = "reduce/strided",
      .question = "At s = 1 every second lane works, at s = 16 two lanes of each warp do. How many "
                  "warps could rest if the working lanes stood side by side?",
      .task = "At distance s the pairs begin at 0, 2s, 4s, ... Change the marked line so that it "
              "says where the pair of lane tid begins.",
      .as_given = "race, wrong value",
      .goal = {"384 divergent branches, where the tree of exercise 1 has 3072",
               [](const simt::counts& c) { return c.divergent_branches <= 384; },
               divergent_branches},
      .hints = {{"race",
                 {"Two lanes touch one element in the same step: which elements does lane 0 own at "
                  "s = 1, and which does lane 1?",
                  "Write down the first element of the pairs of lanes 0, 1, 2 at s = 1: 0, 2, 4. "
                  "And at s = 2: 0, 4, 8.",
                  "The pair of lane tid begins at 2 * s * tid."}},
                {"bounds",
                 {"The test in the next line asks whether the pair is inside the block: it has to "
                  "see the place that you computed."}},
                {"right",
                 {"The answer is right, but the lanes that work are still apart: which lanes "
                  "should fold the pairs at 0, 2s, 4s?",
                  "Lane 0 the first pair, lane 1 the second: no % is needed."}},
                {"", {"Compute, do not test: lane tid works on pair tid."}}},
      .learnt = "Divergence is a question of which lanes work, not of how much work there is.",
  };
}

lesson sequential() {
  return {
      .number = 4,
      .title = "Neighbouring words",
      .file = "4_sequential.cu",
      .rung = "reduce/sequential",
      .question = "32 lanes ask for the words 0, 8, 16, ...: how many of the 32 banks serve them?",
      .task = "Let the lower half of what is left fold the upper half onto itself, until one "
              "element is left: change the loop.",
      .as_given = "wrong value",
      .goal = {"no conflict in shared memory",
               [](const simt::counts& c) { return c.shared_conflicts() == 0; }, conflicts},
      .hints = {{"wrong value",
                 {"In every step the lanes tid < s fold the elements tid + s: how large may s be "
                  "at first?",
                  "256 elements: lanes 0 to 127 fold 128 to 255. Then 128 elements are left.",
                  "s begins at blockDim.x / 2 and is halved after every step. When is it done?",
                  "for (int s = blockDim.x / 2; s > 0; s /= 2)"}},
                {"bounds", {"tid + s must stay below blockDim.x, so s starts at half of it."}},
                {"no end", {"s / 2 reaches 0, and 0 / 2 stays 0: the loop must end there."}},
                {"right",
                 {"The answer is right, but words of one bank are still asked for at once: the "
                  "lanes of a warp should touch neighbouring words."}},
                {"", {"The distance shrinks: half the block, a quarter, ..., 1."}}},
      .learnt = "Neighbouring lanes, neighbouring words: no bank conflicts. The price is the order "
                "of the elements: the operator must commute.",
  };
}

lesson first_add() {
  return {
      .number = 5,
      .title = "Two elements a lane",
      .file = "5_first_add.cu",
      .rung = "reduce/first-add",
      .question = "If each lane folds two elements while it loads, where does the second block "
                  "begin?",
      .task = "A block now owns 2 * blockDim.x elements. Change the marked line so that it starts "
              "where its elements start.",
      .grid = 32,
      .as_given = "elements never read, wrong value",
      .goal = {},
      .hints = {{"never read",
                 {"As many elements are read twice as are never read: where does block 1 start, "
                  "and where does block 0 end?",
                  "Block 0 owns the elements 0 to 511, and block 1 starts at 256.",
                  "Multiply the block's number by what a block owns: 2 * blockDim.x."}},
                {"bounds",
                 {"Both loads have their guard; is i the number of the lane's first element?"}},
                {"", {"Block b starts at b * 2 * blockDim.x; its lane tid is tid further on."}}},
      .learnt = "The first step of the tree costs nothing while loading, and half the blocks do. "
                "One of the five documents prints this kernel with blocks that overlap.",
  };
}

lesson last_warp() {
  return {
      .number = 6,
      .title = "The last warp",
      .file = "6_last_warp.cu",
      .rung = "reduce/last-warp",
      .question = "One warp is left and needs no barrier of the block. What keeps its 32 lanes in "
                  "step?",
      .task = "Replace the marked line. Every lane reads its two elements before any lane writes, "
              "and writes before any lane reads again: __syncwarp() orders the lanes of a warp.",
      .as_given = "race, wrong value",
      .goal = {},
      .hints = {{"race",
                 {"items[tid] += items[tid + s] is a read, a read and a write; and lane tid + s "
                  "writes what lane tid reads. Which two orders have to be made?",
                  "All lanes read, then all write, then all read again: two calls of __syncwarp() "
                  "a step.",
                  "Keep the sum of the two elements in a variable, __syncwarp(), store the "
                  "variable, __syncwarp()."}},
                {"does not compile",
                 {"__syncwarp() is a call, with a semicolon; the variable is a float."}},
                {"wrong value",
                 {"No race is left, but a value is wrong: is it the sum of both elements that is "
                  "stored, in every one of the six steps?"}},
                {"", {"Read, meet, write, meet."}}},
      .learnt = "Since Volta the lanes of a warp have program counters of their own. `volatile` "
                "orders the compiler, __syncwarp() the lanes.",
  };
}

lesson grid_stride() {
  return {
      .number = 7,
      .title = "Any number of elements",
      .file = "7_grid_stride.cu",
      .rung = "reduce/cascading",
      .question = "16 blocks of 256 lanes: which lane takes element 4096, after each has taken its "
                  "first?",
      .task =
          "A lane's next element is as far on as there are lanes in the grid. Change the marked "
          "line.",
      .grid = 16,
      .as_given = "wrong value",
      .goal = {},
      .hints = {{"wrong value",
                 {"Too much is added: which elements do two blocks both read?",
                  "With 16 blocks of 256 lanes, element 4096 belongs to lane 0 of block 0 again.",
                  "The grid has gridDim.x * blockDim.x lanes."}},
                {"never read",
                 {"The step is too long now: between two rounds nothing may be left out."}},
                {"no end", {"i has to grow in every round."}},
                {"", {"One round of the whole grid is gridDim.x * blockDim.x elements."}}},
      .learnt = "A fixed grid folds any length: registers first, the tree once. Lanes times steps "
                "falls from N log N to N.",
  };
}

lesson last_block() {
  return {
      .number = 8,
      .title = "One launch",
      .file = "8_last_block.cu",
      .rung = "reduce/one-launch",
      .question = "Blocks cannot wait for each other. How does one of them know that it is the "
                  "last?",
      .task = "A block that sees the ticket must see the partial sum that was written before it. "
              "Write the missing line: what orders a lane's writes for the whole device?",
      .as_given = "race",
      .goal = {},
      .hints = {{"race",
                 {"Atomics order nothing but themselves: the ticket may be seen before the partial "
                  "sum that was stored first.",
                  "The folding side has its fence already; the writing side needs the same.",
                  "Call __threadfence() between the store of the partial and the ticket."}},
                {"does not compile", {"A fence is a call without arguments."}},
                {"", {"Store, fence, ticket; ticket, fence, load."}}},
      .learnt = "A fence on both sides of an atomic ticket hands data from block to block: one "
                "launch, one answer. It is the question that the fifth document ends with.",
  };
}

}  // namespace

const std::vector<lesson>& lessons() {
  static const std::vector<lesson> all = {tail(),      identity(),  strided(),     sequential(),
                                          first_add(), last_warp(), grid_stride(), last_block()};
  return all;
}

std::string try_command(const lesson& l) {
  std::string command = fmt::format("try {}", l.file);
  if (l.op != "sum") command += fmt::format(" --op {}", l.op);
  if (l.grid != 0) command += fmt::format(" --grid {}", l.grid);
  return command;
}

std::string_view exercise_text(const lesson& l) {
  return exercise_file_text(l.file);
}

std::string answer_to(const lesson& l) {
  const std::string_view answers = exercise_file_text("answers.md");
  const std::string_view fence = "```";
  const std::size_t section = answers.find(fmt::format("## {}\n", l.file));
  const std::size_t opening = answers.find(fence, section);
  if (opening == answers.npos) {
    throw std::logic_error(fmt::format("answers.md has no code for {}", l.file));
  }
  const std::size_t begin = answers.find('\n', opening) + 1;
  return std::string(answers.substr(begin, answers.find(fence, begin) - begin));
}

const hint_branch& hints_for(const lesson& l, std::string_view verdict) {
  for (const hint_branch& branch : l.hints) {
    if (verdict.find(branch.symptom) != verdict.npos) return branch;
  }
  return l.hints.back();
}

}  // namespace onefold::ladder
