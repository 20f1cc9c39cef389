// SPDX-License-Identifier: Apache-2.0
// onefold::transpose: checks the shapes and that output and input do not overlap, and calls the
// engine.
#include "onefold/transpose.hpp"

#include <new>

#include "api/choose.hpp"
#include "cpu/drivers/transpose.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/transpose/transpose.hpp"
#include "request/reach.hpp"

namespace onefold {
namespace {

status wrong(const char* problem) {
  return {status_code::mismatch, problem};
}

status check(const array_view& in, const void* out, const axis_list& out_axes) {
  if (in.rank() != 2 || out_axes.size() != 2)
    return wrong("transpose takes two axes in and two axes out; view the array as a matrix");
  if (in.axes()[0].extent != out_axes[1].extent || in.axes()[1].extent != out_axes[0].extent)
    return wrong("the output's extents are not the input's in reverse; swap them");
  if (in.axes()[0].extent < 0 || in.axes()[1].extent < 0)
    return wrong("an extent is below zero; extents are >= 0");
  if (in.axes()[0].extent == 0 || in.axes()[1].extent == 0) return {};
  const auto item = std::int64_t(size_bytes(in.type()));
  if (!reach_of(in.axes()))
    return wrong("the input's strides reach over 2^63 bytes or more, which no memory has");
  if (!lies_apart(out_axes, item)) return wrong(elements_share_bytes);
  if (overlap(bytes_of(in.data(), in.axes(), item), bytes_of(out, out_axes, item)))
    return wrong("the output overlaps the input; transpose into other memory");
  return {};
}

}  // namespace

status transpose(const executor& requested, const array_view& in, void* out,
                 const axis_list& out_axes, const std::stop_token& stop) try {
  if (auto done = check(in, out, out_axes); !done) return done;
  const auto &rows = in.axes()[0], &columns = in.axes()[1];
  const matrix_copy copy = {static_cast<const std::byte*>(in.data()),
                            static_cast<std::byte*>(out),
                            rows.extent,
                            columns.extent,
                            rows.stride_bytes,
                            columns.stride_bytes,
                            out_axes[1].stride_bytes,
                            out_axes[0].stride_bytes,
                            std::int64_t(size_bytes(in.type()))};
  const executor where = beside(requested, {in.data(), out});
  if (where.gpu() != nullptr) return cuda::transpose(*where.gpu(), copy);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  return cpu::copy_matrix(copy, machine->threads, stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
