// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels that a learner's file defines, and the C++ name of the one to try.

#include "ladder/try/answer/number.hpp"
#include "ladder/try/source/tokens.hpp"

#include <optional>

namespace onefold::ladder::learner {

struct template_parameter {
  enum { type, value, flag, other } kind = other;
  std::string name;
  bool has_default = false;
};

struct kernel_source {
  std::string name;
  std::string qualifier;  ///< "a::b::" for the namespaces around it
  bool is_template = false;
  std::vector<template_parameter> template_parameters;
  std::vector<std::string> parameters;  ///< as written: "const float* in"
  std::vector<std::string> parameter_names;
  std::vector<std::string> parameter_types;  ///< the last word: "float", "shape"
  std::size_t first = 0, last = 0;           ///< its tokens: from __global__ to the end of its body
};

std::vector<kernel_source> kernels_in(const std::vector<token>& tokens);

/// The kernel that --kernel names, with or without template arguments; the only one if it is empty.
/// Fails: std::invalid_argument that lists the kernels of the file.
const kernel_source& find_kernel(const std::vector<kernel_source>& kernels,
                                 const std::string& requested, const std::string& file);

/// The token at `at`, or the one behind the kernel that begins there and is not `kernel`.
std::size_t behind_others(const std::vector<kernel_source>& kernels, const kernel_source& kernel,
                          std::size_t at);

/// A struct of the file with an operator().
struct functor_source {
  std::string name;  ///< with its namespaces
  bool is_template = false;
};

std::vector<functor_source> functors_in(const std::vector<token>& tokens);

/// The one whose name says the operator; without an operator the first, or nothing.
const functor_source* functor_for(const std::vector<functor_source>& functors,
                                  std::optional<reduction> op);

/// What template parameters stand for when --kernel does not say.
struct instance_options {
  scalar type = scalar::int32;
  reduction op = reduction::sum;
  unsigned block = 256;
  const functor_source* functor = nullptr;  ///< of the file
};

/// "a::my_sum<float, 256>": with the arguments of --kernel, or else the element type for the first
/// type parameter, for one named like an operator a functor of the file or else an operator of
/// ladder/operators.cuh, the block for an integer and false for a bool.
/// Fails: std::invalid_argument for a parameter that is none of these.
std::string instance_name(const kernel_source& kernel, const std::string& requested,
                          const instance_options& options);

}  // namespace onefold::ladder::learner
