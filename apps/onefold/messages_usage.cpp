// SPDX-License-Identifier: Apache-2.0
// The error messages about the command line.
#include "messages.hpp"
#include "messages_parts.hpp"

namespace onefold::program::messages {
namespace {

// The C++ name of an option in the library, and the command-line option for it.
struct renamed {
  std::string_view in_library, in_options;
};
constexpr renamed all_renamed[] = {
    {"which nan=error refuses; nan=omit", "which --nan error refuses; --nan omit"},
    {"give an initial one", "give one with --initial"},
    {"ask for accuracy::fast", "say --accuracy fast"},
    {"choose f64, which rounds it", "say --dtype-out f64, which rounds it"},
    {"convert the elements to f64, or", "say --as f64, or"},
    {"convert one of them", "say --as f64"},
    {"choose a wider output type, or", "say --dtype-out and a wider type, or"},
    {" form; choose f16, bf16", " form; say --dtype-out f16, bf16"},
    {" form; choose a floating output type", " form; say --dtype-out f64"},
    {"use fewer threads", "say --threads 1"},
    {"take value() or to_string()", "leave --dtype-out out, or say --dtype-out f64"},
    {"(executor::cpu, --device cpu)", "(--device cpu)"},
    {"such as the bits of these (std::bit_cast)", "numbers of these"},
    {"multiply first (reduce_mapped)", "multiply first"},
};

std::string in_options(std::string text) {
  for (const renamed& renamed : all_renamed)
    if (const auto at = text.find(renamed.in_library); at != std::string::npos)
      text.replace(at, renamed.in_library.size(), renamed.in_options);
  return text;
}

std::string_view article(std::string_view command) {
  return command.empty() ? "" : " ";
}

}  // namespace

status about(std::string_view input, const status& said) {
  return say(said.code(), "{}: {}", input, in_options(said.message()));
}

status unknown_command(std::string_view word, std::string_view suggestion) {
  if (suggestion.empty())
    return say(code::usage, "there is no command '{}'; 'onefold help' lists them", shown(word));
  return say(code::usage, "there is no command '{}'; did you mean '{}'?", shown(word), suggestion);
}

status later_command(std::string_view word) {
  return say(code::usage, "there is no command '{}' in this version; 'onefold help' lists them",
             word);
}

status unknown_operator(std::string_view word, std::string_view suggestion) {
  if (suggestion.empty())
    return say(code::usage, "there is no operator '{}'; 'onefold help' lists them", shown(word));
  return say(code::usage, "there is no operator '{}'; did you mean '{}'?", shown(word), suggestion);
}

status operator_missing(std::string_view list) {
  return say(code::usage, "'{}' has no operator on one side of a comma; write: sum,mean",
             shown(list));
}

status operator_twice(std::string_view word, std::string_view list) {
  return say(code::usage, "'{}' names {} twice; name it once", shown(list), word);
}

status dot_alone(std::string_view list) {
  return say(code::usage,
             "'{}': dot takes two inputs and the other operators one; give it a run of its own",
             shown(list));
}

status dot_takes_two(std::size_t inputs) {
  return say(code::usage, "dot takes two inputs, not {}; write: onefold dot A B", inputs);
}

status command_comes_first(std::string_view option) {
  return say(code::usage, "'{}' comes before the command; write: onefold sum FILE {}",
             shown(option), shown(option));
}

status unknown_option(std::string_view option, std::string_view command,
                      std::string_view suggestion) {
  if (!suggestion.empty())
    return say(code::usage, "'onefold {}' has no option '{}'; did you mean '{}'?", command,
               shown(option), suggestion);
  return say(code::usage,
             "'onefold {}' has no option '{}'; 'onefold help {}' lists them, and '--' comes in "
             "front of a name that begins with '-'",
             command, shown(option), command);
}

status input_missing(std::string_view command) {
  return say(code::usage,
             "INPUT is missing: name a file, or - for standard input; 'onefold help {}' shows the "
             "form",
             command);
}

status bad_usage(std::string_view problem, std::string_view command) {
  return say(code::usage, "{}; 'onefold help{}{}' lists what there is", problem, article(command),
             command);
}

status unexpected_argument(std::string_view argument, std::string_view command) {
  return say(code::usage, "'onefold {}' has no place for '{}'; 'onefold help {}' shows its form",
             command, shown(argument), command);
}

status bad_value(std::string_view option, std::string_view value, std::string_view allowed) {
  return say(code::usage, "{} cannot be '{}'; it takes {}", option, shown(value), allowed);
}

status conflict(std::string_view one, std::string_view other) {
  return say(code::usage, "{} and {} do not go together; leave one of them out", one, other);
}

status no_device(std::string_view why) {
  return say(code::unsupported, "--device: {}", in_options(std::string(why)));
}

status text_on_device(std::string_view name) {
  return say(code::unsupported,
             "{}: decimals are added by the CPU alone; leave --device out, or say --as f64", name);
}

status option_without_use(std::string_view option, std::string_view operators) {
  return say(code::usage, "{} is for {}; leave it out, or ask for one of them", option, operators);
}

status keepdims_without_axis() {
  return say(code::usage,
             "--keepdims keeps the axes that --axis names; say --axis, or leave it out");
}

status group_option_without_by(std::string_view option) {
  return say(code::usage, "{} is for the groups of --by; say --by, or leave it out", option);
}

status initial_is_no_element(std::string_view name, dtype type) {
  return say(code::usage,
             "{}: --initial is one more element, and these are {}; give a number of that type",
             name, onefold::name(type));
}

status keys_of_dot() {
  return say(code::usage, "--by groups the elements of one input, and dot reads two; leave it out");
}

status keys_not_npy(std::string_view name) {
  return say(code::usage, "{}: --by reads keys from a .npy file; write them as one", name);
}

status total_of_fast() {
  return say(code::usage,
             "--total merges states, and a fast reduction has none; leave --accuracy fast out");
}

status total_of_arrays() {
  return say(code::usage,
             "--total is one answer for all inputs, and --axis gives arrays; leave one of them "
             "out");
}

status total_of_positions(std::string_view word) {
  return say(code::usage,
             "--total has no {}: an index means nothing without its input; leave {} or --total out",
             word, word);
}

status total_of_dot() {
  return say(code::usage,
             "--total is for inputs of their own, and dot reads two as one; leave it out");
}

status total_without(std::string_view name) {
  return say(code::io_error, "total: cannot be given without {}; mend that input, or leave it out",
             name);
}

status total_of_types(std::string_view name, std::string_view type, std::string_view before) {
  return say(code::mismatch,
             "{}: holds {}, and what came before it holds {}; --total needs one element type: "
             "leave --total out, or sum each kind by itself",
             name, type, before);
}

status state_of_several() {
  return say(code::usage, "--state-out writes the state of one operator; give each a run");
}

status state_of_inputs() {
  return say(code::usage,
             "--state-out writes one state; say --total for that of all inputs together, or give "
             "each input a run");
}

status ranks_words() {
  return say(code::mismatch,
             "--ranks: the processes have different command lines; start all with one mpirun and "
             "the same words");
}

status ranks_data(std::string_view name) {
  return say(code::mismatch,
             "{}: the file has not the same number of elements on all ranks; give all of them the "
             "same file",
             name);
}

status ranks_stream(std::string_view name) {
  return say(code::usage,
             "{}: --ranks reads a part of a file in each process, and this is a stream; write it "
             "to a file first",
             name);
}

status ranks_text(std::string_view name) {
  return say(code::usage,
             "{}: --ranks takes .npy files and raw elements, and this is text; leave --ranks out, "
             "or save the numbers as .npy",
             name);
}

status ranks_column_major(std::string_view name, std::string_view op) {
  return say(code::usage,
             "{}: {} of column-major data needs the whole input; leave --ranks out, or write the "
             "data in row-major order",
             name, op);
}

status state_of_text() {
  return say(code::usage,
             "--state-out: decimals have no state; say --as f64, which rounds every number to f64 "
             "first");
}

status state_of_positions() {
  return say(code::usage,
             "--state-out: an index in column-major data has no state; write the data in row-major "
             "order, or leave it out");
}

status state_too_long(std::string_view name, std::uint64_t most_bytes) {
  return say(code::malformed,
             "{}: not a state: it has more than {} bytes; states are written by --state-out", name,
             most_bytes);
}

status words_line(std::string_view name, std::uint64_t line, std::string_view word) {
  return say(code::malformed,
             "{}: line {}: '{}' is no integer of 64 bits; a line has the words that --words "
             "prints, or sums of them",
             name, line, shown(word));
}

status words_length(std::string_view name, std::uint64_t line, std::size_t words,
                    std::size_t before) {
  return say(code::mismatch,
             "{}: line {} has {} words, and the one before has {}; all must be of one operator and "
             "one element type",
             name, line, words, before);
}

status words_overflow(std::string_view name, std::uint64_t line) {
  return say(code::overflow,
             "{}: line {}: the sum of words leaves 64 bits, as that of 2^31 states may; merge "
             "fewer at a time",
             name, line);
}

status words_missing(std::string_view name) {
  return say(code::malformed, "{}: there is no line of words; write some by --words", name);
}

status keys_without_words() {
  return say(code::usage, "--by-key needs --additive: keys are the first fields of lines of words");
}

status text_output(std::string_view name, std::string_view word, dtype type,
                   std::string_view allowed) {
  return say(code::unsupported, "{}: the {} of text has no {} form; say --dtype-out {}", name, word,
             onefold::name(type), allowed);
}

status text_operator(std::string_view name, std::string_view word) {
  return say(code::usage,
             "{}: text holds decimals, which have sum, mean, count, min, max and minmax; for {} "
             "say --as f64, which rounds every number to f64 first",
             name, word);
}

status text_option(std::string_view name, std::string_view option) {
  return say(code::usage, "{}: text holds decimals, and {} is for binary numbers; say --as f64 too",
             name, option);
}

status text_has_no_axes(std::string_view name) {
  return say(code::usage, "{}: text is one column of numbers and has no axes; leave --axis out",
             name);
}

status text_is_empty(std::string_view name, std::string_view word) {
  return say(code::empty, "{}: {} of nothing has no value; check the input", name, word);
}

status other_rows(std::string_view one, std::int64_t rows, std::string_view other,
                  std::int64_t other_rows) {
  return say(code::mismatch,
             "{}: has {} rows, missing values among them, and {} has {}; give both the same rows",
             one, rows, other, other_rows);
}

status text_met_a_nan(std::string_view name, std::string_view word) {
  return say(code::not_a_number,
             "{}: {} met a NaN, which --nan error refuses; --nan omit leaves it out", name, word);
}

status plan_of_text(std::string_view name) {
  return say(code::usage,
             "{}: text is added number by number as it is read, and has no plan; name a .npy or "
             "raw file",
             name);
}

status plan_of_stream(std::string_view name) {
  return say(code::usage, "{}: the number of its elements is not known; say --shape N", name);
}

status stdin_twice() {
  return say(code::usage, "'-' (standard input) can be read once; name it once");
}

status no_topic(std::string_view word) {
  return say(code::usage, "there is no help on '{}'; 'onefold help' lists the commands",
             shown(word));
}

}  // namespace onefold::program::messages
