// SPDX-License-Identifier: Apache-2.0
// FNV-1a with 64 bits: the hash of fingerprints and of the receipts of `onefold audit`. Two
// different inputs collide only by accident, but it resists no attack: it is no cryptographic hash
// and no signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace onefold::program {

class fnv1a {
 public:
  void add(std::byte byte) noexcept {
    digest_ = (digest_ ^ std::to_integer<std::uint64_t>(byte)) * 0x00000100000001b3;
  }
  void add(std::span<const std::byte> bytes) noexcept {
    for (const std::byte byte : bytes) add(byte);
  }
  void add(std::string_view text) noexcept {
    for (const char c : text) add(std::byte(c));
  }
  void add(std::uint64_t word) noexcept {
    for (int i = 0; i < 8; ++i) add(std::byte(word >> (8 * i)));
  }
  std::uint64_t digest() const noexcept { return digest_; }

 private:
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

}  // namespace onefold::program
