// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: the names, types, shapes and places of its tensors.
//
//   length of the header (8 bytes, little-endian), the header: a JSON object of one entry a tensor,
//   {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, and of "__metadata__", strings;
//   then the data of the tensors, without holes.
//
// The grammar is closed, as that of .npy headers (npy.hpp). The rules are those of the format's
// reference implementation: sorted by their offsets, the tensors cover the data without a hole, an
// overlap or a rest, each of a type of the format and with the bytes that its shape needs, whether
// this program reads that type or not; and no name is there twice. nlohmann_json's SAX parser does
// not recurse, and objects and lists deeper than the grammar's are refused where they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/layout.hpp"
#include "io/source.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

/// The bytes of the length.
inline constexpr std::size_t safetensors_length_bytes = 8;
/// The format's own limit.
inline constexpr std::uint64_t safetensors_header_cap_bytes = 100'000'000;

struct tensor {
  std::string name;
  std::string type_name;      ///< as in the file: "BF16"
  std::optional<dtype> type;  ///< none: a type that this program does not read
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  ///< of its bytes, from the first byte after the header

  /// The layout of its elements. Precondition: `type` is known.
  layout described() const;

  friend bool operator==(const tensor&, const tensor&) = default;
};

/// Reads the length, and checks it against the cap and the size of the file. Fails: malformed.
result<std::uint64_t> parse_safetensors_length(std::span<const std::byte> bytes,
                                               std::uint64_t file_bytes, const std::string& name);

/// Reads the JSON text. Returns the tensors in the order of their data. `data_bytes`: those after
/// the header. Fails: malformed.
result<std::vector<tensor>>
parse_safetensors_header(std::string_view text, std::uint64_t data_bytes, const std::string& name);

/// Reads the header at the start of `input` and leaves the input at the first byte of the data.
/// Fails: malformed, usage (no regular file), io_error.
result<std::vector<tensor>> read_safetensors_header(source& input);

}  // namespace onefold::program
