// SPDX-License-Identifier: Apache-2.0
// Every kernel on a device, over so few elements that compute-sanitizer's racecheck comes to an
// end: the CPU's answers. A test for each type of elements, so that shares of them are alike.
// Skipped where there is no device.
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/every/requests.hpp"

namespace onefold::cuda::test {
namespace {

using group_of_type = std::pair<request_group, dtype>;

std::vector<group_of_type> groups_of_all_types() {
  std::vector<group_of_type> made;
  for (const auto groups :
       {whole_requests(), several_requests(), normalized_requests(), other_requests()})
    for (const request_group& group : groups)
      for (const dtype type : all_dtypes)
        if (group.has(type)) made.emplace_back(group, type);
  return made;
}

class every_kernel : public with_device, public testing::WithParamInterface<group_of_type> {};

TEST_P(every_kernel, gives_the_answers_of_the_cpu) {
  const auto& [group, type] = GetParam();
  group.ask(type);
}

INSTANTIATE_TEST_SUITE_P(small, every_kernel, testing::ValuesIn(groups_of_all_types()),
                         [](const auto& each) {
                           return std::string(each.param.first.name) + '_' +
                                  std::string(name(each.param.second));
                         });

}  // namespace
}  // namespace onefold::cuda::test
