// SPDX-License-Identifier: Apache-2.0
// Elements as digits: element i of a few is 8^i and all others are 0, so the digits of the sum say
// how often each element is in it. Of a maximum or minimum one element after the other wins.
// Registers and shuffles hide nothing from that.
#include "ladder/try/explain/explain.hpp"
#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/source/source.hpp"
#include "ladder/try/watch/equal_stores.hpp"
#include "simt/memory_map.hpp"
#include "simt/symbols.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>

namespace onefold::ladder::learner {
namespace {

constexpr unsigned digit_bits = 3;
constexpr number most_times = 1024;
constexpr std::size_t few = 64;
constexpr std::size_t longest = 257;
constexpr std::size_t named = 6;  // elements, before "and others"

/// An instruction, and which round of its loop it is.
struct moment {
  std::uintptr_t pc = 0;
  unsigned by_barriers = 0;  ///< barriers of the block since it first came to the instruction
  unsigned by_lane = 0;      ///< how often the lane has come to it before
};

/// Follows one element through memory: words that hold it, and those that hold it several times.
class element_trace : public simt::observer {
 public:
  enum class event : unsigned char { none, load, store, overwrite };

  /// Of sums multiples of `single` say how often; else it is one value.
  element_trace(scalar type, number single, bool sums)
      : type_(type), single_(single), sums_(sums) {}

  void launch_begins(const simt::launch_view& launch) override {
    sites_ = &launch.sites;
    map_ = &launch.map;
  }
  void access(const simt::memory_access& access) override {
    settle();
    const void* const at = access.inside ? address_of(*map_, access) : nullptr;
    if (at == nullptr || access.size_bytes != size_bytes(type_)) return;
    const unsigned first = first_.emplace(access.site, interval_).first->second;
    const unsigned times = times_[{access.site, access.who.thread}]++;
    const moment now{sites_->pc_of(access.site), interval_ - first, times};
    const bool reads = !access.writes || access.reads;
    const bool held = times_held(at) != 0;
    if (reads && held) note(event::load, now);
    if (access.writes) pending_ = {at, now, held};
  }
  void barrier(const simt::barrier_view& b) override {
    settle();
    interval_ = b.interval + 1;
  }
  void block_begins(unsigned) override {
    interval_ = 0;
    first_.clear();
    times_.clear();
  }
  void lane_ends(const simt::lane_position&) override { settle(); }

  event last() const { return last_; }
  const moment& when() const { return when_; }
  const std::optional<moment>& doubled() const { return doubled_; }

 private:
  struct pending_store {
    const void* at;
    moment when;
    bool held;
  };

  /// Bytes that nothing has written are no such value.
  unsigned times_held(const void* at) const {
    const number value = load(type_, at);
    if (!sums_) return value == single_ ? 1 : 0;
    const number times = value / single_;
    const bool whole = times > 0 && times <= most_times && times == std::floor(times);
    return whole ? static_cast<unsigned>(times) : 0;
  }

  void settle() {
    if (!pending_) return;
    const pending_store p = *pending_;
    pending_.reset();
    const unsigned times = times_held(p.at);
    if (times > 1 && !doubled_) doubled_ = p.when;
    if (times != 0) {
      note(event::store, p.when);
    } else if (p.held) {
      note(event::overwrite, p.when);
    }
  }

  void note(event e, const moment& when) {
    last_ = e;
    when_ = when;
  }

  scalar type_;
  number single_;
  bool sums_;
  const simt::site_table* sites_ = nullptr;
  const simt::memory_map* map_ = nullptr;
  std::optional<pending_store> pending_;
  event last_ = event::none;
  moment when_;
  std::optional<moment> doubled_;
  unsigned interval_ = 0;
  std::map<simt::site_id, unsigned> first_;  ///< interval of the block
  std::map<std::pair<simt::site_id, unsigned>, unsigned> times_;
};

/// "elements 5, 7 and 11", "element 5"
std::string list_of(const std::vector<std::size_t>& elements) {
  std::string text = elements.size() == 1 ? "element " : "elements ";
  const std::size_t shown = std::min(elements.size(), named);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == elements.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", elements[i]);
  }
  return shown == elements.size() ? text
                                  : text + fmt::format(" and {} others", elements.size() - shown);
}

class letters {
 public:
  letters(trials& all, const trial_launch& wrong, const session_plan& plan)
      : all_(all), launch_(wrong), plan_(plan), type_(all.setup().output().type),
        op_(all.setup().op), sums_(op_ == reduction::sum || has_products()) {
    launch_.input = input_kind::random;
  }

