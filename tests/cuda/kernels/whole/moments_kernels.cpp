// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "counting_watch.cuh"
#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/whole/whole_integers.cuh"
#include "cuda/kernels/whole/whole_moments.cuh"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::test {
namespace {

template <class T, class Checks>
void launch_moments(simt::executor& device, simt::launch_config config,
                    const whole_arguments& arguments) {
  constexpr int words = cuda::moment_terms<T>::words;
  config.dynamic_shared_bytes =
      cuda::moments_shared_words<T>(config.block.x) * sizeof(std::int64_t);
  const auto* x = static_cast<const T*>(arguments.x);
  auto* workspace = static_cast<cuda::grid_workspace<words>*>(arguments.workspace);
  simt::launch(device, config,
               [=, n = arguments.n, out = arguments.words, counts = arguments.counts,
                list = arguments.finish] {
                 cuda::exact_moments_whole<T, Checks>(x, n, workspace, out, counting_watch{counts},
                                                      list);
               });
}

template <class T>
void launch_integers(simt::executor& device, simt::launch_config config,
                     const whole_arguments& arguments) {
  using known = cuda::integer_moment_terms<T>;
  constexpr int words = known::words;
  config.dynamic_shared_bytes =
      cuda::whole_shared_words<words, typename known::state>(config.block.x) * sizeof(std::int64_t);
  const auto* x = static_cast<const T*>(arguments.x);
  auto* workspace = static_cast<cuda::grid_workspace<words>*>(arguments.workspace);
  simt::launch(device, config,
               [=, n = arguments.n, out = arguments.words, list = arguments.finish] {
                 cuda::exact_integer_moments<T>(x, n, workspace, out, list);
               });
}

template <class T, class Checks = cuda::all_checks>
whole_kernel kernel_of() {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, cuda::bool_byte>) {
    using traits = cuda::integer_moment_terms<T>;
    return {launch_integers<T>, exact_moments<std::int64_t>::words,
            sizeof(cuda::grid_workspace<traits::words>), cuda::array_parts<traits, T>::tile_items};
  } else {
    using traits = cuda::moment_terms<T>;
    return {launch_moments<T, Checks>, traits::words, sizeof(cuda::grid_workspace<traits::words>),
            cuda::array_parts<traits, T>::tile_items};
  }
}

constexpr detail::checks off(bool detail::checks::*check) {
  detail::checks made;
  made.*check = false;
  return made;
}

#define ONEFOLD_MUTANT(name)                                                                       \
  struct without_##name {                                                                          \
    static constexpr detail::checks on = off(&detail::checks::name);                               \
  }
ONEFOLD_MUTANT(binade);
ONEFOLD_MUTANT(residual);
ONEFOLD_MUTANT(sum_residual);
ONEFOLD_MUTANT(clamp);
ONEFOLD_MUTANT(rollback);
ONEFOLD_MUTANT(error_term);

}  // namespace

whole_kernel moments_kernel(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) {
    return kernel_of<std::conditional_t<std::is_same_v<T, bool>, cuda::bool_byte, T>>();
  });
}

whole_kernel moments_mutant(const char* without) {
  const struct {
    const char* name;
    whole_kernel kernel;
  } rows[] = {{"nothing", kernel_of<double>()},
              {"binade", kernel_of<double, without_binade>()},
              {"residual", kernel_of<double, without_residual>()},
              {"sum_residual", kernel_of<double, without_sum_residual>()},
              {"clamp", kernel_of<double, without_clamp>()},
              {"rollback", kernel_of<double, without_rollback>()},
              {"error_term", kernel_of<double, without_error_term>()}};
  for (const auto& row : rows)
    if (std::strcmp(row.name, without) == 0) return row.kernel;
  return {};
}

}  // namespace onefold::test
