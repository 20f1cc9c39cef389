// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, 5> words = {"in", "out", "scratch", "n", "flag"};

bool is_pointer(const parameter& p) {
  return p.how == passed::pointer || p.how == passed::const_pointer;
}

/// "g_odata" -> "odata": the prefixes of the textbooks say device, not role.
std::string stem(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view prefix : {"g_", "d_", "dev_", "gpu_", "device_"}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

template <class Starts>
bool starts_with_any(const std::string& name, const Starts& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&name](std::string_view start) { return name.starts_with(start); });
}

/// How much a name sounds like the place of the answer: 2 surely, 1 perhaps, 0 not.
int sounds_like_output(const std::string& name) {
  constexpr std::array<std::string_view, 8> surely = {"out", "odata", "res",   "dst",
                                                      "ret", "sum",   "total", "answer"};
  constexpr std::array<std::string_view, 3> perhaps = {"part", "block", "y"};
  if (starts_with_any(stem(name), surely)) return 2;
  return starts_with_any(stem(name), perhaps) ? 1 : 0;
}

bool sounds_like_input(const std::string& name) {
  constexpr std::array<std::string_view, 7> starts = {"in", "idata", "src", "data",
                                                      "x",  "val",   "arr"};
  return starts_with_any(stem(name), starts);
}

constexpr const char* element_types = "int, unsigned, long long, float or double";

bool holds_elements(const parameter& p) {
  return is_pointer(p) && p.type != scalar::other;
}

using list = std::vector<unsigned>;

class guess {
 public:
  guess(const entry& kernel, const std::vector<std::string>& names,
        const std::vector<std::string>& declared, const std::vector<pointer_use>& uses)
      : kernel_(kernel), names_(names), declared_(declared), uses_(uses),
        roles_(kernel.count, role::scratch) {}

  std::vector<role> made() {
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].how == passed::integer) roles_[i] = role::length;
      if (kernel_.parameters[i].how == passed::flag) roles_[i] = role::flag;
    }
    const list inputs = find_inputs();
    for (const unsigned in : inputs) roles_[in] = role::input;
    roles_[find_output(inputs.front())] = role::output;
    check_lengths();
    return roles_;
  }

 private:
  template <class Wanted>
  list elements(Wanted&& wanted) const {
    list found;
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (holds_elements(kernel_.parameters[i]) && wanted(i)) found.push_back(i);
    }
    return found;
  }

  bool is_const(unsigned i) const { return kernel_.parameters[i].how == passed::const_pointer; }
  bool is_only_read(unsigned i) const {
    return !uses_.empty() && uses_[i].reads && uses_[i].elements_written == 0;
  }
  bool is_written(unsigned i) const { return !uses_.empty() && uses_[i].elements_written != 0; }

  /// What is const or only read; of more than two, what is read. If there is none, a name that
  /// sounds like an input; else the first pointer.
  list find_inputs() const {
    list inputs = elements([this](unsigned i) { return is_const(i) || is_only_read(i); });
    if (inputs.size() > 2) inputs = elements([this](unsigned i) { return is_only_read(i); });
    if (inputs.size() > 2) {
      throw std::invalid_argument(
          fmt::format("the kernel reads more than two arrays, '{}', '{}' and '{}'; try gives one, "
                      "or two to add up their products",
                      declared_[inputs[0]], declared_[inputs[1]], declared_[inputs[2]]));
    }
    if (!inputs.empty()) return inputs;
    inputs = elements([this](unsigned i) { return sounds_like_input(names_[i]); });
    if (inputs.empty()) {
      inputs = elements([this](unsigned i) { return sounds_like_output(names_[i]) == 0; });
    }
    if (inputs.empty()) throw std::invalid_argument(no_input());
    return {inputs.front()};
  }

  std::string no_input() const {
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (!is_pointer(kernel_.parameters[i]) || holds_elements(kernel_.parameters[i])) continue;
      return fmt::format("'{}' points to a type that try has no elements of; use {}", declared_[i],
                         element_types);
    }
    return fmt::format("the kernel has no input: no parameter points to {} that is not an output "
                       "by its name; say which is which with --args in,out,n",
                       element_types);
  }

  /// Of the other pointers that are written, the first of those that sound most like it and have
  /// the input's type.
  unsigned find_output(unsigned in) const {
    const auto is_free = [this](unsigned i) { return roles_[i] == role::scratch && !is_const(i); };
    list others = elements([&](unsigned i) { return is_free(i) && is_written(i); });
    if (others.empty()) others = elements(is_free);
    if (others.empty()) {
      throw std::invalid_argument(
          fmt::format("the kernel has no output: besides '{}' no parameter points to {} that it "
                      "writes; give the answer a pointer of its own",
                      declared_[in], element_types));
    }
    const auto likeness = [&](unsigned i) {
      return 2 * sounds_like_output(names_[i]) +
             (kernel_.parameters[i].type == kernel_.parameters[in].type);
    };
    return *std::max_element(others.begin(), others.end(),
                             [&](unsigned a, unsigned b) { return likeness(a) < likeness(b); });
  }

  /// Two integers may be a width and a height: no launch of one row would test that.
  void check_lengths() const {
    const std::vector<std::size_t> lengths = indices_of(roles_, role::length);
    if (lengths.size() < 2) return;
    throw std::invalid_argument(fmt::format(
        "the kernel takes several integers, '{}' and '{}', and try knows one length, n; if each is "
        "n, say so with --args, as in --args in,out,n,n",
        declared_[lengths[0]], declared_[lengths[1]]));
  }

  const entry& kernel_;
  const std::vector<std::string>& names_;
  const std::vector<std::string>& declared_;
  const std::vector<pointer_use>& uses_;
  std::vector<role> roles_;
};

