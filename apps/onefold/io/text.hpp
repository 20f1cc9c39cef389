// SPDX-License-Identifier: Apache-2.0
// Reads numbers from text: a stream of bytes in chunks of any size, with boundaries anywhere.
//
//   text_reader reader("standard input");
//   while (more()) if (auto fed = reader.feed(chunk); !fed) return fed;
//   if (auto ended = reader.end(); !ended) return ended;
//   reader.sum().value();
//
// Cells, numbers or words for a missing value, are separated by blanks (space, tab, newline, CR,
// vertical tab, form feed). A line without a cell is a missing value, so that a column with empty
// cells keeps its rows; blanks after the last newline are no line. A byte order mark at the start
// is ignored. The grammar of a number is that of onefold::decimal_sum. Columns, quotes, comments
// and thousands separators are not supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/missing_cells.hpp"
#include "io/text_range.hpp"
#include "onefold/decimal.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

struct text_options {
  /// Set for `--as f64`: every number is rounded to binary64 separately and passed on in blocks;
  /// sum() stays empty. A status that is not ok ends the reading with that status.
  std::function<status(std::span<const double>)> binary64_blocks;
  /// Set if the minimum and the maximum are wanted next to the sum.
  text_range* range = nullptr;
  bool skip_missing = false;  ///< missing values are counted and omitted, else refused
  /// Set if the places of the omitted cells are wanted.
  missing_cells* missing = nullptr;
};

/// A place in the text, both from 1; the column counts bytes.
struct text_place {
  std::int64_t line = 1;
  std::int64_t column = 1;

  void advance(std::string_view passed);
};

class text_reader {
 public:
  static constexpr std::size_t block_items = 8192;
  static constexpr std::size_t max_number_bytes = (std::size_t(1) << 20) + 32;

  explicit text_reader(std::string input_name, text_options options = {});

  /// Reads the next bytes. Fails: malformed ("input:line:column: what; remedy"), missing_value,
  /// and whatever binary64_blocks returns; every later call then fails with the same status.
  status feed(std::span<const char> bytes);
  /// Ends the text. Fails: as feed.
  status end();

  decimal_sum& sum() { return sum_; }
  /// The numbers read, NaN included, missing values not.
  std::int64_t count() const { return count_ + static_cast<std::int64_t>(block_.size()); }
  std::int64_t missing_count() const { return missing_; }

 private:
  status take(std::string_view bytes);
  template <class Take>
  status scan(std::string_view body, const Take& take);
  status skip_blanks(const char*& p, std::string_view body);
  status scan_decimals(std::string_view body);
  status scan_binary64(std::string_view body);
  status complete();
  status token(std::string_view before, std::string_view text);
  status refuse(text_place place, std::string_view text, const status& why);
  status omit(const text_place& place, std::string_view text);
  status deliver();
  /// The place after these bytes, which come next.
  text_place place_of(std::string_view before) const;
  status failed(const text_place& place, status_code code, const std::string& message) const;
  bool as_binary64() const { return options_.binary64_blocks != nullptr; }

  std::string input_name_;
  text_options options_;
  decimal_sum sum_;
  std::vector<double> block_;
  std::string head_;  // the first three bytes, until it is known whether they are a mark
  bool started_ = false;
  std::string pending_;        // a number whose end has not arrived yet
  text_place here_;            // of the first byte of pending_, else of the next byte
  bool line_is_empty_ = true;  // of the current line: no cell before here_
  std::int64_t count_ = 0;
  std::int64_t missing_ = 0;
  status outcome_;  // the first failure, kept
};

}  // namespace onefold::program
