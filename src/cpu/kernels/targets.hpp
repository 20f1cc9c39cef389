// SPDX-License-Identifier: Apache-2.0
// Which SIMD targets there are, and which one runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/kernels/fast/fast_kernels.hpp"
#include "cpu/kernels/operator_kernels.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"

namespace onefold::cpu {

/// The tables of all targets that this build has and this CPU can run, best first.
const std::vector<const kernel_table*>& tables();

/// The table in use: ONEFOLD_SIMD if it names one that can run, else the best.
const kernel_table& active_table();

/// What ONEFOLD_SIMD asked for in vain; empty where all is well.
const std::string& refused_target();

/// Names of the targets compiled in: "avx512", "avx2", "scalar", "neon" …
std::vector<std::string> compiled_target_names();

/// Makes a table the active one, for tests.
void use_table(const kernel_table& table);

// Defined beside the loops, where Highway's macros live.
const kernel_table& table_of_chosen_target();
const term_table& terms_of_chosen_target();
const operator_kernels& operators_of_chosen_target();
const fast_table& fast_loops_of_chosen_target();
const ordered_kernels& ordered_of_chosen_target();
const transpose_kernels& turns_of_chosen_target();
std::int64_t compiled_targets();

}  // namespace onefold::cpu
