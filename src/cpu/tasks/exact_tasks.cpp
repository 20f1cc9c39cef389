// SPDX-License-Identifier: Apache-2.0
// Tasks of the exact accumulators, by element type.
#include "cpu/tasks/tasks.hpp"

#include <type_traits>
#include <variant>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/exact_task.hpp"
#include "cpu/tasks/term_ways.hpp"

namespace onefold::cpu {
namespace {

template <class Way>
class float_task final : public task {
 public:
  using element = typename Way::element;

  explicit float_task(const exact_kernels<element>& kernels) : tiles_(kernels) {}

  void take(const piece& next) override {
    tiles_.take(static_cast<const element*>(next.x), static_cast<const element*>(next.y), next.n);
  }
  void drain(any_state& into) override {
    auto& total = tiles_.result().total();
    std::get<std::remove_cvref_t<decltype(total)>>(into).merge(total);
    total = {};
  }
  const detail::path_counts& paths() const override { return tiles_.paths(); }

 private:
  tile_task<Way> tiles_;
};

template <class T>
std::unique_ptr<task> make_float_task(accumulator accumulator) {
  const kernel_table& table = active_table();
  const exact_accumulators<T>& terms = table.terms->table<T>();
  switch (accumulator) {
  case accumulator::magnitudes:
    return std::make_unique<float_task<sum_way<accumulator::magnitudes, T, all_checks>>>(
        terms.magnitudes);
  case accumulator::squares:
    return std::make_unique<float_task<term_way<accumulator::squares, T, all_checks>>>(
        terms.squares);
  case accumulator::products:
    return std::make_unique<float_task<term_way<accumulator::products, T, all_checks>>>(
        terms.products);
  case accumulator::moments:
    return std::make_unique<float_task<moments_way<T, all_checks>>>(terms.moments);
  default:
    return std::make_unique<float_task<sum_way<accumulator::total, T, all_checks>>>(
        table.exact<T>());
  }
}

using integer_sum = exact_sum<std::int64_t>;
using integer_dot = exact_dot<std::int64_t>;

// The words are 192 bits; a sum of fewer than 2^63 64-bit numbers needs only 128 of them.
void deposit(integer_sum& sum, const integer_words& words, std::int64_t n) {
  sum.deposit(words.low, std::int64_t(words.middle));
  sum.note_elements(n);
}
void deposit(integer_dot& sum, const integer_words& words, std::int64_t n) {
  const std::int64_t stored[] = {std::int64_t(words.low), std::int64_t(words.middle), words.high,
                                 n};
  sum.merge(integer_dot::from_words([at = stored]() mutable { return *at++; }));
}

/// The sum of integers: its kernel returns the sums of 32-bit halves.
class integer_sum_task final : public task {
 public:
  explicit integer_sum_task(dtype input)
      : kernel_(active_table().integer[static_cast<int>(input)]) {}

  void take(const piece& next) override {
    const integer_parts parts = kernel_(next.x, next.n);
    const int128 sum = (int128(parts.high) << 32) + parts.low;
    sum_.deposit(std::uint64_t(sum), std::int64_t(sum >> 64));
    sum_.note_elements(next.n);
  }
  void drain(any_state& into) override {
    std::get<integer_sum>(into).merge(sum_);
    sum_ = {};
  }

 private:
  integer_kernel kernel_;
  integer_sum sum_;
};

/// The other accumulators of integers.
template <class State>
class integer_task final : public task {
 public:
  explicit integer_task(integer_term_kernel kernel) : kernel_(kernel) {}

  void take(const piece& next) override {
    integer_totals totals;
    kernel_(next.x, next.y, next.n, totals);
    if constexpr (std::is_same_v<State, integer_sum>) {
      deposit(state_, totals.sum, next.n);
    } else if constexpr (std::is_same_v<State, integer_dot>) {
      deposit(state_, totals.products, next.n);
    } else {
      deposit(state_.sum(), totals.sum, next.n);
      deposit(state_.squares(), totals.products, next.n);
    }
  }
  void drain(any_state& into) override {
    std::get<State>(into).merge(state_);
    state_ = {};
  }

 private:
  integer_term_kernel kernel_;
  State state_;
};

std::unique_ptr<task> make_integer_task(accumulator accumulator, dtype input) {
  const integer_accumulators& loops = active_table().terms->integers;
  const int type = static_cast<int>(input);
  switch (accumulator) {
  case accumulator::magnitudes:
    return std::make_unique<integer_task<integer_sum>>(loops.magnitudes[type]);
  case accumulator::squares:
    return std::make_unique<integer_task<integer_dot>>(loops.squares[type]);
  case accumulator::products:
    return std::make_unique<integer_task<integer_dot>>(loops.products[type]);
  case accumulator::moments:
    return std::make_unique<integer_task<exact_moments<std::int64_t>>>(loops.moments[type]);
  default:
    return std::make_unique<integer_sum_task>(input);
  }
}

}  // namespace

std::unique_ptr<task> make_exact_task(accumulator accumulator, dtype input) {
  return with_type(input, [&]<class T>(detail::tag<T>) -> std::unique_ptr<task> {
    if constexpr (std::is_integral_v<T>)
      return make_integer_task(accumulator, input);
    else
      return make_float_task<T>(accumulator);
  });
}

}  // namespace onefold::cpu
