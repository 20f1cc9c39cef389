// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rungs that sum floats with care have in common: launches that they refuse, and claims.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// Why the exact kernel, alone or as a fallback, does not take a launch; empty: it does.
std::string refuse_for_exact(const trial_options& options);
/// Why there is no room for the blocks' pairs; empty: there is.
std::string refuse_many_pairs(const trial_options& options);
/// Either of them.
std::string refuse_for_fallback(const trial_options& options);

std::string repeated_reads(const evidence& e);

/// A sum of floats by one value: what all these rungs are.
rung float_sum(std::string_view name, std::string_view title, std::string_view idea,
               std::string_view previous);

}  // namespace onefold::ladder
