// SPDX-License-Identifier: Apache-2.0
// Text inputs, read through a text_reader.
#pragma once

#include <cstdint>
#include <functional>

#include "io/input.hpp"
#include "io/text.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {

/// Feeds the whole input to a reader. Returns the number of bytes read. Throws failure.
std::uint64_t read_text(input& from, const request& request, text_reader& reader);

/// for_each_window of text, every number rounded to f64 separately. Records the missing cells in
/// the input if an operator returns positions, or rows belong to those of another input.
std::uint64_t for_each_text_window(input& from, const request& request,
                                   const std::function<void(const array_view&)>& take);

}  // namespace onefold::program
