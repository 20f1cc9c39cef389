// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simt/cooperative_groups.hpp"
