// SPDX-License-Identifier: Apache-2.0
// The plain and the TSV report.
#include <algorithm>
#include <functional>
#include <span>

#include "report/lines.hpp"
#include "report/report.hpp"

namespace onefold::program {
namespace {

constexpr const char* no_value = "error";

std::string text_of(const number& value, bool hex) {
  return hex ? to_hex(value) : to_decimal(value);
}

// The kept axes.
std::span<const std::int64_t> kept(const answer& given) {
  const std::span shape(given.value.shape());
  return given.pair ? shape.first(shape.size() - 1) : shape;
}

// "0,1" for a flat, row-major index.
std::string index_text(std::span<const std::int64_t> shape, std::int64_t k) {
  std::string text;
  for (std::size_t i = shape.size(); i-- > 0; k /= shape[i]) {
    if (!text.empty()) text.insert(0, 1, ',');
    text.insert(0, std::to_string(k % shape[i]));
  }
  return text;
}

struct layout_of_table {
  bool header, index, name, tensors, hex;
};

layout_of_table choose(const report& done, bool hex, bool names) {
  const auto is_array = [](const answer& answer) { return !answer.error && !kept(answer).empty(); };
  const bool arrays = std::any_of(done.answers.begin(), done.answers.end(), is_array);
  const bool several = done.answers.size() > done.per_input;
  const bool tensors = std::any_of(done.answers.begin(), done.answers.end(),
                                   [](const answer& answer) { return answer.tensor.has_value(); });
  return {done.header || arrays || tensors, arrays, names || several || tensors || !arrays, tensors,
          hex};
}

// The first answer with a value; the first one if there is none.
const answer& first_value(std::span<const answer> answers) {
  const auto found = std::find_if(answers.begin(), answers.end(),
                                  [](const answer& answer) { return !answer.error; });
  return found == answers.end() ? answers.front() : *found;
}

fields header_of(std::span<const answer> answers, layout_of_table layout) {
  fields line;
  if (layout.index) line.push_back(first_value(answers).keys ? "key" : "index");
  for (const answer& answer : answers) {
    if (answer.pair)
      line.insert(line.end(), {"min", "max"});
    else
      line.emplace_back(answer.op);
  }
  if (layout.name) append_label_names(line, layout.tensors);
  return line;
}

// The lines of one input's answers.
void take_rows(std::span<const answer> answers, layout_of_table layout, const line_taker& take) {
  const answer& first = first_value(answers);
  const std::int64_t rows = first.value.size() / (first.pair ? 2 : 1);
  for (std::int64_t k = 0; k < rows; ++k) {
    fields line;
    if (layout.index)
      line.push_back(first.keys ? to_decimal((*first.keys)[k]) : index_text(kept(first), k));
    for (const answer& answer : answers) {
      const int width = answer.pair ? 2 : 1;
      for (int i = 0; i < width; ++i)
        line.push_back(answer.error ? no_value : text_of(answer.value[k * width + i], layout.hex));
    }
    if (layout.name) append_labels(line, first.input, first.tensor, layout.tensors);
    take(line);
  }
}

void take_table(const report& done, layout_of_table layout, const line_taker& take) {
  const std::span all(done.answers);
  bool header = layout.header;
  for (std::size_t at = 0; at < all.size(); at += done.per_input) {
    const auto answers = all.subspan(at, done.per_input);
    if (!has_values(answers) && !answers.front().tensor) continue;
    if (header) take(header_of(answers, layout));
    header = false;
    take_rows(answers, layout, take);
  }
}

// The rows of the last axis; for one axis a row for each element.
void take_array(const numbers& value, bool hex, const line_taker& take) {
  const auto& shape = value.shape();
  const std::int64_t width = shape.size() < 2 ? 1 : shape.back();
  for (std::int64_t i = 0; i < value.size(); i += width) {
    fields line;
    for (std::int64_t k = i; k < i + width; ++k) line.push_back(text_of(value[k], hex));
    take(line);
  }
}

void take_pair(const numbers& value, bool hex, const line_taker& take) {
  take({text_of(value[0], hex), text_of(value[1], hex)});
}

}  // namespace

bool has_values(std::span<const answer> answers) noexcept {
  return std::any_of(answers.begin(), answers.end(),
                     [](const answer& answer) { return !answer.error; });
}

std::string write_tsv(const report& done, bool hex) {
  const auto layout = choose(done, hex, true);
  return with_tabs([&](const line_taker& take) { take_table(done, layout, take); });
}

std::string write_plain(const report& done, bool hex, bool terminal) {
  const bool alone =
      done.answers.size() == 1 && !done.header && !done.answers[0].error && !done.answers[0].tensor;
  const auto layout = choose(done, hex, false);
  const table_walk lines = [&](const line_taker& take) {
    if (!alone) return take_table(done, layout, take);
    const answer& only = done.answers[0];
    if (only.pair && only.value.shape().size() == 1)
      take_pair(only.value, hex, take);
    else
      take_array(only.value, hex, take);
  };
  const std::size_t labels = !alone && layout.name ? label_columns(layout.tensors) : 0;
  return terminal ? in_columns(lines, labels) : with_tabs(lines);
}

}  // namespace onefold::program
