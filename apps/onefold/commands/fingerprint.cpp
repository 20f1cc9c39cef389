// SPDX-License-Identifier: Apache-2.0
// `onefold fingerprint`: one hash over the answers to a fixed set of questions. It covers every
// operator over generated data, the bytes of the states, and the conformance vectors.
//
// The hash is FNV-1a with 64 bits: two different sets of answers collide only by accident, but it
// resists no attack. It is not a cryptographic hash or a signature.
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "commands/cases.hpp"
#include "commands/commands.hpp"
#include "conformance/vectors.hpp"
#include "failure.hpp"
#include "onefold/onefold.hpp"

namespace onefold::program {
namespace {

// Around the widths of lanes, vectors and unrolled loops, and one above a chunk.
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

// One line of --verbose. An operator without any answer in a line leaves no line, so that a new
// operator adds lines and changes none.
struct line {
  fnv1a digest;
  bool answered = false;

  void add(std::string_view answer) {
    digest.add(answer);
    digest.add(std::byte{'\n'});
    answered = answered || answer != name(status_code::unsupported);
  }
};

// Storage for the answers of one output, cleared so that earlier contents cannot show.
struct place {
  alignas(8) std::byte bytes[16] = {};
  dtype type;

  explicit place(dtype of) : type(of) {}
  output_view output(op what) {
    axis_list axes;
    if (answers_of(what) > 1) axes.push_back({answers_of(what), std::int64_t(size_bytes(type))});
    return {bytes, type, axes};
  }
  std::string text(op what) const {
    std::string both;
    for (int i = 0; i < answers_of(what); ++i)
      both += conformance::text(bytes + std::size_t(i) * size_bytes(type), type) + " ";
    return both;
  }
};

// An answer, or the name of a status that depends on the question. Throws a status that depends on
// the machine: memory, arithmetic.
std::string said(op what, const status& done, const place& at) {
  if (done) return at.text(what);
  const auto code = done.code();
  if (code != status_code::unsupported && code != status_code::overflow &&
      code != status_code::empty)
    require(done);
  return std::string(name(code));
}

std::string reduced(const request& asked, op what, const array_view& x, const array_view& y,
                    accuracy how) {
  place at(default_output(what, x.type()));
  options with;
  with.accuracy = how;
  return said(what,
              inputs_of(what) == 2 ? reduce(asked.where, what, {x, y}, at.output(what), with)
                                   : reduce(asked.where, what, {x}, at.output(what), with),
              at);
}

// Adds the state's bytes, and its value in every type that can hold it.
void add_state(const request& asked, op what, const array_view& x, line& to) {
  if (inputs_of(what) != 1) return;
  const auto made = try_partial(asked.where, what, x);
  if (!made) return to.add(said(what, made.why(), place(x.type())));
  to.digest.add(made->bytes());
  for (const dtype output : all_dtypes) {
    place at(output);
    to.add(said(what, made->write(at.bytes, output), at));
  }
}

using lines = std::vector<std::pair<std::string, line>>;

struct question {
  dtype type;
  distribution which;
  std::size_t items;
};

std::vector<std::byte> elements(const question& of, std::uint64_t view) {
  const auto seed = view << 48 | std::uint64_t(of.type) << 32 | std::uint64_t(of.which) << 24;
  return generate(of.type, of.which, of.items, seed | of.items);
}

// Two lines for each operator: exact, fast.
void add_question(const request& asked, const question& of, lines& to) {
  const auto first = elements(of, 0), second = elements(of, 1);
  const axis_list axes{{std::int64_t(of.items), std::int64_t(size_bytes(of.type))}};
  const array_view x(first.data(), of.type, axes), y(second.data(), of.type, axes);
  auto next = to.begin();
  for (const op what : all_ops) {
    next->second.add(reduced(asked, what, x, y, accuracy::exact));
    add_state(asked, what, x, next++->second);
    next++->second.add(reduced(asked, what, x, y, accuracy::fast));
  }
}

lines generated_lines(const request& asked, dtype type) {
  lines made;
  for (const op what : all_ops)
    for (const char* how : {"", "fast "})
      made.emplace_back(fmt::format("{}{} {}", how, name(what), name(type)), line{});
  for (const distribution which : all_distributions)
    if (applies(which, type))
      for (const std::size_t items : sizes) add_question(asked, {type, which, items}, made);
  return made;
}

lines conformance_lines(const request& asked) {
  lines made;
  for (const auto& file : conformance::embedded_files()) {
    made.emplace_back(std::string(file.name), line{});
    conformance::for_each_line(file.text, [&](std::string_view text) {
      const auto vector = conformance::parse(text);
      if (!vector) throw failure({status_code::malformed, std::string(text)});
      made.back().second.add(conformance::answer(asked.where, *vector));
    });
  }
  return made;
}

lines all_lines(const request& asked) {
  // A machine that refuses every request has no fingerprint: this throws the reason.
  require(try_partial(asked.where, op::sum, array_view(static_cast<const double*>(nullptr), 0)));
  lines all;
  const auto append = [&](lines&& more) {
    for (auto& each : more)
      if (each.second.answered) all.push_back(std::move(each));
  };
  for (const dtype type : all_dtypes) append(generated_lines(asked, type));
  append(conformance_lines(asked));
  return all;
}

}  // namespace

outcome run_fingerprint(const request& asked) {
  const bool json = asked.style == report_style::json;
  fnv1a whole;
  std::string text, cases;
  for (const auto& [label, made] : all_lines(asked)) {
    const std::uint64_t digest = made.digest.digest();
    whole.add(digest);
    text += fmt::format("{:016x}  {}\n", digest, label);
    cases += fmt::format(R"({}{{"case": "{}", "digest": "{:016x}"}})", cases.empty() ? "" : ", ",
                         label, digest);
  }
  const std::string digest = fmt::format("{:016x}", whole.digest());
  if (!json) return {(asked.verbose ? text : "") + digest + "\n"};
  return {fmt::format("{{\"schema\": 1, \"fingerprint\": \"{}\", \"cases\": [{}]}}\n", digest,
                      asked.verbose ? cases : "")};
}

}  // namespace onefold::program
