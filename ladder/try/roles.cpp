// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/roles.hpp"

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

class guess {
 public:
  guess(const entry& kernel, const std::vector<std::string>& names,
        const std::vector<std::string>& declared)
      : kernel_(kernel), names_(names), declared_(declared), roles_(kernel.count, role::scratch) {}

  std::vector<role> made() {
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].how == passed::integer) roles_[i] = role::length;
      if (kernel_.parameters[i].how == passed::flag) roles_[i] = role::flag;
    }
    const unsigned in = find_input();
    roles_[in] = role::input;
    roles_[find_output(in)] = role::output;
    return roles_;
  }

 private:
  bool can_hold_elements(unsigned i) const {
    return is_pointer(kernel_.parameters[i]) && kernel_.parameters[i].type != scalar::other;
  }

  /// A pointer to const; without one, a name that sounds like an input; else the first pointer.
  unsigned find_input() const {
    std::vector<unsigned> constant, named, any;
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (!can_hold_elements(i)) continue;
      if (kernel_.parameters[i].how == passed::const_pointer) constant.push_back(i);
      if (sounds_like_input(names_[i])) named.push_back(i);
      if (sounds_like_output(names_[i]) == 0) any.push_back(i);
    }
    if (constant.size() > 1) {
      throw std::invalid_argument(fmt::format(
          "the kernel has two inputs, '{}' and '{}'; try checks reductions of one array",
          declared_[constant[0]], declared_[constant[1]]));
    }
    for (const auto* choice : {&constant, &named, &any}) {
      if (!choice->empty()) return choice->front();
    }
    throw std::invalid_argument("the kernel has no input: no parameter points to int, unsigned, "
                                "long long, float or double that is not an output by its name; "
                                "say which is which with --args in,out,n");
  }

  /// Of the other pointers, the first of those that sound most like it.
  unsigned find_output(unsigned in) const {
    int best = -1;
    unsigned found = 0;
    for (unsigned i = 0; i < kernel_.count; ++i) {
      if (i == in || !can_hold_elements(i) || kernel_.parameters[i].how != passed::pointer)
        continue;
      const int sounds = sounds_like_output(names_[i]);
      if (sounds <= best) continue;
      best = sounds;
      found = i;
    }
    if (best >= 0) return found;
    throw std::invalid_argument(fmt::format(
        "the kernel has no output: besides '{}' no parameter points to int, unsigned, long long, "
        "float or double; give the answer a pointer of its own",
        declared_[in]));
  }

  const entry& kernel_;
  const std::vector<std::string>& names_;
  const std::vector<std::string>& declared_;
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
  const bool wants_pointer = r == role::input || r == role::output || r == role::scratch;
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
  for (const role once : {role::input, role::output}) {
    if (std::count(roles.begin(), roles.end(), once) == 1) continue;
    throw std::invalid_argument(
        fmt::format("--args {}: name exactly one parameter '{}'", asked, to_string(once)));
  }
  return roles;
}

}  // namespace

const char* to_string(role r) {
  return words[static_cast<std::size_t>(r)];
}

std::vector<role> roles_of(const entry& kernel, const std::vector<std::string>& names,
                           const std::vector<std::string>& declared, const std::string& asked) {
  if (names.size() != kernel.count) {
    throw std::invalid_argument("the kernel's parameters cannot be told apart; is its definition "
                                "made by a macro? write it out");
  }
  for (unsigned i = 0; i < kernel.count; ++i) {
    if (kernel.parameters[i].how != passed::other) continue;
    throw std::invalid_argument(fmt::format(
        "parameter {}, '{}', has a type that try has no argument for; use pointers to int, "
        "unsigned, long long, float or double, and integers for lengths",
        i + 1, declared[i]));
  }
  if (!asked.empty()) return asked_roles(kernel, declared, asked);
  return guess(kernel, names, declared).made();
}

std::size_t index_of(const std::vector<role>& roles, role wanted) {
  return static_cast<std::size_t>(std::find(roles.begin(), roles.end(), wanted) - roles.begin());
}

}  // namespace onefold::ladder::learner
