// SPDX-License-Identifier: Apache-2.0
// A parallel radix sort by key, and the search for runs of equal keys.
#include "cpu/drivers/keys/key_order.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <type_traits>

#include "cpu/drivers/answers.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

constexpr std::int64_t piece_items = tuning::block_items;

// Signed types start below zero: flipping the sign bit maps them to unsigned order.
template <class T>
constexpr std::uint64_t sign_of = std::is_signed_v<T> ? std::uint64_t(1) << 63 : 0;

template <class T>
std::uint64_t ordinal_at(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != std::byte(0);
  } else {
    T key;
    std::memcpy(&key, at, sizeof key);
    return static_cast<std::uint64_t>(key) ^ sign_of<T>;
  }
}

// --- radix sort, least significant digit first -------------------------------

constexpr int digit_bits = 8, digit_values = 1 << digit_bits, digits = 64 / digit_bits;
using places = std::array<std::int64_t, digit_values>;

// A range of records, whose digits one thread counts and whose records it moves.
struct work_range {
  std::int64_t first, last;
  places counts{};
  places next{};  // destination of the next record of a digit
};

int digit_of(std::uint64_t ordinal, int digit) {
  return int(ordinal >> (digit * digit_bits) & (digit_values - 1));
}

status count_digit(const key_record* from, int digit, const std::stop_token& stop,
                   work_range& range) {
  range.counts.fill(0);
  return in_slices(range.first, range.last, stop, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      ++range.counts[std::size_t(digit_of(from[i].ordinal, digit))];
  });
}

// Assigns destinations by digit, and within a digit by range, which makes the sort stable.
void place(std::vector<work_range>& all) {
  std::int64_t at = 0;
  for (std::size_t value = 0; value < digit_values; ++value)
    for (work_range& range : all) {
      range.next[value] = at;
      at += range.counts[value];
    }
}

status move(const key_record* from, key_record* to, int digit, const std::stop_token& stop,
            work_range& range) {
  return in_slices(range.first, range.last, stop, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      to[range.next[std::size_t(digit_of(from[i].ordinal, digit))]++] = from[i];
  });
}

std::vector<work_range> ranges_of(std::int64_t n, int threads) {
  const std::int64_t share = (n + threads - 1) / threads;
  std::vector<work_range> all;
  for (std::int64_t first = 0; first < n; first += share)
    all.push_back({first, std::min(first + share, n)});
  return all;
}

// Bits in which ordinals differ.
std::uint64_t differing_bits(const std::vector<key_record>& records, const std::stop_token& stop) {
  std::uint64_t bits = 0;
  // The caller polls, too.
  (void)in_slices(0, std::int64_t(records.size()), stop, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) bits |= records[std::size_t(i)].ordinal ^ records.front().ordinal;
  });
  return bits;
}

status for_each_range(std::vector<work_range>& all,
                      const std::function<status(work_range&)>& body) {
  if (all.size() == 1) return body(all.front());
  first_failure failure;
  run_tasks(int(all.size()), [&](int i) { failure.note(body(all[std::size_t(i)])); });
  return failure.why();
}

// --- runs --------------------------------------------------------------------

// The starts of runs within one piece.
struct run_starts {
  std::vector<std::int64_t> at;
};

// False: a key is less than its predecessor.
bool find_starts(const ordinal_reader& read, std::int64_t first, std::int64_t last,
                 std::vector<std::uint64_t>& buffer, run_starts& found) {
  const std::int64_t before = first > 0 ? 1 : 0;
  read(first - before, last - first + before, buffer.data());
  if (before == 0) found.at.push_back(0);
  for (std::int64_t i = 1; i < last - first + before; ++i) {
    const std::uint64_t here = buffer[std::size_t(i)], left = buffer[std::size_t(i - 1)];
    if (here < left) return false;
    if (here > left) found.at.push_back(first - before + i);
  }
  return true;
}

std::vector<std::int64_t> joined(std::vector<run_starts>& pieces, std::int64_t n) {
  std::size_t count = 1;
  for (const run_starts& starts : pieces) count += starts.at.size();
  std::vector<std::int64_t> offsets;
  offsets.reserve(count);
  for (run_starts& starts : pieces) {
    offsets.insert(offsets.end(), starts.at.begin(), starts.at.end());
    starts.at = {};
  }
  offsets.push_back(n);
  return offsets;
}

}  // namespace

void read_ordinals(const array_view& keys, std::int64_t first, std::int64_t n,
                   std::uint64_t* ordinals) {
  const std::int64_t stride = keys.axes()[0].stride_bytes;
  const auto* from = static_cast<const std::byte*>(keys.data()) + first * stride;
  with_type(keys.type(), [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>) {
      if (stride == std::int64_t(sizeof(T)))
        for (std::int64_t i = 0; i < n; ++i)
          ordinals[i] = ordinal_at<T>(from + i * std::int64_t(sizeof(T)));
      else
        for (std::int64_t i = 0; i < n; ++i) ordinals[i] = ordinal_at<T>(from + i * stride);
    }
  });
}

void write_key(dtype type, std::uint64_t ordinal, std::byte* output) {
  with_type(type, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>) {
      const T key = static_cast<T>(ordinal ^ sign_of<T>);
      std::memcpy(output, &key, sizeof key);
    }
  });
}

status sort_records(std::vector<key_record>& records, int threads, const std::stop_token& stop) {
  const auto n = std::int64_t(records.size());
  if (n < 2) return {};
  const std::uint64_t differing = differing_bits(records, stop);
  auto all = ranges_of(n, n < piece_items ? 1 : threads);
  std::vector<key_record> other(records.size());
  for (int digit = 0; digit < digits; ++digit) {
    if (digit_of(differing, digit) == 0) continue;
    auto done = for_each_range(
        all, [&](work_range& range) { return count_digit(records.data(), digit, stop, range); });
    if (!done) return done;
    place(all);
    done = for_each_range(all, [&](work_range& range) {
      return move(records.data(), other.data(), digit, stop, range);
    });
    if (!done) return done;
    records.swap(other);
  }
  return {};
}

result<std::optional<std::vector<std::int64_t>>>
ascending_runs(const ordinal_reader& read, std::int64_t n, int threads, const options& options) {
  using found = std::optional<std::vector<std::int64_t>>;
  const std::int64_t pieces = (n + piece_items - 1) / piece_items;
  std::vector<run_starts> starts(static_cast<std::size_t>(pieces));
  std::atomic<bool> ascending{true};
  onefold::options quiet = options;
  quiet.progress = nullptr;  // no element is reduced yet
  auto done = share({pieces, threads, piece_items, n}, quiet, [&](auto& next) {
    std::vector<std::uint64_t> buffer(std::size_t(piece_items) + 1);
    while (const auto piece = next()) {
      if (!ascending.load(std::memory_order_relaxed)) return;
      const std::int64_t first = *piece * piece_items;
      if (!find_starts(read, first, std::min(first + piece_items, n), buffer,
                       starts[std::size_t(*piece)]))
        ascending.store(false, std::memory_order_relaxed);
    }
  });
  if (!done) return done;
  return ascending ? found(joined(starts, n)) : found();
}

}  // namespace onefold::cpu
