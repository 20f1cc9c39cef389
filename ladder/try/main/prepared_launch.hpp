// SPDX-License-Identifier: Apache-2.0
#pragma once
// What program_rewrite.hpp makes of  kernel<<<grid, block>>>(in, out):
//   prepared("kernel", kernel).shaped(grid, block)(in, out)
// The kernel is a pointer to a function where it can be, so that arguments are converted to its
// parameters as the launch is written; else a closure that calls it with the arguments.

#include "ladder/try/main/runtime_calls.hpp"
#include "simt/simt.hpp"

#include <type_traits>

namespace onefold::ladder::learner {

constexpr simt::shape shape_of(dim3 d) {
  return {d.x, d.y, d.z};
}

/// Starts `body`, whose bytes are the parameters of the kernel.
template <class Body>
void start_body(const launch_request& request, Body body) {
  start(request, {&body, sizeof(Body), [](void* closure) { (*static_cast<Body*>(closure))(); }});
}

/// An argument as a parameter of type P; a literal 0 may stand for a null pointer.
template <class P, class A>
P converted(const A& argument) {
  if constexpr (std::is_pointer_v<P> && std::is_integral_v<A>) {
    return nullptr;
  } else {
    return argument;
  }
}

template <class... Parameters, class... Arguments>
void start_function(const launch_request& request, void (*function)(Parameters...),
                    const Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "a launch needs as many arguments as the kernel has parameters");
  if constexpr (sizeof...(Parameters) == sizeof...(Arguments)) {
    start_body(request, [function, ... values = converted<std::decay_t<Parameters>>(arguments)] {
      function(values...);
    });
  }
}

template <class Kernel>
struct shaped_launch {
  launch_request request;
  Kernel kernel;

  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    if constexpr (std::is_pointer_v<Kernel>) {
      start_function(request, kernel, arguments...);
    } else {
      start_body(request, [closure = kernel, ... values = std::decay_t<Arguments>(arguments)] {
        closure(values...);
      });
    }
  }
};

template <class Kernel>
struct prepared_launch {
  const char* name;
  Kernel kernel;

  __attribute__((noinline, ONEFOLD_UNSEEN)) shaped_launch<Kernel>
  shaped(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0,
         cudaStream_t = nullptr) const noexcept {
    return {{ONEFOLD_HERE, name, shape_of(grid), shape_of(block), dynamic_shared_bytes}, kernel};
  }
};

template <class Kernel>
prepared_launch<Kernel> prepared(const char* name, Kernel kernel) {
  return {name, kernel};
}

// The forms of main.
inline int run_main(int (*program)(), int, char**) {
  return program();
}
template <class Word>
int run_main(int (*program)(int, Word**), int count, char** words) {
  return program(count, const_cast<Word**>(words));
}

}  // namespace onefold::ladder::learner
