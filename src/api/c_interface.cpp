// SPDX-License-Identifier: Apache-2.0
// The C interface, over the C++ interface: it checks arguments, catches exceptions and keeps
// messages.
#include "onefold/onefold.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <vector>

#include "onefold/onefold.hpp"

struct onefold_state {
  onefold::state known;
};

namespace onefold {
namespace {

static_assert(int(ONEFOLD_DEVICE_ERROR) == int(status_code::device_error));
static_assert(int(ONEFOLD_F64) == int(dtype::f64) && int(ONEFOLD_F16) == int(dtype::f16));
static_assert(int(ONEFOLD_LOGSUMEXP) == int(op::logsumexp) && int(ONEFOLD_STD) == int(op::stddev));
static_assert(int(ONEFOLD_NAN_ERROR) == int(nan_policy::error));

// A fixed buffer: keeping the message "no memory" must not allocate.
struct kept_message {
  char text[512] = {};

  void keep(std::string_view message) noexcept {
    std::size_t size = std::min(message.size(), sizeof text - 1);
    const auto continues = [&] { return (message[size] & 0xC0) == 0x80; };  // a UTF-8 character
    if (size < message.size())
      while (size > 0 && continues()) --size;
    std::copy_n(message.data(), size, text);
    text[size] = '\0';
  }
};

kept_message& last_message() noexcept {
  thread_local kept_message message;
  return message;
}

onefold_status fails(status_code code, std::string_view message) noexcept {
  last_message().keep(message);
  return static_cast<onefold_status>(code);
}

onefold_status reported(const status& done) noexcept {
  return done.ok() ? ONEFOLD_OK : fails(done.code(), done.message());
}

status bad(const char* problem) {
  return {status_code::usage, problem};
}

// Runs code that may throw: a caller of C must never see an exception.
template <class F>
onefold_status guarded(F&& work) noexcept {
  try {
    return reported(work());
  } catch (const std::bad_alloc&) {
    return fails(status_code::out_of_memory, "no memory");
  } catch (const std::length_error&) {
    return fails(status_code::out_of_memory, "no memory");
  } catch (const error& failed) {
    return reported(failed.why());
  } catch (const std::exception& unexpected) {
    return fails(status_code::usage, unexpected.what());
  } catch (...) {
    return fails(status_code::usage, "the stop function threw");
  }
}

bool known(onefold_op op) {
  return int(op) >= 0 && std::size_t(op) < std::size(all_ops);
}
bool known(onefold_dtype type) {
  return int(type) >= 0 && std::size_t(type) < std::size(all_dtypes);
}

result<axis_list> axes_of(const onefold_array& from) {
  if (!known(from.dtype)) return bad("an array's dtype is none of onefold_dtype");
  if (from.rank < 0 || from.rank > max_rank) return bad("an array's rank is not within 0 … 64");
  if (from.rank > 0 && !from.extents) return bad("an array of rank 1 or more has no extents");
  const auto type = static_cast<dtype>(from.dtype);
  if (!from.strides_bytes)
    return row_major({from.extents, std::size_t(from.rank)}, std::int64_t(size_bytes(type)));
  axis_list axes;
  for (int i = 0; i < from.rank; ++i) axes.push_back({from.extents[i], from.strides_bytes[i]});
  return axes;
}

// Only an array without elements may have no data. The plan reports negative extents.
bool lacks_data(const onefold_array& from) {
  return !from.data && std::all_of(from.extents, from.extents + from.rank,
                                   [](std::int64_t extent) { return extent > 0; });
}

result<array_view> view_of(const onefold_array& from) {
  const auto axes = axes_of(from);
  if (!axes) return axes.why();
  if (lacks_data(from)) return bad("an array that is not empty has no data");
  return array_view(from.data, static_cast<dtype>(from.dtype), *axes);
}

// The element of an array of rank 0.
result<scalar> element_of(const onefold_array& from) {
  const auto view = view_of(from);
  if (!view) return view.why();
  if (view->rank() != 0) return bad("onefold_options::initial is not of rank 0, one element");
  return with_type(view->type(), [&]<class T>(detail::tag<T>) -> scalar {
    if constexpr (std::is_same_v<T, bool>) {
      return *static_cast<const unsigned char*>(from.data) != 0;
    } else {
      T element;
      std::memcpy(&element, from.data, sizeof element);
      if constexpr (std::is_arithmetic_v<T>) {
        return element;
      } else {
        exact_sum<T> one;  // a conversion
        one.add(element);
        return one.template value<double>();
      }
    }
  });
}

result<options> options_of(const onefold_options* from) {
  options options;
  if (!from) return options;
  if (from->size != sizeof *from) return bad("onefold_options::size is not its sizeof");
  if (from->accuracy != ONEFOLD_EXACT && from->accuracy != ONEFOLD_FAST)
    return bad("onefold_options::accuracy is none of onefold_accuracy");
  if (int(from->nan_policy) < 0 || from->nan_policy > ONEFOLD_NAN_ERROR)
    return bad("onefold_options::nan_policy is none of onefold_nan_policy");
  if (from->threads < 0) return bad("onefold_options::threads is below zero");
  options.accuracy = from->accuracy == ONEFOLD_FAST ? accuracy::fast : accuracy::exact;
  options.nan_policy = static_cast<nan_policy>(from->nan_policy);
  if (from->axes) {
    if (from->axis_count < 0) return bad("onefold_options::axis_count is below zero");
    std::vector<int> axes(from->axes, from->axes + from->axis_count);
    options.axes = axis_set(std::span<const int>(axes));
  }
  options.keepdims = from->keepdims != 0;
  if (from->where) {
    const auto mask = view_of(*from->where);
    if (!mask) return mask.why();
    options.where = *mask;
  }
  if (from->initial) {
    const auto initial = element_of(*from->initial);
    if (!initial) return initial.why();
    options.initial = *initial;
  }
  options.correction = from->correction;
  options.first_index = from->first_index;
  return options;
}

status reduce_arrays(onefold_op op, const onefold_array* views, int count,
                     const onefold_array* output, const onefold_options* options) {
  if (!known(op)) return bad("op is none of onefold_op");
  if (!views || !output) return bad("views or output is NULL");
  if (count != 1 && count != 2) return bad("there are one or two views");
  const auto settings = options_of(options);
  if (!settings) return settings.why();
  if (options && options->stop && options->stop(options->context))
    return {status_code::cancelled, "the caller asked to stop"};
  const auto x = view_of(views[0]);
  if (!x) return x.why();
  const auto axes = axes_of(*output);
  if (!axes) return axes.why();
  if (lacks_data(*output)) return bad("an output that is not empty has no data");
  const output_view place(output->data, static_cast<dtype>(output->dtype), *axes);
  const executor engine = executor::cpu{options ? options->threads : 0};
  if (count == 1) return reduce(engine, static_cast<onefold::op>(op), {*x}, place, *settings);
  const auto y = view_of(views[1]);
  if (!y) return y.why();
  return reduce(engine, static_cast<onefold::op>(op), {*x, *y}, place, *settings);
}

// y: the second array of a dot product; else NULL.
status add_arrays(state& into, const onefold_array& x, const onefold_array* y) {
  const auto first = view_of(x);
  if (!first) return first.why();
  options options;
  if (__builtin_add_overflow(into.first_index(), into.count(), &options.first_index))
    return {status_code::overflow, "the index of the state's next element does not fit 64 bits"};
  if (y == nullptr) {
    auto part = try_partial({}, into.op(), *first, options);
    return part ? into.try_merge(*part) : part.why();
  }
  const auto second = view_of(*y);
  if (!second) return second.why();
  auto part = try_partial({}, into.op(), {*first, *second}, options);
  return part ? into.try_merge(*part) : part.why();
}

template <class T>
onefold_status sum_of(const T* x, std::int64_t n, T* sum) {
  return guarded([&]() -> status {
    if (n < 0 || (n > 0 && !x) || !sum) return bad("n < 0, or a pointer is NULL");
    return reduce({}, op::sum, {array_view(x, std::size_t(n))}, *sum);
  });
}

template <class T>
onefold_status dot_of(const T* x, const T* y, std::int64_t n, T* dot) {
  return guarded([&]() -> status {
    if (n < 0 || (n > 0 && (!x || !y)) || !dot) return bad("n < 0, or a pointer is NULL");
    return reduce({}, op::dot, {array_view(x, std::size_t(n)), array_view(y, std::size_t(n))},
                  *dot);
  });
}

status copy_words(const result<std::vector<std::int64_t>>& made, std::int64_t* words,
                  std::int32_t capacity) {
  if (!made) return made.why();
  if (capacity < std::int64_t(made->size()))
    return bad("capacity is below onefold_additive_words()");
  std::copy(made->begin(), made->end(), words);
  return {};
}

}  // namespace
}  // namespace onefold

