// SPDX-License-Identifier: Apache-2.0
// The kernels that a request's answers come from, of a small product of operators, types, layouts
// and accuracies: compared with golden/kernels.txt. ONEFOLD_UPDATE_GOLDEN=1 writes it anew.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cpu/drivers/blocks.hpp"
#include "cuda/plan/launch.hpp"
#include "onefold/onefold.hpp"
#include "request/reduction.hpp"

namespace onefold::cuda::test {
namespace {

// An array over device memory; strides in elements.
struct example {
  const char* name;
  std::vector<axis_layout> axes;
  std::vector<int> over;
  std::int64_t offset_bytes = 0;
};

const std::vector<example>& examples() {
  static const std::vector<example> all = {
      {"one answer", {{1000, 1}}, {0}},
      {"one answer of scattered elements", {{1000, 2}}, {0}},
      {"rows", {{400, 48}, {48, 1}}, {1}},
      {"many rows of whole vectors", {{100000, 1024}, {1024, 1}}, {1}},
      {"many rows of no whole vectors", {{100000, 1025}, {1025, 1}}, {1}},
      {"long rows", {{8, 200000}, {200000, 1}}, {1}},
      {"rows of 2^32", {{3, std::int64_t(1) << 32}, {std::int64_t(1) << 32, 1}}, {1}},
      {"rows with gaps", {{400, 50}, {48, 1}}, {1}},
      {"overlapping rows", {{400, 1}, {48, 1}}, {1}},
      {"rows of every other element", {{400, 96}, {48, 2}}, {1}},
      {"rows off a multiple of their size", {{400, 48}, {48, 1}}, {1}, 1},
      {"columns", {{64, 400}, {400, 1}}, {0}},
      {"columns of blocks", {{5, 448}, {64, 7}, {7, 1}}, {1}},
      {"long columns", {{300000, 8}, {8, 1}}, {0}},
      {"columns of 2^31", {{std::int64_t(1) << 31, 4}, {4, 1}}, {0}},
      {"columns with gaps", {{64, 410}, {400, 1}}, {0}},
      {"columns in another order", {{5, 1}, {7, 15}, {3, 5}}, {1}},
      {"columns over two axes", {{7, 600}, {10, 40}, {20, 1}}, {0, 1}},
      {"rows across blocks", {{6, 16000}, {500, 32}, {32, 1}}, {0, 2}},
      {"few long rows across blocks", {{2, 8 << 20}, {8, 1 << 20}, {1 << 20, 1}}, {0, 2}},
      {"two axes of two", {{3, 70}, {5, 14}, {7, 2}, {2, 1}}, {0, 2}},
  };
  return all;
}

class device_memory {
 public:
  device_memory() { EXPECT_EQ(cudaMalloc(&at_, 4096), cudaSuccess); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { cudaFree(at_); }
  std::byte* at(std::int64_t byte) const { return static_cast<std::byte*>(at_) + byte; }

 private:
  void* at_ = nullptr;
};

char letter_of(kernel_family family) {
  switch (family) {
  case kernel_family::full:
    return 'w';
  case kernel_family::batched:
    return 'r';
  case kernel_family::segment_rows:
    return 's';
  case kernel_family::row_folds:
    return 't';
  case kernel_family::column_folds:
    return 'c';
  case kernel_family::moment_columns:
    return 'm';
  case kernel_family::exponential_columns:
    return 'e';
  case kernel_family::strided_answers:
    return 'n';
  case kernel_family::gathered:
    return 'g';
  default:
    return '?';
  }
}

std::string kernels_of(const launch_list& list) {
  std::string letters;
  for (const kernel_launch& launch : list.launches) letters += letter_of(launch.kernel);
  return letters;
}

struct question {
  op_list ops;
  dtype input;
  std::optional<dtype> output;  // none: the default
  onefold::accuracy accuracy = accuracy::exact;
  onefold::nan_policy nan = nan_policy::propagate;
};

// A letter a launch; a dot where there is none, a dash where there is no such request.
std::string answer_of(const device_memory& memory, const example& example,
                      const question& question) {
  axis_list axes;
  const auto width = std::int64_t(size_bytes(question.input));
  for (const axis_layout& axis : example.axes)
    axes.push_back({axis.extent, axis.stride_bytes * width});
  const array_view x(memory.at(256 + example.offset_bytes), question.input, axes);
  options how;
  how.axes = axis_set(example.over), how.accuracy = question.accuracy,
  how.nan_policy = question.nan;
  how.status_out = reinterpret_cast<std::int32_t*>(memory.at(0));
  const auto made = make_plan(executor::cuda{}, question.ops, {x}, how);
  if (!made) return "-";
  std::vector<std::int64_t> kept;
  for (int i = 0; i < axes.size(); ++i)
    if (std::find(example.over.begin(), example.over.end(), i) == example.over.end())
      kept.push_back(axes[i].extent);
  std::vector<output_view> outputs;
  for (const op op : question.ops) {
    const dtype type = question.output.value_or(default_output(op, question.input));
    auto extents = kept;
    if (answers_of(op) > 1) extents.push_back(2);
    outputs.emplace_back(memory.at(1024), type, row_major(extents, std::int64_t(size_bytes(type))));
  }
  const array_view views[] = {x};
  const reduction host(*made, views, how);
  const request asking = {*made,     how,         host.x,
                          host.y,    0,           made->outputs * made->items,
                          host.mask, host.x_type, host.y_type};
  const launch_list list = plan_launches({}, asking, outputs);
  return list.why_not.empty() ? kernels_of(list) : ".";
}

// The answers for all types, one line for the operators that have the same.
std::string lines_of(const device_memory& memory, const example& example, question question) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const op op : all_ops) {
    if (inputs_of(op) > 1) continue;
    std::string letters;
    for (const dtype input : all_dtypes) {
      question.ops = op, question.input = input;
      letters += answer_of(memory, example, question);
    }
    auto same = std::find_if(lines.begin(), lines.end(),
                             [&](const auto& line) { return line.first == letters; });
    if (same == lines.end()) same = lines.insert(lines.end(), {letters, ""});
    same->second.append(" ").append(name(op));
  }
  std::string text;
  for (const auto& [letters, names] : lines) text += "    " + letters + names + '\n';
  return text;
}

// Several operators of f32, each with a launch or all together.
std::string lists_of(const device_memory& memory, const example& example, question question) {
  const op_list lists[] = {{op::sum, op::mean},
                           {op::sum, op::var},
                           {op::var, op::logsumexp},
                           {op::logsumexp, op::sum},
                           {op::min, op::max, op::sum},
                           {op::var, op::stddev, op::mean, op::norm2, op::sumsq, op::min, op::any}};
  std::string text;
  for (const op_list& ops : lists) {
    question.ops = ops, question.input = dtype::f32;
    text += "    " + answer_of(memory, example, question);
    for (const op op : ops) text.append(" ").append(name(op));
    text += '\n';
  }
  return text;
}

// The text of each example; examples with the same text share it.
template <class Lines>
void append(std::string& text, const std::string& title, const Lines& lines) {
  std::vector<std::pair<std::string, std::string>> blocks;
  for (const example& given : examples()) {
    const std::string block = lines(given);
    auto same = std::find_if(blocks.begin(), blocks.end(),
                             [&](const auto& other) { return other.first == block; });
    if (same == blocks.end()) same = blocks.insert(blocks.end(), {block, ""});
    same->second += std::string("  ") + given.name + '\n';
  }
  text += title + '\n';
  for (const auto& [block, names] : blocks) text += names + block;
}

TEST(cuda_kernels, of_a_product_of_requests) {
  const device_memory memory;
  const struct {
    const char* title;
    struct question about;
  } sections[] = {
      {"exact", {{}, {}, {}}},
      {"exact, to f64", {{}, {}, dtype::f64}},
      {"exact, to i64", {{}, {}, dtype::i64}},
      {"exact, NaNs left out", {{}, {}, {}, accuracy::exact, nan_policy::omit}},
      {"fast", {{}, {}, {}, accuracy::fast}},
      {"fast, to f64", {{}, {}, dtype::f64, accuracy::fast}},
  };
  std::string text;
  for (const auto& [title, question] : sections) {
    append(text, title,
           [&](const example& example) { return lines_of(memory, example, question); });
    if (!question.output)
      append(text, std::string(title) + ", several operators of f32",
             [&](const example& example) { return lists_of(memory, example, question); });
  }
  const char* const path = ONEFOLD_GOLDEN "/kernels.txt";
  if (std::getenv("ONEFOLD_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream wanted;
  wanted << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, wanted.str());
}

}  // namespace
}  // namespace onefold::cuda::test
