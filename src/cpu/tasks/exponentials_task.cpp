// SPDX-License-Identifier: Apache-2.0
// Tasks that sum exponentials: E(x) of a block of elements as doubles
// (kernels/exponentials-inl.hpp), and two exact sums of doubles, of the highest band and of the one
// below it.
#include <algorithm>
#include <cstring>

#include "cpu/kernels/exponentials.hpp"
#include "cpu/kernels/ordered_kernels.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/exact_task.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "state/exponential.hpp"

namespace onefold::cpu {
namespace {

/// The exact sum of a band's exponentials.
class band_tiles {
 public:
  explicit band_tiles(const exact_kernels<double>& kernels) : tiles_(kernels) {}

  /// Adds doubles, `count` of which are exponentials; the others are zeros.
  void take(const double* x, std::int64_t n, std::int64_t count) {
    tiles_.take(x, nullptr, n);
    count_ += count;
  }
  void drain(detail::band_sum& into) {
    if (count_ == 0) return;
    auto& total = tiles_.result().total();
    std::int64_t words[std::remove_reference_t<decltype(total)>::words], *end = words;
    total.for_each_word([&](std::int64_t word) { *end++ = word; });
    constexpr int skipped = (detail::band_sum::lsb - detail::float_format<double>::lsb) / 32;
    into.merge(words + skipped, count_);
    total = {}, count_ = 0;
  }

 private:
  tile_task<sum_way<accumulator::total, double, all_checks>> tiles_;
  std::int64_t count_ = 0;
};

template <class T>
class exponentials_task final : public task {
 public:
  static constexpr bool floating = !std::is_integral_v<T>;
  using wide = std::conditional_t<floating && sizeof(T) < 8, float, double>;
  using sum_type = detail::exponential_sum<wide>;

  exponentials_task(const kernel_table& table, const exponential_kernels& kernels)
      : kernels_(kernels), top_(table.exact<double>()), below_(table.exact<double>()) {}

  void take(const piece& next) override {
    const auto* x = static_cast<const T*>(next.x);
    for (std::int64_t left = next.n; left > 0;) {
      const auto n = std::min(left, exponential_block);
      if constexpr (floating) {
        take_block(x, n);
      } else {
        double converted[exponential_block];
        std::transform(x, x + n, converted, [](T element) { return double(element); });
        take_block(converted, n);
      }
      x += n, left -= n;
    }
  }

  void drain(any_state& into) override {
    drain_bands();
    std::get<sum_type>(into).merge(sum_);
    sum_ = {}, has_band_ = false;
  }

 private:
  void drain_bands() {
    top_.drain(sum_.top());
    below_.drain(sum_.below());
    has_band_ = !sum_.empty();
  }

  void take_block(const void* x, std::int64_t n) {
    alignas(64) double made[exponential_block];
    std::uint64_t patterns = 0;
    if (has_band_ && kernels_.one_band(x, n, detail::band_width * sum_.band(), made, patterns)) {
      sum_.note_elements(n, 0, 0, 0, patterns);
      top_.take(made, n, n);
      return;
    }
    const exponential_facts facts = kernels_.survey(x, n);
    sum_.note_elements(n, facts.nans, facts.infinities, facts.negative_infinities, facts.patterns);
    std::int64_t finite = n - facts.nans - facts.infinities - facts.negative_infinities;
    if (finite == 0) return;
    const double band = detail::banded_of(wide(facts.largest)).band;
    if (!has_band_ || band > sum_.band()) {
      drain_bands();
      sum_.raise(band);
      has_band_ = true;
    }
    const std::int64_t count = kernels_.band(x, n, sum_.band(), made);
    if (count > 0) top_.take(made, n, count);
    if (count == finite || !sum_.keeps_below()) return;
    const double next = sum_.band() - 1;
    if (wide(next) != next) return;  // no element has it
    const std::int64_t lower = kernels_.band(x, n, next, made);
    if (lower > 0) below_.take(made, n, lower);
  }

  const exponential_kernels& kernels_;
  band_tiles top_, below_;
  sum_type sum_;
  bool has_band_ = false;
};

/// Of bytes, all of them of band 0: each number is counted, and its exponential multiplied.
template <class T>
class byte_exponentials_task final : public task {
 public:
  explicit byte_exponentials_task(const kernel_table& table)
      : zeros_(table.operators->counts[int(dtype::boolean)]) {}

  void take(const piece& next) override {
    const auto* x = static_cast<const std::uint8_t*>(next.x);
    if constexpr (std::is_same_v<T, bool>) {
      const std::int64_t zeros = zeros_(x, next.n).zeros;
      counts_[0] += zeros, counts_[1] += next.n - zeros;
    } else {
      constexpr std::int64_t least = 1024, most = std::int64_t(1) << 32;
      std::int64_t i = 0;
      for (; next.n - i >= least; i += std::min(next.n - i, most))
        count(x + i, std::min(next.n - i, most));
      for (; i < next.n; ++i) ++counts_[x[i]];
    }
  }

  void drain(any_state& into) override {
    detail::exponential_sum<double> sum;
    detail::wide_digits<detail::band_sum::limbs> total;
    std::int64_t all = 0;
    std::uint64_t patterns = 0;
    for (int byte = 0; byte < 256; ++byte) {
      const auto count = std::uint64_t(counts_[byte]);
      const auto x = double(T(byte));
      const auto [digits, unit, negative] = detail::significand_of(detail::exponential(x));
      for (int shift = 0; shift < 64 && count >> shift != 0; shift += 10)
        total.deposit(std::int64_t(digits * (count >> shift & 1023)),
                      unit - detail::band_sum::lsb + shift);
      all += counts_[byte], patterns += count * detail::to_bits(x);
    }
    if (all == 0) return;
    std::int64_t words[detail::band_sum::limbs], *end = words;
    total.for_each_word([&](std::int64_t word) { *end++ = word; });
    sum.note_elements(all, 0, 0, 0, patterns);
    sum.top().merge(words, all);
    std::get<detail::exponential_sum<double>>(into).merge(sum);
    std::fill(counts_, counts_ + 256, 0);
  }

 private:
  // Several tables: a byte that repeats does not wait for its own count.
  void count(const std::uint8_t* x, std::int64_t n) {
    constexpr int tables = 8;
    std::uint32_t seen[tables][256] = {};
    std::int64_t i = 0;
    for (; i + tables <= n; i += tables) {
      std::uint64_t bytes;
      std::memcpy(&bytes, x + i, tables);
      for (int k = 0; k < tables; ++k) ++seen[k][bytes >> (8 * k) & 255];
    }
    for (; i < n; ++i) ++seen[0][x[i]];
    for (const auto& table : seen)
      for (int byte = 0; byte < 256; ++byte) counts_[byte] += table[byte];
  }

  counts_kernel zeros_;
  std::int64_t counts_[256] = {};
};

}  // namespace

std::unique_ptr<task> make_exponentials_task(dtype input) {
  const kernel_table& table = active_table();
  return with_type(input, [&]<class T>(detail::tag<T>) -> std::unique_ptr<task> {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
      return std::make_unique<byte_exponentials_task<T>>(table);
    } else {
      const int nth = is_floating(input) ? int(input) - int(dtype::f16) : 3;
      return std::make_unique<exponentials_task<T>>(table, table.ordered->exponentials[nth]);
    }
  });
}

}  // namespace onefold::cpu
