// SPDX-License-Identifier: Apache-2.0
// The options of each command, registered with the CLI11 parser.
#include "option_groups.hpp"

#include <functional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "failure.hpp"
#include "messages.hpp"
#include "onefold/windows.hpp"
#include "operations.hpp"
#include "values.hpp"

namespace onefold::program {
namespace {

constexpr std::uint64_t most_threads = 4096;
// Two windows of the smallest size that keeps a fast sum's bits, in the widest type.
constexpr std::uint64_t least_memory_bytes = 2 * onefold::window_items * 8;

using text = std::string;
using setter = std::function<void(const text&)>;

// An option whose word is converted at once, so that every refusal names the option.
void add(CLI::App& app, const char* names, const setter& set, const char* value,
         const char* meaning) {
  app.add_option_function<text>(names, set, meaning)->type_name(value);
}

void set_device(const text& word, request& request) {
  constexpr std::string_view numbered = "cuda:";
  constexpr std::int64_t most_devices = 1024;
  if (word.rfind(numbered, 0) == 0) {
    const text number = word.substr(numbered.size());
    const auto device = parse_count("--device cuda:", number, 0, most_devices);
    request.where = executor::cuda{nullptr, int(device)};
    return;
  }
  const executor cpu = executor::cpu{request.where.threads()}, gpu = executor::cuda{};
  const executor any = request.where.gpu() != nullptr ? executor() : request.where;
  request.where = parse_choice<executor>(
      "--device", word,
      {{"auto", any}, {"cpu", cpu}, {"cuda", gpu}, {"cuda:N", gpu}, {"all", executor::devices{}}});
}

void add_input_options(CLI::App& app, request& request) {
  add(
      app, "--format",
      [&](const text& word) {
        request.format = parse_choice<file_format>("--format", word,
                                                   {{"npy", file_format::npy},
                                                    {"raw", file_format::raw},
                                                    {"text", file_format::text},
                                                    {"safetensors", file_format::safetensors},
                                                    {"auto", file_format::automatic}});
      },
      "npy|raw|text|safetensors", "The format of the inputs; otherwise by their names");
  add(
      app, "--dtype", [&](const text& word) { request.raw.type = parse_type("--dtype", word); },
      "TYPE",
      "Raw: the type of the elements (bool i8..i64 u8..u64 f16 bf16 f32 f64); of a .npy file of "
      "two "
      "bytes of anything: bf16");
  add(
      app, "--shape", [&](const text& word) { request.raw.shape = parse_shape("--shape", word); },
      "N,M", "Raw: the extents; otherwise the whole input");
  add(
      app, "--order",
      [&](const text& word) {
        request.raw.column_major = parse_choice<bool>("--order", word, {{"C", false}, {"F", true}});
      },
      "C|F", "Raw: row major or column major");
  add(
      app, "--endian",
      [&](const text& word) {
        request.raw.big_endian =
            parse_choice<bool>("--endian", word, {{"little", false}, {"big", true}});
      },
      "little|big", "Raw: the order of the bytes");
  add(
      app, "--skip",
      [&](const text& word) { request.raw.skip_bytes = parse_count("--skip", word, 0, INT64_MAX); },
      "BYTES", "Raw: bytes in front of the first element");
}

void add_engine_options(CLI::App& app, request& request) {
  add(
      app, "--threads",
      [&](const text& word) {
        const auto threads = int(parse_count("--threads", word, 1, most_threads));
        if (request.where.gpu() == nullptr) request.where = executor::cpu{threads};
      },
      "N", "The CPU, and at most this many threads; otherwise as many as there are");
  add(
      app, "--device", [&](const text& word) { set_device(word, request); },
      "auto|cpu|cuda[:N]|all",
      "Where it runs: auto is the CPU, or a GPU where that takes less time; cuda is the first GPU, "
      "or that of number N; all is all GPUs, each on a part of the elements");
}

void add_accuracy(CLI::App& app, request& request) {
  add(
      app, "--accuracy",
      [&](const text& word) {
        request.options.accuracy = parse_choice<accuracy>(
            "--accuracy", word, {{"exact", accuracy::exact}, {"fast", accuracy::fast}});
      },
      "exact|fast", "Correctly rounded (the default), or a plain tree of additions");
}

void set_style(request& request, report_style style) {
  const bool another = request.style != report_style::plain && request.style != style;
  if (another) throw failure(messages::conflict("--json", "--tsv"));
  request.style = style;
}

void add_json(CLI::App& app, request& request) {
  app.add_flag_callback(
      "--json", [&] { set_style(request, report_style::json); }, "One JSON object");
}

void set_output(request& request, const text& word) {
  request.output_path.reset();
  if (word != "-") request.output_path = word;
}

void add_output_file(CLI::App& app, request& request) {
  add(
      app, "-o,--out", [&](const text& word) { set_output(request, word); }, "FILE",
      "Write the report there; it appears complete or not at all; - is standard output");
}

void add_verbose(CLI::App& app, request& request, const char* meaning) {
  app.add_flag("--verbose", request.verbose, meaning);
}

void add_report_options(CLI::App& app, request& request) {
  add_json(app, request);
  app.add_flag_callback(
      "--tsv", [&] { set_style(request, report_style::tsv); },
      "Fields and tabs, the input's name last, on a terminal too");
  app.add_flag("--hex", request.hex, "Floating answers in C99's hexadecimal form");
  add_verbose(app, request, "What was read and how, on standard error");
  add_output_file(app, request);
  add(
      app, "--progress",
      [&](const text& word) {
        request.progress_bar = parse_choice<progress_mode>("--progress", word,
                                                           {{"auto", progress_mode::automatic},
                                                            {"always", progress_mode::always},
                                                            {"never", progress_mode::never}});
      },
      "auto|always|never", "A bar on standard error; auto: on a terminal, after half a second");
}

void set_memory(request& request, const text& word) {
  const std::uint64_t bytes = parse_size("--mem-limit", word);
  if (bytes < least_memory_bytes)
    throw failure(messages::bad_value("--mem-limit", word, "1M or more"));
  request.memory_limit_bytes = bytes;
}

void add_memory(CLI::App& app, request& request) {
  add(
      app, "--mem-limit", [&](const text& word) { set_memory(request, word); }, "SIZE",
      "At most this much for windows (default 16M), or for an input that is read as a whole");
}

void add_text_options(CLI::App& app, request& request) {
  add(
      app, "--as",
      [&](const text& word) {
        request.as_f64 = parse_choice<bool>("--as", word, {{"f64", true}});
      },
      "f64", "Round every number to f64 first; most operators of text need it");
  add(
      app, "--missing",
      [&](const text& word) {
        request.skip_missing =
            parse_choice<bool>("--missing", word, {{"skip", true}, {"error", false}});
      },
      "skip|error", "Text: leave out NA, null, empty lines and the like");
}

void add_axis(CLI::App& app, request& request) {
  add(
      app, "--axis",
      [&](const text& word) { request.options.axes = axis_set(parse_axes("--axis", word)); }, "N,M",
      "Reduce these axes, an answer for each index of the others; -1 is the last axis");
}

void add_axes(CLI::App& app, request& request) {
  add_axis(app, request);
  app.add_flag("--keepdims", request.options.keepdims, "Reduced axes stay, with extent 1");
}

void add_keys(CLI::App& app, request& request) {
  add(
      app, "--by", [&](const text& word) { request.by = word; }, "KEYS.npy",
      "An answer for each distinct key; the file holds an integer for each element");
  add(
      app, "--min-count",
      [&](const text& word) {
        request.options.min_count =
            std::int64_t(parse_count("--min-count", word, 0, std::uint64_t(INT64_MAX)));
      },
      "N", "--by: an answer needs N elements that count (default 0)");
  add(
      app, "--empty-value",
      [&](const text& word) { request.options.empty_value = parse_initial("--empty-value", word); },
      "V", "--by: the answer of a group with fewer, or of which nothing is left, such as nan");
}

void add_nan_policy(CLI::App& app, request& request) {
  add(
      app, "--nan",
      [&](const text& word) {
        request.options.nan_policy = parse_choice<nan_policy>("--nan", word,
                                                              {{"propagate", nan_policy::propagate},
                                                               {"omit", nan_policy::omit},
                                                               {"error", nan_policy::error}});
      },
      "propagate|omit|error", "What a NaN does: to the answer, nothing, or fail");
}

void add_correction(CLI::App& app, request& request) {
  add(
      app, "--correction",
      [&](const text& word) { request.options.correction = parse_real("--correction", word); }, "C",
      "var, std: divide by the number of elements less C (default 0; 1 for a sample)");
}

void add_numbers(CLI::App& app, request& request) {
  add_correction(app, request);
  add(
      app, "--first-index",
      [&](const text& word) {
        request.options.first_index = parse_integer("--first-index", word, 0, INT64_MAX / 2);
      },
      "N", "argmin, argmax: the index of the first element (default 0)");
}

void add_state_file(CLI::App& app, request& request) {
  add(
      app, "--state-out", [&](const text& word) { request.state_path = word; }, "FILE",
      "Write the state of all inputs there, for 'onefold merge'");
}

void add_ranks(CLI::App& app, request& request) {
  app.add_flag("--ranks", request.asks_for_ranks,
               "Under mpirun: each process reduces its share of each file, and the first reports");
}

void add_type_of_output(CLI::App& app, request& request) {
  add(
      app, "--dtype-out",
      [&](const text& word) { request.output_type = parse_type("--dtype-out", word); }, "TYPE",
      "The type of the answer; otherwise NumPy's, and f64 of f16 and bf16");
  add(
      app, "--digits",
      [&](const text& word) {
        request.all_digits = parse_choice<bool>("--digits", word, {{"all", true}});
      },
      "all", "sum, norm1, sumsq: all digits of the exact sum, which is not rounded");
}

void add_output_options(CLI::App& app, request& request) {
  add(
      app, "--initial",
      [&](const text& word) { request.options.initial = parse_initial("--initial", word); }, "V",
      "One more element: sum, prod, min, max, minmax, norminf");
  add_type_of_output(app, request);
  app.add_flag("--total", request.total, "One more line: all inputs together");
  add_state_file(app, request);
}

void add_inputs(CLI::App& app, request& request, const char* meaning) {
  app.add_option("INPUT", request.inputs, meaning)->type_name(" ");
  add_input_options(app, request);
}

void add_reduce_options(CLI::App& app, request& request) {
  add_inputs(app, request, "Files, or - for standard input");
  add_text_options(app, request);
  add_axes(app, request);
  add_keys(app, request);
  add_accuracy(app, request);
  add_nan_policy(app, request);
  add_numbers(app, request);
  add_output_options(app, request);
  add_engine_options(app, request);
  add_ranks(app, request);
  add_memory(app, request);
  add_report_options(app, request);
}

void add_stats_options(CLI::App& app, request& request) {
  add_inputs(app, request, "Files, or - for standard input");
  add_text_options(app, request);
  add_axes(app, request);
  add_nan_policy(app, request);
  add_numbers(app, request);
  add_engine_options(app, request);
  add_memory(app, request);
  add_report_options(app, request);
}

void add_audit_options(CLI::App& app, request& request) {
  add_inputs(app, request, "Files, or - for standard input");
  add_text_options(app, request);
  add_axis(app, request);
  add_engine_options(app, request);
  add_memory(app, request);
  add_report_options(app, request);
}

void add_merge_options(CLI::App& app, request& request) {
  app.add_option("STATE", request.inputs, "Files of --state-out, or - for standard input")
      ->type_name(" ");
  add(
      app, "--subtract", [&](const text& word) { request.subtracted.push_back(word); }, "STATE",
      "Remove the elements of this state, which were among the others");
  app.add_flag("--additive", request.additive,
               "The inputs are text: a line of words for each state, or sums of such lines");
  app.add_flag("--by-key", request.by_key,
               "The first field of each of these lines is a key, and each key has an answer");
  app.add_flag("--words", request.print_words,
               "Print the words of the state instead, which add: MPI_SUM, SUM of SQL");
  add_nan_policy(app, request);
  add_correction(app, request);
  add_type_of_output(app, request);
  add_state_file(app, request);
  add_report_options(app, request);
}

void add_plan_options(CLI::App& app, request& request) {
  app.add_option_function<text>(
         "OP", [&](const text& word) { request.operations = parse_operations(word); },
         "The operators: sum, or sum,mean")
      ->type_name(" ");
  add_inputs(app, request, "A file, or - for standard input; two for dot");
  add_axes(app, request);
  add_accuracy(app, request);
  add_nan_policy(app, request);
  add_engine_options(app, request);
  add_json(app, request);
  add_output_file(app, request);
}

}  // namespace

void add_options(CLI::App& app, request& request) {
  switch (request.command) {
  case command::reduce:
    return add_reduce_options(app, request);
  case command::stats:
    return add_stats_options(app, request);
  case command::merge:
    return add_merge_options(app, request);
  case command::audit:
    return add_audit_options(app, request);
  case command::plan:
    return add_plan_options(app, request);
  case command::doctor:
    return add_json(app, request), add_output_file(app, request);
  case command::fingerprint:
    add_engine_options(app, request);
    add_verbose(app, request, "A line for every case, on standard output");
    return add_json(app, request), add_output_file(app, request);
  default:
    return;
  }
}

}  // namespace onefold::program