using namespace onefold;

onefold_status onefold_reduce(onefold_op op, const onefold_array* views, int32_t view_count,
                              const onefold_array* output, const onefold_options* options) {
  return guarded([&] { return reduce_arrays(op, views, view_count, output, options); });
}

onefold_status onefold_sum_f64(const double* x, int64_t n, double* answer) {
  return sum_of(x, n, answer);
}
onefold_status onefold_sum_f32(const float* x, int64_t n, float* answer) {
  return sum_of(x, n, answer);
}
onefold_status onefold_dot_f64(const double* x, const double* y, int64_t n, double* answer) {
  return dot_of(x, y, n, answer);
}
onefold_status onefold_dot_f32(const float* x, const float* y, int64_t n, float* answer) {
  return dot_of(x, y, n, answer);
}

onefold_state* onefold_state_new(onefold_op op, onefold_dtype input) {
  onefold_state* state = nullptr;
  guarded([&]() -> status {
    if (!known(op)) return bad("op is none of onefold_op");
    if (!known(input)) return bad("input is none of onefold_dtype");
    state =
        new onefold_state{onefold::state(static_cast<onefold::op>(op), static_cast<dtype>(input))};
    return {};
  });
  return state;
}

void onefold_state_free(onefold_state* state) {
  delete state;
}

