// SPDX-License-Identifier: Apache-2.0
// Cuts the stream into cells. A chunk is read up to its last blank; the rest waits in pending_
// for its end. Lines are counted a chunk at a time; the place inside a chunk is computed only for
// an error.
#include "io/text.hpp"

#include <algorithm>
#include <utility>

#include "io/text_binary64.hpp"
#include "io/text_error.hpp"
#include "io/text_scan.hpp"
#include "io/text_totals.hpp"

namespace onefold::program {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view up_to_blank(const char* p, const char* end) {
  return {p, static_cast<std::size_t>(std::find_if(p, end, is_blank) - p)};
}

}  // namespace

void text_place::advance(std::string_view passed) {
  constexpr std::size_t most = 255;  // the range of a byte counter, sixteen to a register
  for (std::size_t i = 0; i < passed.size(); i += most) {
    unsigned char newlines = 0;
    for (const char c : passed.substr(i, most)) newlines += c == '\n';
    line += newlines;
  }
  const auto newline = passed.rfind('\n');
  if (newline == std::string_view::npos)
    column += static_cast<std::int64_t>(passed.size());
  else
    column = static_cast<std::int64_t>(passed.size() - newline);
}

text_reader::text_reader(std::string input_name, text_options options)
    : input_name_(std::move(input_name)), options_(std::move(options)) {
  if (options_.binary64_blocks) block_.reserve(block_items);
}

status text_reader::feed(std::span<const char> bytes) {
  if (!outcome_) return outcome_;
  const default_environment environment(as_binary64());
  std::string_view rest(bytes.data(), bytes.size());
  if (!started_) {
    const auto more = std::min(byte_order_mark.size() - head_.size(), rest.size());
    head_ += rest.substr(0, more);
    rest.remove_prefix(more);
    if (head_.size() < byte_order_mark.size()) return {};
    started_ = true;
    if (head_ != byte_order_mark) outcome_ = take(head_);
  }
  if (outcome_) outcome_ = take(rest);
  return outcome_;
}

status text_reader::end() {
  const default_environment environment(as_binary64());
  if (outcome_ && !std::exchange(started_, true)) outcome_ = take(head_);
  if (outcome_) outcome_ = complete();
  if (outcome_) outcome_ = deliver();
  return outcome_;
}

status text_reader::take(std::string_view bytes) {
  if (!pending_.empty()) {
    const auto rest = up_to_blank(bytes.data(), bytes.data() + bytes.size());
    pending_ += rest.substr(0, max_number_bytes + 1 - pending_.size());
    bytes.remove_prefix(rest.size());
    if (bytes.empty() && pending_.size() <= max_number_bytes) return {};
    if (auto completed = complete(); !completed) return completed;
  }
  const auto last = std::find_if(bytes.rbegin(), bytes.rend(), is_blank).base();
  const auto body = bytes.substr(0, static_cast<std::size_t>(last - bytes.begin()));
  if (auto scanned = as_binary64() ? scan_binary64(body) : scan_decimals(body); !scanned)
    return scanned;
  here_.advance(body);
  pending_ = bytes.substr(body.size());
  return pending_.size() <= max_number_bytes ? status() : complete();
}

// Reads the number that was cut, after its end has arrived.
status text_reader::complete() {
  if (pending_.empty()) return {};
  if (auto read = token({}, pending_); !read) return read;
  here_.advance(pending_);
  pending_.clear();
  line_is_empty_ = false;
  return {};
}

// Moves p over blanks. A newline that ends a line without a cell is a missing value.
status text_reader::skip_blanks(const char*& p, std::string_view body) {
  for (const char* const end = body.data() + body.size(); p != end && is_blank(*p); ++p) {
    if (*p != '\n' || !std::exchange(line_is_empty_, true)) continue;
    text_place place = place_of({body.data(), p});
    place.column = 1;
    if (auto omitted = omit(place, {}); !omitted) return omitted;
  }
  return {};
}

// Cuts the body, which ends with a blank, into cells. `take` consumes a number, or leaves it to
// token().
template <class Take>
status text_reader::scan(std::string_view body, const Take& take) {
  const char* p = body.data();
  const char* const end = p + body.size();
  if (auto skipped = skip_blanks(p, body); !skipped) return skipped;
  scanned_number number;
  while (p != end) {
    if (end - p >= scan_reach && scan_number(p, number) && take(p, number)) {
      p = number.end;
    } else {
      const auto text = up_to_blank(p, end);
      if (auto read = token({body.data(), p}, text); !read) return read;
      p += text.size();
    }
    if (block_.size() >= block_items)
      if (auto delivered = deliver(); !delivered) return delivered;
    // One blank, as after most cells, ends no empty line.
    if (end - p > 1 && !is_blank(p[1])) {
      ++p;
      continue;
    }
    line_is_empty_ = false;
    if (auto skipped = skip_blanks(p, body); !skipped) return skipped;
  }
  return {};
}

status text_reader::scan_decimals(std::string_view body) {
  scale_totals totals(sum_);
  return scan(body, [&](const char* p, const scanned_number& number) {
    if (!totals.add(number)) return false;
    if (options_.range != nullptr) options_.range->add(p, number);
    ++count_;
    return true;
  });
}

status text_reader::scan_binary64(std::string_view body) {
  return scan(body, [&](const char* p, const scanned_number& number) {
    double value = 0;
    if (!scanned_binary64(p, number, value)) return false;
    block_.push_back(value);
    return true;
  });
}

// Reads one token between blanks; `before` are the bytes from here_ to it.
status text_reader::token(std::string_view before, std::string_view text) {
  if (text.size() > max_number_bytes)
    return failed(place_of(before), status_code::malformed,
                  "a number has more than 1048576 digits; put blanks or newlines between numbers");
  double value = 0;
  if (auto read = as_binary64() ? read_binary64(text, value) : sum_.add(text); !read)
    return refuse(place_of(before), text, read);
  if (as_binary64()) return block_.push_back(value), status();
  if (options_.range != nullptr) options_.range->add(text);
  return ++count_, status();
}

// The error for a token that is not a number; ok for a permitted missing value.
status text_reader::refuse(text_place place, std::string_view text, const status& why) {
  if (why.code() == status_code::unsupported)
    return failed(place, status_code::malformed, why.message());
  if (is_missing(text)) return omit(place, text);
  const auto fault = std::min(find_fault(text), text.size());
  place.advance(text.substr(0, fault));
  return failed(place, status_code::malformed, describe_fault(text, fault));
}

// A missing value: a word for one, or an empty line.
status text_reader::omit(const text_place& place, std::string_view text) {
  if (!options_.skip_missing)
    return failed(place, status_code::missing_value, describe_missing(text));
  ++missing_;
  if (options_.missing != nullptr) options_.missing->add(count());
  return {};
}

status text_reader::deliver() {
  if (block_.empty()) return {};
  count_ += static_cast<std::int64_t>(block_.size());
  auto delivered = options_.binary64_blocks(block_);
  block_.clear();
  return delivered;
}

text_place text_reader::place_of(std::string_view before) const {
  text_place place = here_;
  place.advance(before);
  return place;
}

status text_reader::failed(const text_place& place, status_code code,
                           const std::string& message) const {
  return {code, input_name_ + ":" + std::to_string(place.line) + ":" +
                    std::to_string(place.column) + ": " + message};
}

}  // namespace onefold::program
