// SPDX-License-Identifier: Apache-2.0
// The strided kernels, by the file that instantiates them; launch_nested chooses among them.
#pragma once

#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/moments/moment_columns.hpp"
#include "cuda/kernels/strided/strided.hpp"

namespace onefold::cuda {

using nested_kernel = void (*)(nested_request request, std::int64_t* words);

/// As launch_nested, for exact sums of floats, for what has an order, and for everything else but
/// moments. Precondition: the kernel table has the request.
int launch_nested_floats(const nested_request& request, unsigned blocks, std::int64_t* words,
                         void* stream);
int launch_nested_ordered(const nested_request& request, unsigned blocks, std::int64_t* words,
                          void* stream);
int launch_nested_folds(const nested_request& request, unsigned blocks, std::int64_t* words,
                        void* stream);

/// The same of exponentials, words or answers.
int launch_nested_exponentials(const nested_request& request, unsigned blocks, std::int64_t* words,
                               void* stream);

/// One launch of the kernels of exponential_columns. Returns a cudaError_t as int.
int launch_exponentials_of_columns(const exponential_columns& columns, unsigned blocks,
                                   void* stream);

/// As launch_nested, for answers of moments in no order.
int launch_nested_moments(const nested_request& request, unsigned blocks, void* stream);

/// One launch of the kernel of moment_columns. Returns a cudaError_t as int.
int launch_moments_of_columns(const moment_columns& columns, unsigned blocks, void* stream);

}  // namespace onefold::cuda
