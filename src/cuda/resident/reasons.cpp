// SPDX-License-Identifier: Apache-2.0
// Why a request needs the host; among others, a status that depends on the data: range analysis of
// integer outputs.
#include <bit>

#include "cuda/device.hpp"
#include "cuda/operands.hpp"
#include "cuda/resident/resident.hpp"
#include "onefold/detail/real_divisor.hpp"
#include "request/layout.hpp"

namespace onefold::cuda {
namespace {

int bits_of(dtype type) {
  return type == dtype::boolean ? 1 : int(8 * size_bytes(type));
}

bool holds_elements(dtype output, dtype input) {
  if (output == input) return true;
  if (is_signed_integer(input))
    return is_signed_integer(output) && bits_of(output) >= bits_of(input);
  return bits_of(output) >= bits_of(input) + is_signed_integer(output);
}

// The sum of n terms, each of at most 2^term in magnitude: n 2^term < 2^(term + bit_width(n)).
bool holds_sum(dtype output, int term, std::int64_t n, bool below_zero) {
  const int bits = term + int(std::bit_width(std::uint64_t(n)));
  if (is_unsigned(output)) return !below_zero && bits <= bits_of(output);
  return bits <= bits_of(output) - 1;
}

// Whether the operator has answers of this type; the host reports an error where it has none.
bool has_form(op what, dtype input, dtype output) {
  if (what == op::any || what == op::all || is_floating(output)) return true;
  const accumulator of = accumulator_of(what);
  const bool keeps_type =
      of == accumulator::bits || (of == accumulator::extrema && what != op::norminf);
  const bool position = what == op::argmin || what == op::argmax;
  if (output == dtype::boolean) return keeps_type && !position && input == dtype::boolean;
  if (position || of == accumulator::counts) return true;
  return !is_floating(input) && detail::row_of(what).answer != detail::answer_kind::floating;
}

std::string reason_of_output(const request& of, op what, const output_view& to, bool is_part) {
  if (!lies_on_device(to.data())) return "an output in host memory";
  if (!is_dense(to)) return "answers with gaps between them, or not aligned to their type";
  const bool empty = !is_part && of.plan.items == 0 && accumulator_of(what) == accumulator::extrema;
  if ((empty && what != op::norminf) || !has_form(what, of.plan.input, to.type()))
    return of_type(what, of.plan.input) + ", which has no such answer";
  if (of.options.status_out == nullptr && depends_on_data(what, of.plan, of.options, to.type()))
    return "a status that depends on the data (" + of_type(what, of.plan.input) + " to " +
           std::string(name(to.type())) + ") without options::status_out";
  return {};
}

// Checks that all outputs, and the elements if there are any, are in the memory of one device.
std::string reason_of_memory(const executor::cuda& on, const request& of,
                             std::span<const output_view> outputs, int& device) {
  device = memory_of(outputs[0].data()).device;
  for (const output_view& each : outputs.subspan(1))
    if (memory_of(each.data()).device != device) return "outputs on two devices";
  if (of.plan.items > 0) {
    const where data = place_of(on, of);
    if (data.kind != memory::device) return "data in host memory";
    if (data.device != device) return "an output on another device than the data";
  }
  if (on.device >= 0 && on.device != device) return "outputs on another device";
  return {};
}

}  // namespace

std::string of_type(op what, dtype type) {
  return std::string(name(what)) + " of " + std::string(name(type));
}

std::string reason_for_host(const executor::cuda& on, const request& of,
                            std::span<const output_view> outputs, int& device, bool is_part) {
  const auto& plan = of.plan;
  if (plan.mapped) return "functions of the elements";
  if (plan.masked) return "a mask";
  if (of.options.initial) return "an initial value";
  if (!detail::is_whole(of.options.correction)) return "a correction that is no 64-bit integer";
  if (plan.outputs == 0) return "no answer";
  for (int i = 0; i < plan.ops.size(); ++i)
    if (auto why = reason_of_output(of, plan.ops[i], outputs[std::size_t(i)], is_part);
        !why.empty())
      return why;
  if (auto why = reason_of_memory(on, of, outputs, device); !why.empty()) return why;
  const bool whole = plan.form == shape::full;
  if (whole && plan.reading == path::packed) return "scattered elements";
  if (whole && plan.accuracy == accuracy::fast) return "fast reductions";
  if (!whole && of.options.count != nullptr) return "options::count with several answers";
  return {};
}

bool depends_on_data(op what, const plan& plan, const options& how, dtype output) {
  const dtype input = plan.input;
  const bool nans = is_floating(input);
  const accumulator of = accumulator_of(what);
  if (nans && plan.nan_policy == nan_policy::error) return true;
  const bool may_be_empty = how.count != nullptr || (nans && plan.nan_policy == nan_policy::omit);
  if (of == accumulator::extrema && what != op::norminf && may_be_empty) return true;
  if (is_floating(output)) return false;
  const bool is_signed = is_signed_integer(input);
  const int term = is_signed ? bits_of(input) - 1 : bits_of(input);
  switch (what) {
  case op::sum:
    return !holds_sum(output, term, plan.items, is_signed);
  case op::norm1:
    return !holds_sum(output, term, plan.items, false);
  case op::sumsq:
    return !holds_sum(output, 2 * term, plan.items, false);
  case op::dot:
    return !holds_sum(output, 2 * term, plan.items, is_signed);
  case op::norminf:
    return !(is_signed ? holds_sum(output, term, 1, false) : holds_elements(output, input));
  case op::any:
  case op::all:
    return false;
  case op::argmin:
  case op::argmax:
    return bits_of(output) < 64 || (is_unsigned(output) && how.first_index < 0);
  case op::count:
  case op::count_nonzero:
    return bits_of(output) < 64;
  default:
    return !holds_elements(output, input);
  }
}

}  // namespace onefold::cuda
