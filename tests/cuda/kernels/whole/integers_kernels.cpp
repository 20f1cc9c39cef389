// SPDX-License-Identifier: Apache-2.0
#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/whole/whole_integers.cuh"
#include "exact_kernels.hpp"

namespace onefold::test {
namespace {

template <onefold::accumulator Family, class T, cuda::second Second>
void launch_integers(simt::executor& device, simt::launch_config config,
                     const whole_arguments& arguments) {
  constexpr int words = cuda::integer_terms<Family, T>::words;
  using state = typename cuda::integer_terms<Family, T>::state;
  config.dynamic_shared_bytes =
      cuda::whole_shared_words<words, state>(config.block.x) * sizeof(std::int64_t);
  const auto* x = static_cast<const T*>(arguments.x);
  const auto* y = static_cast<const T*>(arguments.y);
  auto* workspace = static_cast<cuda::grid_workspace<words>*>(arguments.workspace);
  simt::launch(device, config,
               [=, n = arguments.n, out = arguments.words, list = arguments.finish] {
                 cuda::exact_integers<Family, T, Second>(x, y, n, workspace, out, list);
               });
}

template <onefold::accumulator Family, class T>
whole_kernel kernel_of(bool apart) {
  using traits = cuda::integer_terms<Family, T>;
  constexpr auto near = traits::pairs ? cuda::second::aligned : cuda::second::none;
  constexpr auto far = traits::pairs ? cuda::second::apart : cuda::second::none;
  return {apart ? launch_integers<Family, T, far> : launch_integers<Family, T, near>,
          traits::limbs / 2 + 1, sizeof(cuda::grid_workspace<traits::words>),
          cuda::array_parts<traits, T>::tile_items};
}

template <class T>
whole_kernel kernel_of_type(onefold::accumulator kind, bool apart) {
  switch (kind) {
  case onefold::accumulator::magnitudes:
    return kernel_of<onefold::accumulator::magnitudes, T>(apart);
  case onefold::accumulator::squares:
    return kernel_of<onefold::accumulator::squares, T>(apart);
  case onefold::accumulator::products:
    return kernel_of<onefold::accumulator::products, T>(apart);
  default:
    return kernel_of<onefold::accumulator::total, T>(apart);
  }
}

}  // namespace

whole_kernel exact_integers_kernel(onefold::accumulator kind, dtype input, bool apart) {
  switch (input) {
  case dtype::boolean:
    return kernel_of_type<cuda::bool_byte>(kind, apart);
  case dtype::i8:
    return kernel_of_type<std::int8_t>(kind, apart);
  case dtype::i16:
    return kernel_of_type<std::int16_t>(kind, apart);
  case dtype::i32:
    return kernel_of_type<std::int32_t>(kind, apart);
  case dtype::i64:
    return kernel_of_type<std::int64_t>(kind, apart);
  case dtype::u16:
    return kernel_of_type<std::uint16_t>(kind, apart);
  case dtype::u32:
    return kernel_of_type<std::uint32_t>(kind, apart);
  case dtype::u64:
    return kernel_of_type<std::uint64_t>(kind, apart);
  default:
    return kernel_of_type<std::uint8_t>(kind, apart);
  }
}

}  // namespace onefold::test
