// SPDX-License-Identifier: Apache-2.0
// onefold::scatter_rows and segment_rows: check shapes, types and overlap, and call the engine.
#include "onefold/scatter.hpp"

#include <string>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/keys/scatter.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/keys/scatter/scatter.hpp"

namespace onefold {
namespace {

status check_op(const char* function, op op) {
  if (op == op::sum || op == op::mean) return {};
  return {status_code::unsupported, function + std::string(" computes sum and mean, not ") +
                                        std::string(name(op)) +
                                        "; sort the rows and reduce segments of columns"};
}

status check_types(const char* function, const array_view& x) {
  if (is_floating(x.type()) || x.rank() != 2) return {};
  return {status_code::unsupported, function + std::string(" of ") + std::string(name(x.type())) +
                                        " is not supported; f16, bf16, f32 and f64 are (sums of "
                                        "integers wrap to the same bits in any order)"};
}

status check_integers(const array_view& list, const char* role, bool narrow) {
  const bool fits = list.type() == dtype::i64 || (narrow && list.type() == dtype::i32);
  if (list.rank() != 1 || !fits)
    return mismatch(std::string("the ") + role + " are not one axis of i64" +
                    (narrow ? " or i32" : ""));
  if (!has_rows(list)) return mismatch(std::string("the ") + role + " are not adjacent; copy them");
  return {};
}

byte_range bytes_of_list(const array_view& list) {
  return contiguous(list.data(), list.axes()[0].extent * std::int64_t(size_bytes(list.type())));
}

status check_initial(const array_view& x, const array_view& initial, std::int64_t answers,
                     const byte_range& written) {
  if (initial.rank() != 2 || initial.axes()[0].extent != answers ||
      initial.axes()[1].extent != x.axes()[1].extent)
    return mismatch("the initial elements are not " + std::to_string(answers) + " rows of " +
                    std::to_string(x.axes()[1].extent));
  if (initial.type() != x.type())
    return mismatch("the initial elements are " + std::string(name(initial.type())) +
                    ", those of x are " + std::string(name(x.type())) + "; convert one of them");
  if (auto fine = check_layout("initial elements", initial, nullptr); !fine) return fine;
  if (answers > 0 && overlap(written, read_of(initial)))
    return mismatch("out overlaps the initial elements; give it other memory");
  return {};
}

// The keys or offsets are checked.
status check(const char* function, const array_view& x, const array_view& list, const void* out,
             std::int64_t answers, const scatter_options& options) {
  if (auto fine = check_layout(function, x, out); !fine) return fine;
  if (answers < 0) return mismatch("the number of answers is below zero");
  if (!is_aligned(out, x.type())) return mismatch("the address of out is not aligned");
  const std::int64_t n = x.axes()[1].extent, rows = x.axes()[0].extent;
  const byte_range written = contiguous(out, answers * n * std::int64_t(size_bytes(x.type())));
  if (overlap(written, bytes_of_list(list)) || (rows > 0 && overlap(written, read_of(x))))
    return mismatch("out overlaps what is read; give it other memory");
  if (!options.initial) return {};
  return check_initial(x, *options.initial, answers, written);
}

row_scatter request_of(op op, const array_view& x, void* out, std::int64_t answers,
                       const scatter_options& options) {
  const auto& axes = x.axes();
  const auto item = std::int64_t(size_bytes(x.type()));
  row_scatter request = {};
  request.x = x.data(), request.out = out;
  request.rows = axes[0].extent, request.n = axes[1].extent, request.answers = answers;
  request.stride = axes[0].stride_bytes / item;
  request.type = x.type(), request.is_mean = op == op::mean;
  if (options.initial) {
    request.initial = options.initial->data();
    request.initial_stride = options.initial->axes()[0].stride_bytes / item;
  }
  request.adds_initial = options.role != initial_role::fallback;
  request.counts_initial = options.role == initial_role::element;
  return request;
}

status run(const executor& requested, const row_scatter& request, const std::stop_token& stop) {
  const executor where =
      beside(requested, {request.x, request.keys, request.offsets, request.initial, request.out});
  if (where.gpu() != nullptr) return cuda::scatter(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  return cpu::scatter(request, machine->threads, stop);
}

}  // namespace

status scatter_rows(const executor& executor, op op, const array_view& x, const array_view& keys,
                    void* out, std::int64_t answers, const scatter_options& options) try {
  if (auto fine = check_op("scatter_rows", op); !fine) return fine;
  if (auto fine = check_types("scatter_rows", x); !fine) return fine;
  if (auto fine = check_integers(keys, "keys", true); !fine) return fine;
  if (auto fine = check("scatter_rows", x, keys, out, answers, options); !fine) return fine;
  const std::int64_t count = keys.axes()[0].extent;
  if (count != x.axes()[0].extent)
    return mismatch("there are " + std::to_string(count) + " keys for " +
                    std::to_string(x.axes()[0].extent) + " rows; give one for each");
  row_scatter request = request_of(op, x, out, answers, options);
  static constexpr std::int64_t none = 0;
  request.keys = count > 0 ? keys.data() : &none;
  request.wide_keys = keys.type() == dtype::i64;
  return run(executor, request, options.stop);
} catch (...) {
  return detail::memory_refused();
}

status segment_rows(const executor& executor, op op, const array_view& x, const array_view& offsets,
                    void* out, const scatter_options& options) try {
  if (auto fine = check_op("segment_rows", op); !fine) return fine;
  if (auto fine = check_types("segment_rows", x); !fine) return fine;
  if (auto fine = check_integers(offsets, "offsets", false); !fine) return fine;
  if (offsets.axes()[0].extent == 0)
    return mismatch("there are no offsets; give one more than there are answers");
  const std::int64_t answers = offsets.axes()[0].extent - 1;
  if (auto fine = check("segment_rows", x, offsets, out, answers, options); !fine) return fine;
  row_scatter request = request_of(op, x, out, answers, options);
  request.offsets = static_cast<const std::int64_t*>(offsets.data());
  return run(executor, request, options.stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
