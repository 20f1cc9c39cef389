// SPDX-License-Identifier: Apache-2.0
// Act one of the tour: naive loops against onefold, and the same bits in every configuration.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "apps/tour/terminal.hpp"
#include "apps/tour/tour.hpp"
#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"

namespace onefold::tour {
namespace {

template <class T>
T naive_sum(const std::vector<T>& values) {
  T sum = 0;
  for (const T value : values) sum += value;
  return sum;
}

double parsed(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void print_row(const std::string& label, const std::string& naive, const std::string& exact,
               double wrong_by) {
  std::printf("  %-34s %-24s %-24s %s\n", label.c_str(), naive.c_str(), exact.c_str(),
              wrong_by == 0 ? "-" : shortest(float(wrong_by)).c_str());
}

// One file: the naive loop over its values, and the program's answer.
template <class T>
bool show_file(const std::string& label, const std::vector<T>& values, const std::string& command,
               const std::filesystem::path& file) {
  const auto said = run(command + " " + quoted(file.string()));
  const T naive = naive_sum(values);
  print_row(label, shortest(naive), said.text, double(naive) - parsed(said.text));
  return said.ok;
}

bool show_wrong_sums(const samples& files, const std::string& program) {
  std::printf("  %-34s %-24s %-24s %s\n", "", "naive loop", "onefold", "wrong by");
  const std::vector<double> tenths(10, 0.1), huge = {1e308, 1e308, -1e308};
  print_row("ten times 0.1", shortest(naive_sum(tenths)), shortest(sum(tenths)),
            naive_sum(tenths) - sum(tenths));
  print_row("1e308 + 1e308 - 1e308", shortest(naive_sum(huge)), shortest(sum(huge)),
            naive_sum(huge) - sum(huge));
  bool held =
      show_file("200,000 prices (prices.txt)", files.price_values, program + " sum", files.prices);
  held &=
      show_file("a float32 table (table.npy)", files.table_values, program + " sum", files.table);
  held &=
      show_file("an ill-conditioned column", files.column_values, program + " sum", files.column);
  const auto picture = run(program + " sum " + quoted(files.picture.string()));
  print_row("a picture's bytes (picture.npy)", picture.text, picture.text, 0);
  return held && picture.ok;
}

// One configuration of the column's sum: prints whether its bits are those of the first.
class bits_check {
 public:
  explicit bits_check(double first) : first_(first) {}

  void way(const std::string& label, const std::string& bits) {
    const bool same = bits == hex(first_);
    held_ = held_ && same;
    std::printf("  %-34s %s%s\n", label.c_str(), bits.c_str(), same ? "" : "   DIFFERENT");
  }
  bool held() const { return held_; }

 private:
  double first_;
  bool held_ = true;
};

bool show_same_bits(const samples& files, const std::string& program) {
  std::printf("\n  The same bits of column.npy, whatever the way:\n");
  std::vector<double> values = files.column_values;
  bits_check check(sum(values));
  for (const int threads : {1, 2, 7})
    check.way(std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
              hex(try_reduce<double>(executor::cpu{threads}, op::sum, values).value()));
  const std::string command = " " + program + " sum --hex " + quoted(files.column.string());
  for (const auto& target : describe_machine().targets_supported) {
    const std::string forced = "ONEFOLD_SIMD=" + target;
    check.way(forced, run(forced + command).text);
  }
  std::sort(values.begin(), values.end());
  check.way("sorted", hex(sum(values)));
  std::shuffle(values.begin(), values.end(), std::mt19937_64(7));
  check.way("shuffled", hex(sum(values)));
  const std::span<const double> all(values);
  state whole(op::sum, dtype::f64);
  for (std::size_t part = 10; part-- > 0;)
    whole.merge(partial(op::sum, all.subspan(part * all.size() / 10, all.size() / 10)));
  check.way("ten parts merged backwards", hex(whole.value()));
  return check.held();
}

}  // namespace

bool show_answers(const samples& files, const std::filesystem::path& programs) {
  print_act("1. One answer: the exact one, with the same bits every time");
  const std::string program = quoted((programs / "onefold").string());
  std::printf("  files in %s\n\n", files.folder.c_str());
  const bool right = show_wrong_sums(files, program);
  return show_same_bits(files, program) && right;
}

}  // namespace onefold::tour
