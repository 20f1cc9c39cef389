// SPDX-License-Identifier: Apache-2.0
// Measures what it is asked for. Reads lines
//   SUBJECT OP DTYPE OUT SHAPE OVER DATA THREADS CALLS
// from stdin and answers each with the seconds of CALLS calls and the bytes that one call moves.
// "list" answers with the names of the readers; "evict" reads other memory, so that what is asked
// next comes from memory, as arrays do that nobody has just used. Rows, order, pairs and verdicts
// are bench/run.py's; nothing here repeats or averages. ONEFOLD_SIMD chooses the loops, as
// everywhere.
#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <execution>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "data_sets.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"
#include "onefold/transpose.hpp"
#include "read_ceiling.hpp"

namespace onefold::bench {
namespace {

volatile double sink;

struct request {
  std::string subject, op, dtype, out, shape, over, data;
  int threads = 1;
  int calls = 1;
};

bool read_request(std::istream& from, request& to) {
  return bool(from >> to.op >> to.dtype >> to.out >> to.shape >> to.over >> to.data >> to.threads >>
              to.calls);
}

void demand(const status& done) {
  if (!done) throw std::runtime_error(std::string(done.message()));
}

// One request's elements, kept for the next request that wants the same.
class measured {
 public:
  void prepare(const request& request) {
    request_ = request;
    type_ = parse_dtype(request.dtype).value();
    extents_ = extents_of(request.shape);
    items_ = 1;
    for (const std::int64_t extent : extents_) items_ *= extent;
    fill(x_);
    if (request.op == "dot") fill(y_);
    if (request.over.starts_with("segments")) cut();
  }
  std::function<void()> work() {
    if (request_.subject == "eigen") return peer([](auto x) { return eigen_sum(x); });
    if (request_.subject == "std_reduce") return peer([](auto x) { return std_sum(x); });
    if (request_.subject == "memcpy") return copies();
    for (const auto& how : readers())
      if (how.name == request_.subject) return [this, how] { read(how); };
    if (request_.subject == "front") return front();
    return request_.op == "transpose" ? turn() : reduction();
  }
  std::size_t moved_bytes() const {
    const std::size_t read = bytes_of_elements() * (request_.op == "dot" ? 2 : 1);
    const bool offsets = request_.over.starts_with("segments");
    return read + answers_.size_bytes + (offsets ? offsets_.size() * sizeof(offsets_[0]) : 0);
  }

 private:
  struct held {
    std::string name;
    data_set set;

    std::span<const std::byte> bytes() const { return {set.bytes.get(), set.size_bytes}; }
  };

  static std::vector<std::int64_t> extents_of(const std::string& shape) {
    std::vector<std::int64_t> extents;
    std::istringstream words(shape);
    for (std::string extent; std::getline(words, extent, 'x');)
      extents.push_back(std::stoll(extent));
    return extents;
  }
  // A call by name, over a span.
  std::function<void()> front() {
    if (request_.op == "norm2") return peer([](auto x) { return norm2(x); });
    if (request_.op == "min") return peer([](auto x) { return min(x); });
    if (request_.op == "var") return peer([](auto x) { return var(x); });
    return peer([](auto x) { return sum(x); });
  }
  std::size_t bytes_of_elements() const { return std::size_t(items_) * size_bytes(type_); }

  void fill(held& to) {
    const std::string name = request_.dtype + ' ' + request_.data + ' ' + std::to_string(items_);
    if (to.name == name) return;
    to = {};
    to.set = make_data(type_, request_.data, items_);
    to.name = name;
  }
  void cut() {
    const std::string name = request_.over + ' ' + std::to_string(items_);
    if (offsets_name_ == name) return;
    offsets_ = make_offsets(request_.over.substr(9), items_);
    offsets_name_ = name;
  }

  array_view view_of(const held& from) const {
    return array_view(from.set.bytes.get(), type_,
                      row_major(extents_, std::int64_t(size_bytes(type_))));
  }
  std::byte* room(std::size_t size_bytes) {
    if (answers_.size_bytes != size_bytes)
      answers_ = make_data(dtype::u8, "zeros", std::int64_t(size_bytes));
    return answers_.bytes.get();
  }

