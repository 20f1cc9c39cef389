// SPDX-License-Identifier: Apache-2.0
#pragma once
// What folds of segments share whose element type is known when the kernel runs: their loops. The
// answers are those of the states of detail/extrema.hpp, nonzero_counts.hpp and bit_fold.hpp.

#include <utility>

#include "cuda/kernels/segments/window.cuh"
#include "cuda/loaders/column_runs.cuh"
#include "cuda/primitives/element.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// What the folds share. Own: `part`, what a lane has of a segment in a window;
/// take_each<Raw>(part, each), where each(f) calls f(bits of an element, its place) in rising
/// order; sum_of(part, base). Elements have Narrowest to Widest bytes.
template <class Own, class Sum, int Narrowest = 1, int Widest = 8>
class selection_fold {
 public:
  using sum = Sum;
  using element = std::uint32_t;  ///< as which the window gives vectors
  static constexpr int digits = 0;
  static constexpr bool takes_rows = true, is_sum = false;
  static constexpr bool looks_again = false;  ///< whether Own has best_batch<Raw>

  /// Whether Own has taken a slot of f32, in its own way.
  template <class Part>
  ONEFOLD_DEVICE static bool take_floats(Part&, const uint4 (&)[slot_vectors], int, int) {
    return false;
  }

  ONEFOLD_DEVICE explicit selection_fold(const segment_arguments& a) : a_(a), kind_(a.kind) {}

  ONEFOLD_DEVICE unsigned bytes() const { return kind_.bytes; }
  ONEFOLD_DEVICE int items_of(int bytes) const { return bytes >> (__ffs(kind_.bytes) - 1); }
  ONEFOLD_DEVICE static sum nothing() { return {}; }
  ONEFOLD_DEVICE static void settle(sum&) {}
  /// Elements of segments that are a lane's, one by one.
  static constexpr int few = 8;
  /// Elements from … until - 1, at most `most`, which is the same in every lane.
  template <class Part, class Window>
  ONEFOLD_DEVICE void add_few(Part& to, const Window& window, int from, int until, int most) const {
    by_width([&]<class Raw>(Raw) {
      const Raw* const items = window.template items<Raw>(from);
      own().template take_each<Raw>(to, [&](const auto& take) {
        ONEFOLD_UNROLL_BY_4
        for (int i = 0; i < most; ++i)
          if (from + i < until) take(items[i], from + i);
      });
    });
  }
  /// The share of lane `first` of `step` in elements from … until - 1: vectors in turns. Of its
  /// first and last one some elements may be others'.
  template <class Part, class Window>
  ONEFOLD_DEVICE void add_items(Part& to, const Window& window, int from, int until, int first,
                                int step) const {
    if (from >= until) return;  // its vector may not be there
    by_width([&]<class Raw>(Raw) {
      constexpr int count = int(16 / sizeof(Raw));
      const int apart = step * count;
      own().template take_each<Raw>(to, [&](const auto& take) {
        int at = (from & -count) + first * count;
        ONEFOLD_ROLLED
        while (at < until) {
          const auto take_own = [&](Raw raw, int place) {
            if (from <= place && place < until) take(raw, place);
          };
          take_vector<Raw>(take_own, window, at);
          at += apart;
          ONEFOLD_ROLLED
          for (; at + apart < until; at += apart) take_vector<Raw>(take, window, at);
        }
      });
    });
  }
  /// The same of at most slot_vectors vectors, in two steps: loaded together, they free the window
  /// before they are taken.
  struct slot {
    uint4 vectors[slot_vectors];
  };
  template <class Window>
  ONEFOLD_DEVICE void load_slot(slot& to, const Window& window, int from, int until, int first,
                                int step) const {
    const int width = int(kind_.bytes);
    const int at = (from * width & -16) + 16 * first, high = until * width;
    ONEFOLD_UNROLL
    for (int i = 0; i < slot_vectors; ++i)
      if (at + 16 * step * i < high) to.vectors[i] = window.vector(at + 16 * step * i);
  }
  template <class Part>
  ONEFOLD_DEVICE void add_slot(Part& to, const slot& slot, int from, int until, int first,
                               int step) const {
    by_width([&]<class Raw>(Raw) {
      constexpr int count = int(16 / sizeof(Raw));
      const int at = (from & -count) + first * count;
      if constexpr (Own::looks_again && sizeof(Raw) == 4) {
        if (from <= at && at + (slot_vectors - 1) * step * count + count <= until)
          if (own().take_floats(to, slot.vectors, at, step * count)) return;
      }
      own().template take_each<Raw>(to, [&](const auto& take) {
        const auto take_own = [&](Raw raw, int place) {
          if (from <= place && place < until) take(raw, place);
        };
        const auto take_before = [&](Raw raw, int place) {
          if (place < until) take(raw, place);
        };
        take_all<Raw>(take_own, slot.vectors[0], at, items_in<Raw>());
        ONEFOLD_UNROLL
        for (int i = 1; i < slot_vectors; ++i)
          take_all<Raw>(take_before, slot.vectors[i], at + i * step * count, items_in<Raw>());
      });
    });
  }
  /// A run of elements: eight on their way.
  template <class Part>
  ONEFOLD_DEVICE void add_run(Part& to, const element_run& run) const {
    by_width([&]<class Raw>(Raw) {
      constexpr int ahead = 8;
      const run_items<Raw> items = {run};
      int from = 0;
      if constexpr (Own::looks_again) from = look_again<Raw, ahead>(to, items);
      own().template take_each<Raw>(to, [&](const auto& take) {
        int i = from;
        ONEFOLD_ROLLED
        for (; !Own::looks_again && i + ahead <= run.count; i += ahead) {
          Raw raw[ahead];
          ONEFOLD_UNROLL
          for (int j = 0; j < ahead; ++j) raw[j] = items[i + j];
          ONEFOLD_UNROLL
          for (int j = 0; j < ahead; ++j) take(raw[j], items.index(i + j));
        }
        ONEFOLD_ROLLED
        for (; i < run.count; ++i) take(items[i], items.index(i));
      });
    });
  }
  /// As window.take_stages.
  template <class Part, class Window>
  ONEFOLD_DEVICE int add_stages(Part& to, Window& window, int at, int stop) const {
    by_width([&]<class Raw>(Raw) {
      own().template take_each<Raw>(to, [&](const auto& take) {
        at = window.take_stages(at, stop, [&](const uint4& v, int byte) {
          take_all<Raw>(take, v, byte / int(sizeof(Raw)), items_in<Raw>());
        });
      });
    });
    return at;
  }
  template <class Of>
  ONEFOLD_DEVICE unsigned write_usual(const Of& answer, std::int64_t n, std::int64_t first,
                                      int lane) const {
    return own().write_rest(answer, n, first + lane);
  }
  ONEFOLD_DEVICE static void fallback(std::int64_t, std::int64_t, std::int64_t, std::int64_t*) {}

