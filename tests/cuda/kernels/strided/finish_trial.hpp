// SPDX-License-Identifier: Apache-2.0
// Answers that the kernels of any plan write themselves: the bits of the host's finish of a walk,
// or its code.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/strided/kernels.hpp"
#include "cuda/kernels/strided/model.hpp"
#include "cuda/kernels/strided/trials.hpp"
#include "rounding/round_state.hpp"

namespace onefold::cuda::test {

inline constexpr dtype floats[] = {dtype::f16, dtype::bf16, dtype::f32, dtype::f64};
inline constexpr op moments[] = {op::var, op::stddev, op::mean, op::sum, op::sumsq, op::norm2};

inline any_state state_of_answer(const strided_request& request, std::int64_t k) {
  const word_list words = words_of_piece(request, k);
  any_state made = empty_state(request.accumulator, request.input);
  const std::int64_t* next = words.data();
  std::visit([&]<class Known>(Known& known) { known = Known::from_words([&] { return *next++; }); },
             made);
  return made;
}

// The host's outcome of answer k.
inline status_code finish_answer(const strided_request& request, std::int64_t k,
                                 const finish_item& item, void* output) {
  const rounding_context how = {request.input, request.finish.nan,
                                double(request.finish.correction)};
  return round_state(item.op, state_of_answer(request, k), how, output, item.type).code();
}

// Answers of x[across][outer][n][inner] or, as rows, of x[across][outer][inner][n]; n and across
// are reduced, and after each row of either there is a gap.
struct column_trial {
  strided_request request;
  std::int64_t elements;

  column_trial(random_source& random, accumulator kind, dtype input, std::int64_t n,
               std::int64_t most_inner) {
    const auto width = std::int64_t(size_bytes(input));
    const std::int64_t across = random.one_in(3) ? random.between(2, 9) : 1;
    const std::int64_t outer = random.between(1, 3), inner = random.between(1, most_inner);
    const bool are_rows = random.one_in(3);
    const std::int64_t gap = random.one_in(2) ? random.between(0, 3) : 0;
    const std::int64_t row = ((are_rows ? n : inner) + gap) * width;
    const std::int64_t plane = (are_rows ? inner : n) * row;
    request.accumulator = kind, request.input = input;
    request.x_kind = request.y_kind = kind_of(input), request.aligned = true;
    request.items = request.piece_items = across * n, request.outputs = outer * inner;
    request.axes.kept = 2;
    const auto add = [&](std::int64_t extent, std::int64_t bytes) {
      request.axes.axis[request.axes.all++] = {extent, bytes, 0, 0};
    };
    add(outer, plane), add(inner, are_rows ? row : width);
    if (across > 1) add(across, outer * plane);
    add(n, are_rows ? width : row);
    elements = across * outer * plane / width;
  }

