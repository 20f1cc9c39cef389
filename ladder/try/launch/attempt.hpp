// SPDX-License-Identifier: Apache-2.0
#pragma once
// One launch on a device of its own: buffers, arguments, the check of the answer.

#include "ladder/try/launch/trials.hpp"
#include "simt/device.hpp"

namespace onefold::ladder::learner {

simt::launch_config launch_config_of(const trial_setup& setup, const trial_launch& launch,
                                     std::size_t item_bytes);

/// What an argument of the role is, if that is a number.
argument number_argument(const trial_setup& setup, std::size_t i, const try_shape& data);

void restore(const std::vector<device_variable>& variables);

std::vector<numbers> inputs_of(const trial_setup& setup, const trial_launch& launch);
/// Whether two elements of an input are the same in a file's launch; structs are not looked at.
bool has_equal_inputs(const trial_setup& setup);
/// CUDA's fmaxf takes the number of a number and a NaN, and other functions the NaN: a maximum may
/// do either, but always the same.
bool has_choice_of_nan(const trial_setup& setup, const trial_launch& launch);
numbers answers_of(const trial_setup& setup, const trial_launch& launch,
                   const std::vector<numbers>& inputs);

/// Launches, and notes the watch for the report of a crash.
void launch_watched(const trial_setup& setup, simt::device& device, const buffer_watch& watch,
                    const simt::launch_config& config, const std::vector<argument>& arguments);

class attempt {
 public:
  attempt(const trial_setup& setup, const std::set<std::string>& cleared,
          const trial_launch& launch);

  try_run run(simt::observer* extra);

  /// The answer of one more launch, if it is wrong. The host has taken the first answer, and has
  /// cleared what it cleared before.
  std::string wrong_second_answer();

  /// Buffers that the launch has read before they were written.
  std::set<std::string> to_clear() const;

  const simt::counts& counts() const { return counts_; }

 private:
  /// A buffer, and the value that the host clears it with.
  struct host_cleared {
    std::byte* at;
    std::size_t bytes;
    element_layout layout;
    numbers values;  ///< of one element
  };

  void launch();
  void say_what_waits(std::vector<simt::finding>& findings);
  void* place_input(std::size_t parameter, const numbers& values);
  void* place(std::size_t parameter);
  std::size_t outputs() const;  ///< numbers
  std::size_t partial_answers_count() const;
  static void clear(const host_cleared& c);
  numbers start_of(const parameter& p, bool is_output) const;

  void judge(try_run& result) const;
  void judge_record(try_run& result, const numbers& found) const;
  bool is_in_place_record(const std::vector<numbers>& each) const;
  void judge_one_value(try_run& result, const numbers& found) const;
  void judge_each(try_run& result, const numbers& found) const;
  bool is_in_place_answer(const numbers& found) const;
  bool agrees(scalar type, number found, number expected) const;
  bool wrote(std::size_t first_number, std::size_t last_number) const;
  std::string name_of_element(std::size_t component) const;

  const trial_setup& setup_;
  const std::set<std::string>& cleared_;
  trial_launch launch_;
  std::vector<numbers> values_;  ///< of each input
  numbers answers_;
  element_layout layout_;  ///< of the output
  simt::device device_;
  simt::counts counts_;
  buffer_watch watch_;
  std::byte* at_output_ = nullptr;
  std::size_t output_ = 0;             ///< in the watch's numbering
  std::vector<std::size_t> followed_;  ///< parameter of each followed buffer
  std::vector<host_cleared> host_cleared_;
  std::vector<argument> arguments_;
};

}  // namespace onefold::ladder::learner
