// SPDX-License-Identifier: Apache-2.0
#pragma once
// Launches of the kernels of segments under the executor, in work ranges that a test chooses, and
// the answers of the CPU's engine.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "request/tuning.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"
#include "tests/cuda/kernels/segments/cpu_answers.hpp"
#include "tests/cuda/kernels/segments/kernels.hpp"

namespace onefold::test {

/// What the lengths of segments are like.
enum class lengths { ones, empties, short_ones, mixed, one_long, few_elements, long_ones_between };
inline constexpr lengths all_lengths[] = {lengths::ones,  lengths::empties,  lengths::short_ones,
                                          lengths::mixed, lengths::one_long, lengths::few_elements};

inline std::int64_t random_length(random_source& random, lengths given_lengths) {
  switch (given_lengths) {
  case lengths::ones:
    return 1;
  case lengths::empties:
    return random.one_in(40) ? random.between(1, 30) : 0;
  case lengths::short_ones:
    return random.between(0, 6);
  case lengths::mixed:
    return random.one_in(12) ? random.between(100, 900) : random.between(0, 40);
  case lengths::one_long:
    return random.between(0, 9);
  case lengths::long_ones_between:  // of bytes too, a long one is one
    return random.one_in(12) ? random.between(4000, 9000) : random.between(0, 300);
  default:
    return random.one_in(60) ? 1 : 0;
  }
}

/// Offsets of about `count` segments, the first one at `start`.
inline offset_list random_offsets(random_source& random, lengths given_lengths, int count,
                                  std::int64_t start) {
  offset_list made = {start};
  const int long_one = given_lengths == lengths::one_long ? random.between(0, count - 1) : -1;
  for (int k = 0; k < count; ++k)
    made.push_back(made.back() + (k == long_one ? random.between(5000, 20000)
                                                : random_length(random, given_lengths)));
  return made;
}

struct segments_case {
  cuda::segments_request request;
  offset_list offsets;
  std::int64_t items = 0;
  int misplaced = 0;              ///< elements between a multiple of 256 bytes and the first one
  std::int64_t work_range = 512;  ///< weight of a warp's
  std::int64_t late = 0;          ///< the same in blocks behind the early ones; 0: there are none
  std::int64_t early = 0;         ///< blocks, at most
  bool leave_first = false;
  unsigned warps = 2;
  std::int64_t first_index = 0;
  std::int64_t length = 0;  ///< of rows, which the kernel takes without offsets