role role_named(const std::string& word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word == words[i]) return static_cast<role>(i);
  }
  throw std::invalid_argument(
      fmt::format("--args: '{}' is no role; use {}", word, fmt::join(words, ", ")));
}

void check_fits(role r, const parameter& p, const std::string& declared) {
  const bool wants_elements = r == role::input || r == role::output;
  const bool wants_pointer = wants_elements || r == role::scratch;
  if (wants_elements && is_pointer(p) && !holds_elements(p)) {
    throw std::invalid_argument(
        fmt::format("--args: '{}' points to a type that try has no elements of; use {}", declared,
                    element_types));
  }
  if (wants_pointer == is_pointer(p)) return;
  throw std::invalid_argument(fmt::format("--args: '{}' cannot be {}", declared, to_string(r)));
}

std::vector<role> asked_roles(const entry& kernel, const std::vector<std::string>& declared,
                              const std::string& asked) {
  std::vector<role> roles;
  std::istringstream stream(asked);
  for (std::string word; std::getline(stream, word, ',');) roles.push_back(role_named(word));
  if (roles.size() != kernel.count) {
    throw std::invalid_argument(fmt::format("--args {}: {} roles for {} parameters; give one each",
                                            asked, roles.size(), kernel.count));
  }
  for (std::size_t i = 0; i < roles.size(); ++i) {
    check_fits(roles[i], kernel.parameters[i], declared[i]);
  }
  const std::size_t inputs = indices_of(roles, role::input).size();
  if (inputs != 1 && inputs != 2) {
    throw std::invalid_argument(
        fmt::format("--args {}: {} parameters are 'in'; name one or two", asked, inputs));
  }
  if (indices_of(roles, role::output).size() != 1) {
    throw std::invalid_argument(fmt::format("--args {}: name exactly one parameter 'out'", asked));
  }
  return roles;
}

}  // namespace

const char* to_string(role r) {
  return words[static_cast<std::size_t>(r)];
}

void check_parameters(const entry& kernel, const std::vector<std::string>& names,
                      const std::vector<std::string>& declared) {
  if (names.size() != kernel.count) {
    throw std::invalid_argument("the kernel's parameters cannot be told apart; is its definition "
                                "made by a macro? write it out");
  }
  for (unsigned i = 0; i < kernel.count; ++i) {
    if (kernel.parameters[i].how != passed::other) continue;
    throw std::invalid_argument(
        fmt::format("parameter {}, '{}', has a type that try has no argument for; use pointers to "
                    "{}, and integers for lengths",
                    i + 1, declared[i], element_types));
  }
}

std::vector<role> roles_of(const entry& kernel, const std::vector<std::string>& names,
                           const std::vector<std::string>& declared, const std::string& asked,
                           const std::vector<pointer_use>& uses) {
  std::vector<role> roles = asked.empty() ? guess(kernel, names, declared, uses).made()
                                          : asked_roles(kernel, declared, asked);
  const std::vector<std::size_t> inputs = indices_of(roles, role::input);
  if (inputs.size() == 2 &&
      kernel.parameters[inputs[0]].type != kernel.parameters[inputs[1]].type) {
    throw std::invalid_argument(
        fmt::format("the inputs '{}' and '{}' have two types; give both the same",
                    declared[inputs[0]], declared[inputs[1]]));
  }
  return roles;
}

std::vector<std::size_t> indices_of(const std::vector<role>& roles, role wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == wanted) found.push_back(i);
  }
  return found;
}

std::size_t index_of(const std::vector<role>& roles, role wanted) {
  return static_cast<std::size_t>(std::find(roles.begin(), roles.end(), wanted) - roles.begin());
}

}  // namespace onefold::ladder::learner
