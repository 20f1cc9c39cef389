// SPDX-License-Identifier: Apache-2.0
// Operators of a user's own, for CPUs and GPUs.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"

namespace onefold::cuda::test {

/// Maps x -> a x + b modulo 2^32, and their composition: associative, and hardly any two commute.
struct affine {
  std::uint32_t a = 1, b = 0;

  ONEFOLD_HOST_DEVICE void add(std::uint32_t x) { merge({2 * x + 1, x ^ 0x9E3779B9}); }
  ONEFOLD_HOST_DEVICE void merge(const affine& next) { *this = {next.a * a, next.a * b + next.b}; }
  friend bool operator==(const affine&, const affine&) = default;
};

/// The longest run of elements that are not zero.
struct longest_run {
  std::int64_t count = 0, front = 0, back = 0, longest = 0;

  ONEFOLD_HOST_DEVICE void add(std::uint8_t x) {
    ++count;
    back = x != 0 ? back + 1 : 0;
    if (back == count) front = count;
    if (back > longest) longest = back;
  }
  ONEFOLD_HOST_DEVICE void merge(const longest_run& next) {
    if (next.longest > longest) longest = next.longest;
    if (back + next.front > longest) longest = back + next.front;
    if (front == count) front += next.front;
    back = next.back == next.count ? back + next.count : next.back;
    count += next.count;
  }
  friend bool operator==(const longest_run&, const longest_run&) = default;
};

/// An element of three words.
struct point {
  float x, y, z;
};

/// Sums in the order of the parts, which rounding shows, with a size that is no power of two.
struct centre {
  float x = 0, y = 0, z = 0;

  ONEFOLD_HOST_DEVICE void add(point p) { x += p.x, y += p.y, z += p.z; }
  ONEFOLD_HOST_DEVICE void merge(const centre& next) { x += next.x, y += next.y, z += next.z; }
  friend bool operator==(const centre&, const centre&) = default;
};

/// The first and the last element, for doubles.
struct ends {
  double first = 0, last = 0;
  bool any = false;

  ONEFOLD_HOST_DEVICE void add(double x) {
    if (!any) first = x;
    last = x, any = true;
  }
  ONEFOLD_HOST_DEVICE void merge(const ends& next) {
    if (!next.any) return;
    if (!any) first = next.first;
    last = next.last, any = true;
  }
  friend bool operator==(const ends& p, const ends& q) {
    return p.any == q.any && p.first == q.first && p.last == q.last;
  }
};

}  // namespace onefold::cuda::test
