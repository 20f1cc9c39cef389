// SPDX-License-Identifier: Apache-2.0
// States of many answers as NumPy arrays of bytes, whose last axis is one serialized state: made
// from the parts of an array, merged, and rounded.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <onefold/reduce.hpp>
#include <onefold/state.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "numpy_output.hpp"
#include "reduce.hpp"
#include "run.hpp"
#include "states.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// The bytes of states, contiguous: `each` bytes apart.
class state_bytes {
 public:
  explicit state_bytes(const array& bytes)
      : data_(static_cast<std::byte*>(bytes.data())), bytes_(bytes.bytes()),
        each_(std::size_t(bytes.axes()[bytes.axes().size() - 1].extent)) {}

  result<state> get(std::int64_t i) const {
    return state::from_bytes({data_ + std::size_t(i) * each_, each_});
  }
  /// Precondition: a state of the operator and the type of the array's.
  void set(std::int64_t i, const state& from) const {
    const auto bytes = from.bytes();
    std::copy(bytes.begin(), bytes.end(), data_ + std::size_t(i) * each_);
  }
  std::int64_t total_bytes() const { return bytes_; }

 private:
  std::byte* data_;
  std::int64_t bytes_;
  std::size_t each_;
};

// An array of bytes with so many axes. Fails: ValueError.
array bytes_of(nb::handle states, int rank) {
  array bytes = array_of(states);
  std::int64_t stride = 1;
  bool fits = bytes.type() == dtype::u8 && bytes.axes().size() == rank;
  for (int i = rank - 1; fits && i >= 0; --i) {
    const auto& axis = bytes.axes()[i];
    fits = axis.extent <= 1 || axis.stride_bytes == stride;
    fits = fits && (axis.extent > 0 || i == 0);
    stride *= axis.extent;
  }
  if (!fits) raise(PyExc_ValueError, "states must be a contiguous array of bytes, none empty");
  return bytes;
}

// The state of each answer of one part of an array. Shape: the answers', and one more axis.
nb::object partials_of(int number, nb::handle x, nb::handle y, nb::handle axis, nb::handle keepdims,
                       nb::handle where) {
  const auto op = onefold::op(number);
  const array in = array_of(x);
  std::optional<array> other;
  if (!y.is_none()) other = array_of(y);
  if (other && other->type() != in.type()) raise(PyExc_TypeError, "arrays of different types");
  options options;
  options.axes = axes_of(axis, in.axes().size());
  options.keepdims = bool_of(keepdims);
  std::optional<array> mask;
  if (!where.is_none()) {
    mask = array_of(where);
    options.where = mask->view();
  }
  const state empty = new_state(op, in.type(), 0);
  std::vector<std::int64_t> shape = answer_shape(in.view(), options);
  shape.push_back(std::int64_t(empty.bytes().size()));
  const nb::object made = numpy_empty(dtype::u8, shape);
  const state_bytes states(array_of(made, true));
  const state_taker take = [&](std::int64_t index, const state& part) { states.set(index, part); };
  run(in.bytes(), [&](std::stop_token stop) {
    options.stop = std::move(stop);
    const executor executor = executor::cpu{.threads = threads()};
    return other ? partials(executor, op, {in.view(), other->view()}, take, options)
                 : partials(executor, op, {in.view()}, take, options);
  });
  return made;
}

// states: [answers, parts, bytes]; the states of the parts become one, in their order.
nb::object merge_partials(nb::handle states) {
  const array given = bytes_of(states, 3);
  const std::int64_t answers = given.axes()[0].extent, parts = given.axes()[1].extent;
  const nb::object made = numpy_empty(dtype::u8, std::vector{answers, given.axes()[2].extent});
  const state_bytes from(given), to(array_of(made, true));
  run(from.total_bytes(), [&](const std::stop_token& stop) -> status {
    for (std::int64_t k = 0; k < answers; ++k) {
      if (stop.stop_requested()) return {status_code::cancelled, "stopped"};
      auto merged = from.get(k * parts);
      for (std::int64_t i = 1; merged && i < parts; ++i) {
        const auto part = from.get(k * parts + i);
        if (!part) return part.why();
        if (auto done = merged->try_merge(*part); !done) return done;
      }
      if (!merged) return merged.why();
      to.set(k, *merged);
    }
    return {};
  });
  return made;
}

// states: [answers, bytes]. output: as many contiguous elements.
void round_partials(nb::handle states, nb::handle output, nb::handle nan, nb::handle correction) {
  const array given = bytes_of(states, 2), target = array_of(output, true);
  const rounding_options rounding = rounding_of(nan, correction);
  const std::int64_t answers = given.axes()[0].extent;
  if (target.items() != answers) raise(PyExc_ValueError, "another number of answers than states");
  const state_bytes from(given);
  auto* place = static_cast<std::byte*>(target.data());
  run(from.total_bytes(), [&](const std::stop_token& stop) -> status {
    for (std::int64_t k = 0; k < answers; ++k, place += size_bytes(target.type())) {
      if (stop.stop_requested()) return {status_code::cancelled, "stopped"};
      const auto whole = from.get(k);
      if (!whole) return whole.why();
      if (auto done = whole->write(place, target.type(), rounding); !done) return done;
    }
    return {};
  });
}

}  // namespace

void add_state_arrays(nb::module_& module) {
  using nb::arg;
  module.def("partials", &partials_of, arg("op"), arg("x"), arg("y").none(), arg("axis").none(),
             arg("keepdims"), arg("where").none() = nb::none());
  module.def("merge_partials", &merge_partials, arg("states"));
  module.def("round_partials", &round_partials, arg("states"), arg("output"), arg("nan"),
             arg("correction").none());
}

}  // namespace onefold::python
