// SPDX-License-Identifier: Apache-2.0
// Divides rows, columns and segments into blocks for the batched kernels.
#include "cpu/drivers/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "cpu/drivers/column_bands.hpp"
#include "cpu/engine.hpp"
#include "cpu/kernels/targets.hpp"
#include "onefold/detail/float_format.hpp"
#include "request/layout.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

// The columns of one block: their sums stay in cache while the rows are read.
constexpr std::int64_t most_columns = 4096;

// The least number of bytes that one piece reads of each row, provided that every thread has a
// piece: each row opens memory pages of its own.
constexpr std::int64_t least_run_bytes = 4096;

// The most elements of a row that one call of a kernel reads: tasks poll for stops in longer ones.
constexpr std::int64_t longest_row = poll_bytes / 8;

// Under omit and error a NaN is no answer, since it may come from an element: marks it as
// ambiguous.
std::int64_t reopen_nans(const std::byte* values, dtype type, std::int64_t n,
                         unsigned char* ambiguous) {
  std::int64_t reopened = 0;
  with_type(type, [&]<class T>(detail::tag<T>) {
    if constexpr (!std::is_integral_v<T>)
      for (std::int64_t k = 0; k < n; ++k) {
        T value;
        std::memcpy(&value, values + k * std::int64_t(sizeof value), sizeof value);
        const bool again = !ambiguous[k] && detail::is_nan<T>(detail::to_bits(value));
        ambiguous[k] |= again;
        reopened += again;
      }
  });
  return reopened;
}

// Rows: every answer reduces one contiguous run.
class row_blocks {
 public:
  row_blocks(const reduction& reduction, const batched_request& request)
      : reduction_(reduction), request_(request),
        inner_(reduction.plan.kept[reduction.plan.kept.size() - 1]) {
    const std::int64_t rows =
        tuning::block_items * 2 / std::max<std::int64_t>(1, reduction.plan.items);
    rows_ = std::clamp<std::int64_t>(rows, 1, inner_.extent);
    per_outer_ = (inner_.extent + rows_ - 1) / rows_;
  }
  std::int64_t pieces() const { return reduction_.plan.outputs / inner_.extent * per_outer_; }
  std::int64_t piece_items() const { return rows_ * reduction_.plan.items; }

  status reduce(std::int64_t piece, const answers& answers, block_writer& writer) const {
    const std::int64_t first = piece % per_outer_ * rows_;
    const std::int64_t k = piece / per_outer_ * inner_.extent + first;
    const loop_origin at = origin_of(reduction_.plan, k);
    batched_block block;
    block.request = request_;
    block.x = reduction_.x + at.x_bytes;
    block.y = reduction_.y ? reduction_.y + at.y_bytes : nullptr;
    block.outputs = std::min(rows_, inner_.extent - first);
    block.n = reduction_.plan.items;
    block.stride = inner_.x_bytes;
    block.y_stride = inner_.y_bytes;
    return writer.run(
        block, at.index, inner_.index_items, answers, [&](std::int64_t i, answer_worker& tasks) {
          return tasks.reduce(origin_of(reduction_.plan, k + i), 0, reduction_.plan.items, answers);
        });
  }

 private:
  const reduction& reduction_;
  batched_request request_;
  loop_axis inner_;  // the kept axis along which a block runs
  std::int64_t rows_ = 1;
  std::int64_t per_outer_ = 1;
};

// Columns: neighbouring answers are contiguous, and the reduced axes step over them.
class column_blocks {
 public:
  column_blocks(const reduction& reduction, const batched_request& request)
      : reduction_(reduction), request_(request),
        inner_(reduction.plan.kept[reduction.plan.kept.size() - 1]) {
    const std::int64_t a_thread = columns_each(1), wanted = columns_each(4);
    const auto run = least_run_bytes / std::int64_t(size_bytes(reduction.plan.input));
    const std::int64_t least =
        std::clamp<std::int64_t>(a_thread, 64, std::max<std::int64_t>(run, 64));
    columns_ = std::clamp<std::int64_t>((wanted + 63) / 64 * 64, least, most_columns);
    columns_ = std::min(columns_, inner_.extent);
    per_outer_ = (inner_.extent + columns_ - 1) / columns_;
    rows_ = reduction.plan.reduced[reduction.plan.reduced.size() - 1];
    passes_ = reduction.plan.items / rows_.extent;
    const auto item_bytes = std::int64_t(size_bytes(reduction.plan.input));
    a_call_ = std::max(poll_bytes / (columns_ * item_bytes) / 64 * 64, std::int64_t(64));
  }
  std::int64_t pieces() const { return reduction_.plan.outputs / inner_.extent * per_outer_; }
  std::int64_t piece_items() const { return columns_ * reduction_.plan.items; }

