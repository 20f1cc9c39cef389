// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rung is asked to compute: inputs on a backend, the launches, the exact answer.
//
// Inputs are chosen so that every order of operations is exact (inputs.hpp). So the right answer is
// one value, and no tolerance is needed.

#include "ladder/rung/rung.hpp"
#include "ladder/trial/backend.hpp"

#include <memory>

namespace onefold::ladder {

struct answer {
  bool right = false;
  std::string got, expected;
};

/// The first input, whose reads are watched.
struct watched_input {
  const void* at = nullptr;
  std::size_t count = 0;
  unsigned item_bytes = 1;
};

class problem {
 public:
  virtual ~problem() = default;

  /// All launches from input to output; may be called again.
  virtual void run() = 0;
  /// Fetches the output of the last run and compares it with the exact answer.
  virtual answer check() = 0;

  virtual watched_input watched() const = 0;
  /// What a perfect kernel has to read and write once.
  virtual std::size_t least_bytes() const = 0;
  /// Blocks of the first launch.
  virtual unsigned grid() const = 0;
};

/// The problem of this rung's kind, its inputs uploaded.
/// Fails: std::invalid_argument when no kernel of the rung takes the type and operator;
/// as backend::allocate.
std::unique_ptr<problem> make_problem(const rung& r, const trial_options& options, backend& where);

// One for each room; make_problem chooses.
std::unique_ptr<problem> make_reduction(const rung& r, const trial_options& options,
                                        backend& where);
std::unique_ptr<problem> make_dot(const rung& r, const trial_options& options, backend& where);
std::unique_ptr<problem> make_image(const rung& r, const trial_options& options, backend& where);
std::unique_ptr<problem> make_vector_add(const rung& r, const trial_options& options,
                                         backend& where);

/// The entry that make_problem asks for. Fails: std::invalid_argument that names what there is.
const kernel_entry& kernel_for(const rung& r, const trial_options& options, const backend& where);

/// Blocks that cover n items, one at least: an empty input still needs a block for its answer.
unsigned blocks_for(const rung& r, const trial_options& options, std::size_t n);

}  // namespace onefold::ladder