  std::size_t count() const { return offsets.size() - 1; }
  std::int64_t segment_weight() const { return 16 / std::int64_t(size_bytes(request.input)); }
  std::size_t output_bytes() const {
    return count() * std::size_t(answers_of(request.op)) * size_bytes(request.output);
  }
  std::string text() const {
    return std::string(name(request.op)) + " of " + std::string(name(request.input)) + " to " +
           std::string(name(request.output)) + ", " + std::to_string(count()) + " segments of " +
           std::to_string(items) + " elements, misplaced " + std::to_string(misplaced) +
           ", work range " + std::to_string(work_range) + " (" + std::to_string(late) +
           " from block " + std::to_string(early) + " on), warps " + std::to_string(warps) +
           ", seed " + std::to_string(seed());
  }
};

struct segments_result {
  std::vector<std::byte> bytes;
  std::uint64_t findings = 0;
};

/// x: the bytes of the elements.
inline segments_result run_segments(const segments_kernel& kernel, const segments_case& c,
                                    const std::vector<std::byte>& x) {
  simt::device gpu;
  const std::size_t width = size_bytes(c.request.input);
  std::vector<std::byte> padded(x.size() + std::size_t(c.misplaced) * width);
  std::copy(x.begin(), x.end(), padded.end() - std::ptrdiff_t(x.size()));
  const std::byte* const at = gpu.memory().copy(std::span<const std::byte>(padded), "x");
  const std::int64_t all = c.items + std::int64_t(c.count()) * c.segment_weight();
  const std::int64_t late = c.late > 0 ? c.late : c.work_range;
  const std::int64_t early = std::min(c.early, all / (c.work_range * c.warps));
  const std::int64_t rest = all - early * c.work_range * c.warps;
  const auto blocks = std::size_t(early + rest / (late * c.warps) + 1);  // one may have nothing
  const auto kind = c.request.op == op::mean    ? cuda::answer_form::kind::mean
                    : c.request.op == op::norm2 ? cuda::answer_form::kind::root
                                                : cuda::answer_form::kind::sum;
  const std::size_t joints = std::max(blocks, std::size_t(c.items / tuning::chunk_items) + 1);
  const std::vector<std::uint64_t> findings(1);
  const std::vector<unsigned> tickets(joints);
  cuda::segment_arguments a = {
      c.request,
      {at + std::size_t(c.misplaced) * width, c.items,
       c.length > 0 ? nullptr
                    : gpu.memory().copy(std::span<const std::int64_t>(c.offsets), "offsets"),
       std::int64_t(c.count()),
       gpu.memory().allocate<std::uint64_t>((c.output_bytes() + 7) / 8, "out"), c.first_index,
       c.length},
      {kind, c.request.output, 0},
      cuda::kind_of(c.request.input),
      c.leave_first,
      c.segment_weight(),
      c.work_range,
      late,
      early,
      gpu.memory().copy(std::span<const std::uint64_t>(findings), "findings"),
      gpu.memory().copy(std::span<const unsigned>(tickets), "tickets"),
      gpu.memory().allocate<std::int64_t>(2 * joints * std::size_t(kernel.sum_words), "partials")};
  kernel.run(
      gpu, {.grid = {unsigned(blocks)}, .block = {c.warps * 32}, .order = simt::schedule::shuffled},
      a);
  // Of wrong offsets blocks may disagree about who shares a segment; they read nothing outside.
  for (const simt::finding& f : gpu.report())
    if (*a.findings != cuda::offsets_are_wrong ||
        (f.kind != simt::defect::race && f.kind != simt::defect::uninitialised))
      ADD_FAILURE() << c.text() << ": " << f.text();
  for (std::size_t b = 0; b < joints && *a.findings == 0; ++b)
    EXPECT_EQ(a.tickets[b], 0u) << c.text() << ": ticket " << b;
  const auto* out = static_cast<const std::byte*>(a.block.out);
  return {{out, out + c.output_bytes()}, *a.findings};
}

inline std::string hex_of(const std::byte* at, std::size_t bytes) {
  std::string text;
  for (std::size_t i = bytes; i-- > 0;) {
    char two[3];
    std::snprintf(two, sizeof two, "%02X", unsigned(at[i]));
    text += two;
  }
  return text;
}

/// Positions in x become those in rows.
inline void count_in_rows(std::vector<std::byte>& positions, std::int64_t length) {
  auto* const at = reinterpret_cast<std::int64_t*>(positions.data());
  for (std::size_t k = 0; k < positions.size() / sizeof *at; ++k) at[k] -= std::int64_t(k) * length;
}

/// Whether the kernel's answers are the CPU's, bit for bit.
inline bool check_segments(const segments_kernel& kernel, const segments_case& c,
                           const std::vector<std::byte>& x) {
  auto right = cpu_answers(c.request, c.offsets, x, c.first_index);
  const bool positions = c.request.op == op::argmin || c.request.op == op::argmax;
  if (positions) count_in_rows(right, c.length);
  const segments_result got = run_segments(kernel, c, x);
  EXPECT_EQ(got.findings, 0u) << c.text();
  const std::size_t each = right.size() / std::max<std::size_t>(c.count(), 1);
  for (std::size_t k = 0; k < c.count(); ++k) {
    if (std::memcmp(right.data() + k * each, got.bytes.data() + k * each, each) == 0) continue;
    ADD_FAILURE() << c.text() << ": answer " << k << ", of elements " << c.offsets[k] << " … "
                  << c.offsets[k + 1] << ", is " << hex_of(got.bytes.data() + k * each, each)
                  << ", not " << hex_of(right.data() + k * each, each);
    return false;
  }
  return !testing::Test::HasFailure();
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& x) {
  const auto* at = reinterpret_cast<const std::byte*>(x.data());
  return {at, at + x.size() * sizeof(T)};
}

/// A case with such lengths, and where the elements and work ranges begin drawn by lot.
inline segments_case random_case(random_source& random, lengths given_lengths, op op, dtype input,
                                 dtype output) {
  const int count =
      given_lengths == lengths::mixed ? random.between(1, 60) : random.between(1, 900);
  const std::int64_t before = random.one_in(2) ? 0 : random.between(0, 700);
  segments_case c;
  c.request = {op, accuracy::exact, nan_policy::propagate, input, output};
  c.offsets = random_offsets(random, given_lengths, count, before);
  c.items = c.offsets.back() + (random.one_in(2) ? 0 : random.between(0, 300));
  c.misplaced = random.one_in(3) ? 0 : random.between(0, 17);
  c.work_range = random.one_in(2) ? random.between(40, 500) : random.between(500, 3000);
  c.warps = unsigned(random.between(1, 4));
  if (!cuda::segments_take_rows(op) && random.one_in(2))
    c.early = random.between(0, 6), c.late = 1 + c.work_range / random.between(2, 5);
  c.leave_first = random.one_in(2);
  return c;
}

/// One whose work ranges have whole long segments, each among 32 with short ones around it.
inline segments_case giants_case(random_source& random, op op, dtype input, dtype output) {
  segments_case c = random_case(random, lengths::one_long, op, input, output);
  c.offsets = random_offsets(random, lengths::long_ones_between, 80, c.offsets[0]);
  c.items = c.offsets.back() + (random.one_in(2) ? 0 : random.between(0, 300));
  c.work_range = random.between(20000, 60000), c.warps = unsigned(random.between(1, 2));
  return c;
}

}  // namespace onefold::test
