// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/kernels/segments/cpu_answers.hpp"

#include <gtest/gtest.h>

#include "onefold/segments.hpp"

namespace onefold::test {

std::vector<std::byte> cpu_answers(const cuda::segments_request& request,
                                   const offset_list& offsets, const std::vector<std::byte>& x,
                                   std::int64_t first_index) {
  const auto item = std::int64_t(size_bytes(request.output));
  const auto width = std::int64_t(size_bytes(request.input));
  const auto count = std::int64_t(offsets.size()) - 1, each = std::int64_t(answers_of(request.op));
  std::vector<std::byte> out(std::size_t(count * each * item));
  const output_view to(out.data(), request.output,
                       each > 1 ? axis_list{{count, each * item}, {each, item}}
                                : axis_list{{count, item}});
  options how;
  how.accuracy = request.accuracy;
  how.nan_policy = request.nan;
  how.first_index = first_index;
  const array_view view(x.data(), request.input, {{std::int64_t(x.size()) / width, width}});
  const auto done = reduce_segments(executor::cpu{1}, request.op, view, offsets, to, how);
  EXPECT_TRUE(done.ok()) << done.message();
  return out;
}

}  // namespace onefold::test
