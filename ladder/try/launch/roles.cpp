// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/roles.hpp"

#include "ladder/try/launch/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, 11> words = {
    "in", "out", "inout", "scratch", "n", "width", "height", "depth", "flag", "1", "zeros"};

bool is_pointer(const parameter& p) {
  return p.kind == passed::pointer || p.kind == passed::const_pointer;
}

/// "g_odata" -> "odata": the prefixes of the textbooks say device, not role.
std::string stem(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  name = name.substr(name.rfind('.') + 1);  // of a field
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

constexpr const char* element_types =
    "integers, float, double, __half, __nv_bfloat16, or vectors or structs of these";

bool holds_elements(const parameter& p) {
  return is_pointer(p) && p.type != scalar::other;
}

/// Why a pointer has no elements that try knows.
std::string no_elements(const parameter& p, const std::string& declared) {
  if (p.bad_field == nullptr) {
    return fmt::format("'{}' points to a type that try has no elements of; use {}", declared,
                       element_types);
  }
  return fmt::format("'{}' points to structs whose field '{}' is no number, vector or short array; "
                     "try cannot fill it",
                     declared, p.bad_field);
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), stem(name)) != list.end();
}

bool sounds_like_width(const std::string& name) {
  return is_one_of(name, {"width", "w", "cols", "columns", "ncols", "ncol", "n_cols", "num_cols",
                          "nx", "dimx", "xsize", "pitch", "stride", "lda", "ld", "col"});
}

bool sounds_like_height(const std::string& name) {
  return is_one_of(name, {"height", "h", "rows", "nrows", "nrow", "n_rows", "num_rows", "ny", "m",
                          "dimy", "ysize", "row"});
}

bool sounds_like_depth(const std::string& name) {
  return is_one_of(name, {"depth", "nz", "dimz", "layers", "zsize"});
}

bool sounds_like_length(const std::string& name) {
  return is_one_of(name, {"n", "size", "len", "length", "count", "num", "total", "elements",
                          "nelements", "num_elements", "numelements", "arraysize"});
}

/// Integers: sizes by their names; one whose name says nothing is the length if it is the only one.
class integers {
 public:
  integers(const signature& kernel, std::vector<role>& roles) : kernel_(kernel), roles_(roles) {}

  void decide() {
    std::vector<std::size_t> others;
    bool matrix = false, length = false;
    for (std::size_t i = 0; i < kernel_.kernel.count; ++i) {
      if (kernel_.kernel.parameters[i].kind != passed::integer) continue;
      roles_[i] = named(i);
      matrix |= roles_[i] == role::width || roles_[i] == role::height || roles_[i] == role::depth;
      length |= roles_[i] == role::length;
      if (roles_[i] != role::constant || sounds_like_identity(kernel_.names[i])) continue;
      others.push_back(i);
    }
    if (others.size() == 1 && !matrix && !length) {
      roles_[others[0]] = role::length;
      others.clear();
    }
    if (!others.empty()) refuse(others[0]);
    pair_of_sizes();
  }

 private:
  role named(std::size_t i) const {
    const std::string& name = kernel_.names[i];
    if (sounds_like_width(name)) return role::width;
    if (sounds_like_height(name)) return role::height;
    if (sounds_like_depth(name)) return role::depth;
    return sounds_like_length(name) ? role::length : role::constant;
  }

  /// m rows of n elements; and a single "m", "row" or "stride" is a length.
  void pair_of_sizes() {
    std::vector<std::size_t> lengths, widths, heights;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (roles_[i] == role::length) lengths.push_back(i);
      if (roles_[i] == role::width) widths.push_back(i);
      if (roles_[i] == role::height) heights.push_back(i);
    }
    if (heights.size() == 1 && lengths.size() == 1 && widths.empty()) {
      roles_[lengths[0]] = role::width;
    } else if (heights.size() == 1 && lengths.empty() && widths.empty()) {
      roles_[heights[0]] = role::length;
    } else if (lengths.size() > 1) {
      refuse(lengths[1]);
    }
  }

  [[noreturn]] void refuse(std::size_t which) const {
    std::string known;
    for (std::size_t i = 0; i < kernel_.kernel.count; ++i) {
      if (kernel_.kernel.parameters[i].kind != passed::integer) continue;
      known += fmt::format("{}'{}'", known.empty() ? "" : " and ", kernel_.declared[i]);
    }
    throw std::invalid_argument(fmt::format(
        "the kernel takes several integers, {}, and the name '{}' does not say which size it is; "
        "say so with --args, one word a parameter: in, out, n, width, height, or a number",
        known, kernel_.names[which]));
  }

  const signature& kernel_;
  std::vector<role>& roles_;
};

