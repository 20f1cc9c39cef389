// SPDX-License-Identifier: Apache-2.0
// The version, for headers, library, programs and packages: the only place that has it.
#pragma once

#define ONEFOLD_VERSION_MAJOR 0
#define ONEFOLD_VERSION_MINOR 2
#define ONEFOLD_VERSION_PATCH 0
#define ONEFOLD_VERSION_STRING "0.2.0"
