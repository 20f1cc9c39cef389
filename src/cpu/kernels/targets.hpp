// SPDX-License-Identifier: Apache-2.0
// The available SIMD targets, and the active one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu/kernels/columns/column_kernels.hpp"
#include "cpu/kernels/fast/fast_kernels.hpp"
#include "cpu/kernels/operator_kernels.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"

namespace onefold::cpu {

/// The tables of all targets that this build has and this CPU supports, best first.
const std::vector<const kernel_table*>& tables();

/// The active table: that of ONEFOLD_SIMD if it names a supported target, else the best.
const kernel_table& active_table();

/// The value of ONEFOLD_SIMD where it names no supported target; empty otherwise.
const std::string& refused_target();

/// Names of the targets compiled in: "avx512", "avx2", "scalar", "neon" …
std::vector<std::string> compiled_target_names();

/// Makes a table the active one, for tests.
void use_table(const kernel_table& table);

// Defined next to the loops, where Highway's macros are.
const kernel_table& table_of_target(std::int64_t target);
const term_table& terms_of_target(std::int64_t target);
const operator_kernels& operators_of_target(std::int64_t target);
const column_table& columns_of_target(std::int64_t target);
const fast_table& fast_loops_of_target(std::int64_t target);
const ordered_kernels& ordered_of_target(std::int64_t target);
const transpose_kernels& turns_of_target(std::int64_t target);
std::int64_t compiled_targets();

}  // namespace onefold::cpu
