// SPDX-License-Identifier: Apache-2.0
// Calls onefold::reduce with lists of run-time length.
#include "commands/reduce_views.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace onefold::program {
namespace {

constexpr std::size_t most_ops = std::size(all_ops);

struct call {
  const onefold::executor& executor;
  const op_list& ops;
  std::initializer_list<array_view> views;
  const onefold::options& options;
};

// An initializer_list of N outputs needs a constant N.
template <std::size_t... I>
status with_outputs(const call& call, const std::vector<output_view>& outputs,
                    std::index_sequence<I...>) {
  return reduce(call.executor, call.ops, call.views,
                std::initializer_list<output_view>{outputs[I]...}, call.options);
}

using caller = status (*)(const call&, const std::vector<output_view>&);

template <std::size_t... N>
constexpr std::array<caller, sizeof...(N)> callers_of(std::index_sequence<N...>) {
  return {[](const call& call, const std::vector<output_view>& outputs) {
    return with_outputs(call, outputs, std::make_index_sequence<N + 1>());
  }...};
}

status with_views(const executor& executor, const op_list& ops,
                  std::initializer_list<array_view> views, const std::vector<output_view>& outputs,
                  const options& options) {
  static constexpr auto callers = callers_of(std::make_index_sequence<most_ops>());
  return callers[outputs.size() - 1]({executor, ops, views, options}, outputs);
}

}  // namespace

result<plan> plan_views(const executor& executor, const op_list& ops,
                        std::span<const array_view> views, const options& options) {
  if (views.size() == 1) return make_plan(executor, ops, {views[0]}, options);
  return make_plan(executor, ops, {views[0], views[1]}, options);
}

status reduce_views(const executor& executor, const op_list& ops, std::span<const array_view> views,
                    const std::vector<output_view>& outputs, const options& options) {
  if (views.size() == 1) return with_views(executor, ops, {views[0]}, outputs, options);
  return with_views(executor, ops, {views[0], views[1]}, outputs, options);
}

}  // namespace onefold::program
