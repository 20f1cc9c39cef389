// SPDX-License-Identifier: Apache-2.0
// onefold::state: construction, merging, serialization and deserialization.
//
// Format: "onefold" and a version byte; operator, element type, two zero bytes, the number of words
// in 32 bits; then the serialized exact sum as 64-bit integers. Everything is little-endian.
#include "onefold/state.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "state/element_types.hpp"
#include "state/plausible.hpp"
#include "state/states.hpp"

namespace onefold {
namespace {

constexpr char magic[8] = {'o', 'n', 'e', 'f', 'o', 'l', 'd', 1};
constexpr std::size_t header_bytes = 16;

constexpr std::int64_t detail::path_counts::*all_path_counts[] = {
    &detail::path_counts::small,     &detail::path_counts::fast_tiles,
    &detail::path_counts::windows,   &detail::path_counts::reopened,
    &detail::path_counts::escalated, &detail::path_counts::slow_tiles,
    &detail::path_counts::drains};
static_assert(sizeof(detail::path_counts) == sizeof(std::int64_t) * std::size(all_path_counts));

// The alternative of any_state for a state that is a template over the element type.
template <template <class> class State>
any_state of_type(dtype input) {
  switch (input) {
  case dtype::f16:
    return State<f16>();
  case dtype::bf16:
    return State<bf16>();
  case dtype::f32:
    return State<float>();
  case dtype::f64:
    return State<double>();
  default:
    return State<std::int64_t>();
  }
}

// any_state ends with one alternative for each accumulator from extrema on, in their order, but for
// exponentials, which have two before.
constexpr std::size_t first_own = 17, alternatives = std::variant_size_v<any_state>;
constexpr std::size_t alternative_of(std::size_t accumulator) {
  const auto nth = accumulator - std::size_t(onefold::accumulator::extrema);
  return first_own + nth - (accumulator > std::size_t(onefold::accumulator::exponentials) ? 1 : 0);
}
static_assert(std::is_same_v<std::variant_alternative_t<first_own, any_state>, detail::extrema> &&
              alternatives == alternative_of(std::size(detail::accumulator_rows)));

template <std::size_t... I>
any_state empty_alternative(std::size_t index, std::index_sequence<I...>) {
  any_state state;
  ((I == index ? void(state.emplace<I>()) : void()), ...);
  return state;
}

// A state whose merge does not commute accepts only the elements that follow its own.
template <class Known>
status append(Known& known, const Known& next, std::int64_t first, std::int64_t next_first) {
  if (next_first != first + known.count())
    return {status_code::mismatch,
            "elements " + std::to_string(next_first) + " and on do not follow the last one, " +
                std::to_string(first + known.count() - 1) + "; prod merges neighbours in order"};
  known.append(next);
  return {};
}

// Little-endian. Constant sizes: compilers then make one access of the bytes.
template <int Size>
void append(std::vector<std::byte>& bytes, std::uint64_t word) {
  std::byte* const at = &*bytes.insert(bytes.end(), Size, std::byte(0));
  for (int i = 0; i < Size; ++i) at[i] = std::byte(word >> (8 * i));
}

template <int Size>
std::uint64_t read(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (int i = 0; i < Size; ++i) word |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return word;
}

status malformed(const std::string& problem) {
  return {status_code::malformed, "not a state: " + problem + "; states are written by bytes()"};
}

status no_match(const state& a, const state& b, const std::string& verb) {
  const auto text = [](const state& state) {
    return std::string(name(state.op())) + " of " + std::string(name(state.input()));
  };
  return {status_code::mismatch, "a state of " + text(b) + " cannot " + verb + " one of " +
                                     text(a) +
                                     "; both must be of one operator and one element type"};
}

}  // namespace

any_state empty_state(accumulator accumulator, dtype input) {
  switch (accumulator) {
  case accumulator::total:
  case accumulator::magnitudes:
    return of_type<exact_sum>(input);
  case accumulator::squares:
  case accumulator::products:
    return of_type<exact_dot>(input);
  case accumulator::moments:
    return of_type<exact_moments>(input);
  case accumulator::exponentials:
    if (is_floating(input) && input != dtype::f64) return detail::exponential_sum<float>();
    return detail::exponential_sum<double>();
  default:
    return empty_alternative(alternative_of(std::size_t(accumulator)),
                             std::make_index_sequence<alternatives>());
  }
}

status unknown_sum() {
  return {status_code::unsupported,
          "all elements near the largest one are removed, and of the others, at least 512 below "
          "it, the state has kept nothing"};
}

detail::path_counts& detail::path_counts::operator+=(const detail::path_counts& other) noexcept {
  for (const auto member : all_path_counts) this->*member += other.*member;
  return *this;
}

detail::path_counts& detail::path_counts::operator-=(const detail::path_counts& other) noexcept {
  for (const auto member : all_path_counts) this->*member -= other.*member;
  return *this;
}

state::state(onefold::op op, dtype input, std::int64_t first_index)
    : known_(empty_state(accumulator_of(op), input)), first_index_(first_index), op_(op),
      input_(input) {
  if (auto fine = check_element_type(op, input); !fine) throw error(std::move(fine));
}

std::int64_t state::count() const noexcept {
  return std::visit([](const auto& known) { return known.count(); }, known_);
}

status state::try_merge(const state& other) try {
  if (op_ != other.op_ || input_ != other.input_) return no_match(*this, other, "merge into");
  if (count() > std::numeric_limits<std::int64_t>::max() - other.count())
    return {status_code::overflow, "the states have 2^63 elements or more together"};
  auto done = std::visit(
      [&]<class Known>(Known& known) -> status {
        const Known& more = std::get<Known>(other.known_);
        if constexpr (requires { known.append(more); })
          return append(known, more, first_index_, other.first_index_);
        else
          return known.merge(more), status();
      },
      known_);
  if (done.ok()) paths_ += other.paths_;
  return done;
} catch (...) {
  return detail::memory_refused();
}

state& state::merge(const state& other) {
  if (auto done = try_merge(other); !done) throw error(done);
  return *this;
}

status state::try_subtract(const state& other) try {
  if (op_ != other.op_ || input_ != other.input_)
    return no_match(*this, other, "be subtracted from");
  return std::visit(
      [&]<class Known>(Known& known) -> status {
        if constexpr (requires { known.subtract(known); }) {
          Known left = known;
          const bool possible = left.subtract(std::get<Known>(other.known_));
          if constexpr (requires { left.unknown(); })
            if (possible && left.unknown()) return unknown_sum();
          if (!possible || !is_plausible(left, op_, input_))
            return {status_code::mismatch,
                    "the state has not all elements of the one to subtract; subtract only what was "
                    "added or merged before"};
          known = left;
          return {};
        } else {
          return {status_code::unsupported,
                  "a state of " + std::string(name(op_)) +
                      " does not subtract: it does not know what was there before an element; "
                      "sums, means, norm1, norm2, sumsq, dot, var, std, logsumexp and counts do"};
        }
      },
      known_);
} catch (...) {
  return detail::memory_refused();
}

state& state::subtract(const state& other) {
  if (auto done = try_subtract(other); !done) throw error(done);
  return *this;
}

std::vector<std::byte> state::bytes() const {
  std::vector<std::byte> bytes;
  bytes.reserve(header_bytes + sizeof(known_));
  for (char c : magic) bytes.push_back(std::byte(c));
  append<1>(bytes, std::uint64_t(op_));
  append<1>(bytes, std::uint64_t(input_));
  append<2>(bytes, 0);
  std::visit(
      [&](const auto& sum) {
        append<4>(bytes, std::remove_reference_t<decltype(sum)>::words);
        sum.for_each_word([&](std::int64_t word) { append<8>(bytes, std::uint64_t(word)); });
      },
      known_);
  return bytes;
}

result<state> state::from_bytes(std::span<const std::byte> bytes, std::int64_t first_index) try {
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic, 7) != 0)
    return malformed("it does not begin with \"onefold\"");
  if (bytes[7] != std::byte(magic[7]))
    return malformed("its version is " + std::to_string(std::to_integer<int>(bytes[7])) +
                     ", this build reads version 1");
  const auto op = read<1>(bytes, 8), input = read<1>(bytes, 9);
  if (op >= std::size(all_ops) || input >= std::size(all_dtypes) || read<2>(bytes, 10) != 0)
    return malformed("its operator or element type is unknown");
  if (const auto fine = check_element_type(static_cast<onefold::op>(op), static_cast<dtype>(input));
      !fine)
    return malformed(fine.message());
  constexpr std::uint64_t words_of_pieces = 6;  // of logsumexp, when its sum had an order
  if (static_cast<onefold::op>(op) == onefold::op::logsumexp &&
      read<4>(bytes, 12) == words_of_pieces)
    return malformed("it is one of logsumexp from before 0.3, whose sum depended on the order of "
                     "the elements; make it anew");
  state read_back(static_cast<onefold::op>(op), static_cast<dtype>(input), first_index);
  const bool right = std::visit(
      [&]<class Sum>(Sum& sum) {
        std::int64_t words[Sum::words];
        if (read<4>(bytes, 12) != Sum::words || bytes.size() != header_bytes + sizeof words)
          return false;
        for (int i = 0; i < Sum::words; ++i)
          words[i] = std::int64_t(read<8>(bytes, header_bytes + 8 * std::size_t(i)));
        if (!plausible_words<Sum>(words, read_back.op_, read_back.input_)) return false;
        const std::int64_t* word = words;
        sum = Sum::from_words([&] { return *word++; });
        return true;
      },
      read_back.known_);
  if (!right) return malformed("its length, its digits or its counts do not fit together");
  return read_back;
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
