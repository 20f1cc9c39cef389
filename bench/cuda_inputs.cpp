// SPDX-License-Identifier: Apache-2.0
#include "bench/cuda_inputs.hpp"

#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <variant>

#include "onefold/onefold.hpp"
#include "support/families.hpp"

namespace bench {
namespace {

using namespace onefold;

template <class T>
void copy_bytes(const std::vector<T>& from, std::vector<std::byte>& to) {
  to.resize(from.size() * sizeof(T));
  if (!from.empty()) std::memcpy(to.data(), from.data(), to.size());
}

constexpr const char* integer_kinds[] = {"all bits", "least", "largest", "small"};

template <class T>
void fill_integers(test::random_source& random, std::size_t kind, std::vector<T>& x) {
  for (T& element : x) {
    element = T(random());
    if (kind == 1) element = std::numeric_limits<T>::min();
    if (kind == 2) element = std::numeric_limits<T>::max();
    if (kind == 3) element = T(random.below(4));
  }
}

template <class T>
cuda_input make(std::size_t kind, std::int64_t n) {
  auto random = test::source_of(17, kind);
  cuda_input made;
  using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  std::vector<stored> x(static_cast<std::size_t>(n)), y(x.size());
  if constexpr (std::is_integral_v<T>) {
    made.name = integer_kinds[kind];
    fill_integers(random, kind, x), fill_integers(random, kind, y);
    if constexpr (std::is_same_v<T, bool>)
      for (auto* elements : {&x, &y})
        for (auto& element : *elements) element &= 1;
  } else {
    const auto& family = test::families<T>()[kind];
    made.name = family.name;
    family.fill(random, x.data(), x.size()), family.fill(random, y.data(), y.size());
  }
  copy_bytes(x, made.x), copy_bytes(y, made.y);
  return made;
}

template <class State>
std::vector<std::int64_t> words_of(const State& known) {
  std::vector<std::int64_t> words;
  known.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words;
}

template <class T, class State>
std::vector<std::int64_t> words_of_partial(op op, const T* x, std::int64_t n) {
  const state known = partial(op, array_view(x, std::size_t(n)));
  return words_of(std::get<State>(detail::state_access::known(known)));
}

template <class T>
std::vector<std::int64_t> words_of_elements(accumulator accumulator, const T* x, const T* y,
                                            std::int64_t n) {
  using wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  if (accumulator == accumulator::total) return words_of_partial<T, exact_sum<wide>>(op::sum, x, n);
  if (accumulator == accumulator::magnitudes)
    return words_of_partial<T, exact_sum<wide>>(op::norm1, x, n);
  if (accumulator == accumulator::squares)
    return words_of_partial<T, exact_dot<wide>>(op::sumsq, x, n);
  if (accumulator == accumulator::moments)
    return words_of_partial<T, exact_moments<T>>(op::var, x, n);
  if (accumulator == accumulator::extrema)
    return words_of_partial<T, detail::extrema>(op::max, x, n);
  if (accumulator == accumulator::counts)
    return words_of_partial<T, detail::nonzero_counts>(op::count_nonzero, x, n);
  if constexpr (std::is_integral_v<T>)
    if (accumulator == accumulator::bits)
      return words_of_partial<T, detail::bit_fold>(op::bit_xor, x, n);
  exact_dot<wide> products;
  for (std::int64_t i = 0; i < n; ++i) products.add(x[i], y[i]);
  return words_of(products);
}

}  // namespace

std::size_t kinds_of_input(dtype type) {
  return with_type(type, []<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>)
      return std::size(integer_kinds);
    else
      return test::families<T>().size();
  });
}

cuda_input make_input(dtype type, std::size_t kind, std::int64_t n) {
  return with_type(type, [=]<class T>(detail::tag<T>) { return make<T>(kind, n); });
}

std::vector<std::size_t> timed_inputs(dtype type) {
  if (!is_floating(type)) return {0};
  std::vector<std::size_t> chosen;
  const auto& all = test::families<double>();  // the same list for every type
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const char* name : {"uniform", "normal", "N exp(5 N)", "random bits", "drift"})
      if (all[i].name == name) chosen.push_back(i);
  return chosen;
}

std::vector<std::int64_t> state_words_of(accumulator accumulator, dtype type, const std::byte* x,
                                         const std::byte* y, std::int64_t n) {
  return with_type(type, [=]<class T>(detail::tag<T>) {
    return words_of_elements(accumulator, reinterpret_cast<const T*>(x),
                             reinterpret_cast<const T*>(y), n);
  });
}

}  // namespace bench
