// SPDX-License-Identifier: Apache-2.0
// Which requests are answered where their data are, and by which launches.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda/engine.hpp"
#include "cuda/full/full.hpp"
#include "cuda/many/plan.hpp"
#include "cuda/nested/moments/columns.hpp"
#include "cuda/nested/nested.hpp"
#include "cuda/nested/ordered/answers.hpp"
#include "cuda/segments/plan.hpp"

namespace onefold::cuda {

struct resident_work {
  std::string why_not;  ///< what keeps the answers from staying, in words; empty: nothing
  int device = 0;
  std::vector<full_request> full;       ///< a launch for each family of a whole array
  std::vector<many_work> many;          ///< a launch for each operator of rows or columns
  std::vector<rows_work> rows;          ///< and for those that kernels of segments serve
  std::vector<columns_work> columns;    ///< the same of columns
  std::vector<moment_columns> moments;  ///< one or two launches for each operator of columns
  std::vector<fast_answers> fast;       ///< fast sums of others: a few launches for each operator
  std::vector<nested_request> nested;   ///< a launch for each family of any other several answers
  std::size_t workspace_bytes = 0;
};

/// Precondition: the plan has outputs. Fails: throws onefold::error.
resident_work resident_work_of(const executor::cuda& on, const request& of,
                               std::span<const family> families,
                               std::span<const output_view> outputs);

/// Whether the outcome of an operator depends on the elements, not on the request alone: an integer
/// output may be too narrow, there may be no element that counts, NaNs may be refused.
/// Precondition: the operator has this form, and elements.
bool depends_on_data(op what, const plan& decided, const options& how, dtype output);

}  // namespace onefold::cuda
