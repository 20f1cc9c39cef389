// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/text.hpp"
#include "ladder/reduce/rungs.hpp"
#include "ladder/rung/claims.hpp"
#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>

namespace onefold::ladder {
namespace {

/// The other pages show the times of ints alone. Here the type decides what the device is sent.
std::string times_of_each_type() {
  std::vector<text_table::column> columns = {{"n", align::right}};
  for (const element type : number_types) columns.push_back({to_string(type), align::right});
  text_table table(columns);
  for (const hardware_time& t : recorded_times()) {
    if (t.rung != "reduce/atomic" || t.type != element::int32) continue;
    std::vector<std::string> cells = {fmt::format("{}", t.n)};
    for (const element type : number_types) {
      const hardware_time* const same = recorded_time(t.rung, type, t.n);
      cells.push_back(same == nullptr ? "-" : fmt::format("{:.1f}", same->median_us));
    }
    table.add(cells);
  }
  return fmt::format("microseconds on {}; of ints nvcc sends one update a warp, of floats one a "
                     "lane\n{}",
                     times_source(), table.text());
}

/// A length whose updates take long after any launch.
constexpr std::size_t many = std::size_t{1} << 26;

double recorded_us(element type) {
  const hardware_time* const t = recorded_time("reduce/atomic", type, many);
  return t == nullptr ? 0 : t->median_us;
}

/// The claim is about times; counters of floats are not recorded.
bool floats_are_as_fast(const evidence&) {
  return recorded_us(element::float32) < 2 * recorded_us(element::int32);
}

std::string times_of_floats_and_ints(const evidence&) {
  return fmt::format("2^26: {:.0f} us of ints, {:.0f} us of floats", recorded_us(element::int32),
                     recorded_us(element::float32));
}

}  // namespace

rung atomic_rung() {
  rung r;
  r.name = "reduce/atomic";
  r.title = "one atomic update an element";
  r.idea = "every lane folds its element onto one value, so there is nothing left to fold";
  r.one_value = true;
  r.any_block = true;
  r.appendix = times_of_each_type;
  r.onto_identity = true;
  r.claims = {
      {.says = "it needs no barrier",
       .true_here = true,
       .applies = at_any_size,
       .test = [](const evidence& e) { return e.counts().barriers == 0; },
       .counted =
           [](const evidence& e) {
             return fmt::format("{} warps at barriers", e.counts().barriers);
           }},
      {.says = "one launch gives the answer",
       .true_here = true,
       .applies = at_any_size,
       .test = one_launch_answers,
       .counted = launches},
      by_gpu("atomic updates of floats cost as much as those of ints", false, floats_are_as_fast,
             times_of_floats_and_ints),
  };
  return r;
}

}  // namespace onefold::ladder
