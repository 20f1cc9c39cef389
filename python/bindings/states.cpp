// SPDX-License-Identifier: Apache-2.0
// The class State: a reduction in progress.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <onefold/collective.hpp>
#include <onefold/reduce.hpp>
#include <onefold/state.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "names.hpp"
#include "numpy_output.hpp"
#include "reduce.hpp"
#include "run.hpp"
#include "states.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// y: the second array of a dot product, else None. stream: of the GPU that has the arrays.
void add(state& into, nb::handle x, nb::handle y, nb::handle where, std::uintptr_t stream) {
  const array in = array_of(x);
  std::optional<array> other;
  if (!y.is_none()) other = array_of(y);
  if (in.type() != into.input())
    raise(PyExc_TypeError, std::string("an array of ") + numpy_name(in.type()) +
                               " cannot be added to a state of " + numpy_name(into.input()));
  options options;
  if (__builtin_add_overflow(into.first_index(), into.count(), &options.first_index))
    raise(PyExc_OverflowError, "the index of the state's next element does not fit 64 bits");
  std::optional<array> mask;
  if (!where.is_none()) {
    mask = array_of(where);
    options.where = mask->view();
  }
  std::optional<state> part;
  run(in.bytes(), [&](std::stop_token stop) -> status {
    options.stop = std::move(stop);
    const executor executor = executor_of(in, stream);
    auto made = other ? try_partial(executor, into.op(), {in.view(), other->view()}, options)
                      : try_partial(executor, into.op(), in.view(), options);
    if (made) part = std::move(made).value();
    return made.why();
  });
  check(into.try_merge(*part));
}

nb::object value_of_state(const state& from, int type, nb::handle nan, nb::handle correction) {
  const rounding_options rounding = rounding_of(nan, correction);
  const dtype answer = type < 0 ? default_output(from.op(), from.input()) : dtype(type);
  const std::size_t size = size_bytes(answer);
  alignas(8) std::byte values[16];
  check(from.write(values, answer, rounding));
  if (answers_of(from.op()) == 1) return numpy_scalar(answer, values);
  return nb::make_tuple(numpy_scalar(answer, values), numpy_scalar(answer, values + size));
}

nb::bytes bytes_of(const state& from) {
  const auto bytes = from.bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

state from_bytes(const nb::bytes& bytes, std::int64_t first_index) {
  return value_of(
      state::from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()}, first_index));
}

nb::bytes words_of(const state& from, std::optional<std::int64_t> band) {
  const auto words = value_of(band ? try_to_additive(from, *band) : try_to_additive(from));
  return nb::bytes(words.data(), words.size() * sizeof(words[0]));
}

state from_words(const nb::bytes& bytes) {
  std::vector<std::int64_t> words(bytes.size() / sizeof(std::int64_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(words[0]));
  return value_of(from_additive(words));
}

std::string decimal(const state& from, nb::handle nan) {
  rounding_options rounding;
  rounding.nan_policy = nan_policy_of(nan);
  try {
    return from.decimal(rounding);
  } catch (const error& refused) {
    raise(refused.why());
  }
}

}  // namespace

state new_state(op op, dtype input, std::int64_t first_index) {
  try {
    return {op, input, first_index};
  } catch (const error& refused) {
    raise(refused.why());
  }
}

rounding_options rounding_of(nb::handle nan, nb::handle correction) {
  const arguments given = {nb::none(), nb::none(), nb::none(), nb::str("exact"), nan, correction};
  std::optional<array> mask;
  const options options = options_of(given, 0, mask);
  return {options.nan_policy, options.correction};
}

void add_states(nb::module_& module) {
  using nb::arg;
  nb::class_<state>(module, "State")
      .def_static(
          "create",
          [](int op, int input, std::int64_t first_index) {
            return new_state(onefold::op(op), dtype(input), first_index);
          },
          arg("op"), arg("dtype"), arg("first_index"))
      .def_static("from_bytes", &from_bytes, arg("bytes"), arg("first_index"))
      .def_static("from_words", &from_words, arg("bytes"))
      .def("add", &add, arg("x"), arg("y").none(), arg("where").none(), arg("stream"))
      .def("merge", [](state& into, const state& other) { check(into.try_merge(other)); })
      .def("subtract", [](state& from, const state& other) { check(from.try_subtract(other)); })
      .def("value", &value_of_state, arg("dtype"), arg("nan"), arg("correction"))
      .def("decimal", &decimal, arg("nan"))
      .def("to_bytes", &bytes_of)
      .def("to_words", &words_of, arg("band").none())
      .def("band", [](const state& from) { return value_of(additive_band(from)); })
      .def("copy", [](const state& from) { return from; })
      .def("equals", [](const state& a, const state& b) { return a == b; })
      .def_prop_ro("op", [](const state& from) { return int(from.op()); })
      .def_prop_ro("dtype", [](const state& from) { return int(from.input()); })
      .def_prop_ro("count", &state::count)
      .def_prop_ro("first_index", &state::first_index);
}

}  // namespace onefold::python
