// SPDX-License-Identifier: Apache-2.0
// Walks through the tensors of a file.
#include "commands/arrays.hpp"

#include <set>

#include "messages.hpp"

namespace onefold::program {
namespace {

tensor_label label_of(const std::string& file, const tensor& from) {
  return {file, from.name, from.type ? std::string(name(*from.type)) : from.type_name, from.shape};
}

}  // namespace

void for_each_array(const std::string& name, const request& request,
                    const std::function<void(input&, const std::optional<tensor_label>&)>& take,
                    const std::function<void(const array_failure&)>& refuse) {
  std::optional<input> from;
  try {
    from = open_input(name, request);
    if (from->format != file_format::safetensors) return take(*from, {});
  } catch (const failure& why) {
    return refuse({why, name, {}});
  }
  std::set<std::string> printed;
  for (const tensor& each : from->tensors) {
    const tensor_label label = label_of(name, each);
    try {
      select_tensor(*from, name, each, request);
      take(*from, label);
    } catch (const failure& why) {
      refuse({why, name, label, !printed.insert(why.why().message()).second});
    }
  }
}

void require_one_array(const input& from, const char* use) {
  if (from.format == file_format::safetensors)
    throw failure(messages::one_array(from.name, use), from.name);
}

}  // namespace onefold::program
