// SPDX-License-Identifier: Apache-2.0
// Parses the command line: finds the command, then reads its options with CLI11.
#include "options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "failure.hpp"
#include "help.hpp"
#include "messages.hpp"
#include "onefold/machine.hpp"
#include "operations.hpp"
#include "option_groups.hpp"
#include "suggestion.hpp"

namespace onefold::program {
namespace {

using text = std::string;

// The commands with a word of their own; any other word is a list of operators.
constexpr std::pair<std::string_view, command> commands[] = {
    {"stats", command::stats},   {"audit", command::audit},   {"merge", command::merge},
    {"plan", command::plan},     {"doctor", command::doctor}, {"fingerprint", command::fingerprint},
    {"ladder", command::ladder}, {"tour", command::tour},     {"help", command::help},
};

// Planned commands that this version does not have.
constexpr std::string_view later_commands[] = {"transpose"};

std::optional<command> find_command(std::string_view word) {
  for (const auto& [known, command] : commands)
    if (known == word) return command;
  return std::nullopt;
}

bool is_later_command(std::string_view word) {
  return std::find(std::begin(later_commands), std::end(later_commands), word) !=
         std::end(later_commands);
}

// CLI11's parser of one command. It must not move: its options refer to `request`.
struct parser {
  explicit parser(const text& word) : app(text(), "onefold " + word) {
    request.word = word;
    const auto known = find_command(word);
    request.command = known.value_or(command::reduce);
    if (!known) request.operations = parse_operations(word);
    app.description(examples_of(request.command, request.operations) + "\n");
    app.get_formatter()->column_width(30);
    add_options(app, request);
  }

  std::vector<text> option_names() const {
    std::vector<text> names;
    for (const CLI::Option* option : app.get_options())
      for (const text& name : option->get_lnames()) names.push_back(text("--").append(name));
    return names;
  }

  program::request request;
  CLI::App app;
};

[[noreturn]] void throw_extra(const parser& with) {
  const text& name = with.request.word;
  const auto extras = with.app.remaining();
  const text first = extras.empty() ? "" : extras[0];
  if (first.size() < 2 || first[0] != '-')
    throw failure(messages::unexpected_argument(first, name));
  const text option = first.substr(0, first.find('='));
  throw failure(messages::unknown_option(option, name, nearest_word(option, with.option_names())));
}

// If the request is legal but the machine cannot serve it, this is a run-time failure, not usage.
void check_device(const request& request) {
  if (auto fine = check_executor(request.where); !fine)
    throw failure(messages::no_device(fine.message())).with_exit_code(1);
}

void check(const request& request) {
  check_device(request);
  const bool reads = request.command == command::reduce || request.command == command::stats ||
                     request.command == command::audit || request.command == command::merge;
  if (!reads && request.command != command::plan) return;
  if (request.inputs.empty()) throw failure(messages::input_missing(request.word));
  // Two inputs at most, and only for dot.
  if (request.command == command::plan && request.inputs.size() > 1 &&
      !request.operations.contains(op::dot))
    throw failure(messages::unexpected_argument(request.inputs[1], request.word));
  // merge has the operators of its states.
  if (request.command != command::merge) check_operations(request);
}

request parse_options(const text& word, int argc, char** argv) {
  parser with(word);
  // CLI11 takes the words in reverse order.
  std::vector<text> words(argv, argv + argc);
  std::reverse(words.begin(), words.end());
  try {
    with.app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    request help;
    help.words = {word};
    return help;
  } catch (const CLI::ExtrasError&) {
    throw_extra(with);
  } catch (const CLI::ParseError& wrong) {
    throw failure(messages::bad_usage(wrong.what(), word));
  }
  check(with.request);
  return std::move(with.request);
}

text suggested_command(std::string_view word) {
  std::vector<text> known;
  for (const auto& [name, command] : commands) known.emplace_back(name);
  const auto operators = operator_names();
  known.insert(known.end(), operators.begin(), operators.end());
  return nearest_word(word, known);
}

// A word with a comma is a list of operators, whatever it contains.
bool names_operators(std::string_view word) {
  return word.find(',') != std::string_view::npos || parse_op(word).has_value();
}

request rest_as_words(command command, int argc, char** argv) {
  program::request request;
  request.command = command;
  request.words.assign(argv, argv + argc);
  return request;
}

}  // namespace

std::vector<std::string> request::files() const {
  std::vector<std::string> all = inputs;
  if (by) all.push_back(*by);
  all.insert(all.end(), subtracted.begin(), subtracted.end());
  return all;
}

std::uint64_t request::window_memory_bytes() const noexcept {
  constexpr std::uint64_t usual = 16 << 20;
  return std::min(usual, memory_limit_bytes.value_or(usual));
}

request parse_command_line(int argc, char** argv) {
  if (argc < 2) return rest_as_words(command::help, 0, argv);
  const std::string_view word = argv[1];
  if (word == "--help" || word == "-h") return rest_as_words(command::help, 0, argv);
  if (word == "--version" || word == "-V") return rest_as_words(command::version, 0, argv);
  if (word.size() > 1 && word[0] == '-') throw failure(messages::command_comes_first(word));
  const auto command = find_command(word);
  if (is_later_command(word)) throw failure(messages::later_command(word));
  if (!command && !names_operators(word))
    throw failure(messages::unknown_command(word, suggested_command(word)));
  if (command == command::ladder || command == command::tour || command == command::help)
    return rest_as_words(*command, argc - 2, argv + 2);
  return parse_options(text(word), argc - 2, argv + 2);
}

bool asks_for_json(int argc, char** argv) noexcept {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

std::string help_text(const std::string& topic) {
  if (topic.empty() || topic == "help") return general_help();
  const auto command = find_command(topic);
  if (!command && !names_operators(topic)) throw failure(messages::no_topic(topic));
  if (command == command::ladder || command == command::tour)
    return std::string(sibling_help(*command));
  return parser(topic).app.help();
}

}  // namespace onefold::program