  // Those of a small device; or of up to `most` parts each way, or as many as blocks join.
  column_parts lanes(random_source& random, std::int64_t most) const {
    const axis_nest& axes = request.axes;
    const nest_axis &n = axes.axis[axes.all - 1], &inner = axes.axis[1];
    const bool two = axes.all == 4;
    column_parts made;
    made.threads = strided_threads;
    made.inner = inner.x_bytes < n.x_bytes ? inner.extent : 1;
    if (random.one_in(3))
      return column_parts_of(
          request.outputs, made.inner,
          two ? shared_axis(axes.axis[2].extent, axes.axis[2].x_bytes) : shared_axis(),
          shared_axis(n.extent, n.x_bytes), unsigned(random.between(1, 3)), strided_threads);
    std::int64_t parts = random.between(1, std::min(n.extent, most));
    if (random.one_in(3))
      parts = joined_parts(random.between(parts, 150), made.inner, made.threads);
    const shared_axis along(n.extent, n.x_bytes, 1, parts);
    shared_axis across;
    if (two)
      across =
          shared_axis(axes.axis[2].extent, axes.axis[2].x_bytes, n.extent, random.between(1, most));
    made.loop_is_inner = random.one_in(2);
    made.loop = made.loop_is_inner ? along : across;
    made.run = made.loop_is_inner ? across : along;
    return made;
  }
};

inline std::string text_of(const column_parts& lanes) {
  return std::to_string(lanes.loop.extent) + " x " + std::to_string(lanes.run.extent) +
         " of neighbours " + std::to_string(lanes.inner) + " in " +
         std::to_string(lanes.loop.parts) + " x " + std::to_string(lanes.run.parts) + " parts";
}

class finish_trial {
 public:
  finish_trial(random_source& random, strided_request request) : of_(request) {
    finish_list& list = of_.finish;
    list.size = int(random.between(1, 3)), list.nan = nan_policy(random.below(3));
    if (request.accumulator == accumulator::exponentials) {
      for (int i = 0; i < list.size; ++i)
        list.answers[i] = {nullptr, op::logsumexp,
                           random.one_in(2) ? request.input : floats[random.below(4)]};
      return;
    }
    list.correction = random.between(0, 2);
    for (int i = 0; i < list.size; ++i) {
      list.answers[i].op = moments[random.below(i == 0 ? 2 : std::size(moments))];
      list.answers[i].type = random.one_in(2) ? request.input : floats[random.below(4)];
    }
  }
  // Of columns that lanes share so; then of moments variances and deviations alone.
  // exact_items: of pieces that share the fallback; 0: none do.
  finish_trial(random_source& random, strided_request request, const column_parts& lanes,
               std::int64_t exact_items)
      : finish_trial(random, std::move(request)) {
    lanes_ = lanes, exact_items_ = exact_items;
    if (of_.accumulator == accumulator::exponentials) return;
    for (finish_item& each : of_.finish.answers) {
      each.op = moments[random.below(2)];
      if (each.type == dtype::f64) each.type = dtype::f32;
    }
    of_.finish.nan = nan_policy::propagate;
    of_.finish.correction = std::min(of_.finish.correction, of_.items - 1);
  }

  // Answers have the elements' type, and NaNs count.
  finish_trial& in_own_type() {
    of_.finish.nan = nan_policy::propagate;
    for (finish_item& each : of_.finish.answers) each.type = of_.input;
    return *this;
  }

  // One answer, in the elements' type.
  finish_trial& of_one(op op) {
    finish_list& list = of_.finish;
    list.size = 1, list.answers[0] = {nullptr, op, of_.input};
    list.correction = std::min(list.correction, of_.items - 1);
    return *this;
  }
  const strided_request& request() const { return of_; }

  // True where answers and codes are the host's, and nothing is reported. The linker may take this
  // file's copies of functions of the host, whose stores nobody sees.
  bool check(simt::device& gpu, const simt::launch_config& config, const std::string& where) {
    finish_list& list = of_.finish;
    const auto all = std::size_t(of_.first_output + of_.outputs);
    std::vector<std::byte*> to;
    for (int i = 0; i < list.size; ++i) {
      to.push_back(gpu.memory().allocate<std::byte>(all * 8, "answers"));
      list.answers[i].to = std::fill_n(to.back(), all * 8, std::byte(0x5A)) - all * 8;
    }
    const std::int32_t nothing = 0;
    list.status = const_cast<std::int32_t*>(
        gpu.memory().copy(std::span<const std::int32_t>(&nothing, 1), "status"));
    launch(gpu, config);
    bool fine = true;
    for (const auto& finding : gpu.report())
      if (finding.text().find("uninitialised: include/onefold/") != 0)
        fine = false, ADD_FAILURE() << where << ": " << finding.text();
    return fine && are_answers(to, where);
  }

