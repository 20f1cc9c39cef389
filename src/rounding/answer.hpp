// SPDX-License-Identifier: Apache-2.0
// Rounds a state to an answer, with the same source on the host and on devices. A state without an
// answer gives a status code; the host adds the message (errors.hpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/bit_fold.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/nonzero_counts.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/dtype.hpp"
#include "onefold/nan_policy.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

template <class T>
ONEFOLD_HOST_DEVICE void store(void* output, T value) {
  __builtin_memcpy(output, &value, sizeof value);
}

/// The address of the next answer, of the same type.
ONEFOLD_HOST_DEVICE constexpr void* place_behind(void* output, dtype type) {
  const int bytes = type == dtype::f64 || type == dtype::i64 || type == dtype::u64     ? 8
                    : type == dtype::f32 || type == dtype::i32 || type == dtype::u32   ? 4
                    : type == dtype::boolean || type == dtype::i8 || type == dtype::u8 ? 1
                                                                                       : 2;
  return static_cast<char*>(output) + bytes;
}

// The states of exact sums, classified by the answers that they have.
template <class State>
concept moments_state = requires(const State& s) {
  s.template variance<double>(1);
};
template <class State>
concept products_state = requires(const State& s) {
  s.template root<double>();
};
template <class State>
concept sum_state = !moments_state<State> && requires(const State& s) {
  s.template mean<double>();
};
template <class State>
concept integer_state = requires(const State& s) {
  s.template fits<std::int64_t>();
};

// The answer before it is rounded to a floating format. A correction is an integer on a device, and
// a finite double on the host.
template <sum_state State, class Correction>
ONEFOLD_HOST_DEVICE detail::real_answer answer_of(op op, const State& from, Correction,
                                                  typename State::storage& in) {
  return from.answer(op == op::mean, in);
}
template <products_state State, class Correction>
ONEFOLD_HOST_DEVICE detail::real_answer answer_of(op op, const State& from, Correction,
                                                  typename State::storage& in) {
  return from.answer(op == op::norm2, in);
}
template <moments_state State, class Correction>
ONEFOLD_HOST_DEVICE detail::real_answer answer_of(op op, const State& from, Correction correction,
                                                  typename State::storage& in) {
  if (op == op::sum || op == op::mean) return from.sum().answer(op == op::mean, in.sum);
  if (op == op::sumsq || op == op::norm2) return from.squares().answer(op == op::norm2, in.squares);
  return from.spread(op == op::stddev, correction, in);
}

template <class Out, class State>
ONEFOLD_HOST_DEVICE status_code write_sum(const State& from, void* output) {
  if (!from.template fits<Out>()) return status_code::overflow;
  return store(output, from.template value<Out>()), status_code::ok;
}

template <class State>
ONEFOLD_HOST_DEVICE status_code write_integer_sum(const State& from, void* output, dtype type) {
  switch (type) {
  case dtype::i8:
    return write_sum<std::int8_t>(from, output);
  case dtype::i16:
    return write_sum<std::int16_t>(from, output);
  case dtype::i32:
    return write_sum<std::int32_t>(from, output);
  case dtype::i64:
    return write_sum<std::int64_t>(from, output);
  case dtype::u8:
    return write_sum<std::uint8_t>(from, output);
  case dtype::u16:
    return write_sum<std::uint16_t>(from, output);
  case dtype::u32:
    return write_sum<std::uint32_t>(from, output);
  case dtype::u64:
    return write_sum<std::uint64_t>(from, output);
  default:
    return status_code::overflow;
  }
}

/// Writes an answer in a floating format. Precondition: `type` is a floating format.
ONEFOLD_HOST_DEVICE inline status_code write_rounded(const detail::real_answer& from, void* output,
                                                     dtype type) {
  if (type == dtype::f16)
    store(output, from.rounded<f16>());
  else if (type == dtype::bf16)
    store(output, from.rounded<bf16>());
  else if (type == dtype::f32)
    store(output, from.rounded<float>());
  else
    store(output, from.rounded<double>());
  return status_code::ok;
}

/// Writes the answer of an exact sum, of products or of moments. Precondition: the state serves the
/// operator. Fails: unsupported (no such output type), overflow.
template <class State, class Correction>
ONEFOLD_HOST_DEVICE status_code write_exact(op op, const State& from, Correction correction,
                                            void* output, dtype type, typename State::storage& in) {
  if (type >= dtype::f16) return write_rounded(answer_of(op, from, correction, in), output, type);
  const bool is_sum = op == op::sum || op == op::norm1 || op == op::sumsq || op == op::dot;
  if (!is_sum) return status_code::unsupported;
  if constexpr (integer_state<State>) return write_integer_sum(from, output, type);
  if constexpr (moments_state<State>)
    if constexpr (integer_state<typename State::sum_type>)
      return op == op::sum ? write_integer_sum(from.sum(), output, type)
                           : write_integer_sum(from.squares(), output, type);
  return status_code::unsupported;
}

