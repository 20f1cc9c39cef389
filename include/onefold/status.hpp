// SPDX-License-Identifier: Apache-2.0
// Status codes, their exit codes, and messages that say what failed, where, and the remedy.
//
// The library never aborts or prints. `reduce` returns a status; `try_…` functions return a
// result<T>; the short names (`sum`) throw onefold::error, which carries the same status. Functions
// that return a status or a result throw nothing of their own: a failed allocation is the status
// out_of_memory. Exceptions of a caller's function pass through. With -fno-exceptions use the
// `try_…` functions; the others, and a failed allocation, end the program.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "onefold/detail/config.hpp"

namespace onefold {

enum class status_code : unsigned char {
  ok,                  ///< the answer is valid
  io_error,            ///< a file or stream could not be read or written
  usage,               ///< the request itself is wrong
  malformed,           ///< the bytes are not valid in their format
  empty,               ///< the operator has no value for zero elements
  overflow,            ///< the exact value does not fit the output type
  not_a_number,        ///< a NaN was found under the policy `error`
  missing_value,       ///< a missing value was found under the policy `error`
  unsupported,         ///< a legal request that this build or machine cannot serve
  mismatch,            ///< states, views or outputs that do not belong together
  out_of_memory,       ///< an allocation failed
  cancelled,           ///< the caller requested a stop
  unsound_arithmetic,  ///< this build's or thread's floating point breaks the proofs
  device_error,        ///< a GPU or its driver failed during the work
};

/// The lower-case name of a code, as --json prints it.
ONEFOLD_API std::string_view name(status_code code) noexcept;

/// The exit code of the command line for a code: 0 ok, 1 I/O or run time, 2 usage, 3 malformed
/// data, 4 the data have no answer, 130 interrupted.
ONEFOLD_API int exit_code(status_code code) noexcept;

/// The outcome of a request: `ok`, or a code with a sentence of what, where and remedy.
class [[nodiscard]] status {
 public:
  status() = default;
  status(status_code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == status_code::ok; }
  explicit operator bool() const noexcept { return ok(); }
  status_code code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }

 private:
  status_code code_ = status_code::ok;
  std::string message_;
};

/// Thrown by the functions whose name does not begin with `try_`.
class ONEFOLD_API error : public std::exception {
 public:
  explicit error(status why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return why_.message().c_str(); }
  const status& why() const noexcept { return why_; }

 private:
  status why_;
};

namespace detail {

/// For a catch block: returns the status out_of_memory for std::bad_alloc and std::length_error.
/// Rethrows other exceptions, which come from a caller's function.
ONEFOLD_API status memory_refused();

/// Throws onefold::error. Defined in the library, so that a caller compiled without exceptions ends
/// with the message where it takes a value that there is not.
[[noreturn]] ONEFOLD_API void throw_error(const status& why);

}  // namespace detail

/// A value, or the status that says why there is none.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  result(status why) : why_(std::move(why)) {}   // NOLINT: implicit by design
  result(status_code code, std::string message) : why_(code, std::move(message)) {}

  bool ok() const noexcept { return value_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const status& why() const noexcept { return why_; }

  /// The value. Fails: throws onefold::error where there is none.
  T& value() & { return checked(), *value_; }
  const T& value() const& { return checked(), *value_; }
  T&& value() && { return checked(), std::move(*value_); }

  T& operator*() & noexcept { return *value_; }
  const T& operator*() const& noexcept { return *value_; }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

 private:
  void checked() const {
    if (!value_) detail::throw_error(why_);
  }

  std::optional<T> value_;
  status why_;
};

}  // namespace onefold
