// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

struct refused_word {
  std::string_view word;
  bool is_call;  ///< only where a ( follows
  const char* sentence;
};

constexpr const char* textures =
    "textures and surfaces are not supported; read the array by a pointer";
constexpr const char* ptx =
    "inline PTX is not supported, since the kernel runs on a CPU; use the intrinsic of the "
    "instruction";
constexpr const char* cub = "CUB, Thrust and other libraries are not supported; write the "
                            "reduction out, or use cooperative_groups::reduce";
constexpr const char* matrices = "matrix instructions (wmma) are not supported";
constexpr const char* shuffle =
    "shuffles without _sync went with Volta, whose lanes no longer run in step: say which lanes "
    "take part, as in __shfl_down_sync(0xffffffff, value, offset)";
constexpr const char* vote =
    "votes without _sync went with Volta, whose lanes no longer run in step: say which lanes take "
    "part, as in __ballot_sync(0xffffffff, predicate)";

constexpr refused_word refused[] = {
    {"texture", false, textures},
    {"cudaTextureObject_t", false, textures},
    {"cudaSurfaceObject_t", false, textures},
    {"surface", false, textures},
    {"tex1D", false, textures},
    {"tex2D", false, textures},
    {"tex3D", false, textures},
    {"tex1Dfetch", false, textures},
    {"asm", false, ptx},
    {"__asm__", false, ptx},
    {"__asm", false, ptx},
    {"cub", false, cub},
    {"thrust", false, cub},
    {"wmma", false, matrices},
    {"nvcuda", false, matrices},
    {"__shfl", true, shuffle},
    {"__shfl_up", true, shuffle},
    {"__shfl_down", true, shuffle},
    {"__shfl_xor", true, shuffle},
    {"__ballot", true, vote},
    {"__any", true, vote},
    {"__all", true, vote},
    {"memcpy_async", true,
     "asynchronous copies of cooperative groups are not supported; use __pipeline_memcpy_async"},
    {"this_cluster", true, "groups of a cluster are not supported; use a block's or the grid's"},
    {"this_multi_grid", true, "groups of several grids went with CUDA 13; use this_grid()"},
};

struct refused_header {
  std::string_view part;
  const char* sentence;
};
constexpr refused_header headers[] = {
    {"<cub/", cub},
    {"<thrust/", cub},
    {"<cuda/", cub},
    {"<mma.h>", matrices},
    {"<cublas", cub},
    {"<curand", "random numbers of the device are not supported; fill the input on the host"},
};

/// Only with :: after them these are names of libraries.
bool is_library(std::string_view word) {
  return word == "cub" || word == "thrust" || word == "wmma" || word == "nvcuda";
}

/// An empty one is a word to the compiler: asm volatile("" : "+r"(x)).
bool is_empty_assembly(const std::vector<token>& tokens, std::size_t i) {
  if (i + 1 < tokens.size() && tokens[i + 1].is("volatile")) ++i;
  return i + 2 < tokens.size() && tokens[i + 1].is("(") && tokens[i + 2].is("\"\"");
}

bool is_hit(const std::vector<token>& tokens, std::size_t i, const refused_word& r) {
  if (!tokens[i].is(r.word) || tokens[i].kind != token_kind::word) return false;
  const auto next = [&](std::size_t k, std::string_view sign) {
    return i + k < tokens.size() && tokens[i + k].is(sign);
  };
  if (is_library(r.word)) return next(1, ":") && next(2, ":");
  if (r.word == "texture" || r.word == "surface") return next(1, "<");
  if (r.sentence == ptx && is_empty_assembly(tokens, i)) return false;
  return !r.is_call || next(1, "(");
}

const char* sentence_at(const std::vector<token>& tokens, std::size_t i) {
  if (tokens[i].kind == token_kind::directive) {
    if (tokens[i].text.find("include") == std::string_view::npos) return nullptr;
    for (const refused_header& h : headers) {
      if (tokens[i].text.find(h.part) != std::string_view::npos) return h.sentence;
    }
    return nullptr;
  }
  for (const refused_word& r : refused) {
    if (is_hit(tokens, i, r)) return r.sentence;
  }
  return nullptr;
}

}  // namespace

std::string unsupported(const std::string& file, std::string_view text,
                        const std::vector<token>& tokens, const std::vector<kernel_source>& kernels,
                        const kernel_source& kernel) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    i = behind_others(kernels, kernel, i);
    if (i >= tokens.size()) break;
    const char* sentence = sentence_at(tokens, i);
    const bool launch = i + 2 < tokens.size() && tokens[i].is("<") && tokens[i + 1].is("<") &&
                        tokens[i + 2].is("<");
    const bool nested =
        launch && std::any_of(kernels.begin(), kernels.end(),
                              [i](const kernel_source& k) { return k.first < i && i < k.last; });
    if (nested) sentence = "launches from a kernel are not supported; launch from the host";
    if (sentence == nullptr) continue;
    return fmt::format("{}:{}: {}", file, line_of(text, tokens[i].begin), sentence);
  }
  return "";
}

bool waits_for_grid(const std::vector<token>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const token& t) { return t.is("this_grid") || t.is("grid_group"); });
}

}  // namespace onefold::ladder::learner
