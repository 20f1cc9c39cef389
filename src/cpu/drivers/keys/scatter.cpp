// SPDX-License-Identifier: Apache-2.0
// The rows of an answer are added to sums of columns, some columns at a time; columns whose
// rounding these do not decide are added exactly. Answers of many rows are shared by all threads,
// each of which adds some of the rows; the others by one thread each.
#include "cpu/drivers/keys/scatter.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "cpu/drivers/keys/row_lists.hpp"
#include "cpu/drivers/keys/scatter_elements.hpp"
#include "cpu/drivers/normalize/column_sums.hpp"
#include "cpu/drivers/normalize/row_pieces.hpp"
#include "onefold/exact.hpp"

namespace onefold::cpu {
namespace {

// Columns whose sums are in cache: 48 KiB.
constexpr std::int64_t strip_columns = 2048;
// Rows of fewer columns are added column by column.
constexpr std::int64_t narrow_columns = 8;
// Bytes of a strip's rows from which on all threads share them.
constexpr std::int64_t shared_bytes = std::int64_t(2) << 20;

/// Columns first … first + count - 1.
struct strip {
  std::int64_t first, count;
};

/// The rows and the initial elements of an answer, of a strip.
template <class T>
class answer_rows {
 public:
  answer_rows(const row_scatter& request, const row_lists& lists, std::int64_t answer,
              const strip& columns)
      : request_(request), lists_(lists), answer_(answer), columns_(columns),
        first_(lists.offsets[std::size_t(answer)]), count_(lists.count(answer)) {}

  std::int64_t count() const { return count_; }
  std::int64_t columns() const { return columns_.count; }
  std::int64_t divisor() const { return request_.divisor(count_); }
  const T* row(std::int64_t i) const {
    return static_cast<const T*>(request_.x) + lists_.row(first_ + i) * request_.stride +
           columns_.first;
  }
  /// Whether initial() is a term.
  bool has_initial_term() const { return request_.has_initial_term(count_); }
  const T* initial() const {
    return static_cast<const T*>(request_.initial) + answer_ * request_.initial_stride +
           columns_.first;
  }
  T* out() const { return static_cast<T*>(request_.out) + answer_ * request_.n + columns_.first; }
  bool is_mean() const { return request_.is_mean; }
  bool is_only_initial() const { return count_ == 0 && request_.initial != nullptr; }

 private:
  const row_scatter& request_;
  const row_lists& lists_;
  std::int64_t answer_;
  strip columns_;
  std::int64_t first_, count_;
};

template <class T>
void add_row(column_sums& sums, const T* row, std::int64_t count) {
  sums.add(0, count, [row](std::int64_t j) { return step(row[j]); });
  sums.note_row();
}

/// Rows first … last - 1 of an answer; narrow ones column by column.
template <class T>
void add_rows(column_sums& sums, const answer_rows<T>& rows, std::int64_t first,
              std::int64_t last) {
  if (rows.columns() >= narrow_columns) {
    for (; first < last; ++first) add_row(sums, rows.row(first), rows.columns());
    return;
  }
  for (std::int64_t j = 0; j < rows.columns(); ++j)
    sums.add_column(j, last - first, [&](std::int64_t i) { return step(rows.row(first + i)[j]); });
  sums.note_rows(last - first);
}

template <class T>
T exact_answer(const answer_rows<T>& rows, std::int64_t column) {
  exact_sum<T> sum;
  for (std::int64_t i = 0; i < rows.count(); ++i) sum.add(rows.row(i)[column]);
  if (rows.has_initial_term()) sum.add(rows.initial()[column]);
  if (!rows.is_mean()) return sum.template value<T>();
  sum.note_elements(rows.divisor() - sum.count(), true);
  return sum.template mean<T>();
}

/// Writes the answers that the sums of the rows decide, and lists the others.
template <class T>
void write_columns(const answer_rows<T>& rows, column_sums& sums,
                   std::vector<std::int64_t>& ambiguous) {
  if (rows.has_initial_term()) add_row(sums, rows.initial(), rows.columns());
  T* const out = rows.out();
  const std::int64_t divisor = rows.divisor();
  for (std::int64_t j = 0; j < rows.columns(); ++j)
    if (!(rows.is_mean() ? sums.round_mean(j, divisor, out[j]) : sums.round(j, out[j])))
      ambiguous.push_back(j);
}

template <class T>
void write_empty(const answer_rows<T>& rows) {
  if (rows.is_only_initial())
    std::memcpy(rows.out(), rows.initial(), std::size_t(rows.columns()) * sizeof(T));
  else
    std::fill_n(rows.out(), rows.columns(), exact_answer(rows, 0));
}

template <class T>
class scatter_task {
 public:
  scatter_task(const row_scatter& request, const row_lists& lists)
      : request_(request), lists_(lists), sums_(std::min(request.n, strip_columns)) {}

