// SPDX-License-Identifier: Apache-2.0
// Every step that the proofs on extrema, products and logsumexp rest on is needed: with one of them
// changed (mutants.py) some arrays come out wrong, and with none changed all of them right.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/product.hpp"
#include "runtime/float_environment.hpp"
#include "support/plain_order.hpp"
#include "support/real_oracle.hpp"
#include <mutants.hpp>

namespace onefold::test {
namespace {

namespace loops = cpu::HWY_NAMESPACE;

struct tally {
  int arrays = 0, wrong = 0;
};

// The library's loops with some of them taken from elsewhere.
class replaced_loops {
 public:
  explicit replaced_loops(const cpu::extrema_kernels& extrema) : replaced_loops() {
    operators_.extrema = extrema;
  }
  explicit replaced_loops(const cpu::ordered_kernels& ordered) : replaced_loops() {
    ordered_ = ordered;
  }
  replaced_loops(const replaced_loops&) = delete;
  replaced_loops& operator=(const replaced_loops&) = delete;
  ~replaced_loops() { cpu::use_table(before_); }

 private:
  replaced_loops()
      : before_(cpu::active_table()), operators_(*before_.operators), ordered_(*before_.ordered),
        table_(before_) {
    table_.operators = &operators_, table_.ordered = &ordered_;
    cpu::use_table(table_);
  }

