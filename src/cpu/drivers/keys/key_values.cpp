// SPDX-License-Identifier: Apache-2.0
// Reads values by key, with their mask and NaN policy.
#include "cpu/drivers/keys/key_values.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/drivers/convert.hpp"
#include "cpu/drivers/pack.hpp"
#include "state/accumulator.hpp"

namespace onefold::cpu {
namespace {

bool is_count(op op) {
  return accumulator_of(op) == accumulator::counts;
}

template <class T>
std::byte* bytes_of(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

}  // namespace

key_values::key_values(const reduction& reduction, std::int64_t most)
    : reduction_(reduction), op_(reduction.plan.ops[0]), floating_(is_floating(reduction.x_type)),
      unsigned_(op_ == op::norm1 || is_count(op_) || onefold::is_unsigned(reduction.x_type)) {
  const auto items = std::size_t(most);
  raw_.resize(items * sizeof(double));
  if (floating_) doubles_.resize(items);
  if (!floating_ || is_count(op_)) integers_.resize(items);
  if (reduction.mask || (floating_ && reduction.options.nan_policy != nan_policy::propagate))
    mask_.resize(items);
}

bool key_values::read(std::int64_t first, std::int64_t n) {
  read_elements(first, n);
  if (!mask_.empty()) read_mask(first, n);
  if (floating_ && reduction_.options.nan_policy != nan_policy::propagate)
    if (const bool any = drop_nans(n); any && reduction_.options.nan_policy == nan_policy::error)
      return false;
  make_terms(n);
  return true;
}

void key_values::read_elements(std::int64_t first, std::int64_t n) {
  const bool direct = reduction_.x_type == dtype::f64;
  pack(reduction_.x, reduction_.plan.reduced, &loop_axis::x_bytes, size_bytes(reduction_.x_type),
       first, n, direct ? bytes_of(doubles_) : raw_.data());
  if (direct) return;
  if (floating_)
    convert(reduction_.x_type, raw_.data(), n, dtype::f64, bytes_of(doubles_));
  else
    convert(reduction_.x_type, raw_.data(), n, dtype::i64, bytes_of(integers_));
}

void key_values::read_mask(std::int64_t first, std::int64_t n) {
  if (reduction_.mask)
    pack(reduction_.mask, reduction_.plan.reduced, &loop_axis::mask_bytes, 1, first, n,
         mask_.data());
  else
    std::fill(mask_.begin(), mask_.end(), std::byte(1));
}

// Masks NaNs out; returns whether there was one that the mask had included.
bool key_values::drop_nans(std::int64_t n) {
  bool any = false;
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    if (!std::isnan(doubles_[i])) continue;
    any = any || mask_[i] != std::byte(0);
    mask_[i] = std::byte(0);
  }
  return any;
}

void key_values::make_terms(std::int64_t n) {
  const auto end = std::size_t(n);
  if (op_ == op::count) {
    std::fill(integers_.begin(), integers_.end(), 1);
  } else if (op_ == op::count_nonzero) {
    for (std::size_t i = 0; i < end; ++i)
      integers_[i] = floating_ ? doubles_[i] != 0 : integers_[i] != 0;
  } else if (op_ == op::norm1 && floating_) {
    for (std::size_t i = 0; i < end; ++i) doubles_[i] = std::fabs(doubles_[i]);
  } else if (op_ == op::norm1 && !onefold::is_unsigned(reduction_.x_type)) {
    for (std::size_t i = 0; i < end; ++i)
      if (integers_[i] < 0) integers_[i] = std::int64_t(0 - std::uint64_t(integers_[i]));
  }
}

}  // namespace onefold::cpu
