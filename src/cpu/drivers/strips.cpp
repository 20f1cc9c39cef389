// SPDX-License-Identifier: Apache-2.0
// Divides columns and short rows into strips. Short rows are transposed to columns, tile by tile.
#include "cpu/drivers/strips.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/drivers/transpose.hpp"
#include "cpu/engine.hpp"
#include "cpu/kernels/targets.hpp"
#include "request/layout.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

// Of longer rows, the state of an answer takes less time than their transpose, whose tiles stay in
// the second-level cache.
constexpr std::int64_t longest_turned_row = 1024, tile_bytes = std::int64_t(256) << 10;

// Narrower rows of columns fill no vector: tasks gather them.
constexpr std::int64_t least_row_bytes = 32;

constexpr std::int64_t line_bytes = 64;

struct strip_request {
  column_kernel kernel;
  bool turned;  // rows, which become columns
};

// The divisor of a variance is a double, and fast answers have an order of their own.
bool may_certify(const reduction& reduction) {
  const double correction = reduction.options.correction;
  return reduction.plan.accuracy == accuracy::exact && std::fabs(correction) < 0x1p31 &&
         correction == std::floor(correction) && double(reduction.plan.items) > correction;
}

std::optional<strip_request> request_of(const reduction& reduction, const answers& answers) {
  const auto& plan = reduction.plan;
  const bool plain = plan.ops.size() == 1 && !plan.masked && !plan.mapped &&
                     !reduction.options.initial && !reduction.converts();
  if (!plain || plan.items == 0 || plan.reduced.size() > 1 || plan.kept.empty()) return {};
  const op op = plan.ops[0];
  if (answers.output(0).type() != default_output(op, plan.input)) return {};
  const auto kernel = active_table().columns->find(op, plan.input);
  if (kernel.run == nullptr || plan.items > kernel.most_rows) return {};
  if (kernel.certifies && !may_certify(reduction)) return {};
  // The counts of NaNs are not kept; columns with NaNs are marked by extrema and certain answers.
  const bool counts_nans = plan.nan_policy != nan_policy::propagate && is_floating(plan.input);
  if (counts_nans && !kernel.certifies && accumulator_of(op) != accumulator::extrema) return {};
  const element_runs found =
      runs_of(plan, reduction.x, reduction.x_type, reduction.y, reduction.y_type);
  if (!found.aligned) return {};
  const loop_axis& inner = plan.kept[plan.kept.size() - 1];
  const std::int64_t row_bytes = inner.extent * std::int64_t(size_bytes(plan.input));
  if (found.contiguous_answers && row_bytes >= least_row_bytes) return strip_request{kernel, false};
  if (found.contiguous_items && plan.items <= longest_turned_row)
    return strip_request{kernel, true};
  return {};
}

// Pieces of one strip, or of several if their rows are few.
class strip_cut {
 public:
  strip_cut(const plan& plan, const strip_request& request)
      : inner_(plan.kept[plan.kept.size() - 1]) {
    const auto item_bytes = std::int64_t(size_bytes(plan.input));
    const std::int64_t line = line_bytes / item_bytes, pieces = 4 * plan.threads;
    const std::int64_t wanted = (plan.outputs / pieces + line) / line * line;
    const std::int64_t fitting =
        std::max(tile_bytes / (plan.items * item_bytes) / line * line, line);
    strip_ = std::min({request.kernel.most_columns, wanted, inner_.extent});
    if (request.turned) strip_ = std::min(strip_, fitting);
    const std::int64_t strips = 4 * tuning::block_items / (strip_ * plan.items);
    piece_ = std::min(strip_ * std::max<std::int64_t>(strips, 1), std::max(wanted, strip_));
    per_outer_ = (inner_.extent + piece_ - 1) / piece_;
    pieces_ = plan.outputs / inner_.extent * per_outer_;
  }
  const loop_axis& inner() const { return inner_; }
  std::int64_t pieces() const { return pieces_; }
  std::int64_t piece_columns() const { return piece_; }
  std::int64_t strip() const { return strip_; }
  // The first answer of a piece, and one past the last, in the order of the loops.
  std::int64_t first(std::int64_t piece) const {
    return piece / per_outer_ * inner_.extent + piece % per_outer_ * piece_;
  }
  std::int64_t end(std::int64_t piece) const {
    return std::min(first(piece) + piece_, (piece / per_outer_ + 1) * inner_.extent);
  }

 private:
  loop_axis inner_;
  std::int64_t strip_ = 1, piece_ = 1, per_outer_ = 1, pieces_ = 1;
};

