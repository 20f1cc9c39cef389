// SPDX-License-Identifier: Apache-2.0
// The words of a grid, added up: one block has them, they are the sums of the blocks', and the
// workspace is zero again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "grid_kernels.hpp"
#include "simt/device.hpp"

namespace onefold::cuda::test {
namespace {

using launcher = void (*)(simt::executor&, simt::launch_config, int, const grid_fold&);

// Two launches one after the other: what the first leaves behind is where the second begins.
void expect_folded(launcher launch, int words, unsigned blocks, unsigned threads,
                   const std::vector<std::int64_t>& wanted) {
  simt::device gpu;
  const std::size_t bytes = grid_workspace_bytes(words);
  const std::vector<unsigned char> zeros(bytes);
  auto* const workspace = gpu.memory().copy(std::span<const unsigned char>(zeros), "workspace");
  for (const auto order : {simt::schedule::shuffled, simt::schedule::reverse}) {
    const std::vector<unsigned> none(1);
    auto* const out = gpu.memory().allocate<std::int64_t>(std::size_t(words), "out");
    auto* const who = gpu.memory().copy(std::span<const unsigned>(none), "who");
    launch(gpu, {.grid = {blocks}, .block = {threads}, .order = order}, words,
           {out, who, workspace});
    for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
    EXPECT_EQ(*who, 1u) << words << " words of " << blocks << " blocks of " << threads;
    EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), out))
        << words << " words of " << blocks << " blocks of " << threads;
    EXPECT_EQ(std::memcmp(workspace, zeros.data(), bytes), 0);
  }
}

constexpr unsigned block_counts[] = {2, 3, 16, 61, 300};

TEST(grid_words, are_added_up) {
  for (const int words : {17, 70})
    for (const unsigned blocks : block_counts)
      for (const unsigned threads : {32u, 128u}) {
        std::vector<std::int64_t> wanted(std::size_t(words), 0);
        for (int i = 0; i < words; ++i)
          for (unsigned b = 0; b < blocks; ++b) wanted[std::size_t(i)] += word_of_block(i, b);
        expect_folded(launch_fold, words, blocks, threads, wanted);
      }
}

TEST(grid_words, that_several_blocks_ended_are_handed_over) {
  for (const int words : {17, 70})
    for (const unsigned blocks : block_counts)
      for (const unsigned threads : {32u, 128u}) {
        if (blocks > unsigned(words)) continue;
        std::vector<std::int64_t> wanted;
        for (int i = 0; i < words; ++i) wanted.push_back(word_of_block(i, 0));
        expect_folded(launch_shared_end, words, blocks, threads, wanted);
      }
}

}  // namespace
}  // namespace onefold::cuda::test
