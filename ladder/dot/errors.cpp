// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/errors.hpp"

#include "ladder/dot/ill_conditioned.hpp"
#include "ladder/page/text.hpp"
#include "ladder/published/dot_block.cuh"
#include "ladder/trial/dot.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr unsigned block = published::dot_block;
constexpr std::array<const char*, dot_methods.size()> heads = {"tree", "Kahan as published",
                                                               "Kahan", "two-product", "exact"};

template <class T>
double ulps_between(T got, T exact) {
  const double ulp = std::ldexp(1, std::ilogb(exact) - std::numeric_limits<T>::digits + 1);
  return std::fabs(static_cast<double>(got) - static_cast<double>(exact)) / ulp;
}

template <class T>
T answer_of(std::string_view method, const dot_case<T>& vectors) {
  trial_options options;
  options.n = vectors.a.size();
  options.block = block;
  options.type = sizeof(T) == 4 ? element::float32 : element::float64;
  options.max_grid = 2;  // few lanes, so that each has a sum to compensate
  return dot_by<T>(*find_rung(method), options, vectors.a, vectors.b);
}

template <class T>
void add_row(dot_error_table& table, int bits) {
  const auto vectors = ill_conditioned<T>(table.n, table.condition, bits, table.seed);
  std::array<T, dot_methods.size()> answers{};
  dot_error_row row{
      sizeof(T) == 4 ? element::float32 : element::float64, bits, vectors.condition, {}};
  for (std::size_t i = 0; i < dot_methods.size(); ++i) {
    answers[i] = answer_of(dot_methods[i], vectors);
    row.ulps[i] = ulps_between(answers[i], vectors.answer);
  }
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  table.published_kahan_is_the_tree =
      table.published_kahan_is_the_tree &&
      std::bit_cast<word>(answers[0]) == std::bit_cast<word>(answers[1]);
  table.rows.push_back(row);
}

std::string number(double ulps) {
  return ulps < 1e6 ? fmt::format("{:.0f}", ulps) : fmt::format("{:.1e}", ulps);
}

std::vector<std::string> cells_of(const dot_error_row& row) {
  std::vector<std::string> cells = {to_string(row.type), fmt::format("{}", row.bits),
                                    fmt::format("{:.1e}", row.condition)};
  for (const double ulps : row.ulps) cells.push_back(number(ulps));
  return cells;
}

}  // namespace

dot_error_table dot_errors(std::size_t n, double condition, std::uint64_t seed) {
  if (n == 0 || n % block != 0) {
    throw std::invalid_argument(fmt::format(
        "n {}: the published kernel reads whole blocks; use a multiple of {}", n, block));
  }
  dot_error_table table{n, condition, seed, {}, true};
  for (const bool half : {false, true}) {
    add_row<float>(table, half ? 12 : 24);
    add_row<double>(table, half ? 26 : 53);
  }
  return table;
}

dot_error_table usual_dot_errors() {
  return dot_errors(4096, 1e8, 1);
}

std::string to_text(const dot_error_table& table) {
  std::vector<text_table::column> columns = {
      {"type", align::left}, {"bits", align::right}, {"condition", align::right}};
  for (const char* head : heads) columns.push_back({head, align::right});
  text_table lines(columns);
  for (const dot_error_row& row : table.rows) lines.add(cells_of(row));
  return fmt::format(
      "errors in ulps of the exact dot product rounded once: n {}, blocks of {}, seed {}\n{}"
      "condition: 2 sum |a b| / |a.b|\n"
      "bits: significands of 24 and 53 make rounded products, of 12 and 26 exact ones\n"
      "Kahan as published gives the bits of the tree: {}\n",
      table.n, block, table.seed, lines.text(),
      table.published_kahan_is_the_tree ? "yes, in every row" : "NO");
}

}  // namespace onefold::ladder
