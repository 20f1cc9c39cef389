// SPDX-License-Identifier: Apache-2.0
// Columns by transposed blocks.
#include "cpu/drivers/columns.hpp"

#include <algorithm>
#include <vector>

#include "cpu/drivers/pack.hpp"
#include "cpu/engine.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

// The size of a transposed block, which stays in the second-level cache; it has at least a line of
// each row. Ordered states need whole chunks, whatever their size.
constexpr std::int64_t block_bytes = std::int64_t(512) << 10, line_bytes = 64;

// For narrower rows, gathering each answer separately is as fast.
constexpr std::int64_t least_row_bytes = 32;

// Divides the answers into groups of neighbouring columns at one index of the outer kept axes.
class column_cut {
 public:
  column_cut(const plan& plan, bool ordered)
      : inner_(plan.kept[plan.kept.size() - 1]),
        rows_(std::min(plan.items, ordered ? plan.chunk_items : block_bytes / line_bytes)) {
    const auto item_bytes = std::int64_t(size_bytes(plan.input));
    const std::int64_t line = line_bytes / item_bytes;
    const std::int64_t fitting = block_bytes / (rows_ * item_bytes) / line * line;
    const std::int64_t shares = 4 * plan.threads;
    const std::int64_t wanted = (plan.outputs + shares - 1) / shares;
    columns_ = std::min(std::clamp(fitting, line, std::max(line, wanted)), inner_.extent);
    per_outer_ = (inner_.extent + columns_ - 1) / columns_;
    pieces_ = plan.outputs / inner_.extent * per_outer_;
  }
  const loop_axis& inner() const { return inner_; }
  std::int64_t pieces() const { return pieces_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t first(std::int64_t piece) const {
    return piece / per_outer_ * inner_.extent + piece % per_outer_ * columns_;
  }
  std::int64_t count(std::int64_t piece) const {
    return std::min(columns_, inner_.extent - piece % per_outer_ * columns_);
  }

 private:
  loop_axis inner_;
  std::int64_t rows_, columns_ = 1, per_outer_ = 1, pieces_ = 1;
};

// One thread's buffers and tasks.
class column_worker {
 public:
  column_worker(const reduction& reduction, const column_cut& cut, const accumulation& empty,
                piece_source& pieces)
      : reduction_(reduction), cut_(cut), empty_(empty), pieces_(pieces),
        item_bytes_(size_bytes(reduction.plan.input)),
        row_bytes_((cut.rows() * std::int64_t(item_bytes_) + line_bytes - 1) / line_bytes *
                       line_bytes +
                   line_bytes),
        tasks_(empty, reduction.plan.input, reduction.plan.accuracy) {
    x_.resize(std::size_t(row_bytes_ * cut.columns()));
    if (reduction.y) y_.resize(x_.size());
    states_.resize(cut.rows() < reduction.plan.items ? std::size_t(cut.columns()) : 1);
  }

  status reduce(std::int64_t piece, const answers& answers) {
    const std::int64_t items = reduction_.plan.items;
    const loop_origin at = origin_of(reduction_.plan, cut_.first(piece));
    for (std::int64_t i = 0; i < items; i += cut_.rows()) {
      const std::int64_t n = std::min(cut_.rows(), items - i);
      if (i > 0)
        if (auto on = pieces_.poll(cut_.rows() * cut_.count(piece)); !on) return on;
      turn_round(at, cut_.count(piece), i, n);
      for (std::int64_t k = 0; k < cut_.count(piece); ++k)
        if (auto done = take(at, k, i, n, answers); !done) return done;
    }
    return {};
  }

 private:
  void turn_round(const loop_origin& at, std::int64_t columns, std::int64_t first, std::int64_t n) {
    const loop_nest& axes = reduction_.plan.reduced;
    pack_rows(reduction_.x + at.x_bytes, cut_.inner().x_bytes, columns, axes, &loop_axis::x_bytes,
              item_bytes_, first, n, x_.data(), row_bytes_);
    if (reduction_.y)
      pack_rows(reduction_.y + at.y_bytes, cut_.inner().y_bytes, columns, axes, &loop_axis::y_bytes,
                item_bytes_, first, n, y_.data(), row_bytes_);
  }

  // Adds n elements of column k. Keeps the state for the next elements, or rounds it after the
  // last.
  status take(const loop_origin& at, std::int64_t k, std::int64_t first, std::int64_t n,
              const answers& answers) {
    const std::int64_t index = at.index + k * cut_.inner().index_items;
    const std::byte* const y = reduction_.y ? y_.data() + k * row_bytes_ : nullptr;
    const piece next = {x_.data() + k * row_bytes_, y, n, reduction_.options.first_index + first};
    if (n == reduction_.plan.items && answers.write_few(next, index)) return {};
    accumulation& state = states_[states_.size() > 1 ? std::size_t(k) : 0];
    if (first == 0) state = empty_;
    tasks_.take(next, parts_);
    state.push(parts_);
    tasks_.drain(state);
    if (first + n < reduction_.plan.items) return {};
    return answers.write(state, index);
  }

  const reduction& reduction_;
  const column_cut& cut_;
  const accumulation& empty_;
  piece_source& pieces_;
  std::size_t item_bytes_;
  std::int64_t row_bytes_;  // one line more than needed: avoids conflicts in a cache set
  std::vector<std::byte> x_, y_;
  worker tasks_;
  std::vector<ordered_state> parts_;
  std::vector<accumulation> states_;
};

bool serves(const reduction& reduction) {
  const auto& plan = reduction.plan;
  if (plan.masked || plan.mapped || drops_nans(plan) || reduction.converts()) return false;
  if (plan.form != shape::columns || plan.reading != path::packed) return false;
  const loop_axis& inner = plan.kept[plan.kept.size() - 1];
  return inner.extent * std::int64_t(size_bytes(plan.input)) >= least_row_bytes;
}

}  // namespace

std::optional<status> reduce_columns(const reduction& reduction, const answers& answers) {
  if (!serves(reduction)) return {};
  const auto& plan = reduction.plan;
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  const auto& accumulators = empty.accumulators();
  const column_cut cut(plan, std::any_of(accumulators.begin(), accumulators.end(),
                                         [](const auto& state) { return state.ordered(); }));
  const shared_work work = {cut.pieces(),
                            plan.threads,
                            cut.columns() * plan.items,
                            plan.outputs * plan.items,
                            0,
                            plan.outputs * plan.items};
  first_failure failure;
  auto done = share(work, reduction.options, [&](auto& next) {
    column_worker worker(reduction, cut, empty, next);
    while (const auto piece = next())
      if (failure.any() || !failure.note(worker.reduce(*piece, answers))) return;
  });
  return failure.any() ? failure.why() : done;
}

}  // namespace onefold::cpu
