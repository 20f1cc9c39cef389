// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file, versions 1 to 3.
//
//   "\x93NUMPY" major minor, length of the header (2 bytes, from version 2 on 4), the header: a
//   Python dictionary of 'descr', 'fortran_order' and 'shape', padded with blanks.
//
// The grammar is closed: three keys, each once, with one kind of value each. Nothing is evaluated
// and nothing recurses, so the cost of a header is linear in its length. Every length is checked
// against the file and against the cap before anything of that length is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/layout.hpp"
#include "io/source.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

/// The bytes before the length, in every version.
inline constexpr std::size_t npy_magic_bytes = 8;
/// The longest preamble: magic, version and a length of four bytes.
inline constexpr std::size_t npy_preamble_bytes = 12;
/// NumPy writes 128 bytes for a plain array; no valid header needs a MiB.
inline constexpr std::uint32_t npy_header_cap_bytes = 1 << 20;

struct npy_preamble {
  std::size_t size_bytes;      ///< magic, version, length: 10 or 12
  std::uint32_t header_bytes;  ///< of the dictionary after it
};

/// Reads magic, version and length. Fails: malformed.
result<npy_preamble> parse_npy_preamble(std::span<const std::byte> bytes, const std::string& name);

/// Reads the dictionary, whose first byte is byte `first_byte` of the file. NumPy has no code for
/// bfloat16 and writes V2, two bytes without a type: `two_bytes_are_bf16` reads them as bf16, and
/// is refused if the header names a type. Fails: malformed, usage.
result<layout> parse_npy_dictionary(std::string_view text, std::uint64_t first_byte,
                                    const std::string& name, bool two_bytes_are_bf16 = false);

/// Reads the header at the start of `input` and leaves the input at the first element.
/// Fails: malformed (also if a regular file is shorter than its header says), usage, io_error.
result<layout> read_npy_header(source& input, bool two_bytes_are_bf16 = false);

}  // namespace onefold::program