/// A number of a floating or a 64-bit integer type, before it is rounded.
template <class T>
ONEFOLD_HOST_DEVICE detail::real_answer real_of(T value) {
  std::uint64_t magnitude = 0;
  int lsb = 0;
  bool minus = false;
  if constexpr (std::is_integral_v<T>) {
    magnitude = std::uint64_t(value);
    if constexpr (std::is_signed_v<T>)
      if (value < 0) minus = true, magnitude = ~magnitude + 1;
  } else {
    using format = detail::float_format<T>;
    const auto bits = detail::to_bits(value);
    minus = (bits & format::sign_bit) != 0;
    if (detail::is_nan<T>(bits)) return {};
    if (detail::exponent_field<T>(bits) == format::max_field)
      return {{}, detail::real_answer::form::infinity, minus};
    magnitude = std::uint64_t(detail::significand<T>(bits));
    lsb = format::lsb + detail::unit_shift<T>(bits);
  }
  const std::int64_t digits[2] = {std::int64_t(magnitude & 0xFFFFFFFF),
                                  std::int64_t(magnitude >> 32)};
  return {detail::sticky_of<detail::all_checks>({digits, 2}, lsb),
          detail::real_answer::form::number, minus};
}

template <class Out, class T>
ONEFOLD_HOST_DEVICE status_code write_integer(T value, void* output) {
  // The 64-bit patterns must be equal, and both values negative or neither: the top bit of a signed
  // type is its sign.
  const auto narrow = Out(value);
  bool fits = std::uint64_t(narrow) == std::uint64_t(value);
  if constexpr (std::is_signed_v<Out> != std::is_signed_v<T>)
    fits = fits && std::uint64_t(value) >> 63 == 0;
  if (!fits) return status_code::overflow;
  return store(output, narrow), status_code::ok;
}

/// Writes a number in a type other than its own, T, which is a floating type or has 64 bits.
template <class T>
ONEFOLD_HOST_DEVICE status_code write_converted(T value, void* output, dtype type) {
  if (type >= dtype::f16) return write_rounded(real_of(value), output, type);
  if constexpr (std::is_integral_v<T>) {
    switch (type) {
    case dtype::i8:
      return write_integer<std::int8_t>(value, output);
    case dtype::i16:
      return write_integer<std::int16_t>(value, output);
    case dtype::i32:
      return write_integer<std::int32_t>(value, output);
    case dtype::i64:
      return write_integer<std::int64_t>(value, output);
    case dtype::u8:
      return write_integer<std::uint8_t>(value, output);
    case dtype::u16:
      return write_integer<std::uint16_t>(value, output);
    case dtype::u32:
      return write_integer<std::uint32_t>(value, output);
    case dtype::u64:
      return write_integer<std::uint64_t>(value, output);
    default:
      break;
    }
  }
  return status_code::unsupported;
}

/// The same for any T. Fails: unsupported (bool; an integer output of a floating number), overflow.
template <class T>
ONEFOLD_HOST_DEVICE status_code write_number(T value, void* output, dtype type) {
  if (dtype_of<T> == type) return store(output, value), status_code::ok;
  if constexpr (!std::is_integral_v<T>)
    return write_converted(value, output, type);
  else if constexpr (std::is_unsigned_v<T>)
    return write_converted(std::uint64_t(value), output, type);
  else
    return write_converted(std::int64_t(value), output, type);
}

template <class T>
ONEFOLD_HOST_DEVICE status_code write_extremum(op op, const detail::extrema& from, bool omit,
                                               void* output, dtype type) {
  switch (op) {
  case op::argmin:
    return write_number(from.argmin(omit), output, type);
  case op::argmax:
    return write_number(from.argmax(omit), output, type);
  case op::norminf:
    return write_number(from.norminf<T>(omit), output, type);
  case op::max:
    return write_number(from.max<T>(omit), output, type);
  default:
    break;
  }
  const status_code done = write_number(from.min<T>(omit), output, type);
  if (op == op::min || done != status_code::ok) return done;
  return write_number(from.max<T>(omit), place_behind(output, type), type);
}

/// The answers of the other accumulators over elements of type T. Fails: as write_number; empty,
/// not_a_number.
template <class T>
ONEFOLD_HOST_DEVICE status_code write_selection(op op, const detail::extrema& from, nan_policy nan,
                                                void* output, dtype type) {
  const bool omit = nan == nan_policy::omit;
  if (nan == nan_policy::error && from.nan_count() > 0) return status_code::not_a_number;
  if (!from.empty(omit)) return write_extremum<T>(op, from, omit, output, type);
  // The norm of no elements is that of their sum: zero.
  return op == op::norminf ? write_number(false, output, type) : status_code::empty;
}

/// The answer of an operator of counts; 0 or 1 of those that answer yes or no.
ONEFOLD_HOST_DEVICE constexpr std::int64_t count_of(op op, const detail::nonzero_counts& from,
                                                    bool omit) {
  switch (op) {
  case op::any:
    return from.any(omit);
  case op::all:
    return from.all();
  case op::count:
    return from.count(omit);
  default:
    return from.count_nonzero(omit);
  }
}

template <class T>
ONEFOLD_HOST_DEVICE status_code write_selection(op op, const detail::nonzero_counts& from,
                                                nan_policy nan, void* output, dtype type) {
  if (nan == nan_policy::error && from.nan_count() > 0) return status_code::not_a_number;
  const std::int64_t count = count_of(op, from, nan == nan_policy::omit);
  return op == op::any || op == op::all ? write_number(count != 0, output, type)
                                        : write_number(count, output, type);
}

template <class T>
ONEFOLD_HOST_DEVICE status_code write_selection(op op, const detail::bit_fold& from, nan_policy,
                                                void* output, dtype type) {
  if constexpr (std::is_integral_v<T>)
    return write_number(op == op::bit_and  ? from.bit_and<T>()
                        : op == op::bit_or ? from.bit_or<T>()
                                           : from.bit_xor<T>(),
                        output, type);
  return status_code::unsupported;
}

}  // namespace onefold
