// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/rungs.hpp"
#include "ladder/rung/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace onefold::ladder {
namespace {

std::vector<rung> collect() {
  std::vector<rung> all;
  for (const auto& room : {reduce_rungs, dot_rungs, image_rungs, loop_rungs, published_reduce_rungs,
                           published_dot_rungs, published_image_rungs, published_loop_rungs}) {
    std::ranges::move(room(), std::back_inserter(all));
  }
  for (rung& r : all) {
    r.published = r.name.starts_with("published/");
    r.printed = printings_of(r.name);
    if (!r.file.empty()) continue;
    r.file = fmt::format("ladder/{}.cuh", r.name);
    std::ranges::replace(r.file, '-', '_');
  }
  return all;
}

}  // namespace

const std::vector<rung>& all_rungs() {
  static const std::vector<rung> rungs = collect();
  return rungs;
}

const rung* find_rung(std::string_view name) {
  const auto& rungs = all_rungs();
  const auto found =
      std::find_if(rungs.begin(), rungs.end(), [name](const rung& r) { return r.name == name; });
  return found == rungs.end() ? nullptr : &*found;
}

bool is_image(const rung& r) {
  return r.kind == work::transpose || r.kind == work::column_sums || r.kind == work::row_sums;
}

std::string_view items_of(const rung& r) {
  return is_image(r) ? "pixels" : "elements";
}

// Of the regular expression: | stands between compilers, and a dot for a quotation mark.
std::string compiler_words(const rung& r) {
  std::string words;
  for (const char c : r.compiler_says) {
    if (c == '|') {
      words += "; or: ";
    } else {
      words += c == '.' ? '\'' : c;
    }
  }
  return words;
}

element usual_type(const rung& r) {
  if (is_image(r)) return element::uint8;
  return r.kind == work::reduce && !r.floats_only ? element::int32 : element::float32;
}

trial_options usual_options(const rung& r) {
  trial_options options = r.shown_at;
  if (!r.published) options.type = usual_type(r);
  return options;
}

namespace {

bool heard(witness judged_by, const evidence& e) {
  if (judged_by == witness::executor) return true;
  return e.recorded != nullptr && (e.previous == nullptr || e.recorded_before != nullptr);
}

}  // namespace

claim_state judge(const claim& c, const evidence& e) {
  // The cost model's claims speak of warps of 32 lanes, and of one launch.
  if (e.current.options.warp != simt::max_warp_lanes) return claim_state::only_full_warps;
  if (e.current.options.drive != driver::host) return claim_state::only_host_driver;
  if (e.previous_refuses) return claim_state::not_compared;
  if (!heard(c.judged_by, e)) return claim_state::not_recorded;
  if (!c.applies(e)) return claim_state::not_at_this_size;
  const bool counted = c.test(e);
  if (counted != c.true_here) return claim_state::broken;
  return counted ? claim_state::holds : claim_state::does_not_hold;
}

}  // namespace onefold::ladder
