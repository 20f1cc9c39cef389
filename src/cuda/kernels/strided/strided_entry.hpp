// SPDX-License-Identifier: Apache-2.0
// The strided kernels, by the file that instantiates them; launch_strided chooses among them.
#pragma once

#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/moments/moment_columns.hpp"
#include "cuda/kernels/strided/strided.hpp"

namespace onefold::cuda {

using strided_kernel = void (*)(strided_request request, std::int64_t* words);

/// As launch_strided, for exact sums of floats, for what has an order, and for everything else but
/// moments. Precondition: the kernel table has the request.
int launch_strided_floats(const strided_request& request, unsigned blocks, std::int64_t* words,
                          void* stream);
int launch_strided_ordered(const strided_request& request, unsigned blocks, std::int64_t* words,
                           void* stream);
int launch_strided_folds(const strided_request& request, unsigned blocks, std::int64_t* words,
                         void* stream);

/// The same of exponentials, words or answers.
int launch_strided_exponentials(const strided_request& request, unsigned blocks,
                                std::int64_t* words, void* stream);

/// One launch of the kernels of exponential_columns. Returns a cudaError_t as int.
int launch_exponentials_of_columns(const exponential_columns& columns, unsigned blocks,
                                   void* stream);

/// As launch_strided, for answers of moments in no order.
int launch_strided_moments(const strided_request& request, unsigned blocks, void* stream);

/// One launch of the kernel of moment_columns. Returns a cudaError_t as int.
int launch_moments_of_columns(const moment_columns& columns, unsigned blocks, void* stream);

}  // namespace onefold::cuda
