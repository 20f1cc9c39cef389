// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/kernels_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

using token_list = std::vector<token>;

std::size_t find_sign(const token_list& list, std::string_view sign) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const token& t) { return t.is(sign); });
  return static_cast<std::size_t>(found - list.begin());
}

std::string text_of(const token_list& list, std::size_t last) {
  std::string text;
  for (std::size_t i = 0; i < last; ++i) {
    const bool gap = i != 0 && list[i].begin != list[i - 1].end();
    if (gap) text += ' ';
    text += list[i].text;
  }
  return text;
}

/// The last word before a default value or the bounds of an array.
std::string name_in(const token_list& list) {
  for (std::size_t i = std::min(find_sign(list, "="), find_sign(list, "[")); i > 0; --i) {
    if (list[i - 1].kind == token_kind::word) return std::string(list[i - 1].text);
  }
  return "";
}

/// The word before the name, if nothing else is between them.
std::string type_in(const token_list& list) {
  std::size_t last = std::min(find_sign(list, "="), list.size());
  if (last < 2 || list[last - 1].kind != token_kind::word) return "";
  return std::string(list[last - 2].text);
}

template_parameter template_parameter_of(const token_list& list) {
  template_parameter p{template_parameter::other, name_in(list),
                       find_sign(list, "=") < list.size()};
  if (list.empty() || find_sign(list, ".") < list.size() || list[0].is("template")) return p;
  const bool is_type = list[0].is("class") || list[0].is("typename");
  p.kind = is_type              ? template_parameter::type
           : list[0].is("bool") ? template_parameter::flag
                                : template_parameter::value;
  return p;
}

/// Reads one declaration from __global__ on.
class declaration {
 public:
  declaration(const token_list& tokens, std::size_t global)
      : tokens_(tokens), global_(global), at_(global) {}

  /// Whether it is a definition, and then what it says.
  bool read(kernel_source& kernel) {
    if (!find_name()) return false;
    kernel.name = tokens_[at_ - 1].text;
    kernel.first = global_;
    const std::size_t behind = behind_bracket(tokens_, at_);
    if (behind >= tokens_.size() || !tokens_[behind].is("{")) return false;
    kernel.last = behind_bracket(tokens_, behind);
    for (const token_list& part : split_at_commas(tokens_, at_ + 1, behind - 1)) {
      if (part.size() == 1 && part[0].is("void")) continue;
      kernel.parameters.push_back(text_of(part, part.size()));
      kernel.parameter_names.push_back(name_in(part));
      kernel.parameter_types.push_back(type_in(part));
    }
    return true;
  }

 private:
  /// Stops at the bracket that follows the kernel's name; attributes have brackets too.
  bool find_name() {
    for (; at_ < tokens_.size(); ++at_) {
      const token& t = tokens_[at_];
      if (t.is(";") || t.is("{") || t.is("}")) return false;
      if (!t.is("(")) continue;
      const token& before = tokens_[at_ - 1];
      const bool attribute = before.is("__launch_bounds__") || before.is("__attribute__") ||
                             before.is("__block_size__") || before.kind != token_kind::word;
      if (!attribute) return true;
      at_ = behind_bracket(tokens_, at_) - 1;
    }
    return false;
  }

  const token_list& tokens_;
  std::size_t global_, at_;
};

/// The template list of the declaration that __global__ belongs to.
void read_template(const token_list& tokens, std::size_t global, kernel_source& kernel) {
  std::size_t first = global;
  while (first != 0 && !tokens[first - 1].is(";") && !tokens[first - 1].is("}") &&
         !tokens[first - 1].is("{") && tokens[first - 1].kind != token_kind::directive) {
    --first;
  }
  if (first + 1 >= tokens.size() || !tokens[first].is("template")) return;
  kernel.is_template = true;
  const std::size_t behind = behind_bracket(tokens, first + 1);
  for (const token_list& part : split_at_commas(tokens, first + 2, behind - 1)) {
    kernel.template_parameters.push_back(template_parameter_of(part));
  }
}

std::string without_arguments(const std::string& requested) {
  std::string name = requested.substr(0, requested.find('<'));
  std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
  return name;
}

bool sounds_like_an_operator(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.starts_with("op") || name.starts_with("f") || name.starts_with("red");
}

}  // namespace

