// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/errors.hpp"

#include "ladder/dot/ill_conditioned.hpp"
#include "ladder/page/text.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

namespace onefold::ladder {
namespace {

template <class T>
constexpr element type_of = sizeof(T) == 4 ? element::float32 : element::float64;

template <class T>
struct sum_case {
  std::vector<T> values;
  T answer;
  double condition;
};

/// The products of vectors with half significands, which are exact: their sum is the dot product.
template <class T>
sum_case<T> cancelling(std::size_t n, double condition, std::uint64_t seed) {
  const auto pair = ill_conditioned<T>(n, condition, std::numeric_limits<T>::digits / 2, seed);
  std::vector<T> products(n);
  for (std::size_t i = 0; i < n; ++i) products[i] = pair.a[i] * pair.b[i];
  return {std::move(products), pair.answer, pair.condition / 2};
}

template <class T>
double ulps_between(T got, T exact) {
  const double ulp = std::ldexp(1, std::ilogb(exact) - std::numeric_limits<T>::digits + 1);
  return std::fabs(static_cast<double>(got) - static_cast<double>(exact)) / ulp;
}

template <class T>
sum_error_row row_of(std::size_t n, double condition, std::uint64_t seed) {
  const sum_case<T> c = cancelling<T>(n, condition, seed);
  trial_options options;
  options.n = n;
  options.type = type_of<T>;
  const T loop = std::accumulate(c.values.begin(), c.values.end(), T(0));
  sum_error_row row{type_of<T>, c.condition, ulps_between(loop, c.answer), {}};
  for (std::size_t i = 0; i < sum_methods.size(); ++i) {
    const T answer = sum_by<T>(*find_rung(sum_methods[i]), options, c.values);
    row.ulps[i] = ulps_between(answer, c.answer);
  }
  return row;
}

std::string number(double ulps) {
  return ulps < 1e6 ? fmt::format("{:.0f}", ulps) : fmt::format("{:.1e}", ulps);
}

std::vector<std::string> cells_of(const sum_error_row& row) {
  std::vector<std::string> cells = {to_string(row.type), fmt::format("{:.1e}", row.condition),
                                    number(row.loop)};
  for (const double ulps : row.ulps) cells.push_back(number(ulps));
  return cells;
}

}  // namespace

template <class T>
T sum_by(const rung& r, const trial_options& options, std::span<const T> values) {
  validate_here(r, options);
  executor_backend where(options);
  const kernel_entry& kernel = kernel_for(r, options, where);
  const unsigned grid = blocks_for(r, options, values.size());
  void* const in = where.allocate(values.size_bytes(), "in");
  where.upload(in, values.data(), values.size_bytes());
  kernel_arguments arguments{.in = in, .out = where.allocate(grid * sizeof(T), "partials")};
  arguments.ticket = static_cast<unsigned*>(where.allocate(sizeof(unsigned), "ticket"));
  where.clear(arguments.ticket, sizeof(unsigned));
  arguments.workspace = where.allocate(r.workspace_bytes, "workspace");
  where.clear(arguments.workspace, r.workspace_bytes);
  // A sum onto memory begins at its identity.
  const T identity = -T(0);
  if (r.onto_identity) where.upload(arguments.out, &identity, sizeof identity);
  arguments.n = values.size();
  arguments.grid = grid;
  arguments.block = options.block;
  kernel.start(where, arguments);
  std::vector<T> partials(r.one_value ? 1 : grid);
  where.download(partials.data(), arguments.out, partials.size() * sizeof(T));
  return std::accumulate(partials.begin() + 1, partials.end(), partials.front());
}

template float sum_by(const rung&, const trial_options&, std::span<const float>);
template double sum_by(const rung&, const trial_options&, std::span<const double>);

sum_error_table sum_errors(std::size_t n, std::uint64_t seed) {
  sum_error_table table{n, seed, {}};
  for (const double condition : {1e2, 1e4, 1e8}) {
    table.rows.push_back(row_of<float>(n, condition, seed));
  }
  for (const double condition : {1e8, 1e16, 1e24}) {
    table.rows.push_back(row_of<double>(n, condition, seed));
  }
  return table;
}

sum_error_table usual_sum_errors() {
  return sum_errors(4096, 1);
}

std::string to_text(const sum_error_table& table) {
  std::vector<text_table::column> columns = {
      {"type", align::left}, {"condition", align::right}, {"a loop", align::right}};
  for (const std::string_view head : sum_methods) {
    columns.push_back({std::string(head), align::right});
  }
  text_table lines(columns);
  for (const sum_error_row& row : table.rows) lines.add(cells_of(row));
  return fmt::format("errors in ulps of the exact sum rounded once: n {}, blocks of 256, seed {}\n"
                     "{}condition: sum |x| / |sum x|\n",
                     table.n, table.seed, lines.text());
}

namespace {

/// The executor's own generator, so that the page is the same wherever it is made.
std::uint64_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

void shuffle(std::vector<float>& values, std::uint64_t& state) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[next_random(state) % i]);
  }
}

}  // namespace

shuffled_table shuffled_sums(std::size_t n, unsigned shuffles, std::uint64_t seed) {
  const sum_case<float> c = cancelling<float>(n, 100, seed);
  shuffled_table table{n, shuffles, seed, {}};
  for (const std::string_view name : shuffled_methods) {
    const rung& r = *find_rung(name);
    const trial_options options{.n = n, .type = element::float32};
    std::vector<float> values = c.values;
    std::uint64_t state = seed;
    std::set<float> answers;
    double largest = 0;
    for (unsigned i = 0; i < shuffles; ++i) {
      const float answer = sum_by<float>(r, options, values);
      answers.insert(answer);
      largest = std::max(largest, ulps_between(answer, c.answer));
      shuffle(values, state);
    }
    table.rows.push_back({name, answers.size(), largest});
  }
  return table;
}

shuffled_table usual_shuffled_sums() {
  return shuffled_sums(4096, 20, 1);
}

std::string to_text(const shuffled_table& table) {
  text_table lines(
      {{"rung", align::left}, {"answers", align::right}, {"largest error, ulps", align::right}});
  for (const shuffled_sum& row : table.rows) {
    lines.add({std::string(row.rung), fmt::format("{}", row.answers), number(row.largest_ulps)});
  }
  return fmt::format("the same floats in {} orders: n {}, blocks of 256, seed {}\n{}"
                     "ulps: of the exact sum rounded once\n",
                     table.shuffles, table.n, table.seed, lines.text());
}

}  // namespace onefold::ladder