  const cpu::kernel_table& before_;
  cpu::operator_kernels operators_;
  cpu::ordered_kernels ordered_;
  cpu::kernel_table table_;
};

// --- extrema ------------------------------------------------------------------------------------

using make_task = std::unique_ptr<cpu::task> (*)(dtype);

// Pieces in a random order, by two tasks; their states are merged.
detail::extrema by_tasks(random_source& random, const plain_array& x, make_task make) {
  std::vector<cpu::piece> pieces;
  for (std::int64_t i = 0; i < x.n;) {
    const auto n = std::min<std::int64_t>(x.n - i, 1 + std::int64_t(random.below(400)));
    pieces.push_back({x.at(i), nullptr, n, i});
    i += n;
  }
  shuffle(random, pieces.data(), pieces.size());
  const std::unique_ptr<cpu::task> tasks[] = {make(x.type), make(x.type)};
  any_state states[] = {detail::extrema{}, detail::extrema{}};
  for (const cpu::piece& next : pieces) tasks[random.below(2)]->take(next);
  for (int k = 0; k < 2; ++k) tasks[k]->drain(states[k]);
  auto whole = std::get<detail::extrema>(states[0]);
  whole.merge(std::get<detail::extrema>(states[1]));
  return whole;
}

template <class T>
bool same(T got, long double expected) {
  const auto value = plain_value<T>(reinterpret_cast<const std::byte*>(&got));
  return value == expected && std::signbit(value) == std::signbit(expected);
}

// A state that elements of this type cannot have left is wrong whatever it answers.
template <class T, class State>
bool plausible(const State& got) {
  std::int64_t words[State::words];
  int n = 0;
  got.for_each_word([&](std::int64_t word) { words[n++] = word; });
  return State::plausible(words, dtype_of<T>);
}

template <class T, class State>
bool right(const State& got, const plain_answers& expected) {
  if (!plausible<T>(got)) return false;
  if (got.count() != expected.count || got.nan_count() != expected.nans) return false;
  if (expected.nans > 0 && got.argmin(false) != expected.first_nan) return false;
  if (expected.count == expected.nans) return got.empty(true);
  return got.argmin(true) == expected.argmin && got.argmax(true) == expected.argmax &&
         same(got.template min<T>(true), expected.min) &&
         same(got.template max<T>(true), expected.max);
}

// Sets the signs of all elements, so that the largest has one too.
void make_negative(plain_array& x) {
  const std::size_t item = size_bytes(x.type);
  constexpr bool little = std::endian::native == std::endian::little;
  for (std::size_t i = 0; i < x.bytes.size(); i += item)
    x.bytes[i + (little ? item - 1 : 0)] |= std::byte(0x80);
}

// f(random, array, expected) for arrays of every kind and type, counting those it says no to.
template <class F>
tally try_arrays(F&& f) {
  const float_environment sound;
  tally seen;
  for (const dtype type : {dtype::f16, dtype::f32, dtype::f64, dtype::i16, dtype::u64})
    for (const hard_order how : hard_orders)
      for (const int n : {1, 2, 5, 7, 33, 70, 257, 1003, 1500, 2100, 2700}) {
        random_source random = source_of(7000 + unsigned(type), std::uint64_t(seen.arrays++));
        auto x = make_plain_array(random, type, how, n);
        if (seen.arrays % 3 == 0 && is_floating(type)) make_negative(x);
        seen.wrong += !f(random, x, plain_answers(x, 0, x.n));
      }
  return seen;
}

template <make_task Make>
tally try_task() {
  return try_arrays([](random_source& random, const plain_array& x, const plain_answers& expected) {
    const auto got = by_tasks(random, x, Make);
    return with_type(x.type, [&]<class T>(detail::tag<T>) { return right<T>(got, expected); });
  });
}

template <auto MakeKernels>
tally try_extrema_loops() {
  const replaced_loops changed(MakeKernels());
  return try_task<cpu::make_extrema_task>();
}

// Elements one by one into two states, in random order.
template <class State>
tally try_state() {
  return try_arrays([](random_source& random, const plain_array& x, const plain_answers& expected) {
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < x.n; ++i) order.push_back(i);
    shuffle(random, order.data(), order.size());
    return with_type(x.type, [&]<class T>(detail::tag<T>) {
      State states[2];
      for (const std::int64_t i : order) {
        T element;
        std::memcpy(static_cast<void*>(&element), x.at(i), sizeof element);
        states[random.below(2)].add(element, i);
      }
      states[0].merge(states[1]);
      return right<T>(states[0], expected);
    });
  });
}

// --- products -----------------------------------------------------------------------------------

// docs/numerics/product.md, Theorem 3, for one piece.
double product_bound(std::int64_t n) {
  const auto lanes = double(std::min<std::int64_t>(n, 64));
  const double first_order = (2.01 * (double(n) - lanes) + 6.1 * (lanes - 1)) * 0x1p-106;
  return first_order / (1 - first_order) + double(n) * 0x1p-510;
}

double make_factor(random_source& random, int kind) {
  const auto word = random();
  if (kind == 0) return make<double>(word >> 63, random.between(-900, 900), word);
  if (kind == 1) return make<double>(word >> 63, 0, word | 0xFFFFF00000000);  // almost 2
  return make<double>(word >> 63, -1023, word | 1);
}

bool product_is_right(random_source& random, std::int64_t n, int kind) {
  std::vector<double> x(std::size_t(n), 0.0);
  for (double& element : x) element = make_factor(random, kind);
  std::vector<double> factors = x;
  if (kind == 1) x.insert(x.begin(), -std::nan("")), x[0] = as_float<double>(0xFFF8123400000001u);
  const auto task = cpu::make_product_task(dtype::f64, accuracy::exact);
  const auto got =
      std::get<detail::product>(task->take({x.data(), nullptr, std::int64_t(x.size()), 0}));
  if (got.nan_count() != (kind == 1)) return false;
  const auto pair = got.pair();
  const bool normal = std::fabs(pair.high) >= 1 && std::fabs(pair.high) < 2;
  return normal && relative_error_of_product(factors, pair) <= product_bound(n + 1);
}

tally try_products() {
  const float_environment sound;
  tally seen;
  for (const int kind : {0, 1, 2})
    for (const std::int64_t n : {1, 2, 65, 130, 700, 3000, 80'000}) {
      random_source random = source_of(7100, std::uint64_t(seen.arrays++));
      seen.wrong += !product_is_right(random, n, kind);
    }
  return seen;
}

// --- logsumexp ----------------------------------------------------------------------------------

double make_exponent(random_source& random, int kind, std::int64_t i) {
  if (kind == 0) return random.normal() * 3;
  if (kind == 1) return i == 0 ? 0 : -700 - 100 * random.unit();
  return double(i) * 40 + random.unit();  // the shift moves on and on
}

template <class LogSum>
bool is_within_bound(const LogSum& got, const std::vector<double>& x) {
  const auto result = got.logarithm();
  if (!std::isfinite(result.high) || !std::isfinite(result.low)) return false;
  return error_of_log_sum(x, result) <= 0x1p-46 + std::fabs(result.high) * 0x1p-100;
}

std::vector<double> exponents(random_source& random, std::int64_t n, int kind) {
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(make_exponent(random, kind, i));
  return x;
}

template <class F>
tally try_exponents(F&& f) {
  const float_environment sound;
  tally seen;
  for (const int kind : {0, 1, 2})
    for (const std::int64_t n : {1, 2, 3, 5, 17, 40, 65, 90, 200, 300, 700, 2000}) {
      random_source random = source_of(7200, std::uint64_t(seen.arrays++));
      const auto x = exponents(random, n, kind);
      seen.wrong += !f(x);
    }
  return seen;
}

tally try_log_sums() {
  return try_exponents([](const std::vector<double>& x) {
    const auto task = cpu::make_log_sum_task(dtype::f64);
    return is_within_bound(
        std::get<detail::log_sum>(task->take({x.data(), nullptr, std::int64_t(x.size()), 0})), x);
  });
}

// A state an element, appended in order.
template <class LogSum>
tally try_log_states() {
  return try_exponents([](const std::vector<double>& x) {
    LogSum whole;
    for (const double element : x) whole.append(LogSum::of_piece(1, 0, false, element, 1));
    return is_within_bound(whole, x);
  });
}

template <cpu::product_kernel Kernel>
tally try_product_loop() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.product[3] = Kernel;
  const replaced_loops replaced(changed);
  return try_products();
}
template <cpu::exponential_kernel Kernel>
tally try_exponential_loop() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.exponentials = Kernel;
  const replaced_loops replaced(changed);
  return try_log_sums();
}

