// SPDX-License-Identifier: Apache-2.0
// The kernels that exchange states are the library's conversions on the CPU.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/ranks/additive.hpp"
#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "cuda/kernels/ranks/shares.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "onefold/detail/additive.hpp"
#include "onefold/onefold.hpp"
#include "rounding/round_state.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

any_state state_at(const group_request& request, const std::int64_t* words) {
  any_state made = empty_state(request.accumulator, request.input);
  std::visit(
      [&]<class State>(State& known) {
        if constexpr (requires { State::additive_words; })
          if (words != nullptr) known = State::from_words([&] { return *words++; });
      },
      made);
  return made;
}

void write_group_bands(const group_request& request, const std::int64_t* words, std::int64_t pieces,
                       std::int64_t* bands) {
  const int each = state_words(request.accumulator, request.input);
  if ((words != nullptr && !test::is_known(words)) || !test::is_known(bands)) std::abort();
  for (std::int64_t k = 0; k < request.answers; ++k) {
    bands[k] = detail::no_band;
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      std::visit(
          [&](const auto& known) {
            if constexpr (requires { known.band_key(); })
              bands[k] = std::max(bands[k], known.band_key());
          },
          state_at(request, words == nullptr ? nullptr : words + (k * pieces + piece) * each));
  }
}

void write_group(const group_request& request, const std::int64_t* words, const std::int64_t* band,
                 std::int64_t* group) {
  any_state made = state_at(request, words);
  std::visit(
      [&]<class State>(State& known) {
        if constexpr (requires { known.band_key(); })
          if (*band != known.band_key()) known.raise(detail::band_of_key(*band));
        if constexpr (requires { State::additive_words; })
          known.write_additive(group + detail::additive_header);
      },
      made);
  detail::write_additive_header(group, request.signature);
}

void write_groups(const group_request& request, const std::int64_t* words, std::int64_t pieces,
                  const std::int64_t* bands, std::int64_t* groups) {
  const int size = group_words(request.accumulator, request.input),
            each = state_words(request.accumulator, request.input);
  if ((words != nullptr && !test::is_known(words)) || !test::is_known(groups)) std::abort();
  std::vector<std::int64_t> group(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < request.answers; ++k, groups += size) {
    for (int i = 0; i < size; ++i) groups[i] = 0;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      write_group(request, words == nullptr ? nullptr : words + (k * pieces + piece) * each,
                  bands == nullptr ? nullptr : bands + k, group.data());
      for (int i = 0; i < size; ++i) groups[i] += group[std::size_t(i)];
    }
  }
}

void report(status_code code, const finish_list& list) {
  if (list.status != nullptr && *list.status == 0) *list.status = int(code);
}

void round_group(const group_request& request, const std::int64_t* group, std::int64_t k) {
  if (detail::read_additive_header(group) != request.signature)
    return report(status_code::mismatch, request.finish);
  any_state made = empty_state(request.accumulator, request.input);
  bool mixed = false;
  std::visit(
      [&](auto& known) {
        const std::int64_t* const words = group + detail::additive_header;
        if constexpr (requires { known.band_key(); }) {
          mixed = !detail::has_one_band(group[0], words);
          if (!mixed) known.read_additive(group[0], words);
        } else if constexpr (requires { known.read_additive(words); }) {
          known.read_additive(words);
        }
      },
      made);
  if (mixed) return report(status_code::mismatch, request.finish);
  for (int i = 0; i < request.finish.size; ++i) {
    const finish_item& each = request.finish.answers[i];
    auto* const to = static_cast<std::byte*>(each.to) + std::size_t(k) * size_bytes(each.type);
    if (!test::is_known(to)) std::abort();
    report(round_state(each.op, made,
                       {request.input, request.finish.nan, double(request.finish.correction)}, to,
                       each.type)
               .code(),
           request.finish);
  }
}

