// SPDX-License-Identifier: Apache-2.0
// The macro of exported symbols, in C and in every C++.
#pragma once

// Exports a symbol from a shared library; all others are hidden. No effect in a static library.
#if defined(__GNUC__)
#define ONEFOLD_API __attribute__((visibility("default")))
#else
#define ONEFOLD_API
#endif
