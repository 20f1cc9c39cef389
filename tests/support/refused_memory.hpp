// SPDX-License-Identifier: Apache-2.0
// Refuses memory to this program's own code at an allocation of choice, and counts what is not
// given back.
//
// refused_memory.cpp replaces operator new, malloc and its kin, and mmap. It refuses, and counts,
// only what this program (the library is part of it) and the C++ library ask for. Not intercepted:
// what oneTBB, the C library and the loader ask for themselves, such as the memory of a thread.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "onefold/status.hpp"

namespace onefold::test {

/// While it lives, the n-th allocation (from 1) of any thread is refused; with `and_later` all
/// after it too. One at a time.
class refused_memory {
 public:
  explicit refused_memory(std::int64_t nth, bool and_later) noexcept;
  ~refused_memory();
  refused_memory(const refused_memory&) = delete;
  refused_memory& operator=(const refused_memory&) = delete;

  /// Whether there was an n-th allocation.
  bool happened() const noexcept;
};

/// Allocations that were made under a refusal and not given back since.
std::int64_t kept_allocations() noexcept;

/// Calls `request`, which gives a status code, with its n-th allocation refused, alone and with all
/// later ones, for every n. It never throws, gives the code it gives with enough memory or
/// out_of_memory, and keeps nothing.
template <class Request>
void expect_only_statuses(const std::string& name, const Request& request) {
  const status_code right = request();
  bool refused = false;
  for (const bool and_later : {false, true}) {
    for (std::int64_t n = 1; n == 1 || refused; ++n) {
      ASSERT_LT(n, 100'000) << name;
      std::optional<status_code> got;
      std::string thrown;
      {
        const refused_memory refusal(n, and_later);
        try {
          got = request();
        } catch (const std::exception& escaped) {
          thrown = escaped.what();
        }
        refused = refusal.happened();
      }
      const std::string at = name + ", allocation " + std::to_string(n) + (and_later ? " on" : "");
      ASSERT_TRUE(got) << at << " throws " << thrown;
      EXPECT_TRUE(*got == right || (refused && *got == status_code::out_of_memory))
          << at << ": " << onefold::name(*got) << " instead of " << onefold::name(right);
      ASSERT_EQ(kept_allocations(), 0) << at;
    }
  }
}

}  // namespace onefold::test
