// SPDX-License-Identifier: Apache-2.0
// Validation of a request: operators, element types and options against each other.
#include "request/request.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "state/accumulator.hpp"
#include "state/element_types.hpp"

namespace onefold {
namespace {

std::string quoted(op op) {
  return std::string(name(op));
}

// Whether the fast states do not count NaNs.
bool drops_nans_if_fast(op op) {
  return has_fast_form(accumulator_of(op));
}

status check_views(op op, std::span<const array_view> views) {
  if (int(views.size()) == inputs_of(op)) return {};
  return {status_code::mismatch, quoted(op) + " takes " + std::to_string(inputs_of(op)) +
                                     (inputs_of(op) == 1 ? " view, not " : " views, not ") +
                                     std::to_string(views.size())};
}

status check_types(op op, std::span<const array_view> views, std::optional<dtype> mapped) {
  const dtype type = mapped.value_or(views[0].type());
  if (auto fine = check_element_type(op, type); !fine) return fine;
  if (views.size() < 2) return {};
  const dtype other = views[1].type();
  const auto wide = [](dtype t) { return t == dtype::i64 || t == dtype::u64; };
  const bool floats = is_floating(type) || is_floating(other);
  if (floats && (wide(type) || wide(other)))
    return {status_code::unsupported, quoted(op) + " of " + std::string(name(type)) + " and " +
                                          std::string(name(other)) +
                                          ": no element type holds both; convert one of them"};
  const auto below_zero = [](dtype t) { return is_signed_integer(t); };
  if (!floats && (type == dtype::u64 || other == dtype::u64) &&
      (below_zero(type) || below_zero(other)))
    return {status_code::unsupported, quoted(op) + " of " + std::string(name(type)) + " and " +
                                          std::string(name(other)) +
                                          ": no element type holds both; convert one of them"};
  return {};
}

// Whether an integer type can represent a double; the bounds are powers of two, so doubles hold
// them exactly.
template <class T>
bool holds(double value) {
  const double above = 2 * double(std::uint64_t(1) << (std::numeric_limits<T>::digits - 1));
  const double least = std::is_signed_v<T> ? -above : 0;
  return value >= least && value < above && double(static_cast<T>(value)) == value;
}

// An initial value becomes an element: for integers it must be representable in the element type.
status check_initial(const scalar& initial, dtype type) {
  if (is_floating(type)) return {};
  const bool fits = with_type(type, [&]<class T>(detail::tag<T>) {
    return initial.visit([]<class From>(From value) {
      if constexpr (!std::is_integral_v<T>)
        return true;
      else if constexpr (std::is_integral_v<From>)
        return std::in_range<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>(value) &&
               (!std::is_same_v<T, bool> || value == From(0) || value == From(1));
      else
        return holds<T>(value);
    });
  });
  if (fits) return {};
  return {status_code::mismatch,
          "the initial value is no " + std::string(name(type)) + ", the type of the elements"};
}

status check_options(op op, const options& options) {
  if (options.where && is_position(op))
    return {status_code::unsupported,
            quoted(op) + " takes no mask: what is masked out still has a position"};
  if (options.initial && !detail::has_trait(op, detail::takes_initial))
    return {status_code::unsupported,
            quoted(op) + " takes no initial value; sum, prod, min, max, minmax, norminf do"};
  return {};
}

// The index after the last element has to fit too: a next part begins there.
status check_indices(const array_view& x, const options& options) {
  if (options.first_index <= 0) return {};
  std::int64_t next = 1;
  bool fits = true;
  for (const axis_layout& axis : x.axes())
    fits = !__builtin_mul_overflow(next, axis.extent, &next) && fits;
  if (fits && !__builtin_add_overflow(next, options.first_index, &next)) return {};
  return {status_code::overflow, "options::first_index is " + std::to_string(options.first_index) +
                                     ", and the indices of the elements do not fit 64 bits"};
}

}  // namespace

status check_request(const op_list& ops, std::span<const array_view> views, const options& options,
                     std::optional<dtype> mapped) {
  if (ops.size() == 0) return {status_code::usage, "no operator is asked for"};
  for (const op op : ops) {
    if (auto fine = check_views(op, views); !fine) return fine;
    if (auto fine = check_types(op, views, mapped); !fine) return fine;
    if (auto fine = check_options(op, options); !fine) return fine;
  }
  if (options.min_count < 0)
    return {status_code::usage, "options::min_count is below zero; 0 asks for nothing"};
  if (!std::isfinite(options.correction))
    return {status_code::usage,
            "options::correction is no finite number; give one such as 1 or 0.5"};
  if (auto fine = check_indices(views[0], options); !fine) return fine;
  if (options.initial)
    if (auto fine = check_initial(*options.initial, mapped.value_or(views[0].type())); !fine)
      return fine;
  const bool drops = options.accuracy == accuracy::fast &&
                     options.nan_policy != nan_policy::propagate &&
                     std::any_of(ops.begin(), ops.end(), drops_nans_if_fast);
  if (drops && reports_positions(ops))
    return {status_code::unsupported,
            "a fast sum leaves NaNs out while it reads, and positions with them; ask for the "
            "positions apart, or for exact sums"};
  return {};
}

status check_no_device_options(const options& options) {
  if (options.count == nullptr && options.status_out == nullptr) return {};
  return {status_code::unsupported,
          "options::count and options::status_out are for reduce() on a GPU (executor::cuda)"};
}

status check_no_counts(const options& options, const char* where) {
  if (options.min_count == 0 && !options.empty_value) return {};
  return {status_code::unsupported,
          "options::min_count and options::empty_value are for segments and groups by key on a "
          "CPU, not " +
              std::string(where)};
}

accuracy accuracy_on_device(const op_list& ops, dtype input, accuracy requested) {
  const auto is_moment = [](op op) { return accumulator_of(op) == accumulator::moments; };
  const bool wraps = !is_floating(input) && std::none_of(ops.begin(), ops.end(), is_moment);
  return wraps ? requested : accuracy::exact;
}

bool reports_positions(const op_list& ops) {
  return std::any_of(ops.begin(), ops.end(), is_position);
}

dtype loop_type(std::span<const array_view> views) {
  const dtype type = views[0].type();
  if (views.size() < 2 || views[1].type() == type) return type;
  const dtype other = views[1].type();
  const auto fits_f32 = [](dtype t) {
    return t == dtype::f16 || t == dtype::bf16 || t == dtype::f32 || t == dtype::boolean ||
           size_bytes(t) < 2 || t == dtype::i16 || t == dtype::u16;
  };
  if (is_floating(type) || is_floating(other))
    return fits_f32(type) && fits_f32(other) ? dtype::f32 : dtype::f64;
  return type == dtype::u64 || other == dtype::u64 ? dtype::u64 : dtype::i64;
}

bool drops_nans(const plan& plan) {
  if (plan.nan_policy == nan_policy::propagate || !is_floating(plan.input)) return false;
  return plan.accuracy == accuracy::fast &&
         std::any_of(plan.ops.begin(), plan.ops.end(), drops_nans_if_fast);
}

}  // namespace onefold
