// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "exact_kernels.cuh"

namespace onefold::test {
namespace {

constexpr detail::checks off(bool detail::checks::*flag) {
  detail::checks left;
  left.*flag = false;
  return left;
}

template <int Row>
struct mutant_checks;
struct mutant_name {
  const char* check;
  whole_kernel total, products, narrow, narrow_squares;
};

#define ONEFOLD_MUTANT(row, name)                                                                  \
  template <>                                                                                      \
  struct mutant_checks<row> {                                                                      \
    static constexpr detail::checks on = off(&detail::checks::name);                               \
  };
ONEFOLD_MUTANT(0, binade)
ONEFOLD_MUTANT(1, residual)
ONEFOLD_MUTANT(2, tile)
ONEFOLD_MUTANT(3, clamp)
ONEFOLD_MUTANT(4, rollback)
ONEFOLD_MUTANT(5, carry)
ONEFOLD_MUTANT(6, underflow)
ONEFOLD_MUTANT(7, error_term)

template <int Row>
mutant_name row_of(const char* check) {
  return {check, kernel_of<onefold::accumulator::total, double, mutant_checks<Row>>(),
          kernel_of<onefold::accumulator::products, double, mutant_checks<Row>>(),
          kernel_of<onefold::accumulator::total, bf16, mutant_checks<Row>>(),
          kernel_of<onefold::accumulator::squares, bf16, mutant_checks<Row>>()};
}

}  // namespace

whole_kernel mutant_kernel(onefold::accumulator kind, dtype type, const char* without) {
  const mutant_name rows[] = {
      {"nothing", kernel_of<onefold::accumulator::total, double>(),
       kernel_of<onefold::accumulator::products, double>(),
       kernel_of<onefold::accumulator::total, bf16>(),
       kernel_of<onefold::accumulator::squares, bf16>()},
      row_of<0>("binade"),
      row_of<1>("residual"),
      row_of<2>("tile"),
      row_of<3>("clamp"),
      row_of<4>("rollback"),
      row_of<5>("carry"),
      row_of<6>("underflow"),
      row_of<7>("error_term"),
  };
  for (const mutant_name& row : rows) {
    if (std::strcmp(row.check, without) != 0) continue;
    if (type == dtype::bf16)
      return kind == onefold::accumulator::squares ? row.narrow_squares : row.narrow;
    return kind == onefold::accumulator::products ? row.products : row.total;
  }
  return {};
}

}  // namespace onefold::test
