// SPDX-License-Identifier: Apache-2.0
// Batched kernels: rounds a batch of sums of each kind and writes the outputs, compiled for each
// SIMD target.
#if defined(ONEFOLD_CPU_BATCHED_WRITE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_WRITE_INL
#undef ONEFOLD_CPU_BATCHED_WRITE_INL
#else
#define ONEFOLD_CPU_BATCHED_WRITE_INL
#endif

#include "cpu/kernels/batched/batched_rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Out>
std::int64_t round_interval(const batch& b, op op, Out* out, unsigned char* marks) {
  if (op == op::mean) {
    const rounding_scope up(rounding::up);
    divide_interval(b);
  }
  if (op == op::norm2) {
    {
      const rounding_scope up(rounding::up);
      root_interval<true>(b);
    }
    const rounding_scope down(rounding::down);
    root_interval<false>(b);
  }
  return write_interval(b, out, marks);
}

// Writes NaN as the mean of no elements and clears the marks; returns how many were marked.
inline std::int64_t decide_means_of_nothing(const batch& b, double* out, unsigned char* marks) {
  std::int64_t certified = 0;
  for (int k = 0; k < b.count; ++k) {
    const bool nothing = b.offsets ? b.offsets[k + 1] == b.offsets[k] : b.size == 0;
    if (!nothing) continue;
    out[k] = std::numeric_limits<double>::quiet_NaN();
    certified += marks[k], marks[k] = 0;
  }
  return certified;
}

inline std::int64_t round_pair_f64(const batch& b, op op, double* out, unsigned char* marks) {
  alignas(64) double l_aside[batch_outputs];
  if (op == op::mean) divide_pair(b, l_aside);
  {
    const rounding_scope up(rounding::up);
    if (op == op::mean)
      bound_quotient(b, l_aside);
    else
      bound_pair<false>(b);
  }
  const std::int64_t ambiguous = write_pair(b, out, marks);
  return op == op::mean ? ambiguous - decide_means_of_nothing(b, out, marks) : ambiguous;
}

template <rounding Mode, class Out>
std::int64_t round_sums(interval_sum_of<Mode>*, const batched_request& r, const batch& b, Out* out,
                        unsigned char* marks) {
  return round_interval(b, r.op, out, marks);
}

template <class Out>
std::int64_t round_sums(pair_sum*, const batched_request& r, const batch& b, Out* out,
                        unsigned char* marks) {
  join_pair(b);
  if constexpr (std::is_same_v<Out, double>) {
    if (r.op != op::norm2) return round_pair_f64(b, r.op, out, marks);
    for (int k = 0; k < b.count; ++k) marks[k] = 1;
    return b.count;
  } else {
    {
      const rounding_scope up(rounding::up);
      bound_pair<true>(b);
    }
    return round_interval(b, r.op, out, marks);
  }
}

// Fast sums of floats: double arithmetic, then one rounding to the output.
template <class Tag, class Out>
requires std::is_floating_point_v<hn::TFromD<Tag>> HWY_NOINLINE std::int64_t
round_sums(plain_sum<Tag>*, const batched_request& r, const batch& b, Out* out, unsigned char*) {
  const f64_tag d;
  for (int k = 0; k < b.count; k += lanes_of<f64_tag>) {
    auto s = load(d, b.sums.part<hn::TFromD<Tag>>(0) + k);
    if (r.op == op::mean) s = hn::Div(s, b.sizes(k));
    if (r.op == op::norm2) s = hn::Sqrt(s);
    if constexpr (std::is_same_v<Out, double>) {
      const auto nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
      alignas(64) double lanes[lanes_of<f64_tag>];
      hn::Store(hn::IfThenElse(hn::Eq(s, s), s, nan), d, lanes);
      for (int i = 0; i < lanes_of<f64_tag> && k + i < b.count; ++i) out[k + i] = lanes[i];
    } else {
      store_narrow<Out>(narrow_vector<Out>::from(s), out + k, b.count - k);
    }
  }
  return 0;
}

__extension__ typedef __int128 int128;

// The full value of a sum of integers.
template <class Tag>
HWY_INLINE std::int64_t whole(plain_sum<Tag>*, const batch& b, int k) {
  return b.sums.part<hn::TFromD<Tag>>(0)[k];
}
template <bool Signed>
HWY_INLINE int128 whole(halves_sum<Signed>*, const batch& b, int k) {
  const int128 high = b.sums.part<std::int64_t>(1)[k];
  return high * (int128(1) << 32) + std::uint64_t(b.sums.part<std::int64_t>(0)[k]);
}

template <class Out>
Out converted(int128 sum) {
  detail::integer_sum one;
  one.deposit(std::uint64_t(sum), std::int64_t(sum >> 64));
  return one.template value<Out>();
}

// Whether one operation gives a correctly rounded quotient or root: the sum must be exact in the
// output's own format.
template <class Out>
bool small_enough(int128 sum) {
  constexpr int128 most = int128(1) << detail::float_format<Out>::precision;
  return -most <= sum && sum <= most;
}

// f32: the interval of the quotient or root.
HWY_NOINLINE inline void interval_of(int128 sum, double& u, double& minus_d) {
  const auto low = std::int64_t(sum);
  u = double(low),
  minus_d = low == std::numeric_limits<std::int64_t>::min() ? 0x1p63 : double(-low);
}
template <class Sum>
HWY_NOINLINE void interval_integers(const batch& b, batch_sums& ends) {
  for (int k = 0; k < b.count; ++k) {
    const auto sum = whole(static_cast<Sum*>(nullptr), b, k);
    const bool fits = sum == std::int64_t(sum);
    interval_of(sum, ends.part<double>(0)[k], ends.part<double>(1)[k]);
    if (!fits) ends.part<double>(0)[k] = ends.part<double>(1)[k] = HUGE_VAL;
  }
}

