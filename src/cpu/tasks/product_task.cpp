// SPDX-License-Identifier: Apache-2.0
// Tasks of prod. Products of integers usually leave 64 bits or meet a zero within a few elements;
// from then on only zeros matter.
#include <bit>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/product.hpp"

namespace onefold::cpu {
namespace {

using detail::product;

class float_product_task final : public ordered_task {
 public:
  explicit float_product_task(dtype input)
      : kernel_(active_table().ordered->product[int(input) - int(dtype::f16)]) {}

  ordered_state take(const piece& next) override {
    if (next.n == 0) return product{};
    const product_parts parts = kernel_(next.x, next.n);
    return product::of_floats(next.n, parts.nans, parts.zero, parts.infinite,
                              detail::normalised(parts.pair));
  }

 private:
  product_kernel kernel_;
};

template <class T>
std::uint64_t magnitude_of(T x) {
  return x < T(0) ? std::uint64_t(0) - std::uint64_t(x) : std::uint64_t(x);
}

template <class T>
bool has_zero(const T* x, std::int64_t n) {
  constexpr int by_size = std::countr_zero(sizeof(T));
  return active_table().operators->extrema.find_either[by_size](x, n, 0, 0) < n;
}

template <class T>
class integer_product_task final : public ordered_task {
 public:
  ordered_state take(const piece& next) override {
    if (next.n == 0) return product{};
    const T* const x = static_cast<const T*>(next.x);
    std::uint64_t magnitude = 1;
    bool negative = false;
    for (std::int64_t i = 0; i < next.n; ++i) {
      const bool over = __builtin_mul_overflow(magnitude, magnitude_of(x[i]), &magnitude);
      const bool zero = over ? has_zero(x + i, next.n - i) : magnitude == 0;
      if (over || zero) return product::of_integers(next.n, 0, false, !zero);
      negative ^= x[i] < T(0);
    }
    return product::of_integers(next.n, magnitude, negative, false);
  }
};

// Any nonzero byte is 1.
class boolean_product_task final : public ordered_task {
 public:
  explicit boolean_product_task(accuracy accuracy) : accuracy_(accuracy) {}
  ordered_state take(const piece& next) override {
    if (next.n == 0) return product{};
    const bool ones = !has_zero(static_cast<const std::uint8_t*>(next.x), next.n);
    if (accuracy_ == accuracy::fast) return product::of_wrapped(next.n, ones);
    return product::of_integers(next.n, ones, false, false);
  }

 private:
  accuracy accuracy_;
};

template <class T>
class wrapped_product_task final : public ordered_task {
 public:
  ordered_state take(const piece& next) override {
    if (next.n == 0) return product{};
    constexpr std::int64_t chains = 8;  // hide the latency of a multiplication
    const T* const x = static_cast<const T*>(next.x);
    std::uint64_t residue[chains];
    for (auto& chain : residue) chain = 1;
    std::int64_t i = 0;
    for (; i + chains <= next.n; i += chains)
      for (std::int64_t k = 0; k < chains; ++k) residue[k] *= std::uint64_t(x[i + k]);
    for (; i < next.n; ++i) residue[0] *= std::uint64_t(x[i]);
    for (std::int64_t k = 1; k < chains; ++k) residue[0] *= residue[k];
    return product::of_wrapped(next.n, residue[0]);
  }
};

}  // namespace

std::unique_ptr<ordered_task> make_product_task(dtype input, accuracy accuracy) {
  if (input == dtype::boolean) return std::make_unique<boolean_product_task>(accuracy);
  return with_type(input, [&]<class T>(detail::tag<T>) -> std::unique_ptr<ordered_task> {
    if constexpr (!std::is_integral_v<T>)
      return std::make_unique<float_product_task>(input);
    else if (accuracy == accuracy::fast)
      return std::make_unique<wrapped_product_task<T>>();
    else
      return std::make_unique<integer_product_task<T>>();
  });
}

}  // namespace onefold::cpu