  std::function<void()> reduction() {
    const op op = parse_op(request_.op).value();
    const dtype out =
        request_.out == "-" ? default_output(op, type_) : parse_dtype(request_.out).value();
    options how;
    how.accuracy = request_.subject == "fast" ? accuracy::fast : accuracy::exact;
    const auto item_bytes = std::int64_t(size_bytes(out));
    const bool cut = request_.over.starts_with("segments");
    if (!cut && request_.over != "all") how.axes = axis(std::stoi(request_.over));
    const auto shape =
        cut ? std::vector{std::int64_t(offsets_.size()) - 1} : answer_shape(view_of(x_), how);
    const axis_list axes = row_major(shape, item_bytes);
    std::int64_t answers = 1;
    for (const std::int64_t extent : shape) answers *= extent;
    const output_view output(room(std::size_t(answers * item_bytes)), out, axes);
    const executor::cpu on{request_.threads};
    if (cut)
      return [=, this] { demand(reduce_segments(on, op, view_of(x_), offsets_, output, how)); };
    if (op == op::dot)
      return [=, this] { demand(reduce(on, op, {view_of(x_), view_of(y_)}, output, how)); };
    return [=, this] { demand(reduce(on, op, {view_of(x_)}, output, how)); };
  }
  std::function<void()> turn() {
    std::byte* const to = room(bytes_of_elements());
    const auto item_bytes = std::int64_t(size_bytes(type_));
    const axis_list axes = {{extents_[1], extents_[0] * item_bytes}, {extents_[0], item_bytes}};
    return [=, this] { demand(transpose(executor::cpu{request_.threads}, view_of(x_), to, axes)); };
  }

  // One call a thread.
  std::function<void()> copies() {
    std::byte* const to = room(bytes_of_elements());
    return [=, this] {
      const std::size_t all = bytes_of_elements(), share = all / std::size_t(request_.threads);
      std::vector<std::jthread> others;
      for (int i = 1; i < request_.threads; ++i)
        others.emplace_back([=, this] {
          const std::size_t first = share * std::size_t(i);
          std::memcpy(to + first, x_.set.bytes.get() + first,
                      i + 1 == request_.threads ? all - first : share);
        });
      std::memcpy(to, x_.set.bytes.get(), request_.threads > 1 ? share : all);
    };
  }

  void read(const reader& how) const {
    const bool two = request_.op == "dot";
    sink = double(read_all(how, x_.bytes(), two ? y_.bytes() : std::span<const std::byte>(),
                           request_.threads));
  }

  template <class T>
  static double eigen_sum(std::span<const T> x) {
    return double(
        Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(x.data(), Eigen::Index(x.size()))
            .sum());
  }
  template <class T>
  static double std_sum(std::span<const T> x) {
    return double(std::reduce(std::execution::par_unseq, x.begin(), x.end(), T(0)));
  }
  template <class Call>
  std::function<void()> peer(Call call) {
    const auto call_of = [&]<class T>() -> std::function<void()> {
      const std::span x(reinterpret_cast<const T*>(x_.set.bytes.get()), std::size_t(items_));
      return [=] { sink = double(call(x)); };
    };
    return type_ == dtype::f64 ? call_of.template operator()<double>()
                               : call_of.template operator()<float>();
  }

  request request_;
  dtype type_ = dtype::f64;
  std::vector<std::int64_t> extents_;
  std::int64_t items_ = 0;
  held x_, y_;
  std::string offsets_name_;
  std::vector<std::int64_t> offsets_;
  data_set answers_;
};

double seconds_of(const std::function<void()>& work, int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// More than the caches of a server hold.
void evict() {
  static const std::vector<std::uint64_t> other((std::size_t(512) << 20) / sizeof(std::uint64_t),
                                                1);
  const int threads = std::max(1, int(std::thread::hardware_concurrency()));
  sink = double(read_all(readers().front(), std::as_bytes(std::span(other)), {}, threads));
}

void serve() {
  measured subject;
  for (request request; std::cin >> request.subject;) {
    if (request.subject == "list") {
      for (const auto& how : readers()) std::cout << how.name << ' ';
      std::cout << std::endl;
      continue;
    }
    if (request.subject == "evict") {
      evict();
      std::cout << std::endl;
      continue;
    }
    if (!read_request(std::cin, request)) return;
    subject.prepare(request);
    const auto work = subject.work();
    std::cout << seconds_of(work, request.calls) << ' ' << subject.moved_bytes() << std::endl;
  }
}

}  // namespace
}  // namespace onefold::bench

int main() try {
  std::cout.precision(9);
  onefold::bench::serve();
} catch (const std::exception& failure) {
  std::cerr << "worker: " << failure.what() << '\n';
  return 1;
}
