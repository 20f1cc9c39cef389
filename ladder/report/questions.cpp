// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/questions.hpp"

#include <algorithm>

namespace onefold::ladder {
namespace {

constexpr story_question questions[] = {
    {"reduce/atomic", "Why not simply add every element to one variable?",
     "How often is the total updated with 1,000 elements?", "run reduce/atomic --n 1000"},
    {"reduce/global", "How do 256 lanes add up 256 numbers in eight steps?",
     "A block of 64 needs how many steps, and how many barriers a warp?",
     "explain reduce/global --block 64"},
    {"reduce/modulo", "What changes when the tree moves into shared memory?",
     "How many warps arrive at barriers in one block of 128?", "explain reduce/modulo --block 128"},
    {"reduce/mask", "Is it the remainder that makes the tree slow?",
     "Which counter differs from that of reduce/modulo?", "run reduce/modulo reduce/mask"},
    {"reduce/strided", "What if the working lanes are neighbours?",
     "At which step is the worst conflict of a block of 64, and how many ways has it?",
     "explain reduce/strided --block 64"},
    {"reduce/sequential", "What if the words that a step reads are neighbours too?",
     "Which letters stand in word 0 after the second step?",
     "explain reduce/sequential --warp 4 --block 8 --n 16"},
    {"reduce/first-add", "Half of the lanes rest after their load. Can they be spared?",
     "Which counter does not halve?", "run reduce/sequential reduce/first-add"},
    {"reduce/last-warp", "Who has to wait for whom when only one warp works?",
     "How many barriers does a block of 64 need, and one of 32?",
     "explain reduce/last-warp --block 64"},
    {"reduce/unrolled", "What does a block size that the compiler knows take away?",
     "Which counter of memory changes?", "run reduce/last-warp reduce/unrolled"},
    {"reduce/cascading", "How many elements should a lane fold on its own before the tree begins?",
     "How many barriers are left with 16 blocks in place of 1,024?",
     "run reduce/cascading --max-grid 16"},
    {"reduce/two-stage", "Who folds the partials that the blocks leave?",
     "How many launches does each driver need?", "run reduce/two-stage --driver second-launch"},
    {"reduce/shuffle", "Can lanes hand each other values without shared memory?",
     "How many words of shared memory does a block of 1,024 store?",
     "explain reduce/shuffle --block 1024"},
    {"reduce/vector", "How many bytes have to be on their way at a time?",
     "How many sectors does one request of a warp bring?", "explain reduce/vector"},
    {"reduce/one-launch",
     "Blocks cannot wait for each other. Can one launch give the answer all the same?",
     "Which block folds the partials when the blocks run in reverse?",
     "run reduce/one-launch --schedule reverse"},
    {"reduce/exact", "Can a sum be rounded only once?",
     "What is the error on a sum in which nearly everything cancels?", "explain reduce/exact"},
    {"reduce/vendor", "How far is NVIDIA's own library from here?", "At which sizes does it win?",
     "run reduce/one-launch reduce/vendor"},
    {"dot/serial", "What does it cost if one lane adds up all products of a block?",
     "How many requests to shared memory does a block of 64 make?",
     "explain dot/serial --block 64"},
    {"dot/tree", "Does a mask in place of a remainder end the divergence?",
     "How many branches of a block of 64 diverge?", "explain dot/tree --block 64"},
    {"dot/conflict-free", "Which conflicts does the cure for conflicts cure?",
     "How many conflicts had the rung before?", "run dot/tree dot/conflict-free"},
    {"dot/unrolled", "Does memory notice that a loop is gone?", "Which counter changes?",
     "run dot/conflict-free dot/unrolled"},
    {"dot/last-warp", "How many warps have to meet while one of them works?",
     "How many warps arrive at barriers in a block of 64?", "explain dot/last-warp --block 64"},
    {"dot/kahan", "What does an addition lose, and who keeps it?",
     "How much more does the tree store than a plain one?", "explain dot/kahan"},
    {"dot/two-product", "A rounded product is wrong before it is added. Can its error be kept too?",
     "Does that cost an access to memory?", "run dot/kahan dot/two-product"},
    {"dot/exact", "What if nothing is rounded until the end?",
     "How many barriers does a block of 64 need?", "explain dot/exact --block 64"},
    {"image/transpose-naive",
     "Rows are read along, columns are written across. What does that cost?",
     "How many sectors does one store of a warp touch?", "explain image/transpose-naive"},
    {"image/transpose-tile", "Where can a corner be turned without asking global memory twice?",
     "How many ways has the worst conflict in the tile?", "explain image/transpose-tile"},
    {"image/transpose-padded", "Why does one more word in a row free a column of conflicts?",
     "Do two bytes free it as well?", "run image/transpose-padded --padding 2"},
    {"image/transpose-packed", "Four pixels fit a word. Who turns the pixels inside it?",
     "How many bytes does one load of a warp bring?", "explain image/transpose-packed"},
    {"image/columns", "One lane a column: which accesses share a sector?",
     "How many lanes work on an image of 64 columns?", "run image/columns --width 64 --height 64"},
    {"image/rows-atomic", "One lane a piece of a row: which accesses share a sector?",
     "How many sectors does one load of a warp touch?", "explain image/rows-atomic"},
    {"image/rows-block", "What if all lanes of a block walk along one row?",
     "How many stores does an image of 64 rows need?",
     "run image/rows-block --width 64 --height 64"},
    {"loop/x1", "One element a lane: what does a loop cost a GPU?",
     "How many requests does a vector of 1,024 elements need?", "run loop/x1 --n 1024"},
    {"loop/x2", "Half as many rounds: is that half the work?",
     "How many requests to memory are saved?", "run loop/x1 loop/x2"},
    {"loop/x4", "When does a longer round stop paying?",
     "Who adds the elements that are left over with 1,001?", "run loop/x4 --n 1001"},
};

}  // namespace

const story_question* question_of(std::string_view rung) {
  const auto* found = std::ranges::find(questions, rung, &story_question::rung);
  return found == std::ranges::end(questions) ? nullptr : found;
}

}  // namespace onefold::ladder
