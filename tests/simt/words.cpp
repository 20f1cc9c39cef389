// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/words.hpp"

#include "tests/simt/counted_kernels.cuh"
#include "tests/simt/words.cuh"

namespace onefold::simt::test {
namespace {

template <void (*Kernel)(int*)>
void launch_kernel(executor& device, const launch_config& config, int* out) {
  launch(device, config, [=] { Kernel(out); });
}

}  // namespace

#define ONEFOLD_FACTS(facts, ...)                                                                  \
  { #__VA_ARGS__, facts, launch_kernel < __VA_ARGS__> }
#define ONEFOLD_IN_BOTH_MEMORIES(facts, kernel, T)                                                 \
  ONEFOLD_FACTS(facts, kernel<T, false>), ONEFOLD_FACTS(facts, kernel<T, true>)

const fact_kernel fact_kernels[] = {
    ONEFOLD_FACTS(shuffle_facts, shuffles<int>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<unsigned>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<float>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<long>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<unsigned long>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<long long>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<unsigned long long>),
    ONEFOLD_FACTS(shuffle_facts, shuffles<double>),
    ONEFOLD_FACTS(vote_facts, votes),
    ONEFOLD_FACTS(reduce_facts, reduces),
    ONEFOLD_FACTS(barrier_facts, barriers),
    ONEFOLD_IN_BOTH_MEMORIES(sum_facts, atomic_sums, int),
    ONEFOLD_IN_BOTH_MEMORIES(sum_facts, atomic_sums, unsigned),
    ONEFOLD_IN_BOTH_MEMORIES(sum_facts, atomic_sums, unsigned long long),
    ONEFOLD_IN_BOTH_MEMORIES(sum_facts, atomic_sums, float),
    ONEFOLD_IN_BOTH_MEMORIES(sum_facts, atomic_sums, double),
    ONEFOLD_IN_BOTH_MEMORIES(integer_facts, atomic_integers, int),
    ONEFOLD_IN_BOTH_MEMORIES(integer_facts, atomic_integers, unsigned),
    ONEFOLD_IN_BOTH_MEMORIES(integer_facts, atomic_integers, unsigned long long),
    ONEFOLD_FACTS(wrap_facts, atomic_wraps<false>),
    ONEFOLD_FACTS(wrap_facts, atomic_wraps<true>),
};
const std::size_t fact_kernel_count = sizeof(fact_kernels) / sizeof(fact_kernels[0]);

void launch_counted(executor& device, const launch_config& config, counted_kernel which, int* out) {
  using launcher = void (*)(executor&, const launch_config&, int*);
  static constexpr launcher launchers[] = {
      launch_kernel<shuffle_tree>,      launch_kernel<shuffles_of_halves>,
      launch_kernel<every_vote>,        launch_kernel<fences_and_syncs>,
      launch_kernel<atomics_on_one>,    launch_kernel<atomics_in_a_row>,
      launch_kernel<atomics_apart>,     launch_kernel<atomics_of_8_bytes>,
      launch_kernel<copies_and_clears>, launch_kernel<counted_tree>,
  };
  launchers[static_cast<std::size_t>(which)](device, config, out);
}

}  // namespace onefold::simt::test
