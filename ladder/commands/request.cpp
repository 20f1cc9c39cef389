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

trial_options options_for(const rung& r, const request& request) {
  trial_options options = usual_options(r);
  for (const choice& c : choices) {
    if (request.given.contains(c.option)) c.take(options, request.options);
  }
  return options;
}

void note_given(const CLI::App& command, request& request) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() != 0) request.given.insert(option->get_name());
  }
}

void read_words(request& request) {
  if (!request.type.empty()) request.options.type = types.at(request.type);
  request.options.op = operations.at(request.op);
  request.options.drive = drivers.at(request.drive);
  request.options.order = orders.at(request.order);
}

void add_size_options(CLI::App& command, request& request) {
  command.add_option("--n", request.options.n, "Elements, or about so many pixels")
      ->capture_default_str();
  command
      .add_option("--block", request.options.block,
                  "Threads of a block, up to 1024; where a tree halves it, a power of two")
      ->capture_default_str();
  command
      .add_option("--type", request.type, "Type of the elements (default: the rung's usual one)")
      ->check(CLI::IsMember(types));
  command.add_option("--op", request.op, "Operator")
      ->check(CLI::IsMember(operations))
      ->capture_default_str();
  command.add_option("--driver", request.drive, "Who folds the partials of the blocks")
      ->check(CLI::IsMember(drivers))
      ->capture_default_str();
  command.add_option("--max-grid", request.options.max_grid, "Blocks of a grid-stride rung")
      ->capture_default_str();
  command.add_option("--width", request.options.width, "Of an image (default: about square)");
  command.add_option("--height", request.options.height, "Of an image (default: n / width)");
  command.add_option("--padding", request.options.padding, "Bytes behind each row of a tile")
      ->capture_default_str();
}

void add_schedule_options(CLI::App& command, request& request) {
  command.add_option("--schedule", request.order, "Order in which lanes run")
      ->check(CLI::IsMember(orders))
      ->capture_default_str();
  command.add_option("--seed", request.options.seed, "Of the shuffled schedule")
      ->capture_default_str();
  command.add_option("--warp", request.options.warp, "Lanes of a warp, a power of two up to 32")
      ->capture_default_str();
}

void add_gpu_options(CLI::App& command, request& request) {
  command.add_option("--gpu", request.gpu, "Time the rungs on this machine's GPU too")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command.add_option("--gpu-n", request.gpu_n, "Elements there (default: --n, or 2^26)");
}

}  // namespace onefold::ladder
