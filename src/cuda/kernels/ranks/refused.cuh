// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers that ranks asked for differently.

#include "cuda/kernels/strided/strided_epilogue.cuh"

namespace onefold::cuda {

/// Reports mismatch; of answer k floats become NaN. One lane.
ONEFOLD_COLD inline void refuse_answers(const finish_list& list, std::int64_t k) {
  report_of_batched(status_code::mismatch, list);
  for (int i = 0; i < list.size; ++i) {
    const finish_item& item = list.answers[i];
    if (item.type < dtype::f16) continue;
    void* const to = place_of_answer(item, k);
    write_rounded({}, to, item.type);
    if (item.op == op::minmax) write_rounded({}, place_behind(to, item.type), item.type);
  }
}

}  // namespace onefold::cuda