using list = std::vector<std::size_t>;

class pointers {
 public:
  pointers(parameters& found, const signature& kernel, const std::vector<pointer_use>& uses,
           std::size_t elements)
      : roles_(found.roles), kernel_(kernel), uses_(uses), elements_(elements) {}

  void decide() {
    const list inputs = find_inputs();
    for (const std::size_t in : inputs) roles_[in] = role::input;
    const std::optional<std::size_t> out = find_output(inputs.front());
    if (out) {
      roles_[*out] = replaced(*out) ? role::in_place : role::output;
    } else {
      replace_one(inputs);
    }
  }

 private:
  const parameter& at(std::size_t i) const { return kernel_.kernel.parameters[i]; }

  template <class Wanted>
  list elements(Wanted&& wanted) const {
    list found;
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (holds_elements(at(i)) && wanted(i)) found.push_back(i);
    }
    return found;
  }

  bool is_const(std::size_t i) const { return at(i).kind == passed::const_pointer; }
  bool is_only_read(std::size_t i) const {
    return !uses_.empty() && uses_[i].reads && uses_[i].elements_written == 0;
  }
  bool is_written(std::size_t i) const { return !uses_.empty() && uses_[i].elements_written != 0; }
  /// Nearly each element is read before anything is written to it.
  bool replaced(std::size_t i) const {
    return !uses_.empty() && elements_ > 1 && uses_[i].elements_read_first > elements_ / 2;
  }

  /// What is const or only read; of more than one, what is read. If there is none, a name that
  /// sounds like an input; else the first pointer.
  list find_inputs() const {
    list inputs = elements([this](std::size_t i) { return is_const(i) || is_only_read(i); });
    if (inputs.size() > 2) inputs = elements([this](std::size_t i) { return is_only_read(i); });
    if (!inputs.empty()) return inputs;
    inputs = elements([this](std::size_t i) { return sounds_like_input(kernel_.names[i]); });
    if (inputs.empty()) inputs = elements([this](std::size_t i) { return replaced(i); });
    if (inputs.empty()) {
      inputs =
          elements([this](std::size_t i) { return sounds_like_output(kernel_.names[i]) == 0; });
    }
    if (inputs.empty()) throw std::invalid_argument(no_input());
    return {inputs.front()};
  }

  std::string no_input() const {
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      if (!is_pointer(at(i)) || holds_elements(at(i))) continue;
      return no_elements(at(i), kernel_.declared[i]);
    }
    return fmt::format("the kernel has no input: no parameter points to {} that is not an output "
                       "by its name; say which is which with --args in,out,n",
                       element_types);
  }

  /// Of the other pointers that are written, the first of those that sound most like it and have
  /// the input's type.
  std::optional<std::size_t> find_output(std::size_t in) const {
    const auto is_free = [this](std::size_t i) {
      return roles_[i] == role::scratch && !is_const(i);
    };
    list others = elements([&](std::size_t i) { return is_free(i) && is_written(i); });
    if (others.empty() && !is_written(in)) others = elements(is_free);
    if (others.empty()) return {};
    const auto likeness = [&](std::size_t i) {
      return 2 * sounds_like_output(kernel_.names[i]) + (at(i).type == at(in).type);
    };
    return *std::max_element(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
      return likeness(a) < likeness(b);
    });
  }

  /// The answer takes the place of elements, which the kernel has no other pointer for.
  void replace_one(const list& inputs) {
    for (const std::size_t in : inputs) {
      if (is_const(in) || (!uses_.empty() && !is_written(in))) continue;
      roles_[in] = role::in_place;
      return;
    }
    throw std::invalid_argument(
        fmt::format("the kernel has no output: besides '{}' no parameter points to {} that it "
                    "writes; give the answer a pointer of its own",
                    kernel_.declared[inputs.front()], element_types));
  }

  std::vector<role>& roles_;
  const signature& kernel_;
  const std::vector<pointer_use>& uses_;
  std::size_t elements_;
};

std::optional<double> number_in(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

role role_named(const std::string& word) {
  if (number_in(word)) return role::constant;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word == words[i]) return static_cast<role>(i);
  }
  throw std::invalid_argument(fmt::format("--args: '{}' is no role; use {}, or a number", word,
                                          fmt::join(words.begin(), words.begin() + 9, ", ")));
}

bool wants_elements(role r) {
  return r == role::input || r == role::output || r == role::in_place;
}

