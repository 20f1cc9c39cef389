// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the arrays that numpy.save writes: numbers of one type in C order.

#include "ladder/try/answer/expectation.hpp"

namespace onefold::ladder::learner {

/// Fails: std::invalid_argument naming the file and what is wrong with it.
numbers read_npy(const std::string& file);

}  // namespace onefold::ladder::learner
