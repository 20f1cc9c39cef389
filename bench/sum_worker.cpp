// SPDX-License-Identifier: Apache-2.0
// Measures one call by name. Reads lines "SUBJECT DATA THREADS CALLS" from stdin, answers each with
// the seconds of CALLS calls; "list" answers with the names it knows. bench/run.py pairs, orders
// and judges; nothing here repeats or averages.
#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <cstring>
#include <execution>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "read_ceiling.hpp"

namespace onefold::bench {
namespace {

constexpr std::size_t large_bytes = std::size_t(512) << 20;
constexpr std::size_t cache_bytes = std::size_t(256) << 10;
constexpr std::size_t fresh_items = std::size_t(1) << 20;  // then the pattern repeats

volatile double sink;

template <class T, class Next>
std::vector<T> fill(std::size_t size_bytes, Next next) {
  std::vector<T> data(size_bytes / sizeof(T));
  const std::size_t fresh = std::min(fresh_items, data.size());
  for (std::size_t i = 0; i < fresh; ++i) data[i] = next();
  for (std::size_t i = fresh; i < data.size(); ++i) data[i] = data[i - fresh];
  return data;
}

// A finite value of random bits.
template <class T, class Bits>
T random_bits(std::mt19937_64& random) {
  for (;;) {
    const auto bits = static_cast<Bits>(random());
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) return value;
  }
}

// The data sets, each made when it is first asked for.
class data_sets {
 public:
  const std::vector<double>& f64(const std::string& name) {
    auto& data = f64_[name];
    if (!data.empty()) return data;
    std::mt19937_64 random(20240229);
    std::normal_distribution<double> normal;
    if (name == "bits")
      data = fill<double>(large_bytes, [&] { return random_bits<double, std::uint64_t>(random); });
    else if (name == "lognormal10")
      data =
          fill<double>(large_bytes, [&] { return normal(random) * std::exp(10 * normal(random)); });
    else if (name == "cache")
      data = fill<double>(cache_bytes, [&] { return normal(random); });
    else if (name == "eight")
      data = fill<double>(64, [&] { return normal(random); });
    else
      data = fill<double>(large_bytes, [&] { return normal(random); });
    return data;
  }
  const std::vector<float>& f32(const std::string& name) {
    auto& data = f32_[name];
    if (!data.empty()) return data;
    std::mt19937_64 random(20240229);
    std::normal_distribution<float> normal;
    if (name == "bits")
      data = fill<float>(large_bytes, [&] { return random_bits<float, std::uint32_t>(random); });
    else
      data =
          fill<float>(name == "cache" ? cache_bytes : large_bytes, [&] { return normal(random); });
    return data;
  }

 private:
  std::map<std::string, std::vector<double>> f64_;
  std::map<std::string, std::vector<float>> f32_;
};

template <class T>
void call(const std::string& subject, const std::vector<T>& data, int threads) {
  T answer{};
  if (subject == "exact") {
    reduce(executor::cpu{threads}, op::sum, {data}, answer).ok();
  } else if (subject == "fast") {
    reduce(executor::cpu{threads}, op::sum, {data}, answer, {.how = accuracy::fast}).ok();
  } else if (subject == "sum") {
    answer = sum(data);
  } else if (subject == "eigen") {
    answer =
        Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(data.data(), Eigen::Index(data.size()))
            .sum();
  } else if (subject == "std_reduce") {
    answer = std::reduce(std::execution::par_unseq, data.begin(), data.end(), T(0));
  } else {
    for (const auto& how : readers())
      if (how.name == subject)
        return void(sink = double(read_all(how, data.data(), data.size() * sizeof(T), threads)));
    throw std::runtime_error("no subject " + subject);
  }
  sink = double(answer);
}

double seconds_of(const std::function<void()>& work, int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void answer(data_sets& sets, const std::string& subject, const std::string& data, int threads,
            int calls) {
  const std::string type = data.substr(0, 3), name = data.size() > 4 ? data.substr(4) : "";
  const auto work = [&]() -> std::function<void()> {
    if (type == "f64") return [&, &x = sets.f64(name)] { call(subject, x, threads); };
    return [&, &x = sets.f32(name)] { call(subject, x, threads); };
  }();
  std::cout << seconds_of(work, calls) << std::endl;
}

}  // namespace
}  // namespace onefold::bench

int main() {
  using namespace onefold::bench;
  std::cout.precision(9);
  data_sets sets;
  std::string subject, data;
  for (int threads = 0, calls = 0; std::cin >> subject;) {
    if (subject == "list") {
      for (const auto& how : readers()) std::cout << how.name << ' ';
      std::cout << std::endl;
      continue;
    }
    std::cin >> data >> threads >> calls;
    answer(sets, subject, data, threads, calls);
  }
}
