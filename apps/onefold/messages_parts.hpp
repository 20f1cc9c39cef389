// SPDX-License-Identifier: Apache-2.0
// Helpers that build the sentences of messages.cpp and messages_usage.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "onefold/status.hpp"

namespace onefold::program::messages {

using code = status_code;

template <class... Parts>
status say(code code, fmt::format_string<Parts...> sentence, Parts&&... parts) {
  return {code, fmt::format(sentence, std::forward<Parts>(parts)...)};
}

// Text of an input or a command line as a message quotes it: short, and in printable ASCII.
inline std::string shown(std::string_view text, std::size_t most = 40) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= 0x20 && c < 0x7f ? c : '?';
  if (text.size() > most) out += "...";
  return out;
}

}  // namespace onefold::program::messages