  status reduce(std::int64_t piece, const answers& answers, block_writer& writer) const {
    const std::int64_t first = piece % per_outer_ * columns_;
    const std::int64_t k = piece / per_outer_ * inner_.extent + first;
    const loop_origin at = origin_of(reduction_.plan, k);
    const std::int64_t columns = std::min(columns_, inner_.extent - first);
    const bool banded = reduction_.plan.accuracy == accuracy::fast &&
                        is_floating(reduction_.plan.input) && bands_of(passes_, rows_.extent) > 1;
    const bool one_call = passes_ == 1 && !banded && rows_.extent <= a_call_;
    std::vector<aligned_bytes> storage(
        one_call ? 0 : (batched_accumulator_bytes(columns) + 63) / sizeof(aligned_bytes));
    const auto run = [&](batched_block block) {
      if (!storage.empty()) block.accumulators = storage[0].bytes;
      return writer.run(block, at.index, inner_.index_items, answers,
                        [&](std::int64_t i, answer_worker& tasks) {
                          return tasks.reduce(origin_of(reduction_.plan, k + i), 0,
                                              reduction_.plan.items, answers);
                        });
    };
    if (banded && reduction_.plan.input == dtype::f64)
      return take_bands<double>(at, columns, storage, writer.pieces(), run);
    if (banded) return take_bands<float>(at, columns, storage, writer.pieces(), run);
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      const band_slice rows = {pass, 0, rows_.extent, pass == 0, pass + 1 == passes_};
      if (auto done = take_rows(at, columns, rows, rows.ends, writer.pieces(), run); !done)
        return done;
    }
    return {};
  }

 private:
  struct aligned_bytes {
    alignas(64) std::byte bytes[64];
  };

  // Adds rows by calls of whole groups of rows, between which it polls. The first begins the sums
  // if rows.begins; `last`: the last one rounds the results.
  template <class Run>
  status take_rows(const loop_origin& at, std::int64_t columns, const band_slice& rows, bool last,
                   piece_source& pieces, const Run& run) const {
    for (std::int64_t i = 0; i < rows.count; i += a_call_) {
      batched_block block = pass_of(at, columns, rows.pass);
      block.x += (rows.first + i) * block.stride;
      if (block.y) block.y += (rows.first + i) * block.y_stride;
      block.n = std::min(a_call_, rows.count - i);
      block.first = rows.begins && i == 0;
      block.last = last && i + block.n == rows.count;
      if (auto done = run(block); !done || block.last) return done;
      if (auto on = pieces.poll(block.n * columns); !on) return on;
    }
    return {};
  }

  // Computes the kernel's sums of each band and merges them in a tree; the last call has no rows
  // and rounds the results.
  template <class Number, class Run>
  status take_bands(const loop_origin& at, std::int64_t columns,
                    std::vector<aligned_bytes>& storage, piece_source& pieces,
                    const Run& run) const {
    auto* const sums = reinterpret_cast<Number*>(storage[0].bytes);
    band_cut cut(passes_, rows_.extent);
    band_tree<Number> tree(columns);
    while (cut.more()) {
      const band_slice rows = cut.next();
      if (auto done = take_rows(at, columns, rows, false, pieces, run); !done) return done;
      if (rows.ends) tree.push(sums);
    }
    tree.fold(sums);
    batched_block end = pass_of(at, columns, passes_ - 1);
    end.n = 0;
    end.first = false;
    return run(end);
  }

  // The number of columns a piece if every thread gets that many pieces.
  std::int64_t columns_each(int pieces) const {
    const std::int64_t shares = pieces * reduction_.plan.threads;
    return (reduction_.plan.outputs + shares - 1) / shares;
  }

  // The block of rows at one index of the outer reduced axes.
  batched_block pass_of(const loop_origin& at, std::int64_t columns, std::int64_t pass) const {
    batched_block block;
    block.request = request_;
    block.x = reduction_.x + at.x_bytes;
    block.y = reduction_.y ? reduction_.y + at.y_bytes : nullptr;
    std::int64_t index = pass;
    for (int i = reduction_.plan.reduced.size() - 2; i >= 0; --i) {
      const loop_axis& axis = reduction_.plan.reduced[i];
      block.x += index % axis.extent * axis.x_bytes;
      if (block.y) block.y += index % axis.extent * axis.y_bytes;
      index /= axis.extent;
    }
    block.outputs = columns;
    block.n = rows_.extent;
    block.stride = rows_.x_bytes;
    block.y_stride = rows_.y_bytes;
    block.count = reduction_.plan.items;
    return block;
  }

  const reduction& reduction_;
  batched_request request_;
  loop_axis inner_;  // the kept axis along which a block runs
  loop_axis rows_ = {};
  std::int64_t columns_ = 1;
  std::int64_t per_outer_ = 1;
  std::int64_t passes_ = 1;
  std::int64_t a_call_ = 1;  // rows of one call of the kernel
};

