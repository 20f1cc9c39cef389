// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/keys/scatter_elements.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "cpu/drivers/keys/row_lists.hpp"
#include "cpu/drivers/normalize/column_sums.hpp"
#include "cpu/drivers/normalize/row_pieces.hpp"
#include "onefold/exact.hpp"

namespace onefold::cpu {
namespace {

// Elements that a table is worth: those of each answer of another thread's are merged.
constexpr std::int64_t elements_an_answer = 4;
// Answers of which exact sums are in memory at once.
constexpr std::size_t most_ambiguous = 1024;

/// In half a line of cache, which an addition reads and writes.
struct alignas(32) keyed_sum {
  double_word_sum sum;
  std::int64_t count = 0;
};

template <class T>
class element_sums {
 public:
  element_sums(const row_scatter& request, int threads, const std::stop_token& stop)
      : request_(request), threads_(threads), stop_(stop),
        tables_(std::size_t(std::clamp<std::int64_t>(
            request.rows / (elements_an_answer * request.answers), 1, threads))),
        wrong_(tables_.size(), -1) {}

  result<bool> run() {
    if (auto done = add(); !done) return done;
    for (const std::int64_t row : wrong_)
      if (row >= 0) return no_answer(row, request_.key(row), request_.answers);
    if (auto done = round(); !done) return done;
    if (ambiguous_.size() > most_ambiguous) return false;
    if (!ambiguous_.empty())
      if (auto done = add_exactly(); !done) return done;
    return true;
  }

 private:
  const T& element(std::int64_t row) const {
    return static_cast<const T*>(request_.x)[row * request_.stride];
  }
  const T& initial(std::int64_t answer) const {
    return static_cast<const T*>(request_.initial)[answer * request_.initial_stride];
  }
  T& out(std::int64_t answer) const { return static_cast<T*>(request_.out)[answer]; }

  // A thread a table, of a part of the rows.
  status add() {
    const auto parts = std::int64_t(tables_.size());
    const std::int64_t part = request_.rows / parts + (request_.rows % parts != 0);
    return by_rows(parts, part * std::int64_t(sizeof(T) + 8), threads_, stop_, [&] {
      return [&](std::int64_t i, piece_source& pieces) {
        auto& table = tables_[std::size_t(i)];
        table.resize(std::size_t(request_.answers));
        const std::int64_t first = std::min(i * part, request_.rows),
                           count = std::min(part, request_.rows - first);
        return by_parts(count, pieces,
                        [&](std::int64_t at, std::int64_t rows) {
                          if (wrong_[std::size_t(i)] < 0)
                            wrong_[std::size_t(i)] = add_part(table.data(), first + at, rows);
                        })
            .ok();
      };
    });
  }

  // The first row whose key is no answer, or -1.
  std::int64_t add_part(keyed_sum* table, std::int64_t first, std::int64_t count) const {
    const auto answers = std::uint64_t(request_.answers);
    for (std::int64_t row = first; row < first + count; ++row) {
      const auto key = std::uint64_t(request_.key(row));
      if (key >= answers) return row;
      table[key].sum.add(step(element(row)));
      ++table[key].count;
    }
    return -1;
  }

  status round() {
    return by_rows(request_.answers, std::int64_t(sizeof(keyed_sum)), threads_, stop_, [&] {
      return [&](std::int64_t answer, piece_source&) {
        keyed_sum all = tables_[0][std::size_t(answer)];
        for (std::size_t i = 1; i < tables_.size(); ++i) {
          all.sum.merge(tables_[i][std::size_t(answer)].sum);
          all.count += tables_[i][std::size_t(answer)].count;
        }
        tables_[0][std::size_t(answer)].count = all.count;
        if (all.count == 0)
          out(answer) = request_.initial != nullptr ? initial(answer) : exactly({}, answer);
        else if (!round_one(answer, all))
          note_ambiguous(answer);
        return true;
      };
    });
  }

  bool round_one(std::int64_t answer, keyed_sum& all) const {
    const bool with_initial = request_.has_initial_term(all.count);
    if (with_initial) all.sum.add(step(initial(answer)));
    const std::int64_t terms = all.count + with_initial + 2 * std::int64_t(tables_.size());
    T& to = out(answer);
    return request_.is_mean ? all.sum.round_mean(terms, request_.divisor(all.count), to)
                            : all.sum.round(terms, to);
  }

  void note_ambiguous(std::int64_t answer) {
    const std::lock_guard lock(mutex_);
    ambiguous_.push_back(answer);
  }

  // Reads all keys again.
  status add_exactly() {
    constexpr std::int64_t rows_between_polls = std::int64_t(1) << 16;
    std::ranges::sort(ambiguous_);
    std::vector<exact_sum<T>> sums(ambiguous_.size());
    std::vector<char> is_ambiguous(std::size_t(request_.answers));
    for (const std::int64_t answer : ambiguous_) is_ambiguous[std::size_t(answer)] = 1;
    for (std::int64_t row = 0; row < request_.rows; ++row) {
      if (row % rows_between_polls == 0 && stop_.stop_requested())
        return {status_code::cancelled, "a stop was requested"};
      const std::int64_t key = request_.key(row);
      if (is_ambiguous[std::size_t(key)] == 0) continue;
      const auto found = std::ranges::lower_bound(ambiguous_, key);
      sums[std::size_t(found - ambiguous_.begin())].add(element(row));
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::int64_t answer = ambiguous_[i];
      if (request_.has_initial_term(tables_[0][std::size_t(answer)].count))
        sums[i].add(initial(answer));
      out(answer) = exactly(sums[i], answer);
    }
    return {};
  }

  T exactly(exact_sum<T> sum, std::int64_t answer) const {
    if (!request_.is_mean) return sum.template value<T>();
    const std::int64_t divisor = request_.divisor(tables_[0][std::size_t(answer)].count);
    sum.note_elements(divisor - sum.count(), true);
    return sum.template mean<T>();
  }

  const row_scatter& request_;
  int threads_;
  const std::stop_token& stop_;
  std::vector<std::vector<keyed_sum>> tables_;
  std::vector<std::int64_t> wrong_;  // of each table: the first row whose key is no answer, or -1
  std::mutex mutex_;
  std::vector<std::int64_t> ambiguous_;
};

}  // namespace

result<bool> scatter_elements(const row_scatter& request, int threads,
                              const std::stop_token& stop) {
  switch (request.type) {
  case dtype::f16:
    return element_sums<f16>(request, threads, stop).run();
  case dtype::bf16:
    return element_sums<bf16>(request, threads, stop).run();
  case dtype::f32:
    return element_sums<float>(request, threads, stop).run();
  default:
    return element_sums<double>(request, threads, stop).run();
  }
}

}  // namespace onefold::cpu
