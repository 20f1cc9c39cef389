// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/report/notes.hpp"

#include <algorithm>

namespace onefold::ladder::learner {

std::string note_for(const simt::finding& f, const idioms& source,
                     const std::vector<simt::location>& equal) {
  if (f.kind != simt::defect::race) return "";
  const auto has = [&f](const char* part) { return f.detail.find(part) != f.detail.npos; };
  const auto is_equal = [&equal](const simt::location& place) {
    return place.file.empty() || std::find(equal.begin(), equal.end(), place) != equal.end();
  };
  const unsigned other = f.other.file.empty() ? f.place.line : f.other.line;
  const auto [first, last] = std::minmax(f.place.line, other);
  if (has("two writes") && is_equal(f.place) && is_equal(f.other)) {
    return "several lanes store the same value to one word: on a device one of them does; strict "
           "memory order asks for one lane, or an atomic";
  }
  if (has("a read and an atomic operation") && source.in_cas_loop(first) &&
      source.in_cas_loop(last)) {
    return "a plain read before a loop of atomicCAS, as CUDA's guide prints it: an old value costs "
           "one more round; strict memory order asks for an atomic read, as atomicAdd(p, 0)";
  }
  if (has("global memory by different blocks") && !has("atomic operation") && source.has_volatile &&
      source.has_ticket_between(first, last)) {
    return "the last block uses through volatile what other blocks wrote before a __threadfence() "
           "and an atomic, as CUDA's guide prints it; strict memory order asks for a "
           "__threadfence() between its atomic and its reads, too";
  }
  return "";
}

}  // namespace onefold::ladder::learner
