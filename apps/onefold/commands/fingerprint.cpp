// SPDX-License-Identifier: Apache-2.0
// `onefold fingerprint`: one hash over the answers to a fixed set of questions. It covers every
// operator over generated data, the bytes of the states, and the conformance vectors.
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "commands/cases.hpp"
#include "commands/commands.hpp"
#include "conformance/vectors.hpp"
#include "failure.hpp"
#include "onefold/onefold.hpp"
#include "report/fnv1a.hpp"

namespace onefold::program {
namespace {

// Around the widths of lanes, vectors and unrolled loops, and one above a chunk.
constexpr std::size_t sizes[] = {0, 1, 2, 3, 7, 8, 63, 64, 65, 1000, 4097, 65536 + 4465};

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

  explicit place(dtype element) : type(element) {}
  output_view output(op op) {
    axis_list axes;
    if (answers_of(op) > 1) axes.push_back({answers_of(op), std::int64_t(size_bytes(type))});
    return {bytes, type, axes};
  }
  std::string text(op op) const {
    std::string both;
    for (int i = 0; i < answers_of(op); ++i)
      both += conformance::text(bytes + std::size_t(i) * size_bytes(type), type) + " ";
    return both;
  }
};

// An answer, or the name of a status that depends on the question. Throws a status that depends on
// the machine: memory, arithmetic.
std::string said(op op, const status& done, const place& at) {
  if (done) return at.text(op);
  const auto code = done.code();
  if (code != status_code::unsupported && code != status_code::overflow &&
      code != status_code::empty)
    require(done);
  return std::string(name(code));
}

std::string reduced(const request& request, op op, const array_view& x, const array_view& y,
                    accuracy accuracy) {
  place at(default_output(op, x.type()));
  options with;
  with.accuracy = accuracy;
  return said(op,
              inputs_of(op) == 2 ? reduce(request.where, op, {x, y}, at.output(op), with)
                                 : reduce(request.where, op, {x}, at.output(op), with),
              at);
}

// Adds the state's bytes, and its value in every type that can hold it.
void add_state(const request& request, op op, const array_view& x, line& row) {
  if (inputs_of(op) != 1) return;
  const auto partial = try_partial(request.where, op, x);
  if (!partial) return row.add(said(op, partial.why(), place(x.type())));
  row.digest.add(partial->bytes());
  for (const dtype output : all_dtypes) {
    place at(output);
    row.add(said(op, partial->write(at.bytes, output), at));
  }
}

using lines = std::vector<std::pair<std::string, line>>;

struct question {
  dtype type;
  distribution which;
  std::size_t items;
};

std::vector<std::byte> elements(const question& question, std::uint64_t view) {
  const auto seed =
      view << 48 | std::uint64_t(question.type) << 32 | std::uint64_t(question.which) << 24;
  return generate(question.type, question.which, question.items, seed | question.items);
}

// Two lines for each operator: exact, fast.
void add_question(const request& request, const question& question, lines& lines) {
  const auto first = elements(question, 0), second = elements(question, 1);
  const axis_list axes{{std::int64_t(question.items), std::int64_t(size_bytes(question.type))}};
  const array_view x(first.data(), question.type, axes), y(second.data(), question.type, axes);
  auto next = lines.begin();
  for (const op op : all_ops) {
    next->second.add(reduced(request, op, x, y, accuracy::exact));
    add_state(request, op, x, next++->second);
    next++->second.add(reduced(request, op, x, y, accuracy::fast));
  }
}

lines generated_lines(const request& request, dtype type) {
  lines lines;
  for (const op op : all_ops)
    for (const char* mode : {"", "fast "})
      lines.emplace_back(fmt::format("{}{} {}", mode, name(op), name(type)), line{});
  for (const distribution which : all_distributions)
    if (applies(which, type))
      for (const std::size_t items : sizes) add_question(request, {type, which, items}, lines);
  return lines;
}

lines conformance_lines(const request& request) {
  lines lines;
  for (const auto& file : conformance::embedded_files()) {
    lines.emplace_back(std::string(file.name), line{});
    conformance::for_each_line(file.text, [&](std::string_view text) {
      const auto vector = conformance::parse(text);
      if (!vector) throw failure({status_code::malformed, std::string(text)});
      lines.back().second.add(conformance::answer(request.where, *vector));
    });
  }
  return lines;
}

lines all_lines(const request& request) {
  // A machine that refuses every request has no fingerprint: this throws the reason.
  require(try_partial(request.where, op::sum, array_view(static_cast<const double*>(nullptr), 0)));
  lines all;
  const auto append = [&](lines&& more) {
    for (auto& row : more)
      if (row.second.answered) all.push_back(std::move(row));
  };
  for (const dtype type : all_dtypes) append(generated_lines(request, type));
  append(conformance_lines(request));
  return all;
}

}  // namespace

outcome run_fingerprint(const request& request) {
  const bool json = request.style == report_style::json;
  fnv1a whole;
  std::string text, cases;
  for (const auto& [label, made] : all_lines(request)) {
    const std::uint64_t digest = made.digest.digest();
    whole.add(digest);
    text += fmt::format("{:016x}  {}\n", digest, label);
    cases += fmt::format(R"({}{{"case": "{}", "digest": "{:016x}"}})", cases.empty() ? "" : ", ",
                         label, digest);
  }
  const std::string digest = fmt::format("{:016x}", whole.digest());
  if (!json) return {(request.verbose ? text : "") + digest + "\n"};
  return {fmt::format("{{\"schema\": 1, \"fingerprint\": \"{}\", \"cases\": [{}]}}\n", digest,
                      request.verbose ? cases : "")};
}

}  // namespace onefold::program