  bool has_products() const { return all_.setup().expectation == expectation::products; }

  /// Empty: every element is in the answer once, or that is unknown.
  std::string of_input(std::size_t input) {
    launch_.of_input = input;
    const auto counts = sums_ ? digits() : winners();
    if (!counts || !explain_answer(*counts)) return "";
    std::vector<std::size_t> lost, repeated;
    for (std::size_t i = 0; i < counts->size(); ++i) {
      if ((*counts)[i] == 0) lost.push_back(i);
      if ((*counts)[i] > 1) repeated.push_back(i);
    }
    const std::string whose =
        !has_products()
            ? ""
            : fmt::format(" of '{}'",
                          all_.setup().kernel.names[all_.setup().given.inputs()[input]]);
    std::string text;
    if (!lost.empty()) {
      text = fmt::format("{}{} never {} the answer: {} is {}", list_of(lost), whose,
                         lost.size() == 1 ? "reaches" : "reach", lost.front(), fate(lost.front()));
    }
    if (!repeated.empty()) {
      const unsigned times = (*counts)[repeated.front()];
      text += fmt::format("{}{}{} {} {}{}", text.empty() ? "" : "; ", list_of(repeated), whose,
                          repeated.size() == 1 ? "counts" : "count",
                          times == 2 ? "twice" : fmt::format("{} times", times),
                          doubling(repeated.front()));
    }
    return text;
  }

  bool add_up() {
    const auto counts = digits();
    const auto is_one = [](unsigned times) { return times == 1; };
    return counts && (std::ranges::all_of(*counts, is_one) || explain_answer(*counts));
  }

 private:
  using counts_of_elements = std::optional<std::vector<unsigned>>;

  /// Whether the elements so many times are the answer to the wrong launch, too, but for what a sum
  /// of floats rounds: a count is no sum.
  bool explain_answer(const std::vector<unsigned>& counts) {
    if (has_products() || !sums_) return true;
    const numbers values = inputs_of(all_.setup(), launch_).front();
    number total = 0, magnitudes = 0, added = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (unsigned times = 0; times < counts[i]; ++times)
        total = fold(reduction::sum, type_, total, values[i]);
      magnitudes += counts[i] * std::abs(values[i]), added += counts[i];
    }
    const number answer = std::strtold(all_.run(launch_).answer.c_str(), nullptr);
    if (!is_floating(type_) || same(total, answer)) return same(total, answer);
    // Two orders of the additions.
    return std::abs(total - answer) <=
           2 * added * std::ldexp(magnitudes, -static_cast<int>(exact_bits(type_)));
  }

  /// How often each element is in the sum; nothing where the answer is no sum of them.
  counts_of_elements digits() {
    const unsigned bits = std::min(exact_bits(type_), 52u);
    if (answer_to(numbers(launch_.data.volume())) != 0) return {};
    auto found = digits_of(std::max(1u, bits / digit_bits - 1));
    return found || launch_.data.volume() > few ? found : digits_of(1);
  }

  /// So many elements in one launch; a single one may be there any number of times.
  counts_of_elements digits_of(std::size_t at_once) {
    const std::size_t n = launch_.data.volume();
    std::vector<unsigned> counts;
    for (std::size_t first = 0; first < n; first += at_once) {
      numbers values(n);
      const std::size_t last = std::min(n, first + at_once);
      for (std::size_t i = first; i < last; ++i) {
        values[i] = std::ldexp(number{1}, static_cast<int>(digit_bits * (i - first)));
      }
      number left = answer_to(values);
      if (!(left >= 0) || left != std::floor(left)) return {};
      for (std::size_t i = first; i < last; ++i) {
        const number times = at_once == 1 ? left : std::fmod(left, 8);
        counts.push_back(static_cast<unsigned>(std::min(times, most_times)));
        left = at_once == 1 ? 0 : std::floor(left / 8);
      }
      if (left != 0) return {};
    }
    return counts;
  }

