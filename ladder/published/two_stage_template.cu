// SPDX-License-Identifier: Apache-2.0
// published/two-stage-template: a caller of reduce/unrolled with the defect it was printed with. It
// does not compile, and is compiled only by the test that says so.
//
// A template's argument must be known to the compiler; this caller hands it a variable. The remedy
// is a switch with a case for each size, as in kernels/reduce.cuh.

#include "ladder/kernels/launch.hpp"
#include "ladder/operators.cuh"
#include "ladder/reduce/unrolled.cuh"

namespace onefold::ladder {

template <unsigned Block>
constexpr auto kernel_for = reduce_unrolled<int, sum<int>, Block>;

void start_two_stage_template(engine& where, const int* in, std::size_t n, int* partials,
                              unsigned grid, unsigned block) {
  start(where, {{grid}, {block}, block * sizeof(int)}, kernel_for<block>, in, n, partials);
}

}  // namespace onefold::ladder
