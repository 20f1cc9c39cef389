// SPDX-License-Identifier: Apache-2.0
#include "support/oracle.hpp"

#include <mpfr.h>

#include <array>

namespace onefold::test {
namespace {

__extension__ typedef __int128 int128;

void assign(mpz_class& to, int128 value) {
  mpz_set_si(to.get_mpz_t(), long(value >> 64));
  mpz_mul_2exp(to.get_mpz_t(), to.get_mpz_t(), 64);
  mpz_add_ui(to.get_mpz_t(), to.get_mpz_t(), static_cast<unsigned long>(value));
}

template <class T>
int field_of(bits_of<T> bits) {
  return int((bits & ieee<T>::infinity) >> ieee<T>::fraction_bits);
}

template <class T>
std::int64_t significand_of(bits_of<T> bits) {
  const auto fraction = std::int64_t(bits & (ieee<T>::hidden - 1));
  const auto whole = field_of<T>(bits) == 0 ? fraction : fraction + std::int64_t(ieee<T>::hidden);
  return (bits & ieee<T>::sign) != 0 ? -whole : whole;
}

// Significands that share an exponent are summed in 128 bits.
struct gathered {
  std::array<int128, 2048> sums{};
  std::array<std::uint64_t, 32> used{};

  void add(int field, std::int64_t significand) {
    sums[std::size_t(field)] += significand;
    used[std::size_t(field >> 6)] |= std::uint64_t(1) << (field & 63);
  }

  void move_to(mpz_class& total) {
    mpz_class part;
    for (int block = 0; block < 32; ++block) {
      for (auto left = used[std::size_t(block)]; left != 0; left &= left - 1) {
        const int field = 64 * block + __builtin_ctzll(left);
        assign(part, sums[std::size_t(field)]);
        mpz_mul_2exp(part.get_mpz_t(), part.get_mpz_t(), field == 0 ? 0 : unsigned(field - 1));
        total += part;
        sums[std::size_t(field)] = 0;
      }
      used[std::size_t(block)] = 0;
    }
  }
};

}  // namespace

// Whether the element is finite; whatever else it is, is counted.
template <class T>
bool oracle<T>::note(bits_of<T> bits) {
  using format = ieee<T>;
  ++count_;
  plus_zeros_ += bits == 0;
  minus_zeros_ += bits == format::sign;
  if (field_of<T>(bits) != format::special) return true;
  if (bits == format::infinity)
    ++plus_infinities_;
  else if (bits == (format::infinity | format::sign))
    ++minus_infinities_;
  else
    ++nans_;
  return false;
}

template <class T>
void oracle<T>::add(const T* x, std::int64_t n) {
  static thread_local gathered parts;
  for (std::int64_t i = 0; i < n; ++i)
    if (const auto bits = as_bits(x[i]); note(bits))
      parts.add(field_of<T>(bits), significand_of<T>(bits));
  parts.move_to(total_);
}

template <class T>
void oracle<T>::add_one_by_one(const T* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = as_bits(x[i]);
    if (!note(bits)) continue;
    const mpz_class significand(static_cast<long>(significand_of<T>(bits)));
    const int field = field_of<T>(bits);
    total_ += significand << static_cast<unsigned>(field == 0 ? 0 : field - 1);
  }
}

template <class T>
oracle<T> oracle<T>::negated() const {
  oracle other = *this;
  other.total_ = -total_;
  std::swap(other.plus_infinities_, other.minus_infinities_);
  std::swap(other.plus_zeros_, other.minus_zeros_);
  return other;
}