// Elements of f32 about zero, far from each other, and far from zero.
tally try_terms() {
  const float_environment sound;
  tally seen;
  for (const int kind : {0, 1, 2, 3})
    for (const std::int64_t n : {1, 2, 3, 5, 8, 17, 65, 300, 2000}) {
      random_source random = source_of(7300, std::uint64_t(seen.arrays++));
      std::vector<float> x;
      std::vector<double> values;
      for (std::int64_t i = 0; i < n; ++i) {
        x.push_back(float(kind == 0   ? random.normal() * 3
                          : kind == 1 ? random.normal() * 100
                          : kind == 2 ? 90 + random.normal()
                                      : 1000 + random.normal()));
        values.push_back(double(x.back()));
      }
      const auto task = cpu::make_log_sum_task(dtype::f32);
      const auto got = std::get<detail::log_sum>(task->take({x.data(), nullptr, n, 0}));
      const auto result = got.logarithm();
      seen.wrong += !(error_of_log_sum(values, result) <= 0x1p-28);
    }
  return seen;
}
template <cpu::term_kernel Kernel>
tally try_term_loop() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.terms[2] = Kernel;
  const replaced_loops replaced(changed);
  return try_terms();
}

// One byte, and others that lie so far below it.
tally try_bytes() {
  const float_environment sound;
  tally seen;
  for (const std::int64_t n : {1, 2, 31, 64, 77, 2000})
    for (int distance = 0; distance < 60; ++distance, ++seen.arrays) {
      std::vector<unsigned char> x(std::size_t(n), std::uint8_t(200 - distance));
      x[std::size_t(n) / 2] = 200;
      const auto task = cpu::make_log_sum_task(dtype::u8);
      const auto got = std::get<detail::log_sum>(task->take({x.data(), nullptr, n, 0}));
      seen.wrong += !is_within_bound(got, {x.begin(), x.end()});
    }
  return seen;
}
template <cpu::fixed_kernel Kernel>
tally try_byte_loop() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.fixed = Kernel;
  const replaced_loops replaced(changed);
  return try_bytes();
}

struct row {
  const char* name;
  tally (*run)();
  bool needs_vectors = false;  ///< with one lane there is no ragged end
};

