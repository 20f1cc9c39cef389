// SPDX-License-Identifier: Apache-2.0
#include "cpu/fast_tasks.hpp"

#include "cpu/targets.hpp"

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

template <class Accumulator>
std::unique_ptr<ordered_task> make_task(family of, const fast_kernels<Accumulator>& row) {
  switch (of) {
  case family::total:
    return std::make_unique<sum_task<Accumulator>>(row.total);
  case family::magnitudes:
    return std::make_unique<sum_task<Accumulator>>(row.magnitudes);
  case family::squares:
    return std::make_unique<sum_task<Accumulator>>(row.squares);
  case family::products:
    return std::make_unique<sum_task<Accumulator>>(row.products);
  case family::moments:
    return std::make_unique<moments_task<Accumulator>>(row);
  default:
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<ordered_task> make_fast_task(family of, dtype input) {
  return active_table().fast->with_row(input, [&](const auto& row) { return make_task(of, row); });
}

ordered_state empty_fast_state(family of, dtype input) {
  return active_table().fast->with_row(
      input, [&]<class Accumulator>(const fast_kernels<Accumulator>&) -> ordered_state {
        if (of == family::moments) return fast_moments<typename fast_kernels<Accumulator>::wide>();
        return fast_total<Accumulator>();
      });
}

}  // namespace onefold::cpu