void check_fits(role r, const parameter& p, const std::string& declared) {
  if (wants_elements(r) && is_pointer(p) && !holds_elements(p)) {
    throw std::invalid_argument("--args: " + no_elements(p, declared));
  }
  const bool wants_pointer = wants_elements(r) || r == role::scratch;
  const bool is_size =
      r == role::length || r == role::width || r == role::height || r == role::depth;
  if (wants_pointer == is_pointer(p) && !(is_size && p.kind != passed::integer)) return;
  throw std::invalid_argument(fmt::format("--args: '{}' cannot be {}", declared, to_string(r)));
}

parameters asked_roles(const signature& kernel, const std::string& words) {
  parameters found;
  std::istringstream stream(words);
  for (std::string word; std::getline(stream, word, ',');) {
    found.roles.push_back(role_named(word));
    found.values.push_back(number_in(word).value_or(1));
  }
  if (found.roles.size() != kernel.kernel.count) {
    throw std::invalid_argument(fmt::format("--args {}: {} roles for {} parameters; give one each",
                                            words, found.roles.size(), kernel.kernel.count));
  }
  for (std::size_t i = 0; i < found.roles.size(); ++i) {
    check_fits(found.roles[i], kernel.kernel.parameters[i], kernel.declared[i]);
  }
  if (found.inputs().empty()) {
    throw std::invalid_argument(
        fmt::format("--args {}: 0 parameters are 'in'; name one or more", words));
  }
  if (found.all(role::output).size() + found.all(role::in_place).size() != 1) {
    throw std::invalid_argument(
        fmt::format("--args {}: name exactly one parameter 'out', or 'inout'", words));
  }
  return found;
}

void check_inputs(const parameters& found, const signature& kernel) {
  const std::vector<std::size_t> inputs = found.inputs();
  for (const std::size_t i : inputs) {
    const parameter &p = kernel.kernel.parameters[i], &first = kernel.kernel.parameters[inputs[0]];
    if (same_elements(p, first)) continue;
    throw std::invalid_argument(
        fmt::format("the inputs '{}' and '{}' have two types; give both the same",
                    kernel.declared[inputs[0]], kernel.declared[i]));
  }
}

}  // namespace

const char* to_string(role r) {
  return words[static_cast<std::size_t>(r)];
}

std::vector<std::size_t> parameters::all(role wanted) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == wanted) found.push_back(i);
  }
  return found;
}

std::size_t parameters::first(role wanted) const {
  return static_cast<std::size_t>(std::find(roles.begin(), roles.end(), wanted) - roles.begin());
}

std::vector<std::size_t> parameters::inputs() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i] == role::input || roles[i] == role::in_place) found.push_back(i);
  }
  return found;
}

bool sounds_like_identity(const std::string& name) {
  constexpr std::array<std::string_view, 4> starts = {"init", "ident", "neutral", "start_val"};
  return starts_with_any(stem(name), starts);
}

void check_parameters(const signature& kernel) {
  if (kernel.names.size() != kernel.kernel.count) {
    throw std::invalid_argument("the kernel's parameters cannot be read; is its definition "
                                "made by a macro? write it out");
  }
  for (unsigned i = 0; i < kernel.kernel.count; ++i) {
    if (kernel.kernel.parameters[i].kind != passed::other) continue;
    throw std::invalid_argument(
        fmt::format("parameter {}, '{}', has a type that try has no argument for; use pointers to "
                    "{}, numbers, or structs of these",
                    kernel.kernel.parameters[i].position + 1, kernel.declared[i], element_types));
  }
}

parameters number_roles(const signature& kernel, const std::string& words) {
  if (!words.empty()) return asked_roles(kernel, words);
  parameters found;
  found.roles.assign(kernel.kernel.count, role::scratch);
  found.values.assign(kernel.kernel.count, 1);
  for (std::size_t i = 0; i < found.roles.size(); ++i) {
    const passed kind = kernel.kernel.parameters[i].kind;
    if (kind == passed::flag) found.roles[i] = role::flag;
    if (kind == passed::real) found.roles[i] = role::constant;
    if (kind == passed::structure) found.roles[i] = role::structure;
  }
  integers(kernel, found.roles).decide();
  return found;
}

void add_pointer_roles(parameters& found, const signature& kernel, const std::string& words,
                       const std::vector<pointer_use>& uses, std::size_t elements) {
  if (words.empty()) pointers(found, kernel, uses, elements).decide();
  check_inputs(found, kernel);
}

}  // namespace onefold::ladder::learner
