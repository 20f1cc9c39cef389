// SPDX-License-Identifier: Apache-2.0
// Which requests are answered asynchronously on the device, and by which kernel launches.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuda/engine.hpp"
#include "cuda/full/full.hpp"
#include "cuda/many/many.hpp"
#include "cuda/nested/exponentials/columns.hpp"
#include "cuda/nested/moments/columns.hpp"
#include "cuda/nested/nested.hpp"
#include "cuda/segments/columns.hpp"
#include "cuda/segments/rows/row_folds.hpp"

namespace onefold::cuda {

struct many_work {
  many_request request;
  many_block block;
};

struct rows_work {
  segments_request request;
  segments_block block;
};

struct columns_work {
  segments_request request;
  columns_block block;
};

struct resident_work {
  std::string why_not;  ///< why the request needs the host, in words; empty: it does not
  int device = 0;
  std::vector<full_request> full;       ///< a launch for each accumulator of a whole array
  std::vector<many_work> many;          ///< a launch for each operator of rows or columns
  std::vector<rows_work> rows;          ///< the same of rows, by the kernels of segments
  std::vector<row_folds> tiled;         ///< the same of rows, by tiles
  std::vector<columns_work> columns;    ///< the same of columns
  std::vector<moment_columns> moments;  ///< one to five launches for each operator of columns
  std::vector<exponential_columns> exponentials;  ///< one to four for each operator of columns
  std::vector<nested_request> nested;  ///< strided answers: a launch for each accumulator
  std::size_t workspace_bytes = 0;
};

/// Precondition: the plan has outputs. Fails: throws onefold::error.
resident_work resident_work_of(const executor::cuda& on, const request& of,
                               std::span<const accumulator> accumulators,
                               std::span<const output_view> outputs);

/// Why the request needs the host whatever kernels there are, in words; empty: it does not. Sets
/// the device of the outputs where they are in the memory of one. is_part: other ranks have
/// elements of the answers too. Fails: throws onefold::error.
std::string reason_for_host(const executor::cuda& on, const request& of,
                            std::span<const output_view> outputs, int& device,
                            bool is_part = false);

/// Lists the answers of one accumulator; returns why that is impossible, or nothing.
std::string list_answers(const request& of, accumulator each,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list);

/// Fails: throws onefold::error (usage), where an address is in host memory: a kernel that accesses
/// it would make the device unusable for the rest of the process.
void check_place(const void* address, const char* what);

/// "sum of f32".
std::string of_type(op what, dtype type);

/// Whether the status of an operator depends on the elements, and not on the request alone: an
/// integer output may be too narrow, there may be no element that counts, NaNs may be refused.
/// Precondition: the operator has this output type, and elements.
bool depends_on_data(op what, const plan& plan, const options& how, dtype output);

}  // namespace onefold::cuda
