// SPDX-License-Identifier: Apache-2.0
// Losses of class indices and their gradients, of rows in host memory, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/class_rows.hpp"

namespace onefold::cpu {

/// Precondition: every target is a class or ignored; no byte is both read and written, but dx may
/// be x. Fails: cancelled.
status cross_entropy(const class_losses& request, int threads, const std::stop_token& stop);
status cross_entropy_backward(const class_gradients& request, int threads,
                              const std::stop_token& stop);

/// Precondition: every target is a class of the weights or ignored.
void reduce_losses(const loss_sums& request);
void write_scales(const row_scales& request);

}  // namespace onefold::cpu