template <class Out>
bits_of<Out> rounded(const mpz_class& total, int exponent) {
  using format = ieee<Out>;
  const bool minus = total < 0;
  const mpz_class magnitude = abs(total);
  const int width = magnitude == 0 ? 0 : int(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
  // The result is a multiple of 2^unit: of its last place, or of the format's.
  const int unit = std::max(width + exponent - 1 - format::fraction_bits, format::lsb);
  const int cut = unit - exponent;
  mpz_class whole;
  if (cut <= 0) {
    whole = magnitude << static_cast<unsigned>(-cut);
  } else {
    whole = magnitude >> static_cast<unsigned>(cut);
    const mpz_class twice_rest = (magnitude - (whole << unsigned(cut))) * 2;
    const int half = cmp(twice_rest, mpz_class(1) << static_cast<unsigned>(cut));
    if (half > 0 || (half == 0 && mpz_odd_p(whole.get_mpz_t()))) ++whole;
  }
  const auto sign = minus ? format::sign : bits_of<Out>(0);
  std::uint64_t significand = whole.get_ui();
  int field = unit - format::lsb + 1;
  if (significand == 2 * std::uint64_t(format::hidden)) significand /= 2, ++field;
  if (significand < format::hidden) return bits_of<Out>(significand | sign);
  if (field >= format::special) return bits_of<Out>(format::infinity | sign);
  return bits_of<Out>((significand - format::hidden) |
                      std::uint64_t(field) << format::fraction_bits | sign);
}

template <class T>
template <class Out>
bits_of<Out> oracle<T>::value() const {
  using format = ieee<Out>;
  if (nans_ > 0 || (plus_infinities_ > 0 && minus_infinities_ > 0)) return format::nan;
  if (plus_infinities_ > 0) return format::infinity;
  if (minus_infinities_ > 0) return bits_of<Out>(format::infinity | format::sign);
  if (count_ > 0 && minus_zeros_ == count_) return format::sign;
  return rounded<Out>(total_, ieee<T>::lsb);
}

std::vector<std::int64_t> digits_of(const mpz_class& total, std::size_t limbs) {
  std::vector<std::int64_t> words(limbs);
  mpz_class top, low;
  mpz_fdiv_q_2exp(top.get_mpz_t(), total.get_mpz_t(), 32 * (limbs - 1));
  mpz_fdiv_r_2exp(low.get_mpz_t(), total.get_mpz_t(), 32 * (limbs - 1));
  std::vector<std::uint32_t> digits(limbs);
  mpz_export(digits.data(), nullptr, -1, sizeof digits[0], 0, 0, low.get_mpz_t());
  for (std::size_t i = 0; i < limbs; ++i) words[i] = digits[i];
  words[limbs - 1] = top.get_si();
  return words;
}

template <class T>
std::vector<std::int64_t> oracle<T>::words() const {
  auto words = digits_of(total_, std::size_t(ieee<T>::state_limbs));
  for (auto count : {count_, nans_, plus_infinities_, minus_infinities_}) words.push_back(count);
  words.push_back(minus_zeros_ + nans_ == count_);
  return words;
}

namespace {

// The format's own exponent range, so that overflow and subnormal results are MPFR's affair.
template <class T>
class mpfr_range {
 public:
  mpfr_range() {
    mpfr_set_emin(ieee<T>::lsb + 1);
    mpfr_set_emax(ieee<T>::bias + 1);
  }
  ~mpfr_range() {
    mpfr_set_emin(least_);
    mpfr_set_emax(most_);
  }

 private:
  mpfr_exp_t least_ = mpfr_get_emin(), most_ = mpfr_get_emax();
};

// The bits of a number that MPFR has rounded to T's precision in T's range.
template <class T>
bits_of<T> bits_from(mpfr_ptr number, int inexact) {
  mpfr_subnormalize(number, inexact, MPFR_RNDN);
  const auto sign = mpfr_signbit(number) ? ieee<T>::sign : bits_of<T>(0);
  if (!mpfr_number_p(number)) return bits_of<T>(ieee<T>::infinity | sign);
  if (mpfr_zero_p(number)) return 0;
  mpz_class digits;
  const auto exponent = mpfr_get_z_2exp(digits.get_mpz_t(), number);
  return rounded<T>(digits, int(exponent));
}

}  // namespace

namespace {

/// A number of MPFR that is an integer times 2^exponent, exactly.
class exact_number {
 public:
  exact_number(const mpz_class& digits, int exponent) {
    const auto width = mpz_sizeinbase(digits.get_mpz_t(), 2);
    mpfr_init2(number_, mpfr_prec_t(std::max<std::size_t>(2, width)));
    mpfr_set_z_2exp(number_, digits.get_mpz_t(), exponent, MPFR_RNDN);
  }
  ~exact_number() { mpfr_clear(number_); }
  exact_number(const exact_number&) = delete;
  exact_number& operator=(const exact_number&) = delete;
  operator mpfr_srcptr() const { return number_; }

 private:
  mpfr_t number_;
};

/// operation(number) gives MPFR's ternary value.
template <class Out, class Operation>
bits_of<Out> once_by_mpfr(Operation operation) {
  mpfr_t number;
  mpfr_init2(number, ieee<Out>::fraction_bits + 1);
  const int inexact = operation(number);
  bits_of<Out> result;
  {
    const mpfr_range<Out> range;
    result = bits_from<Out>(number, mpfr_check_range(number, inexact, MPFR_RNDN));
  }
  mpfr_clear(number);
  return result;
}

}  // namespace

template <class Out>
bits_of<Out> rounded_by_mpfr(const mpz_class& total, int exponent) {
  const exact_number exact(total, exponent);
  return once_by_mpfr<Out>([&](mpfr_ptr to) { return mpfr_set(to, exact, MPFR_RNDN); });
}

template <class Out>
bits_of<Out> quotient_by_mpfr(const mpz_class& top, const mpz_class& bottom, int exponent) {
  const exact_number a(top, exponent), b(bottom, 0);
  return once_by_mpfr<Out>([&](mpfr_ptr to) { return mpfr_div(to, a, b, MPFR_RNDN); });
}

template <class Out>
bits_of<Out> root_by_mpfr(const mpz_class& top, int exponent) {
  const exact_number a(top, exponent);
  return once_by_mpfr<Out>([&](mpfr_ptr to) { return mpfr_sqrt(to, a, MPFR_RNDN); });
}

template <class T>
bits_of<T> sum_by_mpfr(const T* x, std::int64_t n) {
  using format = ieee<T>;
  std::vector<__mpfr_struct> numbers(static_cast<std::size_t>(n));
  std::vector<mpfr_ptr> pointers;
  for (std::int64_t i = 0; i < n; ++i) {
    mpfr_ptr number = &numbers[std::size_t(i)];
    mpfr_init2(number, format::fraction_bits + 1);
    const auto bits = as_bits(x[i]);
    const int field = field_of<T>(bits);
    mpfr_set_si_2exp(number, long(significand_of<T>(bits)),
                     (field == 0 ? 0 : field - 1) + format::lsb, MPFR_RNDN);
    pointers.push_back(number);
  }
  const mpfr_range<T> range;
  mpfr_t sum;
  mpfr_init2(sum, format::fraction_bits + 1);
  const int inexact = mpfr_sum(sum, pointers.data(), static_cast<unsigned long>(n), MPFR_RNDN);
  const auto result = bits_from<T>(sum, inexact);
  mpfr_clear(sum);
  for (auto* number : pointers) mpfr_clear(number);
  return result;
}

std::vector<std::int64_t> integer_words(const mpz_class& total, std::int64_t count) {
  mpz_class low, high;
  mpz_fdiv_r_2exp(low.get_mpz_t(), total.get_mpz_t(), 64);
  mpz_fdiv_q_2exp(high.get_mpz_t(), total.get_mpz_t(), 64);
  return {std::int64_t(low.get_ui()), high.get_si(), count};
}

template class oracle<double>;
template class oracle<float>;
template class oracle<bf16>;
template class oracle<f16>;
template bits_of<double> sum_by_mpfr(const double*, std::int64_t);
template bits_of<float> sum_by_mpfr(const float*, std::int64_t);
template bits_of<bf16> sum_by_mpfr(const bf16*, std::int64_t);
template bits_of<f16> sum_by_mpfr(const f16*, std::int64_t);
template bits_of<double> rounded<double>(const mpz_class&, int);
template bits_of<float> rounded<float>(const mpz_class&, int);
template bits_of<bf16> rounded<bf16>(const mpz_class&, int);
template bits_of<f16> rounded<f16>(const mpz_class&, int);
template bits_of<double> rounded_by_mpfr<double>(const mpz_class&, int);
template bits_of<float> rounded_by_mpfr<float>(const mpz_class&, int);
template bits_of<bf16> rounded_by_mpfr<bf16>(const mpz_class&, int);
template bits_of<f16> rounded_by_mpfr<f16>(const mpz_class&, int);
#define ONEFOLD_TEST_ONCE(T)                                                                       \
  template bits_of<T> quotient_by_mpfr<T>(const mpz_class&, const mpz_class&, int);                \
  template bits_of<T> root_by_mpfr<T>(const mpz_class&, int);
ONEFOLD_TEST_ONCE(double)
ONEFOLD_TEST_ONCE(float)
ONEFOLD_TEST_ONCE(bf16)
ONEFOLD_TEST_ONCE(f16)
#undef ONEFOLD_TEST_ONCE
#define ONEFOLD_TEST_VALUES(T)                                                                     \
  template bits_of<double> oracle<T>::value<double>() const;                                       \
  template bits_of<float> oracle<T>::value<float>() const;                                         \
  template bits_of<bf16> oracle<T>::value<bf16>() const;                                           \
  template bits_of<f16> oracle<T>::value<f16>() const;
ONEFOLD_TEST_VALUES(double)
ONEFOLD_TEST_VALUES(float)
ONEFOLD_TEST_VALUES(bf16)
ONEFOLD_TEST_VALUES(f16)
#undef ONEFOLD_TEST_VALUES

}  // namespace onefold::test
