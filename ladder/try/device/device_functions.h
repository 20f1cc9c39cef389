// SPDX-License-Identifier: Apache-2.0
#pragma once
// The learner's file has everything already: prelude.hpp comes before its first line.
