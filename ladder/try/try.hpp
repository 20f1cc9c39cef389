// SPDX-License-Identifier: Apache-2.0
#pragma once
// Try a learner's own kernel: compile the file with the host's compiler, launch the kernel under
// the executor in every schedule and at awkward lengths, and tell what is wrong and where.
//
//   try.cpp    read, compile, run, report
//   source/    the file's text, and the little CUDA in it that is no C++; the unit to compile
//   device/    what the file is compiled with
//   object/    the compiler, the folder it works in, and the child processes
//   answer/    inputs, and what a right kernel makes of them, for every element type
//   watch/     observers of a launch: which bytes are read and written, which operator is at work
//   coverage/  which launches are made, and what they leave untested
//   explain/   why an answer is wrong: lines, elements that are lost
//   launch/    a session in a child, which may crash: every launch, and the check of its answer
//   verify/    launches whose answer is judged outside the process that computes it
//   report/    what the launches showed, as lines with a place, as text and as JSON
//
// A program that calls this needs onefold_can_try of CMakeLists.txt: the loaded object calls back.

#include "ladder/try/report/drawing.hpp"
#include "ladder/try/report/report.hpp"

#include <functional>

namespace onefold::ladder {

/// A launch that --compare repeats with a rung.
struct try_launch {
  std::size_t n;
  unsigned block;
  std::string type, op;
  unsigned grid = 0;  ///< blocks at most, of a rung that takes any number; 0: its own
};

struct try_options {
  std::string file{};
  std::string kernel{};  ///< "my_sum" or "my_sum<float, 256>"; may be empty if the file has one
  std::optional<std::size_t> n{};    ///< elements; by default 16384, or what the shapes give
  std::optional<try_shape> block{};  ///< by default what the text says, else 256; and others
  std::optional<try_shape> grid{};   ///< by default one element a lane
  std::optional<try_shape> shape{};  ///< of a matrix: width and height
  std::optional<std::size_t> shared_bytes{};  ///< dynamic; by default one element a lane
  std::string type{};                         ///< of a template's elements; by default int
  std::string op{};                           ///< by default sum
  std::string expect{};  ///< what it computes; by default guessed from its parameters
  std::string schedule = "all";
  std::string arguments{};  ///< "in,out,n": what the parameters are; by default found by a launch
  std::string rung{};       ///< to compare with
  /// The type of the answer: more launches, on random elements, are judged outside their process.
  std::string verify{};
  /// Seconds of a processor, for all launches together; by default usual_limit_s.
  std::optional<double> limit_s{};

  launch_drawer draw{};  ///< a picture for the report; empty: none

  /// The counts of `rung` at that launch; empty if it has none. Called only for a kernel that ran.
  std::function<std::optional<simt::counts>(const std::string& rung, const try_launch&)> compare{};
};

/// Seconds, five times what a textbook kernel takes.
constexpr double usual_limit_s(std::size_t n) {
  return 3 + static_cast<double>(n / 16384);
}

/// Never fails for what a learner can do: that is in the report.
/// Fails: std::runtime_error for what the machine lacks (no compiler, no room), with the remedy.
try_report try_kernel(const try_options& options);

}  // namespace onefold::ladder