detail::extrema extrema_at(const std::int64_t* words) {
  return detail::extrema::from_words([&words] { return *words++; });
}

void write_extrema_keys(const extrema_request& request, const std::int64_t* words,
                        std::int64_t pieces, const extrema_words& to) {
  constexpr int size = detail::extrema::words;
  if ((words != nullptr && !test::is_known(words)) || !test::is_known(to.keys)) std::abort();
  for (std::int64_t k = 0; k < request.answers; ++k) {
    detail::extrema all;
    for (std::int64_t piece = 0; words != nullptr && piece < pieces; ++piece)
      all.merge(extrema_at(words + (k * pieces + piece) * size));
    to.merged[k] = all;
    write_key_words(request, all, k, to.keys);
  }
}

void round_extremum(const extrema_request& request, const extrema_words& in, std::int64_t k) {
  if (!is_of_request(request, k, in.keys)) return report(status_code::mismatch, request.finish);
  const any_state made = combined_extrema(request, k, in);
  for (int i = 0; i < request.finish.size; ++i) {
    const finish_item& each = request.finish.answers[i];
    const std::size_t size = size_bytes(each.type) * (each.op == op::minmax ? 2 : 1);
    auto* const to = static_cast<std::byte*>(each.to) + std::size_t(k) * size;
    if (!test::is_known(to)) std::abort();
    report(round_state(each.op, made, {request.input, request.finish.nan, 0}, to, each.type).code(),
           request.finish);
  }
}

// The row of this rank is not read before it is written.
void reduce_shares(const shares_request& request) {
  const auto item = std::int64_t(size_bytes(request.type)), row = request.items * item;
  if (!test::is_known(request.own) || !test::is_known(request.received)) std::abort();
  std::memcpy(static_cast<std::byte*>(request.received) + request.rank * row, request.own,
              std::size_t(row));
  options down;
  down.axes = axis(0);
  const array_view rows(request.received, request.type,
                        {{request.ranks, row}, {request.items, item}});
  const output_view answers(request.own, request.type, {{request.items, item}});
  if (!reduce(executor::cpu{1}, request.mean ? op::mean : op::sum, {rows}, answers, down))
    std::abort();
}

}  // namespace

int launch_reduce_shares(const shares_request& request, void* stream) {
  return test::enqueue(stream, [=] { reduce_shares(request); });
}

int launch_write_extrema_keys(const extrema_request& request, const std::int64_t* words,
                              std::int64_t pieces, const extrema_words& to, void* stream) {
  return test::enqueue(stream, [=] { write_extrema_keys(request, words, pieces, to); });
}

int launch_write_extrema_positions(const extrema_request& request, const extrema_words& in,
                                   void* stream) {
  return test::enqueue(stream, [=] {
    for (std::int64_t k = 0; k < request.answers; ++k)
      write_position_words(request, in.merged[k], k, in.keys, in.positions);
  });
}

int launch_round_extrema(const extrema_request& request, const extrema_words& in, void* stream) {
  return test::enqueue(stream, [=] {
    for (std::int64_t k = 0; k < request.answers; ++k) round_extremum(request, in, k);
  });
}

int launch_write_group_bands(const group_request& request, const std::int64_t* words,
                             std::int64_t pieces, std::int64_t* bands, void* stream) {
  return test::enqueue(stream, [=] { write_group_bands(request, words, pieces, bands); });
}

int launch_write_groups(const group_request& request, const std::int64_t* words,
                        std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups,
                        void* stream) {
  return test::enqueue(stream, [=] { write_groups(request, words, pieces, bands, groups); });
}

int launch_round_groups(const group_request& request, const std::int64_t* groups, void* stream) {
  return test::enqueue(stream, [=] {
    const int size = group_words(request.accumulator, request.input);
    for (std::int64_t k = 0; k < request.answers; ++k) round_group(request, groups + k * size, k);
  });
}

}  // namespace onefold::cuda
