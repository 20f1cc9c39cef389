// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kernels of rows and columns are started under the executor.

#include "kernels.hpp"

namespace onefold::test {

template <class Terms>
std::size_t digit_bytes(const simt::launch_config& config) {
  return config.block.x / cuda::warp_lanes * Terms::digits * sizeof(std::int64_t);
}

template <class Terms>
void run_rows(simt::executor& device, simt::launch_config config, const cuda::rows_arguments& a) {
  config.dynamic_shared_bytes =
      config.block.x / cuda::warp_lanes * cuda::row_words<Terms>(a) * sizeof(std::int64_t);
  simt::launch(device, config, [a] { cuda::batched_rows<Terms>(a); });
}
template <class Terms>
void run_columns(simt::executor& device, simt::launch_config config,
                 const cuda::columns_arguments& a) {
  config.dynamic_shared_bytes =
      digit_bytes<Terms>(config) +
      cuda::columns_shared_words<Terms>(a.across, a.down) * sizeof(std::int64_t);
  simt::launch(device, config, [a] { cuda::batched_columns<Terms>(a); });
}
template <class Terms>
void run_parts(simt::executor& device, simt::launch_config config, const cuda::batched_arguments& a,
               const cuda::ambiguous_list& list) {
  using sum = typename Terms::sum;
  config.dynamic_shared_bytes = cuda::parts_words<sum>(config.block.x) * sizeof(std::int64_t);
  simt::launch(device, config, [a, list] { cuda::batched_parts<sum>(a, list); });
}
template <class Terms>
void run_fallback(simt::executor& device, simt::launch_config config,
                  const cuda::batched_arguments& a, const cuda::column_places& places,
                  const cuda::ambiguous_list& list) {
  if constexpr (Terms::digits > 0) {
    constexpr auto reduced = Terms::reduced;
    config.dynamic_shared_bytes =
        cuda::shared_words<cuda::terms<reduced, double>::words>(config.block.x) *
        sizeof(std::int64_t);
    constexpr dtype input = dtype_of<typename Terms::element>;
    simt::launch(device, config, [=] { cuda::batched_fallback<reduced>(a, places, list, input); });
  }
}

template <class Terms>
batched_kernels kernels_of_terms() {
  return {run_rows<Terms>, run_columns<Terms>, run_parts<Terms>, run_fallback<Terms>,
          Terms::sum::parts};
}

}  // namespace onefold::test
