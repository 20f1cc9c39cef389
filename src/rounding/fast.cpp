// SPDX-License-Identifier: Apache-2.0
// The answers of fast reductions: one conversion of the state, or binary64 arithmetic and one
// conversion.
#include "rounding/fast.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "onefold/exact.hpp"

namespace onefold {
namespace {

template <class Out>
void store(void* output, Out value) {
  std::memcpy(output, &value, sizeof value);
}

// An exact sum of one element is a conversion that rounds once, in any format and any environment.
template <class Out, class Accumulator>
Out converted(Accumulator value) {
  exact_sum<Accumulator> one;
  one.add(value);
  return one.template value<Out>();
}

template <class Out>
Out converted_integer(std::uint64_t wrapped, bool is_signed) {
  exact_sum<std::int64_t> one;
  if (is_signed)
    one.add(std::int64_t(wrapped));
  else
    one.add(wrapped);
  return one.value<Out>();
}

bool is_plain_sum(op what) {
  return detail::has_trait(what, detail::is_one_sum);
}

// Sums of magnitudes and squares are not negative.
bool is_signed(const fast_answer& asked) {
  const accumulator of = accumulator_of(asked.what);
  return !is_unsigned(asked.input) && (of == accumulator::total || of == accumulator::products);
}

template <class Accumulator>
double number_of(const fast_total<Accumulator>& total, const fast_answer& asked) {
  double sum = double(total.value);
  if constexpr (std::is_integral_v<Accumulator>)
    if (is_signed(asked)) sum = double(std::int64_t(total.value));
  if (asked.what == op::norm2) return asked.count > 0 ? std::sqrt(sum) : 0;
  return sum / double(asked.count);
}

template <class Accumulator>
double number_of(const fast_moments<Accumulator>& moments, const fast_answer& asked) {
  if (asked.count == 0 || asked.count <= asked.correction)
    return std::numeric_limits<double>::quiet_NaN();
  // With a correction below zero, the difference from the count can be 2^63 or more.
  const auto divisor = std::uint64_t(asked.count) - std::uint64_t(asked.correction);
  const double variance = double(moments.squares) / double(divisor);
  return asked.what == op::stddev ? std::sqrt(variance) : variance;
}

template <class Out, class Accumulator>
void write_sum(const fast_total<Accumulator>& total, const fast_answer& asked, void* output) {
  const Accumulator sum = asked.count > 0 ? total.value : Accumulator(0);
  if constexpr (std::is_integral_v<Accumulator>)
    store(output, converted_integer<Out>(sum, is_signed(asked)));
  else if constexpr (!std::is_integral_v<Out>)
    store(output, converted<Out>(sum));
}

template <class State>
concept moments = requires(const State& state) {
  state.squares;
};
template <class State>
concept total = std::is_arithmetic_v<decltype(State::value)>;

template <class Out, class State>
void write_as(const State& state, const fast_answer& asked, void* output) {
  if constexpr (total<State>)
    if (is_plain_sum(asked.what)) return write_sum<Out>(state, asked, output);
  if constexpr (!std::is_integral_v<Out> && (total<State> || moments<State>))
    store(output, converted<Out>(number_of(state, asked)));
}

status no_integer(const fast_answer& asked, dtype type) {
  return {status_code::unsupported,
          "a fast " + std::string(name(asked.what)) + " of " + std::string(name(asked.input)) +
              " has no " + std::string(name(type)) + " form; choose a floating output type"};
}

}  // namespace

status write_fast(const ordered_state& value, const fast_answer& asked, void* output, dtype type) {
  const bool plain = is_plain_sum(asked.what);
  const bool has_integers = plain && !is_floating(asked.input);
  if (type == dtype::boolean || (!is_floating(type) && !has_integers))
    return no_integer(asked, type);
  with_type(type, [&]<class Out>(detail::tag<Out>) {
    std::visit([&](const auto& state) { write_as<Out>(state, asked, output); }, value);
  });
  return {};
}

}  // namespace onefold
