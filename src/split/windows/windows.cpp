// SPDX-License-Identifier: Apache-2.0
#include "onefold/windows.hpp"

#include <string>
#include <utility>

#include "cpu/engine.hpp"
#include "cpu/float_environment.hpp"
#include "finish/fast.hpp"
#include "plan/tuning.hpp"

namespace onefold {

static_assert(window_items == tuning::chunk_items);

struct windows::parts {
  executor where;
  options how;
  state exact;
  cpu::any_fast_sum fast;
  std::int64_t count = 0;
};

windows::windows(const executor& where, op what, dtype input, const options& how)
    : parts_(new parts{where, how, state(what, input), cpu::make_fast_sum(input)}) {}
windows::windows(windows&&) noexcept = default;
windows& windows::operator=(windows&&) noexcept = default;
windows::~windows() = default;

status windows::add(const array_view& piece) {
  if (piece.type() != parts_->exact.input())
    return {status_code::mismatch, "a window of " + std::string(name(piece.type())) +
                                       " in a reduction of " +
                                       std::string(name(parts_->exact.input()))};
  const bool fast = parts_->how.how == accuracy::fast;
  if (fast && parts_->count % window_items != 0)
    return {status_code::mismatch, "a fast sum needs windows of a multiple of " +
                                       std::to_string(window_items) + " elements but for the last"};
  const auto on = cpu::this_machine(parts_->where.threads());
  if (!on) return on.why();
  const auto decided = make_plan(*on, parts_->exact.what(), piece, parts_->how);
  if (!decided) return decided.why();
  parts_->count += decided->items;
  return fast ? cpu::add_fast(*decided, piece.data(), parts_->fast)
              : cpu::add_exact(*decided, piece.data(), parts_->exact);
}

std::int64_t windows::count() const noexcept {
  return parts_->count;
}

status windows::write(output_view output) const {
  if (parts_->how.how == accuracy::exact) return parts_->exact.write(output.data(), output.type());
  const cpu::float_environment sound;
  return write_fast(parts_->fast, parts_->exact.input(), output.data(), output.type());
}

result<state> windows::partial() const {
  if (parts_->how.how == accuracy::fast)
    return status(status_code::unsupported, "a fast sum has no state; ask for an exact one");
  return parts_->exact;
}

}  // namespace onefold