std::vector<kernel_source> kernels_in(const token_list& tokens) {
  std::vector<kernel_source> kernels;
  scopes around(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    around.pass(i);
    kernel_source kernel;
    if (!tokens[i].is("__global__") || !declaration(tokens, i).read(kernel)) continue;
    kernel.qualifier = around.qualifier();
    read_template(tokens, i, kernel);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

const kernel_source& find_kernel(const std::vector<kernel_source>& kernels,
                                 const std::string& requested, const std::string& file) {
  if (kernels.empty()) {
    throw std::invalid_argument(fmt::format(
        "{} defines no kernel: write one as `__global__ void my_sum(const float* in, float* out, "
        "int n) {{ ... }}`",
        file));
  }
  if (requested.empty() && kernels.size() == 1) return kernels.front();
  const std::string name = without_arguments(requested);
  std::string known;
  for (const kernel_source& k : kernels) {
    if (k.name == name || k.qualifier + k.name == name) return k;
    known += fmt::format("\n  {}", k.name);
  }
  throw std::invalid_argument(
      requested.empty()
          ? fmt::format("{} defines several kernels; name one with --kernel:{}", file, known)
          : fmt::format("no kernel of {} is called '{}'; there are:{}", file, name, known));
}

std::size_t behind_others(const std::vector<kernel_source>& kernels, const kernel_source& kernel,
                          std::size_t at) {
  for (const kernel_source& other : kernels) {
    if (other.first == at && other.first != kernel.first) at = other.last;
  }
  return at;
}

std::vector<functor_source> functors_in(const token_list& tokens) {
  std::vector<functor_source> functors;
  scopes around(tokens);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    around.pass(i);
    const bool head = (tokens[i].is("struct") || tokens[i].is("class")) && !around.in_body() &&
                      tokens[i + 1].kind == token_kind::word && tokens[i + 2].is("{");
    if (!head) continue;
    const auto body = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(
                                          std::min(behind_bracket(tokens, i + 2), tokens.size()));
    const auto call = std::find_if(body, end, [](const token& t) { return t.is("operator"); });
    if (call == end || call + 1 == end || !call[1].is("(")) continue;
    functors.push_back(
        {around.qualifier() + std::string(tokens[i + 1].text), i != 0 && tokens[i - 1].is(">")});
  }
  return functors;
}

const functor_source* functor_for(const std::vector<functor_source>& functors,
                                  std::optional<reduction> op) {
  for (const functor_source& f : functors) {
    if (!op || reduction_in_name(f.name) == op) return &f;
  }
  return functors.size() == 1 ? &functors.front() : nullptr;
}

std::string instance_name(const kernel_source& kernel, const std::string& requested,
                          const instance_options& options) {
  const std::string name = kernel.qualifier + kernel.name;
  const std::size_t bracket = requested.find('<');
  if (bracket != std::string::npos) return name + requested.substr(bracket);
  if (!kernel.is_template) return name;
  std::vector<std::string> arguments;
  for (const template_parameter& p : kernel.template_parameters) {
    if (p.has_default && p.kind != template_parameter::type) break;
    if (p.kind == template_parameter::type && !arguments.empty() &&
        sounds_like_an_operator(p.name)) {
      const functor_source* f = options.functor;
      const std::string own = f == nullptr ? "" : "::" + f->name;
      arguments.push_back(f != nullptr && !f->is_template
                              ? own
                              : fmt::format("{}<{}>",
                                            f != nullptr ? own
                                                         : fmt::format("::onefold::ladder::{}",
                                                                       struct_name(options.op)),
                                            to_string(options.type)));
    } else if (p.kind == template_parameter::type) {
      arguments.emplace_back(to_string(options.type));
    } else if (p.kind == template_parameter::value) {
      arguments.push_back(fmt::format("{}", options.block));
    } else if (p.kind == template_parameter::flag) {
      arguments.emplace_back("false");
    } else {
      throw std::invalid_argument(fmt::format(
          "the template parameter '{0}' of {1} is no type and no value; say what to try, as in "
          "--kernel '{1}<float, 256>'",
          p.name, kernel.name));
    }
  }
  return fmt::format("{}<{}>", name, fmt::join(arguments, ", "));
}

}  // namespace onefold::ladder::learner
