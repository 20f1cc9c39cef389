// SPDX-License-Identifier: Apache-2.0
// The SIMD targets of this build and CPU, and the choice among them by ONEFOLD_SIMD.
#include "cpu/kernels/targets.hpp"

#include <hwy/targets.h>

#include <atomic>
#include <cstdlib>

namespace onefold::cpu {
namespace {

// Our names for Highway's targets, as in the documents and ONEFOLD_SIMD.
constexpr std::pair<std::int64_t, std::string_view> our_names[] = {
    {HWY_AVX3, "avx512"},   {HWY_AVX2, "avx2"},     {HWY_NEON, "neon"},
    {HWY_EMU128, "scalar"}, {HWY_SCALAR, "scalar"},
};

std::string_view our_name(std::int64_t target) {
  for (const auto& [highway, ours] : our_names)
    if (highway == target) return ours;
  return hwy::TargetName(target);
}

// Highway numbers targets so that a better target has a lower bit.
template <class F>
void for_each_target(std::int64_t targets, F&& f) {
  for (; targets != 0; targets &= targets - 1) f(targets & -targets);
}

// The compiled targets that this CPU has; at least the one that the compiler's flags allow anyway.
// Highway's choice belongs to all users of libhwy in the process. SupportedTargets() replaces it,
// so what it was comes back: no choice yet, or the targets that the other users left enabled.
std::int64_t available_targets() {
  hwy::ChosenTarget& of_process = hwy::GetChosenTarget();
  const bool was_chosen = of_process.IsInitialized();
  const std::int64_t supported = hwy::SupportedTargets();
  if (was_chosen)
    of_process.Update(supported);
  else
    of_process.DeInit();
  return (supported | HWY_STATIC_TARGET) & compiled_targets();
}

std::vector<kernel_table> collect_tables() {
  std::vector<kernel_table> collected;
  for_each_target(available_targets(), [&](std::int64_t target) {
    collected.push_back(table_of_target(target));
    collected.back().target = our_name(target);
    collected.back().terms = &terms_of_target(target);
    collected.back().operators = &operators_of_target(target);
    collected.back().columns = &columns_of_target(target);
    collected.back().fast = &fast_loops_of_target(target);
    collected.back().ordered = &ordered_of_target(target);
    collected.back().turns = &turns_of_target(target);
  });
  return collected;
}

const kernel_table* named(std::string_view wanted) {
  for (const auto* table : tables())
    if (table->target == wanted) return table;
  return nullptr;
}

const kernel_table* first_choice() {
  const char* wanted = std::getenv("ONEFOLD_SIMD");
  const kernel_table* found = wanted ? named(wanted) : nullptr;
  return found ? found : tables().front();
}

std::atomic<const kernel_table*>& active() {
  static std::atomic<const kernel_table*> table = first_choice();
  return table;
}

}  // namespace

const std::vector<const kernel_table*>& tables() {
  static const std::vector<kernel_table> collected = collect_tables();
  static const std::vector<const kernel_table*> pointers = [] {
    std::vector<const kernel_table*> list;
    list.reserve(collected.size());
    for (const auto& table : collected) list.push_back(&table);
    return list;
  }();
  return pointers;
}

const kernel_table& active_table() {
  return *active().load(std::memory_order_relaxed);
}

const std::string& refused_target() {
  static const std::string refused = [] {
    const char* wanted = std::getenv("ONEFOLD_SIMD");
    return wanted && *wanted && !named(wanted) ? std::string(wanted) : std::string();
  }();
  return refused;
}

std::vector<std::string> compiled_target_names() {
  std::vector<std::string> names;
  for_each_target(compiled_targets(),
                  [&](std::int64_t target) { names.emplace_back(our_name(target)); });
  return names;
}

void use_table(const kernel_table& table) {
  active().store(&table, std::memory_order_relaxed);
}

}  // namespace onefold::cpu