template <class Sum>
std::int64_t round_quotient(const batched_request& r, const batch& b, double* out,
                            unsigned char* marks) {
  std::int64_t ambiguous = 0;
  for (int k = 0; k < b.count; ++k) {
    const auto sum = whole(static_cast<Sum*>(nullptr), b, k);
    const double n = b.offsets ? double(b.offsets[k + 1] - b.offsets[k]) : b.size;
    const double value = double(std::int64_t(sum));
    out[k] = r.op == op::mean ? value / n : std::sqrt(value);
    if (out[k] != out[k]) out[k] = std::numeric_limits<double>::quiet_NaN();
    if (!small_enough<double>(sum)) marks[k] = 1, ++ambiguous;
  }
  return ambiguous;
}

template <class Sum, class Out>
std::int64_t round_integers(const batch& b, Out* out, unsigned char* marks) {
  std::int64_t ambiguous = 0;
  for (int k = 0; k < b.count; ++k) {
    const auto sum = whole(static_cast<Sum*>(nullptr), b, k);
    if (sum == std::int64_t(sum) || std::is_same_v<Out, std::uint64_t>)
      out[k] = Out(std::int64_t(sum));
    else
      out[k] = converted<Out>(sum);
    if constexpr (std::is_integral_v<Out>)
      if (sum != int128(out[k])) marks[k] = 1, ++ambiguous;
  }
  return ambiguous;
}

// Fast: the low 64 bits. Sums of magnitudes and squares are not negative.
template <class Sum, class Out>
std::int64_t round_wrapped(const batched_request& r, const batch& b, Out* out) {
  const bool has_sign =
      !is_unsigned(r.input) && (r.op == op::sum || r.op == op::mean || r.op == op::dot);
  for (int k = 0; k < b.count; ++k) {
    const auto word = std::uint64_t(whole(static_cast<Sum*>(nullptr), b, k));
    if constexpr (std::is_integral_v<Out>) {
      out[k] = Out(word);
    } else {
      double value = has_sign ? double(std::int64_t(word)) : double(word);
      const double n = b.offsets ? double(b.offsets[k + 1] - b.offsets[k]) : b.size;
      if (r.op == op::mean) value /= n;
      if (r.op == op::norm2) value = std::sqrt(value);
      const bool direct = r.op != op::mean && r.op != op::norm2;
      out[k] = !direct ? Out(value) : has_sign ? Out(std::int64_t(word)) : Out(word);
      if (out[k] != out[k]) out[k] = std::numeric_limits<Out>::quiet_NaN();
    }
  }
  return 0;
}

template <class Sum, class Out>
HWY_NOINLINE std::int64_t round_whole(const batched_request& r, const batch& b, Out* out,
                                      unsigned char* marks) {
  if (r.accuracy == accuracy::fast) return round_wrapped<Sum>(r, b, out);
  if (r.op != op::mean && r.op != op::norm2) return round_integers<Sum>(b, out, marks);
  if constexpr (std::is_same_v<Out, double>) return round_quotient<Sum>(r, b, out, marks);
  if constexpr (std::is_same_v<Out, float>) {
    batch_sums ends;
    {
      const rounding_scope up(rounding::up);
      interval_integers<Sum>(b, ends);
    }
    const batch interval = {ends, b.count, b.size, b.offsets};
    return round_interval(interval, r.op, out, marks);
  }
  return 0;
}

template <class Tag, class Out>
requires std::is_integral_v<hn::TFromD<Tag>> std::int64_t round_sums(plain_sum<Tag>*,
                                                                     const batched_request& r,
                                                                     const batch& b, Out* out,
                                                                     unsigned char* marks) {
  return round_whole<plain_sum<Tag>>(r, b, out, marks);
}
template <bool Signed, class Out>
std::int64_t round_sums(halves_sum<Signed>*, const batched_request& r, const batch& b, Out* out,
                        unsigned char* marks) {
  return round_whole<halves_sum<Signed>>(r, b, out, marks);
}

template <class Sum>
inline constexpr bool has_f64_form = true;
template <rounding Mode>
inline constexpr bool has_f64_form<interval_sum_of<Mode>> = false;

// Rounds a batch to its output type.
template <class Sum>
std::int64_t round_batch(const batched_block& block, std::int64_t first, int count, double size,
                         batch_sums& sums) {
  const auto* const offsets =
      block.request.shape == batched_shape::segments ? block.offsets + first : nullptr;
  const batch b = {sums, count, size, offsets};
  unsigned char none[batch_outputs];
  unsigned char* const marks = block.ambiguous ? block.ambiguous + first : none;
  constexpr bool integers = std::is_integral_v<hn::TFromD<typename Sum::tag>>;
  const auto to = [&]<class Out>(detail::tag<Out>) {
    return round_sums(static_cast<Sum*>(nullptr), block.request, b,
                      static_cast<Out*>(block.out) + first, marks);
  };
  switch (block.request.output) {
  case dtype::f64:
    if constexpr (has_f64_form<Sum>) return to(detail::tag<double>());
    return 0;
  case dtype::f32:
    return to(detail::tag<float>());
  default:
    break;
  }
  if constexpr (integers) {
    return block.request.output == dtype::u64 ? to(detail::tag<std::uint64_t>())
                                              : to(detail::tag<std::int64_t>());
  } else {
    return block.request.output == dtype::f16 ? to(detail::tag<f16>()) : to(detail::tag<bf16>());
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
