// SPDX-License-Identifier: Apache-2.0
#include "finish/selections.hpp"

#include <cstddef>
#include <type_traits>

#include "finish/store.hpp"
#include "onefold/exact.hpp"

namespace onefold {
namespace {

// An exact sum of one element is a conversion that rounds once and tells what does not fit.
template <class T>
status convert(op what, T value, dtype input, void* output, dtype type) {
  if (dtype_of<T> == type) return store(output, value), status();
  exact_sum<T> one;
  one.add(value);
  return with_type(type, [&]<class Out>(detail::tag<Out>) -> status {
    if constexpr (std::is_same_v<Out, bool>) {
      return no_such_form(what, input, type, "another type");
    } else if constexpr (!std::is_integral_v<Out>) {
      return store(output, one.template value<Out>()), status();
    } else if constexpr (std::is_integral_v<T>) {
      if (!one.template fits<Out>()) return does_not_fit(what, type);
      return store(output, one.template value<Out>()), status();
    } else {
      return no_floating_form(what, input, type);
    }
  });
}

template <class T>
status write_extremum(op what, const detail::extrema& from, bool omit, dtype input, void* output,
                      dtype type) {
  auto* const places = static_cast<std::byte*>(output);
  switch (what) {
  case op::argmin:
    return convert(what, from.argmin(omit), input, output, type);
  case op::argmax:
    return convert(what, from.argmax(omit), input, output, type);
  case op::norminf:
    return convert(what, from.norminf<T>(omit), input, output, type);
  case op::min:
    return convert(what, from.min<T>(omit), input, output, type);
  case op::minmax:
    if (auto done = convert(what, from.min<T>(omit), input, output, type); !done) return done;
    return convert(what, from.max<T>(omit), input, places + size_bytes(type), type);
  default:
    return convert(what, from.max<T>(omit), input, output, type);
  }
}

}  // namespace

status finish_extrema(op what, const detail::extrema& from, const finishing& how, void* output,
                      dtype type) {
  const bool omit = how.nan == nan_policy::omit;
  if (how.nan == nan_policy::error && from.nan_count() > 0) return met_a_nan(what);
  if (from.empty(omit)) {
    // The norm of nothing is the sum's: zero.
    if (what == op::norminf) return convert(what, false, how.input, output, type);
    return nothing_to_tell(what);
  }
  return with_type(how.input, [&]<class T>(detail::tag<T>) {
    return write_extremum<T>(what, from, omit, how.input, output, type);
  });
}

status finish_tally(op what, const detail::tally& from, const finishing& how, void* output,
                    dtype type) {
  const bool omit = how.nan == nan_policy::omit;
  if (how.nan == nan_policy::error && from.nan_count() > 0) return met_a_nan(what);
  if (what == op::any || what == op::all) {
    const bool answer = what == op::any ? from.any(omit) : from.all();
    return convert(what, answer, how.input, output, type);
  }
  const std::int64_t answer = what == op::count ? from.count(omit) : from.count_nonzero(omit);
  return finish_count(what, answer, how.input, output, type);
}

status finish_count(op what, std::int64_t answer, dtype input, void* output, dtype type) {
  return convert(what, answer, input, output, type);
}

status finish_bits(op what, const detail::bit_fold& from, const finishing& how, void* output,
                   dtype type) {
  return with_type(how.input, [&]<class T>(detail::tag<T>) -> status {
    if constexpr (std::is_integral_v<T>) {
      const T answer = what == op::bit_and  ? from.bit_and<T>()
                       : what == op::bit_or ? from.bit_or<T>()
                                            : from.bit_xor<T>();
      return convert(what, answer, how.input, output, type);
    } else {
      return no_such_form(what, how.input, type, "integers");
    }
  });
}

}  // namespace onefold
