// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "failure.hpp"
#include "help.hpp"
#include "messages.hpp"
#include "onefold/windows.hpp"
#include "suggestion.hpp"
#include "values.hpp"

namespace onefold::program {
namespace {

constexpr std::pair<std::string_view, command> commands[] = {
    {"sum", command::sum},       {"plan", command::plan},
    {"doctor", command::doctor}, {"fingerprint", command::fingerprint},
    {"ladder", command::ladder}, {"tour", command::tour},
    {"help", command::help},
};

constexpr std::uint64_t most_threads = 4096;
// Two windows of the smallest size that keeps a fast sum's bits, in the widest type.
constexpr std::uint64_t least_memory_bytes = 2 * onefold::window_items * 8;

std::optional<command> find_command(std::string_view word) {
  for (const auto& [known, what] : commands)
    if (known == word) return what;
  return std::nullopt;
}

std::string_view command_name(command what) {
  for (const auto& [known, which] : commands)
    if (which == what) return known;
  return "";
}

using text = std::string;
using setter = std::function<void(const text&)>;

// An option whose word becomes a value at once, so that every refusal names the option.
void add(CLI::App& app, const char* names, const setter& set, const char* value,
         const char* meaning) {
  app.add_option_function<text>(names, set, meaning)->type_name(value);
}

void set_device(const text& word) {
  const bool gpu = word == "all" || word.rfind("cuda", 0) == 0;
  // The request is legal and the machine cannot serve it: a failure of run time, not of usage.
  if (gpu) throw failure(messages::no_device(word)).with_exit_code(1);
  parse_choice<int>("--device", word, {{"auto", 0}, {"cpu", 0}});
}

void set_nan_policy(const text& word) {
  const bool known = word == "omit" || word == "error";
  if (known) throw failure(messages::nan_policy(word));
  parse_choice<int>("--nan", word, {{"propagate", 0}});
}

void add_input_options(CLI::App& app, request& asked) {
  add(
      app, "--format",
      [&](const text& word) {
        asked.format = parse_choice<file_format>("--format", word,
                                                 {{"npy", file_format::npy},
                                                  {"raw", file_format::raw},
                                                  {"text", file_format::text},
                                                  {"auto", file_format::automatic}});
      },
      "npy|raw|text", "What the inputs are; otherwise their names tell");
  add(
      app, "--dtype", [&](const text& word) { asked.raw.type = parse_type("--dtype", word); },
      "TYPE", "Raw: the type of the elements (bool i8..i64 u8..u64 f16 bf16 f32 f64)");
  add(
      app, "--shape", [&](const text& word) { asked.raw.shape = parse_shape("--shape", word); },
      "N,M", "Raw: the extents; otherwise the whole input");
  add(
      app, "--order",
      [&](const text& word) {
        asked.raw.column_major = parse_choice<bool>("--order", word, {{"C", false}, {"F", true}});
      },
      "C|F", "Raw: row major or column major");
  add(
      app, "--endian",
      [&](const text& word) {
        asked.raw.big_endian =
            parse_choice<bool>("--endian", word, {{"little", false}, {"big", true}});
      },
      "little|big", "Raw: the order of the bytes");
  add(
      app, "--skip",
      [&](const text& word) { asked.raw.skip_bytes = parse_count("--skip", word, 0, INT64_MAX); },
      "BYTES", "Raw: bytes in front of the first element");
}

void add_engine_options(CLI::App& app, request& asked) {
  add(
      app, "--threads",
      [&](const text& word) {
        asked.where = executor::cpu{int(parse_count("--threads", word, 1, most_threads))};
      },
      "N", "At most this many threads; otherwise as many as there are");
  add(
      app, "--device", [](const text& word) { set_device(word); }, "auto|cpu", "Where it runs");
}

void add_accuracy(CLI::App& app, request& asked) {
  add(
      app, "--accuracy",
      [&](const text& word) {
        asked.how.how = parse_choice<accuracy>(
            "--accuracy", word, {{"exact", accuracy::exact}, {"fast", accuracy::fast}});
      },
      "exact|fast", "Correctly rounded (the default), or a plain tree of additions");
}

void set_style(request& asked, report_style style) {
  const bool another = asked.style != report_style::plain && asked.style != style;
  if (another) throw failure(messages::conflict("--json", "--tsv"));
  asked.style = style;
}

void add_json(CLI::App& app, request& asked) {
  app.add_flag_callback(
      "--json", [&] { set_style(asked, report_style::json); }, "One JSON object");
}

void add_output_file(CLI::App& app, request& asked) {
  add(
      app, "-o,--out", [&](const text& word) { asked.output_path = word; }, "FILE",
      "Write the report there; it appears complete or not at all");
}

void add_verbose(CLI::App& app, request& asked, const char* meaning) {
  app.add_flag("--verbose", asked.verbose, meaning);
}

void add_report_options(CLI::App& app, request& asked) {
  add_json(app, asked);
  app.add_flag_callback(
      "--tsv", [&] { set_style(asked, report_style::tsv); },
      "Value, tab, name: a line for each input");
  app.add_flag("--hex", asked.hex, "Floating answers in C99's hexadecimal form");
  add_verbose(app, asked, "What was read and how, on standard error");
  app.add_flag("--total", asked.total, "One more line: all inputs together");
  add_output_file(app, asked);
  add(
      app, "--progress",
      [&](const text& word) {
        asked.progress_bar = parse_choice<progress_mode>("--progress", word,
                                                         {{"auto", progress_mode::automatic},
                                                          {"always", progress_mode::always},
                                                          {"never", progress_mode::never}});
      },
      "auto|always|never", "A bar on standard error; auto: on a terminal, after half a second");
}

void set_memory(request& asked, const text& word) {
  const std::uint64_t bytes = parse_size("--mem-limit", word);
  if (bytes < least_memory_bytes)
    throw failure(messages::bad_value("--mem-limit", word, "1M or more"));
  asked.memory_bytes = std::min(asked.memory_bytes, bytes);
}

void add_sum_options(CLI::App& app, request& asked) {
  app.add_option("INPUT", asked.inputs, "Files, or - for standard input")->type_name(" ");
  add_input_options(app, asked);
  add(
      app, "--as",
      [&](const text& word) {
        asked.as_f64 = parse_choice<bool>("--as", word, {{"f64", true}});
      },
      "f64", "Text: round every number to f64 before it is added");
  add(
      app, "--missing",
      [&](const text& word) {
        asked.skip_missing =
            parse_choice<bool>("--missing", word, {{"skip", true}, {"error", false}});
      },
      "skip|error", "Text: what NA, null and their like do");
  add_accuracy(app, asked);
  add(
      app, "--nan", [](const text& word) { set_nan_policy(word); }, "propagate", "What a NaN does");
  add(
      app, "--dtype-out",
      [&](const text& word) { asked.output_type = parse_type("--dtype-out", word); }, "TYPE",
      "The type of the answer; otherwise NumPy's");
  add_engine_options(app, asked);
  add(
      app, "--mem-limit", [&](const text& word) { set_memory(asked, word); }, "SIZE",
      "At most this much for the windows (default 16M)");
  add_report_options(app, asked);
}

void add_plan_options(CLI::App& app, request& asked) {
  app.add_option_function<text>(
         "OP",
         [&](const text& word) {
           const auto found = parse_op(word);
           if (!found) throw failure(messages::later_operation(word));
           asked.operation = *found;
         },
         "The operation: sum")
      ->type_name(" ");
  app.add_option_function<text>(
         "INPUT", [&](const text& word) { asked.inputs = {word}; },
         "A file, or - for standard input")
      ->type_name(" ");
  add_input_options(app, asked);
  add_accuracy(app, asked);
  add_engine_options(app, asked);
  add_json(app, asked);
  add_output_file(app, asked);
}

void add_options(CLI::App& app, request& asked) {
  switch (asked.what) {
  case command::sum:
    return add_sum_options(app, asked);
  case command::plan:
    return add_plan_options(app, asked);
  case command::doctor:
    return add_json(app, asked), add_output_file(app, asked);
  case command::fingerprint:
    add_engine_options(app, asked);
    add_verbose(app, asked, "A line for every case, on standard output");
    return add_json(app, asked), add_output_file(app, asked);
  default:
    return;
  }
}

// CLI11's parser of one command. It must not move: its options refer to `asked`.
struct parser {
  explicit parser(command what)
      : app(std::string(examples_of(what)) + "\n", "onefold " + std::string(command_name(what))) {
    asked.what = what;
    app.get_formatter()->column_width(30);
    add_options(app, asked);
  }

