// SPDX-License-Identifier: Apache-2.0
// Calls the templates of the public headers, each form once: tests/include/headers_test.py compiles
// it with warnings as errors, for 32 bits, and without exceptions. It is not linked.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "onefold/custom.hpp"
#include "onefold/onefold.hpp"

namespace {

struct counter {
  void add(double) { ++seen; }
  void merge(const counter& other) { seen += other.seen; }
  std::int64_t seen = 0;
};

template <class T>
struct boxed {
  using value_type = T;
  const T* data() const { return values; }
  int size() const { return 3; }
  T values[3] = {};
};

// The result is used, so that its members are instantiated too.
template <class T>
bool good(const onefold::result<T>& answer) {
  return answer.ok() && answer.why().ok();
}

template <class T>
bool try_functions(const std::vector<T>& x) {
  using namespace onefold;
  const options fast = {.accuracy = accuracy::fast};
  const std::vector<std::int64_t> offsets = {0, 1};
  const boxed<T> box;
  bool all_good = good(try_sum(x)) && good(try_sum(x, fast)) && good(try_sum(box));
  all_good = all_good && good(try_mean(x.data(), x.size())) && good(try_max(x.begin(), x.end()));
  all_good = all_good && good(try_sum(x.data(), 3, fast)) && good(try_argmin(x.data(), 3));
  all_good = all_good && good(try_sum(x, [](T element) { return element; }));
  all_good = all_good && good(try_dot(x, x)) && good(try_dot(x.begin(), x.end(), x.begin()));
  all_good = all_good && good(try_dot(x.data(), x.data(), x.size())) && good(try_minmax(x));
  all_good = all_good && good(try_minmax(x.data(), 1)) && good(try_minmax(x.begin(), x.end()));
  const view<T> table(x.data(), {1, 2});
  all_good = all_good && good(try_var(table)) && good(try_stddev(table, axis(0)));
  all_good = all_good && good(try_segments<op::sum>(x, offsets));
  all_good = all_good && good(try_by_key<op::sum>(offsets, x));
  all_good = all_good && good(try_reduce<double>(executor{}, op::mean, x));
  const auto part = try_partial(executor{}, op::sum, x);
  return all_good && part && good(part->template try_value<double>());
}

}  // namespace

bool every_call(const std::vector<double>& x, const std::vector<long long>& wide,
                const std::vector<long>& n, const std::vector<float>& narrow) {
  using namespace onefold;
  bool all_good = try_functions(x) && try_functions(wide) && try_functions(n);
  all_good = all_good && try_functions(narrow) && good(try_reduce_with(counter(), x));
  std::vector<double> turned(x.size());
  all_good = all_good && transpose(executor{}, std::span(x), 2, std::span(turned)).ok();
  all_good = all_good && reduce(executor{}, op::sum, array_view(x), turned).ok();
  return all_good && !array<double>({2, 3}).shape().empty();
}
