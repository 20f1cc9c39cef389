// SPDX-License-Identifier: Apache-2.0
// The self-test of the compiled floating-point arithmetic.
#include "cpu/tasks/sound.hpp"

#include <cstdint>
#include <vector>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/exact_task.hpp"
#include "runtime/float_environment.hpp"

namespace onefold::cpu {
namespace {

// Alternates ones and tiny numbers: a build that drops residuals loses the tiny ones. Three tiles;
// each element is read through a volatile, so that the compiler folds nothing.
template <class T>
bool sound_for(const exact_kernels<T>& kernels, T large, T small) {
  volatile T source[2] = {large, small};
  std::vector<T> data(std::size_t(3 * kernels.tile_items));
  exact_sum<T> expected;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = i % 3 == 0 ? source[0] : source[1];
    expected.add(data[i]);
  }
  exact_task<T> task(kernels);
  task.take(data.data(), std::int64_t(data.size()));
  return task.result() == expected && task.paths().fast_tiles > 0;
}

bool check() {
  const float_environment sound;
  const auto& table = active_table();
  return sound_for(table.exact<double>(), 1.0, 0x1.8p-60) &&
         sound_for(table.exact<float>(), 1.0f, 0x1.8p-40f);
}

}  // namespace

bool arithmetic_is_sound() {
  static const bool sound = check();
  return sound;
}

}  // namespace onefold::cpu