template <class Blocks>
status reduce_all(const reduction& reduction, const Blocks& blocks, const answers& answers) {
  const auto& plan = reduction.plan;
  const std::int64_t items = plan.outputs * plan.items;
  const shared_work work = {blocks.pieces(), plan.threads, blocks.piece_items(), items, 0, items};
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  first_failure failure;
  auto done = share(work, reduction.options, [&](auto& next) {
    block_writer writer(reduction, empty, next);
    while (const auto piece = next())
      if (failure.any() || !failure.note(blocks.reduce(*piece, answers, writer))) return;
  });
  return failure.any() ? failure.why() : done;
}

}  // namespace

std::optional<batched_request> batched_request_of(const reduction& reduction, batched_shape form,
                                                  dtype output) {
  const auto& plan = reduction.plan;
  const bool plain = plan.ops.size() == 1 && !plan.masked && !plan.mapped &&
                     !reduction.options.initial && !reduction.converts();
  // A fast sum removes NaNs while it reads, which a kernel does not do.
  const bool drops = plan.accuracy == accuracy::fast && plan.nan_policy != nan_policy::propagate;
  const std::int64_t longest = form == batched_shape::rows ? longest_row : batched_longest;
  if (!plain || drops || plan.items == 0 || plan.items > longest) return {};
  const batched_request request = {form, plan.ops[0], plan.accuracy, plan.input, output};
  return batched_serves(request) ? std::optional(request) : std::nullopt;
}

void block_writer::prepare(batched_block& block, std::int64_t index, std::int64_t step,
                           const answers& answers) {
  const output_view& output = answers.output(0);
  in_place_ =
      step == 1 && is_dense(output) && reduction_.options.nan_policy == nan_policy::propagate;
  kernel_ = active_table().batched;
  ambiguous_.assign(std::size_t(block.outputs), 0);
  block.ambiguous = ambiguous_.data();
  if (in_place_) {
    block.out = place_of(output, index, 1);
    return;
  }
  values_.resize(std::size_t(block.outputs) * size_bytes(output.type()));
  block.out = values_.data();
}

std::int64_t block_writer::close(const batched_block& block, std::int64_t index, std::int64_t step,
                                 const answers& answers) {
  if (in_place_) return 0;
  const output_view& output = answers.output(0);
  const std::size_t item_bytes = size_bytes(output.type());
  std::int64_t reopened = 0;
  if (reduction_.options.nan_policy != nan_policy::propagate)
    reopened = reopen_nans(values_.data(), output.type(), block.outputs, ambiguous_.data());
  for (std::int64_t k = 0; k < block.outputs; ++k)
    if (!ambiguous_[std::size_t(k)])
      std::memcpy(place_of(output, index + k * step, 1),
                  values_.data() + std::size_t(k) * item_bytes, item_bytes);
  return reopened;
}

std::optional<batched_request> block_request_of(const reduction& reduction,
                                                const answers& answers) {
  const element_runs found =
      runs_of(reduction.plan, reduction.x, reduction.x_type, reduction.y, reduction.y_type);
  if (!found.aligned || !(found.contiguous_items || found.contiguous_answers)) return {};
  const auto form = found.contiguous_items ? batched_shape::rows : batched_shape::columns;
  return batched_request_of(reduction, form, answers.output(0).type());
}

bool sums_columns(const reduction& reduction, const answers& answers) {
  if (reduction.plan.accuracy != accuracy::fast || !is_floating(reduction.plan.input)) return false;
  const auto request = block_request_of(reduction, answers);
  return request && request->shape == batched_shape::columns;
}

status reduce_blocks(const reduction& reduction, const batched_request& request,
                     const answers& answers) {
  if (request.shape == batched_shape::rows)
    return reduce_all(reduction, row_blocks(reduction, request), answers);
  return reduce_all(reduction, column_blocks(reduction, request), answers);
}

status reduce_segment_block(const reduction& reduction, const batched_request& request,
                            std::span<const std::int64_t> offsets, std::int64_t first,
                            std::int64_t last, const answers& answers, block_writer& writer) {
  batched_block block;
  block.request = request;
  block.x = reduction.x;
  block.outputs = last - first;
  block.offsets = offsets.data() + first;
  return writer.run(block, first, 1, answers, [&](std::int64_t i, answer_worker& tasks) {
    loop_origin at;
    at.index = first + i;
    const auto k = std::size_t(first + i);
    return tasks.reduce(at, offsets[k], offsets[k + 1], answers);
  });
}

}  // namespace onefold::cpu
