// SPDX-License-Identifier: Apache-2.0
// Two vectors to their sum, element by element: one rounding at most, so one right answer.

#include "ladder/trial/problem.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// Scattered, so that an element taken for another is noticed; small enough for every type.
template <class T>
T element_of(std::size_t i, std::uint64_t multiplier) {
  return static_cast<T>((i * multiplier >> 7) % 1000003);
}

template <class T>
class vector_add : public problem {
 public:
  vector_add(const rung& r, const trial_options& options, backend& where)
      : where_(where), kernel_(kernel_for(r, options, where)), n_(options.n) {
    arguments_.in = vector(first_multiplier, "a");
    arguments_.other = vector(second_multiplier, "b");
    arguments_.out = where_.allocate(bytes(), "sums");
    arguments_.n = n_;
    arguments_.grid = blocks_for(r, options, n_);
    arguments_.block = options.block;
  }

  void run() override { kernel_.start(where_, arguments_); }

  answer check() override {
    std::vector<T> got(n_);
    where_.download(got.data(), arguments_.out, bytes());
    const std::string all = fmt::format("all {} sums right", n_);
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = n_; i-- > 0;) {
      if (got[i] != expected(i)) ++wrong, first = i;
    }
    if (wrong == 0) return {true, all, all};
    return {false,
            fmt::format("{} of {} sums wrong, first at {}: {}, not {}", wrong, n_, first,
                        got[first], expected(first)),
            all};
  }

  watched_input watched() const override { return {arguments_.in, n_, sizeof(T)}; }
  std::size_t least_bytes() const override { return 3 * bytes(); }
  unsigned grid() const override { return arguments_.grid; }

 private:
  static constexpr std::uint64_t first_multiplier = 2654435761u, second_multiplier = 40503u;

  std::size_t bytes() const { return n_ * sizeof(T); }

  T expected(std::size_t i) const {
    return element_of<T>(i, first_multiplier) + element_of<T>(i, second_multiplier);
  }

  void* vector(std::uint64_t multiplier, const char* name) {
    std::vector<T> values(n_);
    for (std::size_t i = 0; i < n_; ++i) values[i] = element_of<T>(i, multiplier);
    void* at = where_.allocate(bytes(), name);
    where_.upload(at, values.data(), bytes());
    return at;
  }

  backend& where_;
  const kernel_entry& kernel_;
  std::size_t n_;
  kernel_arguments arguments_;
};

}  // namespace

std::unique_ptr<problem> make_vector_add(const rung& r, const trial_options& options,
                                         backend& where) {
  switch (options.type) {
  case element::float32:
    return std::make_unique<vector_add<float>>(r, options, where);
  case element::float64:
    return std::make_unique<vector_add<double>>(r, options, where);
  default:
    kernel_for(r, options, where);  // refuses what is no int
    return std::make_unique<vector_add<int>>(r, options, where);
  }
}

}  // namespace onefold::ladder