onefold_status onefold_state_add(onefold_state* state, const onefold_array* x) {
  return guarded([&]() -> status {
    if (!state || !x) return bad("state or x is NULL");
    return add_arrays(state->known, *x, nullptr);
  });
}

onefold_status onefold_state_add_dot(onefold_state* state, const onefold_array* x,
                                     const onefold_array* y) {
  return guarded([&]() -> status {
    if (!state || !x || !y) return bad("state, x or y is NULL");
    return add_arrays(state->known, *x, y);
  });
}

onefold_status onefold_state_merge(onefold_state* state, const onefold_state* other) {
  return guarded([&]() -> status {
    if (!state || !other) return bad("state or other is NULL");
    return state->known.try_merge(other->known);
  });
}

onefold_status onefold_state_subtract(onefold_state* state, const onefold_state* other) {
  return guarded([&]() -> status {
    if (!state || !other) return bad("state or other is NULL");
    return state->known.try_subtract(other->known);
  });
}

onefold_status onefold_state_write(const onefold_state* state, void* output, onefold_dtype type) {
  return guarded([&]() -> status {
    if (!state || !output || !known(type)) return bad("a pointer is NULL, or dtype is none");
    return state->known.write(output, static_cast<dtype>(type));
  });
}

size_t onefold_state_bytes(const onefold_state* state, void* bytes, size_t capacity) {
  if (!state) return 0;
  std::size_t size = 0;
  guarded([&] {
    const auto stored = state->known.bytes();
    size = stored.size();
    if (bytes) std::memcpy(bytes, stored.data(), std::min(capacity, size));
    return status();
  });
  return size;
}

onefold_state* onefold_state_from_bytes(const void* bytes, size_t size) {
  onefold_state* state = nullptr;
  guarded([&]() -> status {
    if (!bytes) return bad("bytes is NULL");
    auto read = state::from_bytes({static_cast<const std::byte*>(bytes), size});
    if (!read) return read.why();
    state = new onefold_state{*read};
    return {};
  });
  return state;
}

int32_t onefold_additive_words(onefold_op op, onefold_dtype input) {
  if (!known(op) || !known(input)) return 0;
  return additive_word_count(static_cast<onefold::op>(op), static_cast<dtype>(input));
}

onefold_status onefold_state_to_additive(const onefold_state* state, int64_t* words,
                                         int32_t capacity) {
  return guarded([&]() -> status {
    if (!state || !words) return bad("state or words is NULL");
    return copy_words(try_to_additive(state->known), words, capacity);
  });
}

onefold_status onefold_state_additive_band(const onefold_state* state, int64_t* band) {
  return guarded([&]() -> status {
    if (!state || !band) return bad("state or band is NULL");
    const auto own = additive_band(state->known);
    if (own) *band = *own;
    return own.why();
  });
}

onefold_status onefold_state_to_additive_band(const onefold_state* state, int64_t band,
                                              int64_t* words, int32_t capacity) {
  return guarded([&]() -> status {
    if (!state || !words) return bad("state or words is NULL");
    return copy_words(try_to_additive(state->known, band), words, capacity);
  });
}

onefold_state* onefold_state_from_additive(const int64_t* words, int32_t word_count) {
  onefold_state* state = nullptr;
  guarded([&]() -> status {
    if (!words || word_count < 0) return bad("words is NULL, or their number is below 0");
    const auto read = from_additive({words, std::size_t(word_count)});
    if (!read) return read.why();
    state = new onefold_state{*read};
    return {};
  });
  return state;
}

const char* onefold_last_message(void) {
  return last_message().text;
}

const char* onefold_version(void) {
  return ONEFOLD_VERSION_STRING;
}