 private:
  void launch(simt::device& gpu, const simt::launch_config& config) const {
    if (!lanes_) return launch_strided(gpu, config, of_, nullptr);
    if (of_.accumulator == accumulator::exponentials)
      return launch_steps(gpu, config, exponential_columns{of_, *lanes_});
    launch_steps(gpu, config, moment_columns{of_, *lanes_});
  }
  template <class Columns>
  void launch_steps(simt::device& gpu, const simt::launch_config& config, Columns columns) const {
    if (exact_items_ > 0) {
      columns.shares = true, columns.request.piece_items = exact_items_;
      columns.request.pieces = (of_.items - 1) / exact_items_ + 1;
    }
    const auto words = std::size_t(workspace_words_of(columns));
    launch_steps_of(columns, gpu.memory().allocate<std::int64_t>(words, "workspace"),
                    [&](const Columns& each, std::int64_t) {
                      launch_columns(gpu, config, each);
                      return 0;
                    });
  }
  bool are_answers(const std::vector<std::byte*>& got, const std::string& where) const {
    const finish_list& list = of_.finish;
    auto outcome = status_code::ok;
    for (std::int64_t k = 0; k < of_.outputs; ++k) {
      for (int i = 0; i < list.size; ++i) {
        const finish_item& item = list.answers[i];
        const std::size_t width = size_bytes(item.type);
        std::byte wanted[8];
        std::fill_n(wanted, 8, std::byte(0x5A));
        const status_code done = finish_answer(of_, k, item, wanted);
        if (done != status_code::ok) outcome = done;
        const bool same =
            std::memcmp(wanted, got[std::size_t(i)] + std::size_t(of_.first_output + k) * width,
                        width) == 0;
        EXPECT_TRUE(same) << where << ": " << name(item.op) << " to " << name(item.type)
                          << ", answer " << k;
        if (!same) return false;
      }
    }
    EXPECT_EQ(*list.status, int(outcome)) << where;
    return *list.status == int(outcome);
  }

  strided_request of_;
  std::optional<column_parts> lanes_;
  std::int64_t exact_items_ = 0;
};

inline simt::launch_config some_grid(random_source& random) {
  return {.grid = {unsigned(random.between(1, 3))},
          .block = {strided_threads},
          .order = simt::schedule(random.below(3))};
}

inline std::string place_of(std::uint64_t k) {
  return "ONEFOLD_TEST_SEED=" + std::to_string(onefold::test::seed()) + ", trial " +
         std::to_string(k) + ", ";
}

// Alike but for the last bits, far from zero, far apart, equal, and with what is no number.
template <class T>
void fill_rows(random_source& random, std::vector<std::byte>& to) {
  using format = detail::float_format<T>;
  const auto kind = random.below(5);
  const std::uint64_t base = random();
  for (std::size_t i = 0; i + sizeof(T) <= to.size(); i += sizeof(T)) {
    std::uint64_t bits = random();
    if (kind == 0) bits = (base & ~std::uint64_t(format::sign_bit)) ^ (bits & 7);
    if (kind == 1)
      bits = std::uint64_t(format::max_exponent - 1) << format::fraction_bits |
             (bits & (format::hidden_bit - 1)) | (bits >> 40 & 1) * format::sign_bit;
    if (kind == 2) bits = base;
    if (kind == 3) bits = random.one_in(40) ? format::infinity | (bits & 1) : bits & 0xFF;
    std::memcpy(to.data() + i, &bits, sizeof(T));
  }
}

// Integers of all of a type's digits: half of the differences of two are an odd number of ulps / 2.
template <class T>
void fill_halfway(random_source& random, std::vector<std::byte>& to) {
  const std::int64_t least = std::int64_t(1) << (detail::float_format<T>::precision - 1);
  for (std::size_t i = 0; i + sizeof(T) <= to.size(); i += sizeof(T)) {
    const double x = double(least + std::int64_t(random() % std::uint64_t(least)));
    const T item = onefold::test::chopped<T>(random.one_in(2) ? x : -x);
    std::memcpy(to.data() + i, &item, sizeof item);
  }
}

}  // namespace onefold::cuda::test
