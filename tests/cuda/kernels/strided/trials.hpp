// SPDX-License-Identifier: Apache-2.0
// Random requests for the kernels of any plan.
#pragma once

#include <algorithm>
#include <string>

#include "cuda/kernels/strided/strided.hpp"
#include "simt/device.hpp"
#include "support/elements.hpp"
#include "support/views.hpp"

namespace onefold::cuda::test {

using onefold::test::random_source;
using onefold::test::random_view;

/// Types whose elements another holds, in the order of the latter.
inline dtype any_held_by(random_source& random, dtype input) {
  const auto holds = [&](dtype type) {
    if (input == dtype::f64) return type != dtype::i64 && type != dtype::u64;
    if (input == dtype::f32) return type != dtype::f64 && size_bytes(type) < 3;
    if (input == dtype::u64) return is_unsigned(type) || type == dtype::boolean;
    return input == dtype::i64 && !is_floating(type) && type != dtype::u64;
  };
  const dtype found = all_dtypes[random.below(std::size(all_dtypes))];
  return holds(found) ? found : input;
}

/// A view of the same extents, of another type, order and distance.
inline random_view view_like(random_source& random, const axis_list& axes, dtype type) {
  random_view made;
  made.type = type;
  const auto item = std::int64_t(size_bytes(type));
  std::int64_t step = item;
  made.size = item + 24;
  for (const auto& axis : axes) {
    const std::int64_t stride = random.one_in(6) ? 0 : random.one_in(4) ? -step : step;
    made.axes.push_back({axis.extent, stride});
    const std::int64_t reach = std::abs(stride) * std::max<std::int64_t>(0, axis.extent - 1);
    (stride < 0 ? made.before : made.size) += reach;
    step *= std::max<std::int64_t>(axis.extent, 1);
    if (random.one_in(5)) step += random.between(0, 9);
  }
  made.before += random.one_in(2) ? 16 : 3;
  made.size += made.before;
  made.memory.resize(std::size_t(made.size));
  for (auto& byte : made.memory) byte = std::byte(random() >> 13);
  return made;
}

/// Zeros, infinities and NaNs, and one value again and again.
inline void make_special(random_source& random, random_view& x) {
  const bool equal = random.one_in(2);
  with_type(x.type, [&]<class T>(detail::tag<T>) {
    std::uint64_t few[] = {0, 0, random(), random()};
    if constexpr (!std::is_integral_v<T>) {
      using format = detail::float_format<T>;
      const std::uint64_t specials[] = {format::sign_bit, format::sign_bit | format::infinity,
                                        format::infinity, format::quiet_nan, 1};
      few[0] = specials[random.below(5)], few[1] = specials[random.below(5)];
      if (random.one_in(3)) few[2] = few[3] = format::sign_bit;
    }
    onefold::test::walk(x.axes, [&](std::int64_t offset) {
      std::memcpy(x.memory.data() + x.before + offset, &few[equal ? 2 : random.below(4)],
                  sizeof(T));
    });
  });
}

struct trial {
  random_view x, y, mask;
  strided_request request;
  std::string text;
};

inline void split_axes(random_source& random, trial& trial) {
  strided_request& request = trial.request;
  request.items = request.outputs = 1;
  std::vector<bool> kept;
  for (int i = 0; i < trial.x.axes.size(); ++i) kept.push_back(random.one_in(2));
  for (const bool now : {true, false})
    for (int i = 0; i < trial.x.axes.size(); ++i) {
      if (kept[std::size_t(i)] != now) continue;
      const std::int64_t extent = trial.x.axes[i].extent;
      request.axes.axis[request.axes.all++] = {extent, trial.x.axes[i].stride_bytes,
                                               trial.y.axes[i].stride_bytes,
                                               trial.mask.axes[i].stride_bytes};
      request.axes.kept += now;
      (now ? request.outputs : request.items) *= extent;
    }
}

inline bool aligned(const random_view& x) {
  const auto item = std::int64_t(size_bytes(x.type));
  bool all = x.before % item == 0;
  for (const auto& axis : x.axes) all = all && axis.stride_bytes % item == 0;
  return all;
}

inline trial make_trial(random_source& random, accumulator kind, dtype input,
                        std::int64_t most_items) {
  trial made;
  const dtype x_type = kind == accumulator::products ? any_held_by(random, input) : input;
  const dtype y_type = kind == accumulator::products ? any_held_by(random, input) : input;
  made.x = onefold::test::make_view(random, x_type, random.between(0, 7), most_items);
  made.y = view_like(random, made.x.axes, y_type);
  made.mask = view_like(random, made.x.axes, dtype::u8);
  for (auto& byte : made.mask.memory)
    if (random.one_in(3)) byte = std::byte(0);
  if (random.one_in(3)) make_special(random, made.x), make_special(random, made.y);
  strided_request& request = made.request;
  request.accumulator = kind, request.input = input;
  request.x_kind = kind_of(x_type), request.y_kind = kind_of(y_type);
  request.aligned = aligned(made.x) && aligned(made.y) && random.between(0, 7) > 0;
  split_axes(random, made);
  request.piece_items = std::max<std::int64_t>(
      1, random.one_in(2) ? request.items : request.items / random.between(1, 4));
  request.pieces = std::max<std::int64_t>(1, (request.items - 1) / request.piece_items + 1);
  request.lanes = random.one_in(2) ? 1 : 32;
  if (request.outputs > 2) {
    request.first_output = random.between(0, 1);
    request.outputs -= request.first_output + random.between(0, 1);
  }
  made.text = "family " + std::to_string(int(kind)) + " of " + std::string(name(input)) + ", " +
              std::to_string(request.outputs) + " answers of " + std::to_string(request.items) +
              " in pieces of " + std::to_string(request.piece_items) + ", lanes " +
              std::to_string(request.lanes) + ", aligned " + std::to_string(request.aligned) +
              ", x " + onefold::test::text_of(made.x) + ", y " + onefold::test::text_of(made.y);
  return made;
}

inline const std::byte* on_device(simt::device& gpu, const random_view& from, const char* name) {
  return gpu.memory().copy(std::span<const std::byte>(from.memory), name) + from.before;
}

}  // namespace onefold::cuda::test
