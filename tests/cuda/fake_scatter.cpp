// SPDX-License-Identifier: Apache-2.0
// The kernels of sums of rows by key are the CPU engine. All that it reads and writes must be
// memory of the fake device, and the lists and partial sums too.
#include <cstdlib>
#include <cstring>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "onefold/scatter.hpp"

namespace onefold::cuda {
namespace {

void fill(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  if (!test::is_known(memory)) std::abort();
  std::memset(memory, 0x5A, bytes);
}

void scatter(const scatter_launch& launch) {
  const row_scatter& request = launch.request;
  const auto item = std::int64_t(size_bytes(request.type));
  const auto rows = std::size_t(request.rows), answers = std::size_t(request.answers);
  const auto view = [&](const void* data, std::int64_t count, std::int64_t stride) {
    return array_view(data, request.type, {{count, stride * item}, {request.n, item}});
  };
  scatter_options options;
  if (request.initial != nullptr)
    options.initial = view(request.initial, request.answers, request.initial_stride);
  options.role = !request.adds_initial    ? initial_role::fallback
                 : request.counts_initial ? initial_role::element
                                          : initial_role::addend;
  const op op = request.is_mean ? op::mean : op::sum;
  const array_view x = view(request.x, request.rows, request.stride);
  fill(launch.partials, launch.partials_bytes());
  fill(launch.long_answers, std::size_t(launch.parts()) * sizeof(std::int64_t));
  status done;
  if (request.keys == nullptr) {
    const array_view offsets(request.offsets, dtype::i64, {{request.answers + 1, 8}});
    done = segment_rows(executor::cpu{1}, op, x, offsets, request.out, options);
  } else {
    for (std::size_t k = 0; k <= answers; ++k)
      if (launch.counts[k] != 0) std::abort();
    fill(launch.counts, (answers + 1) * 4), fill(launch.ranks, rows * 4);
    fill(launch.places, rows * 4), fill(launch.scan, launch.scan_bytes);
    if (launch.column.table != nullptr) fill(launch.column.extents, column_bytes);
    const dtype key_type = request.wide_keys ? dtype::i64 : dtype::i32;
    const array_view keys(request.keys, key_type,
                          {{request.rows, std::int64_t(size_bytes(key_type))}});
    done = scatter_rows(executor::cpu{1}, op, x, keys, request.out, request.answers, options);
  }
  if (!done) std::abort();
}

}  // namespace

int launch_scatter(const scatter_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { scatter(launch); }));
}

}  // namespace onefold::cuda