#define LOOPS(name) mutants::name::HWY_NAMESPACE
constexpr row all_mutants[] = {
    {"no_tail", try_extrema_loops<LOOPS(no_tail)::make_extrema_kernels>, true},
    {"least_by_unsigned_bits",
     try_extrema_loops<LOOPS(least_by_unsigned_bits)::make_extrema_kernels>},
    {"largest_by_signed_bits",
     try_extrema_loops<LOOPS(largest_by_signed_bits)::make_extrema_kernels>},
    {"nans_stay", try_extrema_loops<LOOPS(nans_stay)::make_extrema_kernels>},
    {"padding_counts", try_extrema_loops<LOOPS(padding_counts)::make_extrema_kernels>, true},
    {"minus_nan_unseen", try_task<mutants::minus_nan_unseen::make_extrema_task>},
    {"plus_nan_unseen", try_task<mutants::plus_nan_unseen::make_extrema_task>},
    {"first_task_wins", try_task<mutants::first_task_wins::make_extrema_task>},
    {"first_nan_of_task", try_task<mutants::first_nan_of_task::make_extrema_task>},
    {"one_zero", try_task<mutants::one_zero::make_extrema_task>},
    {"any_plus_zero", try_state<mutants::any_plus_zero::extrema>},
    {"empty_has_ends", try_state<mutants::empty_has_ends::extrema>},
    {"last_index", try_state<mutants::last_index::extrema>},
    {"no_low_part", try_product_loop<LOOPS(no_low_part)::product_of<double>>},
    {"no_error_term", try_product_loop<LOOPS(no_error_term)::product_of<double>>},
    {"low_not_scaled", try_product_loop<LOOPS(low_not_scaled)::product_of<double>>},
    {"subnormals_scaled", try_product_loop<LOOPS(subnormals_scaled)::product_of<double>>},
    {"too_many_rows", try_product_loop<LOOPS(too_many_rows)::product_of<double>>},
    {"nan_multiplies", try_product_loop<LOOPS(nan_multiplies)::product_of<double>>},
    {"no_least_argument", try_exponential_loop<LOOPS(no_least_argument)::sum_of_exponentials>},
    {"short_logarithm", try_exponential_loop<LOOPS(short_logarithm)::sum_of_exponentials>},
    {"no_low_step", try_term_loop<LOOPS(no_low_step)::sum_of_terms<float>>},
    {"no_third_power", try_term_loop<LOOPS(no_third_power)::sum_of_terms<float>>},
    {"no_origin", try_term_loop<LOOPS(no_origin)::sum_of_terms<float>>},
    {"even_lanes_twice", try_term_loop<LOOPS(even_lanes_twice)::sum_of_terms<float>>},
    {"half_a_table", try_term_loop<LOOPS(half_a_table)::sum_of_terms<float>>, true},
    {"no_last_terms", try_term_loop<LOOPS(no_last_terms)::sum_of_terms<float>>, true},
    {"one_group_less", try_byte_loop<LOOPS(one_group_less)::sum_of_fixed>, true},
    {"one_plane_less", try_byte_loop<LOOPS(one_plane_less)::sum_of_fixed>, true},
    {"groups_overlap", try_byte_loop<LOOPS(groups_overlap)::sum_of_fixed>, true},
    {"rest_counts", try_byte_loop<LOOPS(rest_counts)::sum_of_fixed>, true},
    {"shift_stays", try_log_states<mutants::shift_stays::log_sum>},
    {"few_steps", try_log_states<mutants::few_steps::log_sum>},
};
#undef LOOPS

constexpr row originals[] = {
    {"extrema", try_task<cpu::make_extrema_task>},
    {"states of extrema", try_state<detail::extrema>},
    {"products", try_products},
    {"logsumexp", try_log_sums},
    {"logsumexp of f32", try_terms},
    {"logsumexp of bytes", try_bytes},
    {"states of logsumexp", try_log_states<detail::log_sum>},
};

TEST(OperatorsMutation, OfEveryStepIsCaught) {
  for (const auto& [name, run, needs_vectors] : all_mutants) {
    if (needs_vectors && hwy::HWY_NAMESPACE::MaxLanes(loops::double_tag()) == 1) continue;
    const tally seen = run();
    std::printf("  %-24s %4d of %d arrays come out wrong\n", name, seen.wrong, seen.arrays);
    EXPECT_GT(seen.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": no array noticed " << name;
  }
}

TEST(OperatorsMutation, OfNothingLeavesEveryArrayRight) {
  for (const auto& [name, run, needs_vectors] : originals) {
    const tally seen = run();
    EXPECT_EQ(seen.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << name;
    EXPECT_GT(seen.arrays, 0) << name;
  }
}

}  // namespace
}  // namespace onefold::test
