// SPDX-License-Identifier: Apache-2.0
// All error messages of the program: what is wrong, where, and the remedy.
//
// A message has its status with it, so that this file also shows the exit code of every failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "onefold/dtype.hpp"
#include "onefold/status.hpp"

namespace onefold::program::messages {

/// Text of an input as messages quote it: short, and in printable ASCII.
std::string excerpt(std::string_view text);

/// A byte position in an input.
struct place {
  const std::string& input;
  std::uint64_t byte;
};

// Files and streams.
status cannot_open(std::string_view name, int error_number);
status cannot_read(std::string_view name, int error_number);
status cannot_write(std::string_view name, int error_number);
status output_is_input(std::string_view output, std::string_view input);
status became_shorter(std::string_view name);
status stream_ended(std::string_view name, std::uint64_t got_bytes, std::uint64_t wanted_bytes);
status data_truncated(std::string_view name, std::uint64_t data_offset, std::uint64_t wanted_bytes,
                      std::uint64_t there_bytes);
std::string trailing_bytes(std::string_view name, std::uint64_t bytes);

// The format of an input.
status unknown_extension(std::string_view name);
status later_format(std::string_view name, std::string_view extension);
status raw_options_without_raw(std::string_view name, std::string_view format);

// .npy headers.
status npy_empty(std::string_view name);
status npy_bad_magic(std::string_view name);
status npy_short(std::string_view name, std::uint64_t bytes);
status npy_version(place where, int major, int minor);
status npy_header_too_long(place where, std::uint32_t bytes, std::uint32_t cap_bytes);
status npy_header_past_end(place where, std::uint32_t bytes, std::uint64_t file_bytes);
status npy_expected(place where, std::string_view expected);
status npy_unknown_key(place where, std::string_view key);
status npy_repeated_key(place where, std::string_view key);
status npy_missing_key(place where, std::string_view key);
status npy_structured(place where);
status npy_element_type(place where, std::string_view code);
status npy_extent_too_large(place where);
status npy_rank(place where, int most);
status npy_too_large(place where);

// Safetensors files.
status safetensors_short(std::string_view name, std::uint64_t bytes);
status safetensors_header_too_long(std::string_view name, std::uint64_t bytes,
                                   std::uint64_t cap_bytes);
status safetensors_header_past_end(std::string_view name, std::uint64_t bytes,
                                   std::uint64_t file_bytes);
status safetensors_no_json(place where);
status safetensors_header(std::string_view name, std::string_view problem);
status safetensors_tensor(std::string_view name, std::string_view tensor, std::string_view problem);
status safetensors_data(std::string_view name, std::uint64_t wanted_bytes,
                        std::uint64_t there_bytes);
status safetensors_stream(std::string_view name);
status safetensors_type(std::string_view name, std::string_view type);
std::string safetensors_empty(std::string_view name);
status one_array(std::string_view name, std::string_view use);
/// The name of a tensor in messages: "model.safetensors: tensor 'bias'".
std::string tensor_name(std::string_view name, std::string_view tensor);

// Raw data.
status raw_needs_dtype(std::string_view name);
status raw_endless(std::string_view name);
status raw_ragged(std::string_view name, std::uint64_t bytes, dtype type);
status skip_past_end(std::string_view name, std::uint64_t skip_bytes, std::uint64_t there_bytes);
status shape_too_large(std::string_view name);

// The command line.
status unknown_command(std::string_view word, std::string_view suggestion);
status later_command(std::string_view word);
status unknown_operator(std::string_view word, std::string_view suggestion);
status operator_missing(std::string_view list);
status operator_twice(std::string_view word, std::string_view list);
status dot_alone(std::string_view list);
status dot_takes_two(std::size_t inputs);
status command_comes_first(std::string_view option);
status unknown_option(std::string_view option, std::string_view command,
                      std::string_view suggestion);
status input_missing(std::string_view command);
status bad_usage(std::string_view problem, std::string_view command);
status unexpected_argument(std::string_view argument, std::string_view command);
status bad_value(std::string_view option, std::string_view value, std::string_view allowed);
status conflict(std::string_view one, std::string_view other);
status no_device(std::string_view why);
status text_on_device(std::string_view name);
status option_without_use(std::string_view option, std::string_view operators);
status keepdims_without_axis();
status group_option_without_by(std::string_view option);
status initial_is_no_element(std::string_view name, dtype type);
status keys_of_dot();
status keys_not_npy(std::string_view name);
status total_of_fast();
status total_of_arrays();
status total_of_positions(std::string_view word);
status total_of_dot();
status total_without(std::string_view name);
status total_of_types(std::string_view name, std::string_view type, std::string_view before);
status ranks_words();
status ranks_data(std::string_view name);
status ranks_stream(std::string_view name);
status ranks_text(std::string_view name);
status ranks_column_major(std::string_view name, std::string_view op);
status state_of_several();
status state_of_inputs();
status state_of_text();
status state_of_positions();
status state_too_long(std::string_view name, std::uint64_t most_bytes);
status words_line(std::string_view name, std::uint64_t line, std::string_view word);
status words_length(std::string_view name, std::uint64_t line, std::size_t words,
                    std::size_t before);
status words_overflow(std::string_view name, std::uint64_t line);
status words_missing(std::string_view name);
status keys_without_words();
status text_output(std::string_view name, std::string_view word, dtype type,
                   std::string_view allowed);
status text_operator(std::string_view name, std::string_view word);
status text_option(std::string_view name, std::string_view option);
status text_has_no_axes(std::string_view name);
status text_is_empty(std::string_view name, std::string_view word);
status other_rows(std::string_view one, std::int64_t rows, std::string_view other,
                  std::int64_t other_rows);
status text_met_a_nan(std::string_view name, std::string_view word);
status plan_of_text(std::string_view name);
status plan_of_stream(std::string_view name);
status stdin_twice();
status no_topic(std::string_view word);

// Inputs that must be in memory as a whole.
struct memory_need {
  std::uint64_t wanted_bytes;
  std::uint64_t limit_bytes;  ///< that of --mem-limit, else the machine's
  std::uint64_t machine_bytes;
};
status exceeds_memory(std::string_view name, std::string_view why, const memory_need& need);

/// A message of the library, with the option's name in place of the C++ word, and the input's name
/// in front.
status about(std::string_view input, const status& said);

// The rest.
status ranks_module(std::string_view path);
status ranks_no_mpi(std::string_view why);
status ranks_other_version(std::string_view path);
status no_sibling(std::string_view path);
status cannot_start(std::string_view path, int error_number);
status out_of_memory();
status internal(std::string_view problem);

}  // namespace onefold::program::messages
