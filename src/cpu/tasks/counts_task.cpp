// SPDX-License-Identifier: Apache-2.0
// Tasks that count elements and that combine them with bitwise operators.
#include <cstring>
#include <variant>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"

namespace onefold::cpu {
namespace {

class counts_task final : public task {
 public:
  explicit counts_task(dtype input) : count_(active_table().operators->counts[int(input)]) {}

  void take(const piece& next) override {
    const chunk_counts counts = count_(next.x, next.n);
    seen_.note(next.n, next.n - counts.zeros, counts.nans);
  }
  void drain(any_state& into) override {
    std::get<detail::nonzero_counts>(into).merge(seen_);
    seen_ = {};
  }
  bool settled(op op) const override {
    return (op == op::any && seen_.any(true)) || (op == op::all && !seen_.all());
  }

 private:
  counts_kernel count_;
  detail::nonzero_counts seen_;
};

// Reduces the folded words to elements, and extends them to 64 bits.
template <class T>
void note_elements(std::int64_t count, const folded_words& words, detail::bit_fold& seen) {
  constexpr std::size_t per_word = 8 / sizeof(T);
  T all[per_word], any[per_word], odd[per_word];
  std::memcpy(all, &words.all, 8), std::memcpy(any, &words.any, 8);
  std::memcpy(odd, &words.odd, 8);
  for (std::size_t k = 0; k < per_word; ++k)
    seen.note(k == 0 ? count : 0, std::uint64_t(all[k]), std::uint64_t(any[k]),
              std::uint64_t(odd[k]));
}

template <class T>
class bits_task final : public task {
 public:
  void take(const piece& next) override {
    const auto& kernels = *active_table().operators;
    if (next.n == 0) return;
    if constexpr (std::is_same_v<T, bool>) {
      // Any nonzero byte is true, so the bits of a bool follow from counts.
      const auto zeros = std::uint64_t(kernels.counts[int(dtype::boolean)](next.x, next.n).zeros);
      const std::uint64_t ones = std::uint64_t(next.n) - zeros;
      seen_.note(next.n, zeros == 0, ones > 0, ones & 1);
    } else {
      note_elements<T>(next.n, kernels.bits(next.x, next.n * std::int64_t(sizeof(T))), seen_);
    }
  }
  void drain(any_state& into) override {
    std::get<detail::bit_fold>(into).merge(seen_);
    seen_ = {};
  }

 private:
  detail::bit_fold seen_;
};

}  // namespace

std::unique_ptr<task> make_counts_task(dtype input) {
  return std::make_unique<counts_task>(input);
}

std::unique_ptr<task> make_bits_task(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> std::unique_ptr<task> {
    if constexpr (std::is_integral_v<T>)
      return std::make_unique<bits_task<T>>();
    else
      return nullptr;
  });
}

}  // namespace onefold::cpu
