// SPDX-License-Identifier: Apache-2.0
#include "support/families.hpp"

#include <type_traits>

#include "support/families_hard.hpp"
#include "support/families_plain.hpp"

namespace onefold::test {
namespace {

constexpr path_member fast = &detail::path_counts::fast_tiles,
                      moved = &detail::path_counts::reopened,
                      deeper = &detail::path_counts::escalated,
                      slow = &detail::path_counts::slow_tiles;

template <class T>
using filler = void (*)(random_source&, T*, std::size_t);

template <class T>
constexpr filler<T> fillers[] = {fill_uniform<T>,      fill_normal<T>,       fill_wide_normal<T>,
                                 fill_hundred_bits<T>, fill_random_bits<T>,  fill_subnormal<T>,
                                 fill_huge<T>,         fill_cancellation<T>, fill_two_clusters<T>,
                                 fill_ties<T>,         fill_integers<T>,     fill_drift<T>,
                                 fill_near_least<T>,   fill_half_units<T>,   fill_one_sign<T>,
                                 fill_window_edge<T>,  fill_specials<T>};

// Pieces of all kinds one after another, each about a tile long: what one tile leaves
// (window, depth, patience, skips) meets every other kind.
template <class T>
void fill_mosaic(random_source& random, T* x, std::size_t n) {
  while (n > 0) {
    const std::size_t piece =
        std::min<std::size_t>(n, 32 + random.below(random.one_in(4) ? 700 : 90));
    fillers<T>[random.below(std::size(fillers<T>))](random, x, piece);
    x += piece, n -= piece;
  }
}

// What a window of one type takes, is too wide for that of another: one level holds every finite
// binary16, six levels every finite binary32 and bfloat16, so there only specials go slowly.
template <class T>
std::vector<family<T>> make_families() {
  constexpr bool f64 = std::is_same_v<T, double>, narrow = std::is_same_v<T, f16>;
  const auto wide = narrow ? fast : deeper, widest = f64 ? slow : wide;
  return {
      {"uniform", fill_uniform<T>, {fast}},
      {"normal", fill_normal<T>, {fast}},
      {"N exp(5 N)", fill_wide_normal<T>, {wide}},
      {"lognormal, sigma 10", fill_lognormal<T>, {wide}},
      {"exponents in +-100", fill_hundred_bits<T>, {wide}},
      {"random bits", fill_random_bits<T>, {widest}},
      {"subnormal", fill_subnormal<T>, {fast}},
      {"near the least normal", fill_near_least<T>, {fast}},
      {"huge", fill_huge<T>, {f64 ? slow : fast}},
      {"integers", fill_integers<T>, {fast}},
      {"zeros of both signs", fill_zeros<T>, {fast}},
      {"sparse", fill_sparse<T>, {fast}},
      {"two clusters", fill_two_clusters<T>, {widest}},
      {"drift", fill_drift<T>, {fast, narrow ? fast : moved}},
      {"cancellation", fill_cancellation<T>, {fast}},
      {"cancelling overflow", fill_cancelling_overflow<T>, {f64 ? slow : fast}},
      {"exact ties, +- tiny", fill_ties<T>, {fast, widest}},
      {"half units", fill_half_units<T>, {fast}},
      {"one sign", fill_one_sign<T>, {fast, narrow ? fast : moved}},
      {"edge of the window", fill_window_edge<T>, {fast, wide}},
      {"ill-conditioned", fill_ill_conditioned<T>, {widest}},
      {"infinities and NaN", fill_specials<T>, {slow}, false},
      {"mosaic", fill_mosaic<T>, {fast, moved, wide, slow}, false},
  };
}

}  // namespace

template <class T>
const std::vector<family<T>>& families() {
  static const std::vector<family<T>> made = make_families<T>();
  return made;
}

template const std::vector<family<double>>& families();
template const std::vector<family<float>>& families();
template const std::vector<family<bf16>>& families();
template const std::vector<family<f16>>& families();

}  // namespace onefold::test
