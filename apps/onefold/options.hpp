// SPDX-License-Identifier: Apache-2.0
// The parsed command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "io/progress.hpp"
#include "io/raw.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"

namespace onefold::program {

class ranks;

enum class command : unsigned char {
  reduce,  ///< any operator or list of them: "sum", "mean,var"
  stats,
  audit,
  merge,
  plan,
  doctor,
  fingerprint,
  ladder,
  tour,
  help,
  version
};

enum class report_style : unsigned char { plain, tsv, json };

/// The request of a run. Members that a command has no option for keep their defaults.
struct request {
  program::command command = program::command::help;
  std::string word;                ///< the command as written
  std::vector<std::string> words;  ///< help: its topic; ladder, tour: all other words, as written

  op_list operations;
  std::vector<std::string> inputs;
  std::optional<std::string> by;  ///< the file of keys
  file_format format = file_format::automatic;
  raw_options raw;
  bool skip_missing = false;
  bool as_f64 = false;  ///< every number is rounded to f64 first

  onefold::options options;
  executor where;
  std::optional<dtype> output_type;
  bool all_digits = false;  ///< print sums before they are rounded
  std::optional<std::uint64_t> memory_limit_bytes;

  report_style style = report_style::plain;
  bool hex = false;
  bool total = false;
  bool verbose = false;
  progress_mode progress_bar = progress_mode::automatic;
  std::optional<std::string> output_path;
  std::optional<std::string> state_path;  ///< the file that gets the state of all inputs

  bool asks_for_ranks = false;      ///< --ranks
  program::ranks* ranks = nullptr;  ///< the job of --ranks

  std::vector<std::string> subtracted;  ///< merge: states to remove
  bool additive = false;                ///< merge: inputs are words as text
  bool by_key = false;                  ///< merge: an answer for each key of the lines of words
  bool print_words = false;             ///< merge: print words, no answer

  /// All files to read: the inputs, the keys, the states to remove.
  std::vector<std::string> files() const;
  /// Whether the elements of an input are reduced together: no --axis.
  bool whole() const noexcept { return options.axes.all(); }
  /// Whether inputs keep the states of their operators.
  bool keeps_states() const noexcept { return total || state_path || ranks; }
  /// The memory for the windows of a stream.
  std::uint64_t window_memory_bytes() const noexcept;
};

/// Reads the command line. Throws failure (usage, unsupported).
request parse_command_line(int argc, char** argv);

/// Whether failures are printed as JSON: the words contain --json, whatever else is wrong.
bool asks_for_json(int argc, char** argv) noexcept;

/// The text of `onefold help [TOPIC]`. Throws failure (usage: no such topic).
std::string help_text(const std::string& topic);

}  // namespace onefold::program
