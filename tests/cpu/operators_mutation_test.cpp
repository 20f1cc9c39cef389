// SPDX-License-Identifier: Apache-2.0
// Every step that the proofs on extrema, products and logsumexp rest on is needed: with one of them
// changed (mutants.py) some arrays come out wrong, and with none changed all of them right.
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/product.hpp"
#include "runtime/float_environment.hpp"
#include "support/plain_order.hpp"
#include "support/real_oracle.hpp"
#include <mutants.hpp>

namespace onefold::test {
namespace {

namespace loops = cpu::HWY_NAMESPACE;

struct outcomes {
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
outcomes try_arrays(F&& f) {
  const float_environment sound;
  outcomes seen;
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
outcomes try_task() {
  return try_arrays([](random_source& random, const plain_array& x, const plain_answers& expected) {
    const auto got = by_tasks(random, x, Make);
    return with_type(x.type, [&]<class T>(detail::tag<T>) { return right<T>(got, expected); });
  });
}

template <auto MakeKernels>
outcomes try_extrema_loops() {
  const replaced_loops changed(MakeKernels());
  return try_task<cpu::make_extrema_task>();
}

// Elements one by one into two states, in random order.
template <class State>
outcomes try_state() {
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

outcomes try_products() {
  const float_environment sound;
  outcomes seen;
  for (const int kind : {0, 1, 2})
    for (const std::int64_t n : {1, 2, 65, 130, 700, 3000, 80'000}) {
      random_source random = source_of(7100, std::uint64_t(seen.arrays++));
      seen.wrong += !product_is_right(random, n, kind);
    }
  return seen;
}

// --- logsumexp ----------------------------------------------------------------------------------

/// Elements about zero, zeros, all of a band, of several bands and at their edges, with specials;
/// of a band and rarely another; of an odd band, and one at its edge, which is of the next.
template <class T>
std::vector<T> exponents(random_source& random, std::int64_t n, int kind) {
  const T specials[] = {T(NAN), T(INFINITY), T(-INFINITY)};
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) {
    const T middle = T(512 * random.between(-2, 2)), small = T(random.normal() * 3);
    if (kind == 0) x.push_back(small);
    if (kind == 1) x.push_back(0);
    if (kind == 2) x.push_back(T(510 * random.unit() - 255));
    if (kind == 3) x.push_back(middle + T(random.one_in(4) ? 256 : 510 * random.unit() - 255));
    if (kind == 4) x.push_back(random.one_in(9) ? specials[random.below(3)] : middle + small);
    if (kind == 5) x.push_back(random.one_in(50) ? small - 700 : small);
    if (kind == 6) x.push_back(i == n / 4 * 3 ? T(768) : 512 + small);
  }
  return x;
}

// f(random, x, kind) for elements of each kind, counting those it says no to.
template <class T, class F>
outcomes try_exponents(int kinds, F&& f) {
  const float_environment sound;
  outcomes seen;
  for (int kind = 0; kind < kinds; ++kind) {
    const int arrays = kind == 3 ? 800 : 120;  // few elements of several bands are rare
    for (int k = 0; k < arrays; ++k) {
      random_source random = source_of(7200 + sizeof(T), std::uint64_t(seen.arrays++));
      const std::int64_t most[] = {2, 3, 6, 600};
      const auto n = 1 + std::int64_t(random.below(std::uint64_t(most[k % 4])));
      seen.wrong += !f(random, exponents<T>(random, n, kind), kind);
    }
  }
  return seen;
}

// Pieces by the loops, next to elements that are added one by one.
template <class T>
outcomes try_exponential_task() {
  return try_exponents<T>(7, [](random_source& random, const std::vector<T>& x, int) {
    detail::exponential_sum<T> wanted;
    for (const T element : x) wanted.add(element);
    const auto task = cpu::make_exponentials_task(dtype_of<T>);
    const auto n = std::int64_t(x.size()), piece = 1 + std::int64_t(random.below(200));
    for (std::int64_t i = 0; i < n; i += piece)
      task->take({x.data() + i, nullptr, std::min(piece, n - i), i});
    any_state whole = detail::exponential_sum<T>();
    task->drain(whole);
    return std::get<detail::exponential_sum<T>>(whole) == wanted;
  });
}

// docs/numerics/logsumexp.md, Theorems 6 and 7. The exponentials of zeros have no error.
template <class T>
double bound(int kind) {
  return kind == 1 ? 0x1p-62 : std::exp2(sizeof(T) == 4 ? -29.8 : -51.8);
}

// Two states that are merged, of which the first is then subtracted.
template <class Sum, class T>
bool states_are_right(const std::vector<T> (&parts)[2], double bound) {
  Sum sums[2];
  for (int i = 0; i < 2; ++i)
    for (const T element : parts[i]) sums[i].add(element);
  Sum whole = sums[0];
  whole.merge(sums[1]);
  const detail::scaled_pair result = whole.logarithm();
  if (!std::isfinite(result.high) || !std::isfinite(result.low)) return false;
  std::vector<double> all(parts[0].begin(), parts[0].end());
  all.insert(all.end(), parts[1].begin(), parts[1].end());
  if (error_of_log_sum(all, result) > bound + std::fabs(result.high) * 0x1p-100) return false;
  if (!whole.subtract(sums[0])) return false;
  return whole.unknown() ? !parts[1].empty() : whole == sums[1];
}

template <class Sum, class T>
outcomes try_exponential_states() {
  outcomes seen = try_exponents<T>(4, [](random_source& random, const std::vector<T>& x, int kind) {
    std::vector<T> parts[2];
    for (const T element : x) parts[random.below(2)].push_back(element);
    return states_are_right<Sum>(parts, bound<T>(kind));
  });
  // Of three bands the highest is removed: what is below the next one is not known.
  const float_environment sound;
  const std::vector<T> parts[2] = {{T(1500)}, {T(1000), T(500)}};
  seen.wrong += !states_are_right<Sum>(parts, bound<T>(0));
  ++seen.arrays;
  return seen;
}

template <cpu::product_kernel Kernel>
outcomes try_product_loop() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.product[3] = Kernel;
  const replaced_loops replaced(changed);
  return try_products();
}
template <class T, const cpu::exponential_kernels& Kernels>
outcomes try_exponential_loops() {
  cpu::ordered_kernels changed = *cpu::active_table().ordered;
  changed.exponentials[sizeof(T) == 8 ? 3 : 2] = Kernels;
  const replaced_loops replaced(changed);
  return try_exponential_task<T>();
}

struct row {
  const char* name;
  outcomes (*run)();
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
    {"no_low_step", try_exponential_loops<float, LOOPS(no_low_step)::exponentials_of<float>>, true},
    {"no_third", try_exponential_loops<float, LOOPS(no_third)::exponentials_of<float>>, true},
    {"others_count", try_exponential_loops<float, LOOPS(others_count)::exponentials_of<float>>,
     true},
    {"no_binades", try_exponential_loops<float, LOOPS(no_binades)::exponentials_of<float>>, true},
    {"last_vector_decides",
     try_exponential_loops<float, LOOPS(last_vector_decides)::exponentials_of<float>>, true},
    {"edges_belong", try_exponential_loops<float, LOOPS(edges_belong)::exponentials_of<float>>,
     true},
    {"edges_of_every_band",
     try_exponential_loops<float, LOOPS(edges_of_every_band)::exponentials_of<float>>, true},
    {"infinity_is_largest",
     try_exponential_loops<float, LOOPS(infinity_is_largest)::exponentials_of<float>>, true},
    {"bits_of_all", try_exponential_loops<float, LOOPS(bits_of_all)::exponentials_of<float>>, true},
    {"no_tail_of_a_band",
     try_exponential_loops<float, LOOPS(no_tail_of_a_band)::exponentials_of<float>>, true},
    {"no_sixth_power",
     try_exponential_loops<double, LOOPS(no_sixth_power)::exponentials_of<double>>, true},
    {"no_low_step_of_doubles",
     try_exponential_loops<double, LOOPS(no_low_step_of_doubles)::exponentials_of<double>>, true},
    {"no_low_step_in_a_state",
     try_exponential_states<mutants::no_low_step_in_a_state::exponential_sum<double>, double>},
    {"second_too_large",
     try_exponential_states<mutants::second_too_large::exponential_sum<float>, float>},
    {"no_rest_of_the_table",
     try_exponential_states<mutants::no_rest_of_the_table::exponential_sum<double>, double>},
    {"few_powers", try_exponential_states<mutants::few_powers::exponential_sum<double>, double>},
    {"no_band_below",
     try_exponential_states<mutants::no_band_below::exponential_sum<double>, double>},
    {"every_band_below",
     try_exponential_states<mutants::every_band_below::exponential_sum<float>, float>},
    {"bands_stay", try_exponential_states<mutants::bands_stay::exponential_sum<double>, double>},
    {"same_units", try_exponential_states<mutants::same_units::exponential_sum<double>, double>},
    {"forgets_what_was_dropped",
     try_exponential_states<mutants::forgets_what_was_dropped::exponential_sum<double>, double>},
    {"keeps_an_empty_band",
     try_exponential_states<mutants::keeps_an_empty_band::exponential_sum<float>, float>},
};
#undef LOOPS

constexpr row originals[] = {
    {"extrema", try_task<cpu::make_extrema_task>},
    {"states of extrema", try_state<detail::extrema>},
    {"products", try_products},
    {"exponentials of f32", try_exponential_task<float>},
    {"exponentials of f64", try_exponential_task<double>},
    {"states of logsumexp, f32", try_exponential_states<detail::exponential_sum<float>, float>},
    {"states of logsumexp, f64", try_exponential_states<detail::exponential_sum<double>, double>},
};

TEST(operators_mutation, of_every_step_is_caught) {
  for (const auto& [name, run, needs_vectors] : all_mutants) {
    if (needs_vectors && hwy::HWY_NAMESPACE::MaxLanes(loops::double_tag()) == 1) continue;
    const outcomes seen = run();
    std::printf("  %-24s %4d of %d arrays come out wrong\n", name, seen.wrong, seen.arrays);
    EXPECT_GT(seen.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": no array noticed " << name;
  }
}

TEST(operators_mutation, of_nothing_leaves_every_array_right) {
  for (const auto& [name, run, needs_vectors] : originals) {
    const outcomes seen = run();
    EXPECT_EQ(seen.wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << name;
    EXPECT_GT(seen.arrays, 0) << name;
  }
}

}  // namespace
}  // namespace onefold::test