// One thread's buffers.
class strip_worker {
 public:
  strip_worker(const reduction& reduction, const strip_request& request, const strip_cut& cut,
               const accumulation& empty, const answers& answers, piece_source& pieces)
      : reduction_(reduction), request_(request), cut_(cut), answers_(answers), pieces_(pieces),
        tasks_(reduction, empty, pieces),
        item_bytes_(std::int64_t(size_bytes(reduction.plan.input))),
        tile_row_bytes_((cut.strip() * item_bytes_ + line_bytes - 1) / line_bytes * line_bytes +
                        line_bytes) {
    const output_view& output = answers.output(0);
    in_place_ = cut.inner().index_items == 1 && is_dense(output);
    if (!in_place_) values_.resize(std::size_t(cut.strip()) * size_bytes(output.type()));
    const bool counts_nans =
        is_floating(reduction.plan.input) && reduction.plan.nan_policy != nan_policy::propagate;
    if (request.kernel.certifies || counts_nans) marks_.resize(std::size_t(cut.strip()));
    if (request.turned) tile_.resize(std::size_t(reduction.plan.items * tile_row_bytes_));
  }

  status reduce(std::int64_t piece) {
    for (std::int64_t k = cut_.first(piece); k < cut_.end(piece); k += cut_.strip())
      if (auto done = reduce_strip(k, std::min(cut_.strip(), cut_.end(piece) - k)); !done)
        return done;
    return {};
  }

 private:
  status reduce_strip(std::int64_t k, std::int64_t columns) {
    const auto& plan = reduction_.plan;
    const loop_origin at = origin_of(plan, k);
    const output_view& output = answers_.output(0);
    std::fill(marks_.begin(), marks_.end(), static_cast<unsigned char>(0));
    column_strip strip = {};
    strip.x = reduction_.x + at.x_bytes, strip.columns = columns;
    strip.stride = plan.reduced.empty() ? 0 : plan.reduced[0].x_bytes;
    strip.divisor = double(plan.items) - reduction_.options.correction;
    strip.first_index = reduction_.options.first_index;
    strip.flip = request_.kernel.flip, strip.state = state_.bytes;
    strip.out = in_place_ ? static_cast<void*>(place_of(output, at.index, 1)) : values_.data();
    strip.marks = marks_.empty() ? nullptr : marks_.data();
    if (request_.turned) turn(strip);
    const std::int64_t most = std::max<std::int64_t>(poll_bytes / (columns * item_bytes_), 1);
    std::int64_t marked = 0;
    for (; strip.first < plan.items; strip.first += strip.rows) {
      if (strip.first > 0)
        if (auto on = pieces_.poll(strip.rows * columns); !on) return on;
      strip.rows = std::min(most, plan.items - strip.first);
      strip.last = strip.first + strip.rows == plan.items;
      marked += request_.kernel.run(strip);
      strip.x += strip.rows * strip.stride;
    }
    if (!in_place_) scatter(at.index, columns);
    return marked > 0 ? reduce_marked(k, columns) : status();
  }

  void turn(column_strip& strip) {
    copy_matrix({strip.x, tile_.data(), strip.columns, reduction_.plan.items, cut_.inner().x_bytes,
                 item_bytes_, item_bytes_, tile_row_bytes_, item_bytes_});
    strip.x = tile_.data(), strip.stride = tile_row_bytes_;
  }

  void scatter(std::int64_t index, std::int64_t columns) const {
    const output_view& output = answers_.output(0);
    const std::size_t bytes = size_bytes(output.type());
    for (std::int64_t c = 0; c < columns; ++c)
      std::memcpy(place_of(output, index + c * cut_.inner().index_items, 1),
                  values_.data() + std::size_t(c) * bytes, bytes);
  }

  // By states, which leave NaNs out or refuse them.
  status reduce_marked(std::int64_t k, std::int64_t columns) {
    for (std::int64_t c = 0; c < columns; ++c)
      if (marks_[std::size_t(c)])
        if (auto done = tasks_.reduce(origin_of(reduction_.plan, k + c), 0, reduction_.plan.items,
                                      answers_);
            !done)
          return done;
    return {};
  }

  struct strip_state {
    alignas(64) std::byte bytes[strip_state_bytes] = {};
  };

  const reduction& reduction_;
  const strip_request& request_;
  const strip_cut& cut_;
  const answers& answers_;
  piece_source& pieces_;
  answer_worker tasks_;
  std::int64_t item_bytes_;
  std::int64_t tile_row_bytes_;  // one line more than needed: avoids conflicts in a cache set
  bool in_place_ = false;
  std::vector<std::byte> values_, tile_;
  std::vector<unsigned char> marks_;
  strip_state state_;
};

}  // namespace

std::optional<status> reduce_strips(const reduction& reduction, const answers& answers) {
  const auto request = request_of(reduction, answers);
  if (!request) return {};
  const auto& plan = reduction.plan;
  const accumulation empty(plan.ops, plan.input, plan.accuracy);
  const strip_cut cut(plan, *request);
  const shared_work work = {cut.pieces(),
                            plan.threads,
                            cut.piece_columns() * plan.items,
                            plan.outputs * plan.items,
                            0,
                            plan.outputs * plan.items};
  first_failure failure;
  auto done = share(work, reduction.options, [&](auto& next) {
    strip_worker worker(reduction, *request, cut, empty, answers, next);
    while (const auto piece = next())
      if (failure.any() || !failure.note(worker.reduce(*piece))) return;
  });
  return failure.any() ? failure.why() : done;
}

}  // namespace onefold::cpu