  std::vector<text> option_names() const {
    std::vector<text> names;
    for (const CLI::Option* option : app.get_options())
      for (const text& name : option->get_lnames()) names.push_back(text("--").append(name));
    return names;
  }

  request asked;
  CLI::App app;
};

[[noreturn]] void throw_extra(const parser& with) {
  const auto name = command_name(with.asked.what);
  const auto extras = with.app.remaining();
  const text first = extras.empty() ? "" : extras[0];
  if (first.size() < 2 || first[0] != '-')
    throw failure(messages::unexpected_argument(first, name));
  const text option = first.substr(0, first.find('='));
  throw failure(messages::unknown_option(option, name, nearest_word(option, with.option_names())));
}

request parse_options(command what, int argc, char** argv) {
  parser with(what);
  // CLI11 takes the words last one first.
  std::vector<text> words(argv, argv + argc);
  std::reverse(words.begin(), words.end());
  try {
    with.app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    request help;
    help.words = {text(command_name(what))};
    return help;
  } catch (const CLI::ExtrasError&) {
    throw_extra(with);
  } catch (const CLI::ParseError& wrong) {
    throw failure(messages::bad_usage(wrong.what(), command_name(what)));
  }
  const bool takes_input = what == command::sum || what == command::plan;
  if (takes_input && with.asked.inputs.empty())
    throw failure(messages::bad_usage("INPUT is missing", command_name(what)));
  return std::move(with.asked);
}

std::string suggested_command(std::string_view word) {
  std::vector<text> known;
  for (const auto& [name, what] : commands) known.emplace_back(name);
  return nearest_word(word, known);
}

// Operators of the design that this version does not have.
bool is_later_operation(std::string_view word) {
  constexpr std::string_view words[] = {
      "mean",          "var",     "std",    "norm1",   "norm2",     "norminf", "sumsq", "min",
      "max",           "argmin",  "argmax", "minmax",  "prod",      "any",     "all",   "count",
      "count_nonzero", "bit_and", "bit_or", "bit_xor", "logsumexp", "dot",     "stats"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

request rest_as_words(command what, int argc, char** argv) {
  request asked;
  asked.what = what;
  asked.words.assign(argv, argv + argc);
  return asked;
}

}  // namespace

request parse_command_line(int argc, char** argv) {
  if (argc < 2) throw failure(messages::no_command());
  const std::string_view word = argv[1];
  if (word == "--help" || word == "-h") return rest_as_words(command::help, 0, argv);
  if (word == "--version") return rest_as_words(command::version, 0, argv);
  if (word.size() > 1 && word[0] == '-') throw failure(messages::command_comes_first(word));
  const auto what = find_command(word);
  if (!what && is_later_operation(word)) throw failure(messages::later_operation(word));
  if (!what) throw failure(messages::unknown_command(word, suggested_command(word)));
  if (what == command::ladder || what == command::tour || what == command::help)
    return rest_as_words(*what, argc - 2, argv + 2);
  return parse_options(*what, argc - 2, argv + 2);
}

bool asks_for_json(int argc, char** argv) noexcept {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

std::string help_text(const std::string& topic) {
  if (topic.empty() || topic == "help") return std::string(general_help());
  const auto what = find_command(topic);
  if (!what) throw failure(messages::no_topic(topic));
  if (*what == command::ladder || *what == command::tour) return std::string(siblings_help());
  return parser(*what).app.help();
}

}  // namespace onefold::program
