// SPDX-License-Identifier: Apache-2.0
// Reductions of segments and of groups by key.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <onefold/keys.hpp>
#include <onefold/segments.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "reduce.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

options options_of_groups(const array& x, const arguments& given, nb::handle min_count,
                          nb::handle empty_value, std::optional<array>& mask) {
  options made = options_of(given, x.axes().size(), mask);
  made.min_count = integer_of(min_count, "min_count");
  if (!empty_value.is_none()) made.empty_value = scalar_of(empty_value, "empty_value");
  return made;
}

// Bytes of a call that its thread waits for: work on a GPU is only launched.
std::int64_t bytes_of(const array& x, std::int64_t more = 0) {
  const std::int64_t bytes = x.bytes() + more;
  return x.device() < 0 ? bytes : std::min(bytes, std::int64_t(1) << 20);
}

// offsets: int64, contiguous, on the host or where x is. answers: writable.
void segments_into(int number, nb::handle x, nb::handle offsets, nb::handle answers,
                   nb::handle where, nb::handle initial, nb::handle accuracy, nb::handle nan,
                   nb::handle correction, nb::handle min_count, nb::handle empty_value,
                   std::uintptr_t stream) {
  const array in = array_of(x), bounds = array_of(offsets), target = array_of(answers, true);
  const bool contiguous = bounds.axes().size() == 1 && bounds.type() == dtype::i64 &&
                          (bounds.items() < 2 || bounds.axes()[0].stride_bytes == 8);
  if (!contiguous || bounds.items() == 0)
    raise(PyExc_ValueError, "offsets must be one axis of int64, contiguous, with one or more");
  const std::span<const std::int64_t> list(static_cast<const std::int64_t*>(bounds.data()),
                                           std::size_t(bounds.items()));
  std::optional<array> mask;
  options options =
      options_of_groups(in, {nb::none(), where, initial, accuracy, nan, correction, false},
                        min_count, empty_value, mask);
  run(bytes_of(in), [&](std::stop_token stop) {
    options.stop = std::move(stop);
    return reduce_segments(executor_of(in, stream), onefold::op(number), in.view(), list,
                           {target.data(), target.type(), target.axes()}, options);
  });
}

// make: of a number of groups, the memory of their keys and answers, to be written.
void groups_into(int number, nb::handle keys, nb::handle values, nb::handle make, nb::handle where,
                 nb::handle initial, nb::handle accuracy, nb::handle nan, nb::handle correction,
                 nb::handle min_count, nb::handle empty_value, std::uintptr_t stream) {
  const array key = array_of(keys), in = array_of(values);
  std::optional<array> mask;
  options options =
      options_of_groups(in, {nb::none(), where, initial, accuracy, nan, correction, false},
                        min_count, empty_value, mask);
  std::optional<array> group_keys, answers;
  const auto outputs = [&](std::int64_t groups) -> group_outputs {
    const nb::gil_scoped_acquire acquired;
    const auto made = nb::cast<nb::tuple>(make(groups));
    group_keys = array_of(made[0], true), answers = array_of(made[1], true);
    return {group_keys->data(), {answers->data(), answers->type(), answers->axes()}};
  };
  run(bytes_of(in, key.bytes()), [&](std::stop_token stop) {
    options.stop = std::move(stop);
    return reduce_by_key(executor_of(in, stream), onefold::op(number), key.view(), in.view(),
                         outputs, options);
  });
}

}  // namespace

void add_groups(nb::module_& module) {
  using nb::arg;
  module.def("segments_into", &segments_into, arg("op"), arg("x"), arg("offsets"), arg("answers"),
             arg("where").none(), arg("initial").none(), arg("accuracy"), arg("nan"),
             arg("correction").none(), arg("min_count"), arg("empty_value").none(), arg("stream"));
  module.def("groups_into", &groups_into, arg("op"), arg("keys"), arg("values"), arg("make"),
             arg("where").none(), arg("initial").none(), arg("accuracy"), arg("nan"),
             arg("correction").none(), arg("min_count"), arg("empty_value").none(), arg("stream"));
}

}  // namespace onefold::python
