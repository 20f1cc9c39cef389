// SPDX-License-Identifier: Apache-2.0
// Writes the answers of extrema, counts and bitwise operators, and reports what has none.
#include "rounding/round_state.hpp"

#include "rounding/errors.hpp"

namespace onefold {
namespace {

status status_of(status_code code, op what, dtype input, dtype type) {
  switch (code) {
  case status_code::ok:
    return {};
  case status_code::overflow:
    return does_not_fit(what, type);
  case status_code::empty:
    return no_value(what);
  case status_code::not_a_number:
    return met_a_nan(what);
  default:
    break;
  }
  if (type == dtype::boolean) return no_such_form(what, input, type, "another type");
  return no_floating_form(what, input, type);
}

template <class State>
status write(op what, const State& from, const rounding_context& how, void* output, dtype type) {
  return with_type(how.input, [&]<class T>(detail::tag<T>) {
    return status_of(write_selection<T>(what, from, how.nan, output, type), what, how.input, type);
  });
}

}  // namespace

status round_extrema(op what, const detail::extrema& from, const rounding_context& how,
                     void* output, dtype type) {
  return write(what, from, how, output, type);
}

status round_counts(op what, const detail::nonzero_counts& from, const rounding_context& how,
                    void* output, dtype type) {
  return write(what, from, how, output, type);
}

status round_count(op what, std::int64_t answer, dtype input, void* output, dtype type) {
  return status_of(write_number(answer, output, type), what, input, type);
}

status round_bits(op what, const detail::bit_fold& from, const rounding_context& how, void* output,
                  dtype type) {
  if (is_floating(how.input)) return no_such_form(what, how.input, type, "integers");
  return write(what, from, how, output, type);
}

}  // namespace onefold
