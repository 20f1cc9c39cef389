// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/request.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace onefold::ladder {
namespace {

struct choice {
  const char* option;
  void (*take)(trial_options& to, const trial_options& from);
};

using any = trial_options;
constexpr choice choices[] = {
    {"--n", [](any& to, const any& from) { to.n = from.n; }},
    {"--block", [](any& to, const any& from) { to.block = from.block; }},
    {"--type", [](any& to, const any& from) { to.type = from.type; }},
    {"--op", [](any& to, const any& from) { to.op = from.op; }},
    {"--driver", [](any& to, const any& from) { to.drive = from.drive; }},
    {"--max-grid", [](any& to, const any& from) { to.max_grid = from.max_grid; }},
    {"--width", [](any& to, const any& from) { to.width = from.width; }},
    {"--height", [](any& to, const any& from) { to.height = from.height; }},
    {"--padding", [](any& to, const any& from) { to.padding = from.padding; }},
    {"--schedule", [](any& to, const any& from) { to.order = from.order; }},
    {"--seed", [](any& to, const any& from) { to.seed = from.seed; }},
    {"--warp", [](any& to, const any& from) { to.warp = from.warp; }}};

template <class List>
auto by_word(const List& values) {
  std::map<std::string, typename List::value_type> words;
  for (const auto value : values) words[to_string(value)] = value;
  return words;
}

const auto types = by_word(all_types);
const auto operations = by_word(all_operations);
const auto drivers = by_word(all_drivers);
const auto orders = by_word(simt::all_schedules);

}  // namespace

trial_options options_for(const rung& r, const request& asked) {
  trial_options options = usual_options(r);
  for (const choice& c : choices) {
    if (asked.given.contains(c.option)) c.take(options, asked.options);
  }
  return options;
}

void note_given(const CLI::App& command, request& asked) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() != 0) asked.given.insert(option->get_name());
  }
}

void read_words(request& asked) {
  if (!asked.type.empty()) asked.options.type = types.at(asked.type);
  asked.options.op = operations.at(asked.op);
  asked.options.drive = drivers.at(asked.drive);
  asked.options.order = orders.at(asked.order);
}

void add_size_options(CLI::App& command, request& asked) {
  command.add_option("--n", asked.options.n, "Elements, or about so many pixels")
      ->capture_default_str();
  command
      .add_option("--block", asked.options.block,
                  "Threads of a block, up to 1024; where a tree halves it, a power of two")
      ->capture_default_str();
  command.add_option("--type", asked.type, "Type of the elements (default: the rung's usual one)")
      ->check(CLI::IsMember(types));
  command.add_option("--op", asked.op, "Operator")
      ->check(CLI::IsMember(operations))
      ->capture_default_str();
  command.add_option("--driver", asked.drive, "Who folds the partials of the blocks")
      ->check(CLI::IsMember(drivers))
      ->capture_default_str();
  command.add_option("--max-grid", asked.options.max_grid, "Blocks of a grid-stride rung")
      ->capture_default_str();
  command.add_option("--width", asked.options.width, "Of an image (default: about square)");
  command.add_option("--height", asked.options.height, "Of an image (default: n / width)");
  command.add_option("--padding", asked.options.padding, "Bytes behind each row of a tile")
      ->capture_default_str();
}

void add_schedule_options(CLI::App& command, request& asked) {
  command.add_option("--schedule", asked.order, "Order in which lanes run")
      ->check(CLI::IsMember(orders))
      ->capture_default_str();
  command.add_option("--seed", asked.options.seed, "Of the shuffled schedule")
      ->capture_default_str();
  command.add_option("--warp", asked.options.warp, "Lanes of a warp, a power of two up to 32")
      ->capture_default_str();
}

void add_gpu_options(CLI::App& command, request& asked) {
  command.add_option("--gpu", asked.gpu, "Time the rungs on this machine's GPU too")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command.add_option("--gpu-n", asked.gpu_n, "Elements there (default: --n, or 2^26)");
}

}  // namespace onefold::ladder
