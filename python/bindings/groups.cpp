// SPDX-License-Identifier: Apache-2.0
// Reductions of segments and of groups by key.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <onefold/keys.hpp>
#include <onefold/segments.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "numpy_output.hpp"
#include "reduce.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

std::vector<std::int64_t> shape_of_groups(op op, std::int64_t groups) {
  if (answers_of(op) == 1) return {groups};
  return {groups, answers_of(op)};
}

void set_empty_values(options& options, nb::handle min_count, nb::handle empty_value) {
  options.min_count = integer_of(min_count, "min_count");
  if (!empty_value.is_none()) options.empty_value = scalar_of(empty_value, "empty_value");
}

// offsets: int64, contiguous.
nb::object segments_of(int number, nb::handle x, nb::handle offsets, int type, nb::handle where,
                       nb::handle initial, nb::handle accuracy, nb::handle nan,
                       nb::handle correction, nb::handle min_count, nb::handle empty_value) {
  const auto op = onefold::op(number);
  const array in = array_of(x), bounds = array_of(offsets);
  const bool contiguous = bounds.axes().size() == 1 && bounds.type() == dtype::i64 &&
                          (bounds.items() < 2 || bounds.axes()[0].stride_bytes == 8);
  if (!contiguous || bounds.items() == 0)
    raise(PyExc_ValueError, "offsets must be one axis of int64, contiguous, with one or more");
  const std::span<const std::int64_t> list(static_cast<const std::int64_t*>(bounds.data()),
                                           std::size_t(bounds.items()));
  std::optional<array> mask;
  options options = options_of({nb::none(), where, initial, accuracy, nan, correction, false},
                               in.axes().size(), mask);
  set_empty_values(options, min_count, empty_value);
  const dtype answer = type < 0 ? default_output(op, in.type()) : dtype(type);
  nb::object made = numpy_empty(answer, shape_of_groups(op, bounds.items() - 1));
  const array target = memory_of_numpy(made, answer);
  run(in.bytes(), [&](std::stop_token stop) {
    options.stop = std::move(stop);
    return reduce_segments(executor::cpu{.threads = threads()}, op, in.view(), list,
                           {target.data(), target.type(), target.axes()}, options);
  });
  return made;
}

nb::object groups_of(int number, nb::handle keys, nb::handle values, int type, nb::handle where,
                     nb::handle initial, nb::handle accuracy, nb::handle nan, nb::handle correction,
                     nb::handle min_count, nb::handle empty_value) {
  const auto op = onefold::op(number);
  const array key = array_of(keys), in = array_of(values);
  std::optional<array> mask;
  options options = options_of({nb::none(), where, initial, accuracy, nan, correction, false},
                               in.axes().size(), mask);
  set_empty_values(options, min_count, empty_value);
  const dtype answer = type < 0 ? default_output(op, in.type()) : dtype(type);
  nb::object group_keys, group_answers;
  std::optional<array> key_memory, answer_memory;
  const auto make = [&](std::int64_t groups) -> group_outputs {
    const nb::gil_scoped_acquire acquired;
    group_keys = numpy_empty(key.type(), std::vector{groups});
    group_answers = numpy_empty(answer, shape_of_groups(op, groups));
    key_memory = array_of(group_keys, true);
    answer_memory = memory_of_numpy(group_answers, answer);
    return {key_memory->data(),
            {answer_memory->data(), answer_memory->type(), answer_memory->axes()}};
  };
  run(key.bytes() + in.bytes(), [&](std::stop_token stop) {
    options.stop = std::move(stop);
    return reduce_by_key(executor::cpu{.threads = threads()}, op, key.view(), in.view(), make,
                         options);
  });
  return nb::make_tuple(group_keys, group_answers);
}

}  // namespace

void add_groups(nb::module_& module) {
  using nb::arg;
  module.def("segments", &segments_of, arg("op"), arg("x"), arg("offsets"), arg("dtype"),
             arg("where").none(), arg("initial").none(), arg("accuracy"), arg("nan"),
             arg("correction").none(), arg("min_count"), arg("empty_value").none());
  module.def("groups", &groups_of, arg("op"), arg("keys"), arg("values"), arg("dtype"),
             arg("where").none(), arg("initial").none(), arg("accuracy"), arg("nan"),
             arg("correction").none(), arg("min_count"), arg("empty_value").none());
}

}  // namespace onefold::python
