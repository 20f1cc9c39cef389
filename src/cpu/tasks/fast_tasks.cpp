// SPDX-License-Identifier: Apache-2.0
// Tasks of fast reductions, by accumulator and element type.
#include "cpu/tasks/tasks.hpp"

#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {
namespace {

template <class Accumulator>
class sum_task final : public ordered_task {
 public:
  using loop = typename fast_kernels<Accumulator>::sum;
  explicit sum_task(loop sum) : sum_(sum) {}
  ordered_state take(const piece& next) override {
    return fast_total<Accumulator>{sum_(next.x, next.y, next.n)};
  }

 private:
  loop sum_;
};

template <class Accumulator>
class moments_task final : public ordered_task {
 public:
  explicit moments_task(const fast_kernels<Accumulator>& row) : row_(row) {}
  ordered_state take(const piece& next) override { return row_.moments(next.x, next.n); }

 private:
  const fast_kernels<Accumulator>& row_;
};

// 64 bits hold the sum of any piece of bytes, so nothing wraps around: the exact loops, which do
// not widen each byte, give the same result.
class byte_task final : public ordered_task {
 public:
  byte_task(accumulator accumulator, dtype input)
      : accumulator_(accumulator), table_(active_table()), type_(static_cast<int>(input)) {}
  ordered_state take(const piece& next) override {
    return fast_total<std::uint64_t>{accumulator_ == accumulator::total ? total(next)
                                                                        : terms(next)};
  }

 private:
  std::uint64_t total(const piece& next) const {
    const integer_parts sum = table_.integer[type_](next.x, next.n);
    return (std::uint64_t(sum.high) << 32) + sum.low;
  }
  std::uint64_t terms(const piece& next) const {
    const integer_accumulators& loops = table_.terms->integers;
    integer_totals totals;
    if (accumulator_ == accumulator::magnitudes) {
      loops.magnitudes[type_](next.x, nullptr, next.n, totals);
      return totals.sum.low;
    }
    const auto& products = accumulator_ == accumulator::squares ? loops.squares : loops.products;
    products[type_](next.x, next.y, next.n, totals);
    return totals.products.low;
  }

  accumulator accumulator_;
  const kernel_table& table_;
  int type_;
};

template <class Accumulator>
std::unique_ptr<ordered_task> make_task(accumulator accumulator,
                                        const fast_kernels<Accumulator>& row) {
  switch (accumulator) {
  case accumulator::total:
    return std::make_unique<sum_task<Accumulator>>(row.total);
  case accumulator::magnitudes:
    return std::make_unique<sum_task<Accumulator>>(row.magnitudes);
  case accumulator::squares:
    return std::make_unique<sum_task<Accumulator>>(row.squares);
  case accumulator::products:
    return std::make_unique<sum_task<Accumulator>>(row.products);
  case accumulator::moments:
    return std::make_unique<moments_task<Accumulator>>(row);
  default:
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<ordered_task> make_fast_task(accumulator accumulator, dtype input) {
  if (size_bytes(input) == 1 && accumulator < accumulator::moments)
    return std::make_unique<byte_task>(accumulator, input);
  return active_table().fast->with_row(
      input, [&](const auto& row) { return make_task(accumulator, row); });
}

}  // namespace onefold::cpu
