// SPDX-License-Identifier: Apache-2.0
// The version of these headers; CMake checks that it equals the project's.
#pragma once

#define ONEFOLD_VERSION_MAJOR 0
#define ONEFOLD_VERSION_MINOR 2
#define ONEFOLD_VERSION_PATCH 0
#define ONEFOLD_VERSION_STRING "0.2.0"
