// SPDX-License-Identifier: Apache-2.0
// Data that arrive in windows. The exact answer does not depend on the windows; the fast one does
// not either, if every window but the last holds a multiple of window_items elements.
#include <onefold/onefold.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  std::vector<float> all(5 * std::size_t(onefold::window_items) + 1234);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = 1.0f / float(i + 1);
  const std::span<const float> data(all);
  const onefold::options fast{.accuracy = onefold::accuracy::fast};

  // [stream]
  onefold::windows sum(onefold::executor{}, onefold::op::sum, onefold::dtype::f32, fast);
  const std::size_t piece = 2 * std::size_t(onefold::window_items);
  for (std::size_t at = 0; at < data.size(); at += piece)
    if (auto done = sum.add(data.subspan(at, std::min(piece, data.size() - at))); !done) return 1;
  float answer = 0;
  if (auto done = sum.write(answer); !done) return 1;
  // [stream]

  std::printf("%.9g\n", double(answer));
  return answer == onefold::sum(all, fast) ? 0 : 1;
}
