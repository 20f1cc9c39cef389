// SPDX-License-Identifier: Apache-2.0
// Why a request needs the host; among others, a status that depends on the data: range analysis of
// integer outputs.
#include <bit>

#include "cuda/plan/operands.hpp"
#include "cuda/plan/reasons.hpp"
#include "cuda/runtime/device.hpp"
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
bool has_form(op op, dtype input, dtype output) {
  const detail::answer_kind answer = detail::row_of(op).answer;
  if (answer == detail::answer_kind::boolean || is_floating(output)) return true;
  const accumulator kind = accumulator_of(op);
  const bool keeps_type =
      kind == accumulator::bits || (kind == accumulator::extrema && op != op::norminf);
  const bool position = op == op::argmin || op == op::argmax;
  if (output == dtype::boolean) return keeps_type && !position && input == dtype::boolean;
  if (position || kind == accumulator::counts) return true;
  return !is_floating(input) && answer != detail::answer_kind::floating;
}

std::string reason_of_output(const request& request, op op, const output_view& output,
                             bool is_part) {
  const auto& plan = request.plan;
  if (!is_dense(output)) return "answers with gaps between them, or not aligned to their type";
  const bool empty = !is_part && plan.items == 0 && accumulator_of(op) == accumulator::extrema;
  if ((empty && op != op::norminf) || !has_form(op, plan.input, output.type()))
    return of_type(op, plan.input) + ", which has no such answer";
  if (request.options.status_out == nullptr &&
      depends_on_data(op, plan, request.options, output.type()))
    return "a status that depends on the data (" + of_type(op, plan.input) + " to " +
           std::string(name(output.type())) + ") without options::status_out";
  return {};
}

// Checks that all outputs, and the elements if there are any, are in the memory of one device.
std::string reason_of_memory(const executor::cuda& on, const request& request,
                             std::span<const output_view> outputs, int& device) {
  const where data = place_of(on, request);
  for (const output_view& output : outputs) {
    const memory_facts found = memory_of(output.data());
    if (found.kind != memory::device) return "an output in host memory";
    if (&output != outputs.data() && found.device != device) return "outputs on two devices";
    device = found.device;
  }
  if (request.plan.items > 0) {
    if (data.kind != memory::device) return "data in host memory";
    if (data.device != device) return "an output on another device than the data";
  }
  if (on.device >= 0 && on.device != device) return "outputs on another device";
  return {};
}

void check_place(const void* address, const char* option) {
  if (address != nullptr && memory_of(address).kind == memory::pageable)
    throw error({status_code::usage,
                 std::string(option) + " lies in memory of the host; give it device memory"});
}

}  // namespace

std::string of_type(op op, dtype type) {
  return std::string(name(op)) + " of " + std::string(name(type));
}

void check_device_options(const options& options) {
  check_place(options.count, "options::count");
  check_place(options.status_out, "options::status_out");
  check_place(options.workspace.data, "options::workspace");
}

std::string reason_for_host(const executor::cuda& on, const request& request,
                            std::span<const output_view> outputs, int& device, bool is_part) {
  const auto& plan = request.plan;
  const options& options = request.options;
  if (plan.mapped) return "functions of the elements";
  if (plan.masked) return "a mask";
  if (options.initial) return "an initial value";
  if (!detail::is_whole(options.correction)) return "a correction that is no 64-bit integer";
  if (plan.outputs == 0) return "no answer";
  const bool whole = plan.form == shape::full;
  const bool is_scattered = whole && plan.reading == path::packed;
  if (is_scattered && (is_part || options.count != nullptr)) return "scattered elements";
  if (whole && plan.accuracy == accuracy::fast) return "fast reductions";
  if (!whole && options.count != nullptr) return "options::count with several answers";
  for (int i = 0; i < plan.ops.size(); ++i)
    if (auto why = reason_of_output(request, plan.ops[i], outputs[std::size_t(i)], is_part);
        !why.empty())
      return why;
  return reason_of_memory(on, request, outputs, device);
}

bool depends_on_data(op op, const plan& plan, const options& options, dtype output) {
  const dtype input = plan.input;
  const detail::answer_kind answer = detail::row_of(op).answer;
  const bool nans = is_floating(input);
  const accumulator kind = accumulator_of(op);
  if (nans && plan.nan_policy == nan_policy::error) return true;
  const bool may_be_empty =
      options.count != nullptr || (nans && plan.nan_policy == nan_policy::omit);
  if (kind == accumulator::extrema && op != op::norminf && may_be_empty) return true;
  if (is_floating(output)) return false;
  const bool is_signed = is_signed_integer(input);
  const int term = is_signed ? bits_of(input) - 1 : bits_of(input);
  switch (op) {
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
  case op::argmin:
  case op::argmax:
    return bits_of(output) < 64 || (is_unsigned(output) && options.first_index < 0);
  default:
    if (kind != accumulator::counts) return !holds_elements(output, input);
    return answer == detail::answer_kind::index && bits_of(output) < 64;
  }
}

}  // namespace onefold::cuda