  /// Elements rank by their index; whoever wins is left out of the next launch.
  counts_of_elements winners() {
    const std::size_t n = launch_.data.volume();
    if (op_ == reduction::product || n > few) return {};
    const auto value = [&](std::size_t rank) {
      return static_cast<number>(op_ == reduction::maximum ? rank + 1 : n + 1 - rank);
    };
    std::vector<unsigned> counts(n, 0);
    numbers values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value(i + 1);
    for (std::size_t above = n + 1; above > 1;) {
      const number answer = answer_to(values);
      std::size_t rank = 0;
      while (rank < above && value(rank) != answer) ++rank;
      if (rank == above) return {};
      if (rank == 0) break;
      counts[rank - 1] = 1;
      for (std::size_t i = rank - 1; i < n; ++i) values[i] = value(0);
      above = rank;
    }
    return counts;
  }

  element_trace traced(std::size_t element) {
    const bool most = op_ == reduction::maximum;
    numbers values(launch_.data.volume(), number{sums_ ? 0.0L : most ? 1.0L : 3.0L});
    // Among factors of 1 the element is another number.
    const number single = has_products() ? 4 : sums_ || !most ? 1 : 3;
    values[element] = single;
    element_trace trace(type_, single, sums_);
    answer_to(values, &trace);
    return trace;
  }

  /// What happens to the element at last.
  std::string fate(std::size_t element) {
    const element_trace trace = traced(element);
    const std::string where = at(trace.when());
    switch (trace.last()) {
    case element_trace::event::none:
      return "read by no lane";
    case element_trace::event::load:
      return "lost by the lane that reads it at " + where;
    case element_trace::event::store:
      return "left where it is stored at " + where;
    case element_trace::event::overwrite:
      break;
    }
    return "overwritten at " + where;
  }

  std::string doubling(std::size_t element) {
    const auto doubled = traced(element).doubled();
    return doubled ? fmt::format(": {} meets itself at {}", element, at(*doubled)) : "";
  }

  /// "my_sum.cu:7 at s = 1"
  std::string at(const moment& when) const {
    simt::location place = simt::locate(when.pc);
    if (!same_file(place.file, plan_.file)) return simt::to_string(place);
    place.file = plan_.file;
    const counted_loop* around = nullptr;
    for (const counted_loop& loop : plan_.loops) {
      if (loop.holds(place.line)) around = &loop;
    }
    if (around == nullptr) return simt::to_string(place);
    const unsigned round =
        around->barriers != 0 ? when.by_barriers / around->barriers : when.by_lane;
    return simt::to_string(place) + " at " + around->step(round, launch_.block.x);
  }

  number answer_to(const numbers& values, simt::observer* extra = nullptr) {
    launch_.elements = &values;
    const std::string answer = all_.run(launch_, extra).answer;
    launch_.elements = nullptr;
    return std::strtold(answer.c_str(), nullptr);
  }

  trials& all_;
  trial_launch launch_;
  const session_plan& plan_;
  scalar type_;
  reduction op_;
  bool sums_;
};

}  // namespace

std::string lost_elements(trials& all, const trial_launch& wrong, const session_plan& plan) {
  const trial_setup& t = all.setup();
  const bool folds = t.expectation == expectation::fold || t.expectation == expectation::products;
  const bool plain =
      t.input().type == t.output().type && t.input().lanes == 1 && t.output().lanes == 1;
  if (!folds || t.of_records() || !plain || t.in_place() || wrong.data.volume() > longest)
    return "";
  letters probe(all, wrong, plan);
  for (std::size_t input = 0; input < t.given.inputs().size(); ++input) {
    if (std::string text = probe.of_input(input); !text.empty()) return text;
  }
  return "";
}

bool adds_up(trials& all, const trial_launch& wrong, const session_plan& plan) {
  const trial_setup& t = all.setup();
  if (t.op != reduction::sum || t.input().lanes != 1 || is_struct(t.input()) || t.in_place() ||
      wrong.data.volume() > longest)
    return false;
  return letters(all, wrong, plan).add_up();
}

}  // namespace onefold::ladder::learner
