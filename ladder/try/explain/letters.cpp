// SPDX-License-Identifier: Apache-2.0
// Elements as digits: element i of a few is 8^i and all others are 0, so the digits of the sum say
// how often each element is in it. Registers and shuffles hide nothing from that.
#include "ladder/try/explain/explain.hpp"
#include "ladder/try/source/source.hpp"
#include "ladder/try/watch/equal_stores.hpp"
#include "simt/memory_map.hpp"
#include "simt/symbols.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace onefold::ladder::learner {
namespace {

constexpr unsigned digit_bits = 3;
constexpr number most_times = 1024;
constexpr std::size_t few = 64;
constexpr std::size_t longest = 257;
constexpr std::size_t named = 6;  // elements, before "and others"

/// Follows the one element that is not 0 through memory.
class element_trace : public simt::observer {
 public:
  enum class event : unsigned char { none, load, store, overwrite };

  explicit element_trace(scalar type) : type_(type) {}

  void launch_begins(const simt::launch_view& launch) override {
    sites_ = &launch.sites;
    map_ = &launch.map;
  }
  void access(const simt::memory_access& access) override {
    settle();
    const void* const at = access.inside ? address_of(*map_, access) : nullptr;
    if (at == nullptr || access.size_bytes != size_bytes(type_)) return;
    const bool reads = !access.writes || access.reads;
    const bool held = holds(at);
    if (reads && held) note(event::load, access);
    if (access.writes) pending_ = {at, access, held};
  }
  void barrier(const simt::barrier_view& b) override {
    settle();
    interval_ = b.interval + 1;
  }
  void block_begins(unsigned) override { interval_ = 0; }
  void lane_ends(const simt::lane_position&) override { settle(); }

  event last() const { return last_; }
  simt::location place() const { return simt::locate(pc_); }
  unsigned interval() const { return at_interval_; }

 private:
  struct pending_store {
    const void* at;
    simt::memory_access access;
    bool held;
  };

  /// Bytes that nothing has written are no such value.
  bool holds(const void* at) const {
    const number value = load(type_, at);
    return value > 0 && value <= most_times;
  }

  void settle() {
    if (!pending_) return;
    const pending_store p = *pending_;
    pending_.reset();
    if (holds(p.at)) {
      note(event::store, p.access);
    } else if (p.held) {
      note(event::overwrite, p.access);
    }
  }

  void note(event e, const simt::memory_access& access) {
    last_ = e;
    pc_ = sites_->pc_of(access.site);
    at_interval_ = interval_;
  }

  scalar type_;
  const simt::site_table* sites_ = nullptr;
  const simt::memory_map* map_ = nullptr;
  std::optional<pending_store> pending_;
  event last_ = event::none;
  std::uintptr_t pc_ = 0;
  unsigned interval_ = 0, at_interval_ = 0;
};

class letters {
 public:
  letters(trials& all, const trial_launch& wrong) : all_(all), launch_(wrong) {
    launch_.input = input_kind::random;
  }

  /// How often each element is in the answer; nothing where that is no sum of them.
  std::optional<std::vector<unsigned>> counts() {
    const unsigned bits = std::min(exact_bits(all_.setup().output().type), 52u);
    if (answer_to(numbers(launch_.data.volume())) != 0) return {};
    auto found = counts_of(std::max(1u, bits / digit_bits - 1));
    return found || launch_.data.volume() > few ? found : counts_of(1);
  }

  /// What happens to the element at last.
  std::string fate(std::size_t element, const std::string& file) {
    numbers values(launch_.data.volume());
    values[element] = 1;
    element_trace trace(all_.setup().output().type);
    answer_to(values, &trace);
    simt::location place = trace.place();
    if (same_file(place.file, file)) place.file = file;
    std::string where = simt::to_string(place);
    if (trace.interval() != 0) where += fmt::format(" after {} barriers", trace.interval());
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

 private:
  /// So many elements in one launch; a single one may be there any number of times.
  std::optional<std::vector<unsigned>> counts_of(std::size_t at_once) {
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

  number answer_to(const numbers& values, simt::observer* extra = nullptr) {
    launch_.elements = &values;
    const std::string answer = all_.run(launch_, extra).answer;
    launch_.elements = nullptr;
    return std::strtold(answer.c_str(), nullptr);
  }

  trials& all_;
  trial_launch launch_;
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

}  // namespace

std::string lost_elements(trials& all, const trial_launch& wrong, const std::string& file) {
  const trial_setup& t = all.setup();
  const bool sum = t.expectation == expectation::fold && t.op == reduction::sum && !t.of_records();
  const bool plain =
      t.input().type == t.output().type && t.input().lanes == 1 && t.output().lanes == 1;
  if (!sum || !plain || t.in_place() || wrong.data.volume() > longest) return "";
  letters probe(all, wrong);
  const auto counts = probe.counts();
  if (!counts) return "";
  std::vector<std::size_t> lost, repeated;
  for (std::size_t i = 0; i < counts->size(); ++i) {
    if ((*counts)[i] == 0) lost.push_back(i);
    if ((*counts)[i] > 1) repeated.push_back(i);
  }
  std::string text;
  if (!lost.empty()) {
    text = fmt::format("{} never {} the answer: {} is {}", list_of(lost),
                       lost.size() == 1 ? "reaches" : "reach", lost.front(),
                       probe.fate(lost.front(), file));
  }
  if (!repeated.empty()) {
    text += fmt::format("{}{} {} {} times", text.empty() ? "" : "; ", list_of(repeated),
                        repeated.size() == 1 ? "counts" : "count", (*counts)[repeated.front()]);
  }
  return text;
}

}  // namespace onefold::ladder::learner
