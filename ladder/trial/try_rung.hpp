// SPDX-License-Identifier: Apache-2.0
#pragma once
// One run of one rung under the executor, with its answer checked exactly.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// Fails: std::invalid_argument naming the option, what was got and what to use instead.
void validate(const rung& r, const trial_options& options);

/// The same, and whether the executor runs the rung at all.
void validate_here(const rung& r, const trial_options& options);

/// Runs the rung once. A listener, if any, is told of every warp request; an observer of all.
/// Fails: as validate_here(); std::length_error when the input does not fit the device.
trial try_rung(const rung& r, const trial_options& options,
               simt::request_listener* listener = nullptr, simt::observer* observer = nullptr);

}  // namespace onefold::ladder
