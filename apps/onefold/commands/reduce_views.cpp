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
  const executor& on;
  const op_list& what;
  std::initializer_list<array_view> views;
  const onefold::options& options;
};

// An initializer_list of N outputs needs a constant N.
template <std::size_t... I>
status with_outputs(const call& of, const std::vector<output_view>& outputs,
                    std::index_sequence<I...>) {
  return reduce(of.on, of.what, of.views, std::initializer_list<output_view>{outputs[I]...},
                of.options);
}

using caller = status (*)(const call&, const std::vector<output_view>&);

template <std::size_t... N>
constexpr std::array<caller, sizeof...(N)> callers_of(std::index_sequence<N...>) {
  return {[](const call& of, const std::vector<output_view>& outputs) {
    return with_outputs(of, outputs, std::make_index_sequence<N + 1>());
  }...};
}

status with_views(const executor& on, const op_list& what, std::initializer_list<array_view> views,
                  const std::vector<output_view>& outputs, const options& how) {
  static constexpr auto callers = callers_of(std::make_index_sequence<most_ops>());
  return callers[outputs.size() - 1]({on, what, views, how}, outputs);
}

}  // namespace

result<plan> plan_views(const executor& on, const op_list& what, std::span<const array_view> views,
                        const options& how) {
  if (views.size() == 1) return make_plan(on, what, {views[0]}, how);
  return make_plan(on, what, {views[0], views[1]}, how);
}

status reduce_views(const executor& on, const op_list& what, std::span<const array_view> views,
                    const std::vector<output_view>& outputs, const options& how) {
  if (views.size() == 1) return with_views(on, what, {views[0]}, outputs, how);
  return with_views(on, what, {views[0], views[1]}, outputs, how);
}

}  // namespace onefold::program