 protected:
  ONEFOLD_DEVICE op operation() const { return a_.request.op; }
  ONEFOLD_DEVICE bool omits() const { return a_.request.nan == nan_policy::omit; }
  ONEFOLD_DEVICE bool refuses(bool nan) const { return nan && a_.request.nan == nan_policy::error; }
  /// An answer of so many bytes.
  ONEFOLD_DEVICE void put(std::int64_t k, std::uint64_t raw, unsigned width) const {
    switch (width) {
    case 1:
      static_cast<std::uint8_t*>(a_.block.out)[k] = std::uint8_t(raw);
      break;
    case 2:
      static_cast<std::uint16_t*>(a_.block.out)[k] = std::uint16_t(raw);
      break;
    case 4:
      static_cast<std::uint32_t*>(a_.block.out)[k] = std::uint32_t(raw);
      break;
    default:
      static_cast<std::uint64_t*>(a_.block.out)[k] = raw;
    }
  }

  const segment_arguments& a_;
  element_kind kind_;

 private:
  template <class Raw>
  using items_in = std::make_integer_sequence<int, int(16 / sizeof(Raw))>;

  template <class F>
  ONEFOLD_DEVICE void by_width(const F& f) const {
    if constexpr (Narrowest < 8) {
      if (kind_.bytes == 1) return f(std::uint8_t());
      if (kind_.bytes == 2) return f(std::uint16_t());
      if (Widest == 4 || kind_.bytes == 4) return f(std::uint32_t());
    }
    if constexpr (Widest == 8) f(std::uint64_t());
  }
  template <class Raw>
  struct run_items {
    const element_run& run;

    ONEFOLD_DEVICE Raw operator[](int i) const {
      return *reinterpret_cast<const Raw*>(run.x + i * run.apart);
    }
    ONEFOLD_DEVICE int index(int i) const { return run.index + i * run.index_step; }
  };
  // Whole batches of a run, of which the best is read twice. Returns the element after them.
  template <class Raw, int Ahead, class Part>
  ONEFOLD_DEVICE int look_again(Part& to, const run_items<Raw>& items) const {
    typename Own::template best_batch<Raw> best(own());
    int i = 0, found = -1;
    ONEFOLD_ROLLED
    for (; i + Ahead <= items.run.count; i += Ahead) {
      Raw raw[Ahead];
      ONEFOLD_UNROLL
      for (int j = 0; j < Ahead; ++j) raw[j] = items[i + j];
      found = best.offer(raw) ? i : found;
    }
    if (found < 0) return i;
    own().template take_each<Raw>(to, [&](const auto& take) {
      ONEFOLD_ROLLED
      for (int j = 0; j < Ahead; ++j) take(items[found + j], items.index(found + j));
    });
    return i;
  }
  template <class Raw, class Take, class Window>
  ONEFOLD_DEVICE static void take_vector(const Take& take, const Window& window, int at) {
    take_all<Raw>(take, window.vector(at * int(sizeof(Raw))), at, items_in<Raw>());
  }
  template <class Raw, class Take, int... I>
  ONEFOLD_DEVICE static void take_all(const Take& take, const uint4& v, int place,
                                      std::integer_sequence<int, I...>) {
    (take(Raw(bits_in<Raw, I>(v)), place + I), ...);
  }
  ONEFOLD_DEVICE const Own& own() const { return static_cast<const Own&>(*this); }
};

}  // namespace onefold::cuda
