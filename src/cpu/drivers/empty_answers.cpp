// SPDX-License-Identifier: Apache-2.0
// Counts the elements of segments and groups, and replaces the answers of those with too few.
#include "cpu/drivers/empty_answers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cpu/drivers/segments.hpp"
#include "rounding/answer.hpp"

namespace onefold::cpu {
namespace {

using count_list = std::vector<std::int64_t>;

bool has_no_value_for_none(op op) {
  return accumulator_of(op) == accumulator::extrema && op != op::norminf;
}

std::int64_t least_count(const reduction& reduction) {
  const std::int64_t least = has_no_value_for_none(reduction.plan.ops[0]) ? 1 : 0;
  return std::max(reduction.options.min_count, least);
}

// The request with `count` in the place of its operator. An initial value is an element, too.
struct counting {
  onefold::plan plan;
  onefold::options options;
  array_view x;
  reduction by;

  explicit counting(const reduction& from)
      : plan(from.plan), options(from.options),
        x(from.x - from.plan.origin.x_bytes, from.x_type, {}),
        by((adjust(), plan), std::span(&x, 1), options) {}
  counting(const counting&) = delete;
  counting& operator=(const counting&) = delete;

  void adjust() {
    plan.ops = op::count;
    plan.accuracy = options.accuracy = accuracy::exact;
    // The reduction itself reports NaNs, and its progress.
    if (plan.nan_policy == nan_policy::error)
      plan.nan_policy = options.nan_policy = nan_policy::propagate;
    options.progress = {};
    options.initial.reset();
  }
};

output_view view_of(count_list& counts) {
  return {counts.data(), dtype::i64, {{std::int64_t(counts.size()), 8}}};
}

void add_initial(const reduction& reduction, count_list& counts) {
  if (reduction.options.initial)
    for (std::int64_t& count : counts) ++count;
}

status count_segments(const reduction& reduction, std::span<const std::int64_t> offsets,
                      count_list& counts) {
  const counting request(reduction);
  auto done = reduce_segments(request.by, offsets, std::array{view_of(counts)});
  add_initial(reduction, counts);
  return done;
}

// The bytes of options::empty_value in the output's type.
class empty_value {
 public:
  status prepare(const options& options, dtype type) {
    size_ = size_bytes(type);
    if (!options.empty_value) return {};
    const status_code code = with_type(type, [&]<class T>(detail::tag<T>) {
      return options.empty_value->visit([&](auto value) { return write<T>(value, type); });
    });
    if (code == status_code::ok) return {};
    return {status_code::mismatch, "options::empty_value is no " + std::string(name(type)) +
                                       ", the type of the answers; give one that is"};
  }
  void copy_to(std::byte* place, int answers) const {
    for (int i = 0; i < answers; ++i) std::memcpy(place + std::size_t(i) * size_, bytes_, size_);
  }

 private:
  template <class T, class From>
  status_code write(From value, dtype type) {
    if constexpr (std::is_same_v<T, bool>) {
      if (value != From(0) && value != From(1)) return status_code::overflow;
      return store(bytes_, value != From(0)), status_code::ok;
    } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<From>) {
      if (!(value >= -0x1p63 && value < 0x1p63) || From(std::int64_t(value)) != value)
        return status_code::overflow;
      return write_number(std::int64_t(value), bytes_, type);
    } else {
      return write_number(value, bytes_, type);
    }
  }

  alignas(8) std::byte bytes_[8] = {};
  std::size_t size_ = 0;
};

status too_few(op op, std::size_t place, std::int64_t count, std::int64_t least) {
  return {status_code::empty, std::string(name(op)) + " number " + std::to_string(place) +
                                  " is of " + std::to_string(count) +
                                  " elements that count, and needs " + std::to_string(least) +
                                  "; give options::empty_value (--empty-value)"};
}

void replace(const reduction& reduction, const count_list& counts, const empty_value& value,
             const output_view& output) {
  const int answers = answers_of(reduction.plan.ops[0]);
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] < least_count(reduction))
      value.copy_to(place_of(output, std::int64_t(k), answers), answers);
}

// Whether a count is too small. Fails: empty (and no empty_value).
result<bool> finds_few(const reduction& reduction, const count_list& counts) {
  const std::int64_t least = least_count(reduction);
  const auto few =
      std::find_if(counts.begin(), counts.end(), [&](std::int64_t n) { return n < least; });
  if (few == counts.end()) return false;
  if (reduction.options.empty_value) return true;
  return too_few(reduction.plan.ops[0], std::size_t(few - counts.begin()), *few, least);
}

}  // namespace

bool needs_counts(const options& options) {
  return options.min_count > 0 || options.empty_value;
}

status reduce_counted(const reduction& reduction, std::span<const std::int64_t> offsets,
                      const output_view& output, const segments_run& run) {
  if (!needs_counts(reduction.options) || offsets.size() < 2) return run({});
  empty_value value;
  if (auto fine = value.prepare(reduction.options, output.type()); !fine) return fine;
  if (least_count(reduction) == 0) return run({});
  count_list counts(offsets.size() - 1);
  if (auto done = count_segments(reduction, offsets, counts); !done) return done;
  const auto few = finds_few(reduction, counts);
  if (!few) return few.why();
  if (!*few) return run({});
  auto done = run({counts, least_count(reduction)});
  if (done) replace(reduction, counts, value, output);
  return done;
}

status reduce_counted(const reduction& reduction, const group_maker& make, const groups_run& run) {
  std::optional<group_outputs> outputs;
  auto done = run(reduction, [&](std::int64_t groups) { return *(outputs = make(groups)); });
  if (!done || !needs_counts(reduction.options)) return done;
  empty_value value;
  if (auto fine = value.prepare(reduction.options, outputs->answers.type()); !fine) return fine;
  if (least_count(reduction) == 0) return {};
  count_list counts, keys;
  const counting request(reduction);
  done = run(request.by, [&](std::int64_t groups) -> group_outputs {
    counts.resize(std::size_t(groups)), keys.resize(std::size_t(groups));
    return {keys.data(), view_of(counts)};
  });
  if (!done) return done;
  add_initial(reduction, counts);
  if (const auto few = finds_few(reduction, counts); !few) return few.why();
  replace(reduction, counts, value, outputs->answers);
  return {};
}

}  // namespace onefold::cpu