  /// Writes an answer, if it is not shared. False: cancelled.
  bool take(std::int64_t answer, piece_source& pieces) {
    if (is_shared(request_, lists_.count(answer))) return true;
    for (std::int64_t first = 0; first < request_.n; first += strip_columns) {
      const strip columns = {first, std::min(strip_columns, request_.n - first)};
      const answer_rows<T> rows(request_, lists_, answer, columns);
      if (first > 0 && !pieces.poll((rows.count() + 1) * columns.count)) return false;
      if (rows.count() == 0)
        write_empty(rows);
      else
        write(rows);
    }
    return true;
  }

  /// Whether all threads share the rows of an answer.
  static bool is_shared(const row_scatter& request, std::int64_t rows) {
    const std::int64_t columns = std::min(request.n, strip_columns);
    return rows >= shared_bytes / (columns * std::int64_t(sizeof(T)));
  }

 private:
  void write(const answer_rows<T>& rows) {
    sums_.clear(rows.columns());
    add_rows(sums_, rows, 0, rows.count());
    ambiguous_.clear();
    write_columns(rows, sums_, ambiguous_);
    for (const std::int64_t column : ambiguous_) rows.out()[column] = exact_answer(rows, column);
  }

  const row_scatter& request_;
  const row_lists& lists_;
  column_sums sums_;
  std::vector<std::int64_t> ambiguous_;
};

/// The sums of all threads.
struct shared_sums {
  std::mutex mutex;
  column_sums sums;
};

/// Those of one thread, which it adds to all in the end.
template <class T>
class share_of_rows {
 public:
  share_of_rows(const answer_rows<T>& rows, shared_sums& all)
      : rows_(rows), all_(all), own_(rows.columns()) {}
  share_of_rows(const share_of_rows&) = delete;
  share_of_rows& operator=(const share_of_rows&) = delete;
  ~share_of_rows() {
    const std::lock_guard lock(all_.mutex);
    all_.sums.merge(own_);
  }

  bool take(std::int64_t i) {
    add_row(own_, rows_.row(i), rows_.columns());
    return true;
  }

 private:
  const answer_rows<T>& rows_;
  shared_sums& all_;
  column_sums own_;
};

template <class T>
status write_shared(const answer_rows<T>& rows, int threads, const std::stop_token& stop) {
  shared_sums all{{}, column_sums(rows.columns())};
  const std::int64_t row_bytes = rows.columns() * std::int64_t(sizeof(T));
  const auto adding = [&] {
    return [task = std::make_shared<share_of_rows<T>>(rows, all)](std::int64_t i, piece_source&) {
      return task->take(i);
    };
  };
  if (auto done = by_rows(rows.count(), row_bytes, threads, stop, adding); !done) return done;
  std::vector<std::int64_t> ambiguous;
  write_columns(rows, all.sums, ambiguous);
  const auto exactly = [&] {
    return [&](std::int64_t i, piece_source&) {
      const std::int64_t column = ambiguous[std::size_t(i)];
      rows.out()[column] = exact_answer(rows, column);
      return true;
    };
  };
  return by_rows(std::int64_t(ambiguous.size()), rows.count() * 64, threads, stop, exactly);
}

template <class T>
status scatter(const row_scatter& request, const row_lists& lists, int threads,
               const std::stop_token& stop) {
  const auto start = [&] {
    return [task = std::make_shared<scatter_task<T>>(request, lists)](
               std::int64_t answer, piece_source& pieces) { return task->take(answer, pieces); };
  };
  const std::int64_t usual_rows = request.rows / request.answers + 1;
  const std::int64_t answer_bytes = usual_rows * request.n * std::int64_t(sizeof(T));
  if (auto done = by_rows(request.answers, answer_bytes, threads, stop, start); !done) return done;
  for (std::int64_t answer = 0; answer < request.answers; ++answer) {
    if (!scatter_task<T>::is_shared(request, lists.count(answer))) continue;
    for (std::int64_t first = 0; first < request.n; first += strip_columns) {
      const strip columns = {first, std::min(strip_columns, request.n - first)};
      const answer_rows<T> rows(request, lists, answer, columns);
      if (auto done = write_shared(rows, threads, stop); !done) return done;
    }
  }
  return {};
}

}  // namespace

status scatter(const row_scatter& request, int threads, const std::stop_token& stop) try {
  if (takes_table(request) && request.answers > 0) {
    const auto written = scatter_elements(request, threads, stop);
    if (!written) return written.why();
    if (*written) return {};
  }
  const auto lists = lists_of(request, stop);
  if (!lists) return lists.why();
  if (request.answers == 0 || request.n == 0) return {};
  switch (request.type) {
  case dtype::f16:
    return scatter<f16>(request, *lists, threads, stop);
  case dtype::bf16:
    return scatter<bf16>(request, *lists, threads, stop);
  case dtype::f32:
    return scatter<float>(request, *lists, threads, stop);
  default:
    return scatter<double>(request, *lists, threads, stop);
  }
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the lists of rows"};
}

}  // namespace onefold::cpu
