// SPDX-License-Identifier: Apache-2.0
// The umbrella header of the C++ API.
//
//   double s = onefold::sum(prices);                    exact, all cores
//   auto rows = onefold::mean(onefold::view(pixels, {1080, 1920}), onefold::axis(1));
//   auto a = onefold::partial(onefold::op::sum, part);  a.merge(b);  a.value<float>();
//
// Any thread may call any function. A handler of an asynchronous signal may call none: they
// allocate and wait for threads. It may use the accumulators of exact.hpp.
#pragma once

#include "onefold/accuracy.hpp"
#include "onefold/array.hpp"
#include "onefold/array_view.hpp"
#include "onefold/axis_set.hpp"
#include "onefold/collective.hpp"
#include "onefold/decimal.hpp"
#include "onefold/dtype.hpp"
#include "onefold/exact.hpp"
#include "onefold/executor.hpp"
#include "onefold/functions.hpp"
#include "onefold/keys.hpp"
#include "onefold/loss.hpp"
#include "onefold/normalize.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/reduce.hpp"
#include "onefold/scatter.hpp"
#include "onefold/segments.hpp"
#include "onefold/state.hpp"
#include "onefold/stats.hpp"
#include "onefold/status.hpp"
#include "onefold/transpose.hpp"
#include "onefold/version.hpp"
#include "onefold/windows.hpp"
#include "onefold/workspace.hpp"
