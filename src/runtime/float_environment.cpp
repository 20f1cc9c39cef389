// SPDX-License-Identifier: Apache-2.0
// Access to the floating-point control register: MXCSR on x86, FPCR on ARM.
#include "runtime/float_environment.hpp"

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace onefold {
namespace {

#if defined(__x86_64__)
// MXCSR: exceptions masked, round to nearest, neither flush-to-zero nor denormals-are-zero.
constexpr std::uint64_t sound = 0x1F80;
constexpr std::uint64_t exception_flags = 0x3F;
constexpr std::uint64_t flush = 0x8040;
constexpr std::uint64_t rounding_bits = 0x6000;
constexpr std::uint64_t modes[] = {0, 0x4000, 0x2000};  // by rounding
std::uint64_t get() noexcept {
  return _mm_getcsr();
}
void set(std::uint64_t word) noexcept {
  _mm_setcsr(static_cast<unsigned>(word));
}
#elif defined(__aarch64__)
// FPCR: zero means round to nearest, no flushing, no traps.
constexpr std::uint64_t sound = 0;
constexpr std::uint64_t exception_flags = 0;
constexpr std::uint64_t flush = std::uint64_t(1) << 24;
constexpr std::uint64_t rounding_bits = std::uint64_t(3) << 22;
constexpr std::uint64_t modes[] = {0, std::uint64_t(1) << 22, std::uint64_t(2) << 22};
std::uint64_t get() noexcept {
  std::uint64_t word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void set(std::uint64_t word) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(word));
}
#else
constexpr std::uint64_t sound = FE_TONEAREST;
constexpr std::uint64_t exception_flags = 0;
constexpr std::uint64_t flush = 0;
constexpr std::uint64_t rounding_bits = ~std::uint64_t(0);
constexpr std::uint64_t modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
std::uint64_t get() noexcept {
  return std::uint64_t(std::fegetround());
}
void set(std::uint64_t word) noexcept {
  std::fesetround(int(word));
}
#endif

}  // namespace

float_environment::float_environment() noexcept : callers_(get()) {
  if ((callers_ & ~exception_flags) != sound) set(sound);
}

// Restores the whole control word: exception flags raised inside are not the caller's.
float_environment::~float_environment() {
  set(callers_);
}

rounding_scope::rounding_scope(rounding mode) noexcept : before_(get()) {
  set((before_ & ~rounding_bits) | modes[unsigned(mode)]);
}

rounding_scope::~rounding_scope() {
  set(before_);
}

const char* describe_callers_environment() noexcept {
  const std::uint64_t word = get();
  if (flush != 0 && (word & flush) != 0) return "flush-to-zero";
  if ((word & rounding_bits) != (sound & rounding_bits)) return "another rounding mode";
  return "";
}

}  // namespace onefold
