// SPDX-License-Identifier: Apache-2.0
// Files of states: written by --state-out, read by `merge`; and lines of additive words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/output.hpp"
#include "onefold/state.hpp"
#include "options.hpp"

namespace onefold::program {

/// Opens the file of --state-out, if there is one. Throws failure (usage, io_error).
std::optional<output> open_state_file(const request& request);
/// Throws failure (io_error).
void write_state(output& to, const state& all);

/// The bytes of a file of states. Throws failure (io_error, malformed: too long for states).
std::vector<std::byte> read_state_file(const std::string& name);

/// Sums of lines of words, by additive_band(): one for each band of logsumexp, one of others.
using word_sums = std::map<std::int64_t, std::vector<std::int64_t>>;

/// Adds the lines of words of a file, all of as many words. Words are separated by blanks, tabs,
/// commas or bars. Throws failure (io_error, malformed, mismatch, overflow).
void add_lines_of_words(const std::string& name, word_sums& sums);

/// The state of all bands. Fails: as from_additive.
result<state> state_of(const word_sums& sums);

/// The sums of a key.
struct keyed_words {
  std::string key;
  word_sums sums;
};

/// The same for each key, the first field of a line, which tabs, commas or bars end, or else a
/// blank. Keys are in the order of their first lines.
void add_keyed_lines_of_words(const std::string& name, std::vector<keyed_words>& keys);

/// Words in a line, with commas between.
std::string line_of_words(const std::vector<std::int64_t>& words);

}  // namespace onefold::program
