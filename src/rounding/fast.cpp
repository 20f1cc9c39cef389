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

bool is_plain_sum(op op) {
  return detail::has_trait(op, detail::is_one_sum);
}

// Sums of magnitudes and squares are not negative.
bool is_signed(const fast_answer& request) {
  const accumulator accumulator = accumulator_of(request.op);
  return !is_unsigned(request.input) &&
         (accumulator == accumulator::total || accumulator == accumulator::products);
}

template <class Accumulator>
double number_of(const fast_total<Accumulator>& total, const fast_answer& request) {
  double sum = double(total.value);
  if constexpr (std::is_integral_v<Accumulator>)
    if (is_signed(request)) sum = double(std::int64_t(total.value));
  if (request.op == op::norm2) return request.count > 0 ? std::sqrt(sum) : 0;
  return sum / double(request.count);
}

// n - c, or a number that is not positive if n <= c.
double freedom_of(std::int64_t n, double c) {
  if (!detail::is_whole(c)) return double(n) - c;
  const auto whole = std::int64_t(c);
  // With a correction below zero, the difference can be 2^63 or more.
  return n <= whole ? 0 : double(std::uint64_t(n) - std::uint64_t(whole));
}

template <class Accumulator>
double number_of(const fast_moments<Accumulator>& moments, const fast_answer& request) {
  const double freedom = freedom_of(request.count, request.correction);
  if (request.count == 0 || freedom <= 0) return std::numeric_limits<double>::quiet_NaN();
  const double variance = double(moments.squares) / freedom;
  return request.op == op::stddev ? std::sqrt(variance) : variance;
}

template <class Out, class Accumulator>
void write_sum(const fast_total<Accumulator>& total, const fast_answer& request, void* output) {
  const Accumulator sum = request.count > 0 ? total.value : Accumulator(0);
  if constexpr (std::is_integral_v<Accumulator>)
    store(output, converted_integer<Out>(sum, is_signed(request)));
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
void write_as(const State& state, const fast_answer& request, void* output) {
  if constexpr (total<State>)
    if (is_plain_sum(request.op)) return write_sum<Out>(state, request, output);
  if constexpr (!std::is_integral_v<Out> && (total<State> || moments<State>))
    store(output, converted<Out>(number_of(state, request)));
}

status no_integer(const fast_answer& request, dtype type) {
  return {status_code::unsupported,
          "a fast " + std::string(name(request.op)) + " of " + std::string(name(request.input)) +
              " has no " + std::string(name(type)) + " form; choose a floating output type"};
}

}  // namespace

status write_fast(const ordered_state& value, const fast_answer& request, void* output,
                  dtype type) {
  const bool plain = is_plain_sum(request.op);
  const bool has_integers = plain && !is_floating(request.input);
  if (type == dtype::boolean || (!is_floating(type) && !has_integers))
    return no_integer(request, type);
  with_type(type, [&]<class Out>(detail::tag<Out>) {
    std::visit([&](const auto& state) { write_as<Out>(state, request, output); }, value);
  });
  return {};
}

}  // namespace onefold
