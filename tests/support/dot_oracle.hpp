// SPDX-License-Identifier: Apache-2.0
// What an exact sum of products must be: a GMP integer and counts, after IEEE 754's rules.
#pragma once

#include <cstdint>
#include <vector>

#include "support/elements.hpp"
#include "support/nearest.hpp"
#include "support/oracle.hpp"
#include "support/words.hpp"

namespace onefold::test {

template <class T>
bool is_nan_bits(T x) {
  return magnitude_bits(x) > ieee<T>::infinity;
}

/// The sum of products of elements of type T, in units of the square of the least subnormal.
template <class T>
class dot_oracle {
 public:
  void add(T x, T y) {
    const auto a = magnitude_bits(x), b = magnitude_bits(y);
    const bool minus = ((as_bits(x) ^ as_bits(y)) & ieee<T>::sign) != 0;
    ++count_;
    if (is_nan_bits(x) || is_nan_bits(y)) {
      ++nans_;
    } else if (a == ieee<T>::infinity || b == ieee<T>::infinity) {
      ++(a == 0 || b == 0 ? invalid_ : minus ? minus_infinities_ : plus_infinities_);
    } else {
      const mpz_class product = in_units<T>(a) * in_units<T>(b);
      total_ += minus ? mpz_class(-product) : product;
      minus_zeros_ += product == 0 && minus;
    }
  }

  exact_answer value() const {
    using kind = exact_answer::kind;
    if (nans_ > 0 || invalid_ > 0 || (plus_infinities_ > 0 && minus_infinities_ > 0))
      return {kind::nan, false, {}};
    if (plus_infinities_ > 0 || minus_infinities_ > 0)
      return {kind::infinity, minus_infinities_ > 0, {}};
    const bool minus = total_ < 0 || (count_ > 0 && minus_zeros_ == count_);
    return {kind::number, minus, {abs(total_), 1, 2 * ieee<T>::lsb}};
  }

  exact_answer root() const {
    exact_answer answer = value();
    const bool zero = answer.value_kind == exact_answer::kind::number && total_ == 0;
    if (answer.minus && !zero) answer.value_kind = exact_answer::kind::nan;
    answer.power = 2;
    return answer;
  }

  std::vector<std::int64_t> words() const {
    auto words = digits_of(total_, std::size_t(ieee<T>::product_limbs));
    for (auto count : {count_, nans_, plus_infinities_, minus_infinities_}) words.push_back(count);
    words.push_back(minus_zeros_ + nans_ == count_);
    words.push_back(invalid_);
    return words;
  }

  const mpz_class& total() const { return total_; }
  bool finite() const { return value().value_kind == exact_answer::kind::number; }

 private:
  mpz_class total_;
  std::int64_t count_ = 0, nans_ = 0, plus_infinities_ = 0, minus_infinities_ = 0, invalid_ = 0;
  std::int64_t minus_zeros_ = 0;
};

/// f(tag<Out>) for each of the four formats.
template <class F>
void for_each_format(F&& f) {
  f(detail::tag<double>{}), f(detail::tag<float>{}), f(detail::tag<bf16>{}), f(detail::tag<f16>{});
}

/// States of the parts, merged in a random tree, each side into the other.
template <class State>
State merged_in_a_random_tree(random_source& random, std::vector<State> parts) {
  while (parts.size() > 1) {
    std::size_t into = random.below(parts.size()), from = random.below(parts.size() - 1);
    from += from >= into;
    parts[into].merge(parts[from]);
    parts[from] = parts.back();
    parts.pop_back();
  }
  return parts.empty() ? State{} : parts[0];
}

}  // namespace onefold::test
