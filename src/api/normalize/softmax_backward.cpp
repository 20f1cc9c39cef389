// SPDX-License-Identifier: Apache-2.0
// onefold::softmax_backward and log_softmax_backward: check shapes, types and overlap, and call the
// engine.
#include "cpu/drivers/normalize/softmax_backward.hpp"

#include <string>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/normalize.hpp"

namespace onefold {
namespace {

status check(const char* function, const array_view& y, const array_view& g, const void* dx) {
  if (auto fine = check_layout(function, y, dx); !fine) return fine;
  if (auto fine = check_layout(function, g, dx); !fine) return fine;
  if (g.type() != y.type())
    return mismatch("the gradient's elements are " + std::string(name(g.type())) +
                    ", those of y are " + std::string(name(y.type())) + "; convert one of them");
  if (g.axes()[0].extent != y.axes()[0].extent || g.axes()[1].extent != y.axes()[1].extent)
    return mismatch("the gradient and y have different shapes");
  if (y.type() == dtype::f64) return not_of_doubles(function);
  if (y.axes()[0].extent == 0) return {};
  for (const array_view* const read : {&y, &g})
    if (!is_in_place(*read, dx) && overlap(written_of(y, dx), read_of(*read)))
      return mismatch("dx overlaps y or the gradient; give it other memory, or the address of "
                      "contiguous rows");
  return {};
}

status backward(const char* function, bool logarithm, const executor& requested,
                const array_view& y, const array_view& g, void* dx,
                const std::stop_token& stop) try {
  if (auto fine = check(function, y, g, dx); !fine) return fine;
  const auto item = std::int64_t(size_bytes(y.type()));
  const softmax_gradients request = {y.data(),
                                     g.data(),
                                     dx,
                                     y.axes()[0].extent,
                                     y.axes()[1].extent,
                                     y.axes()[0].stride_bytes / item,
                                     g.axes()[0].stride_bytes / item,
                                     y.type(),
                                     logarithm};
  const executor where = beside(requested, {request.y, request.g, request.dx});
  if (where.gpu() != nullptr) return cuda::softmax_backward(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  return cpu::softmax_backward(request, machine->threads, stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace

status softmax_backward(const executor& executor, const array_view& y, const array_view& g,
                        void* dx, const std::stop_token& stop) {
  return backward("softmax_backward", false, executor, y, g, dx, stop);
}
status log_softmax_backward(const executor& executor, const array_view& y, const array_view& g,
                            void* dx, const std::stop_token& stop) {
  return backward("log_softmax_backward", true, executor, y, g, dx, stop);
}

}  // namespace onefold
