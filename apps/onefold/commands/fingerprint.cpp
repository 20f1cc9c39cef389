// SPDX-License-Identifier: Apache-2.0
// One number over the states' bytes and over every rounded answer of a fixed set of sums.
//
// The hash is FNV-1a with 64 bits: it tells two different sets of answers apart by accident only,
// and resists nobody who tries. It is no cryptographic hash and no signature.
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "commands/cases.hpp"
#include "commands/commands.hpp"
#include "failure.hpp"
#include "onefold/onefold.hpp"
#include "report/number.hpp"
#include "report/report.hpp"

namespace onefold::program {
namespace {

// Around the widths of lanes, vectors and unrolled loops, and one over a piece of work.
constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 8, 63, 64, 65, 1000, 4097, 65536 + 4465};

class fnv1a {
 public:
  void add(std::byte byte) noexcept {
    digest_ = (digest_ ^ std::to_integer<std::uint64_t>(byte)) * 0x00000100000001b3;
  }
  void add(std::span<const std::byte> bytes) noexcept {
    for (const std::byte byte : bytes) add(byte);
  }
  void add(std::string_view text) noexcept {
    for (const char c : text) add(std::byte(c));
  }
  void add(std::uint64_t word) noexcept {
    for (int i = 0; i < 8; ++i) add(std::byte(word >> (8 * i)));
  }
  std::uint64_t digest() const noexcept { return digest_; }

 private:
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

// A value as text, which has no byte order; where there is none, why.
std::string answer_text(const state& sum, dtype output) {
  number value(output);
  const output_view place = value.place();
  const status done = sum.write(place.data(), output);
  return done ? to_hex(value) : std::string(name(done.code()));
}

void add_case(fnv1a& digest, const state& sum) {
  const auto bytes = sum.bytes();
  digest.add(bytes);
  for (const dtype output : all_dtypes) {
    digest.add(answer_text(sum, output));
    digest.add(std::byte{'\n'});
  }
}

std::uint64_t digest_of(const request& asked, dtype type, distribution which) {
  fnv1a digest;
  for (const std::size_t items : sizes) {
    const auto seed = std::uint64_t(type) << 32 | std::uint64_t(which) << 24 | items;
    const auto data = generate(type, which, items, seed);
    const auto item_bytes = std::int64_t(size_bytes(type));
    const array_view view(data.data(), type, {{std::int64_t(items), item_bytes}});
    add_case(digest, require(try_partial(asked.where, op::sum, view)));
  }
  return digest.digest();
}

}  // namespace

outcome run_fingerprint(const request& asked) {
  const bool json = asked.style == report_style::json;
  fnv1a all;
  std::string lines, cases;
  for (const dtype type : all_dtypes) {
    for (const distribution which : all_distributions) {
      if (!applies(which, type)) continue;
      const std::uint64_t digest = digest_of(asked, type, which);
      all.add(digest);
      const std::string label = fmt::format("{} {}", name(type), name(which));
      lines += fmt::format("{:016x}  {}\n", digest, label);
      cases += fmt::format(R"({}{{"case": "{}", "digest": "{:016x}"}})", cases.empty() ? "" : ", ",
                           label, digest);
    }
  }
  const std::string digest = fmt::format("{:016x}", all.digest());
  if (!json) return {(asked.verbose ? lines : "") + digest + "\n"};
  return {fmt::format("{{\"schema\": 1, \"fingerprint\": \"{}\", \"cases\": [{}]}}\n", digest,
                      asked.verbose ? cases : "")};
}

}  // namespace onefold::program
