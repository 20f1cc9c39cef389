// SPDX-License-Identifier: Apache-2.0
// The error messages about files, formats and inputs.
#include "messages.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "messages_parts.hpp"
#include "report/units.hpp"

namespace onefold::program::messages {
namespace {

// The sentence of an error number, with a remedy if there is one.
std::string reason(int error_number) {
  switch (error_number) {
  case ENOENT:
    return "there is no such file; check the name";
  case EACCES:
    return "permission denied; ask for the right to use it, or copy it";
  case EISDIR:
    return "it is a directory; name the files in it";
  case ELOOP:
    return "too many symbolic links, or a loop of them; name the file itself";
  case ENOTDIR:
    return "a part of the path is not a directory; check the name";
  case ENAMETOOLONG:
    return "the name is too long; check it";
  case EMFILE:
    return "too many files are open; raise the limit (ulimit -n)";
  case ENXIO:
    return "it is a socket or a device that is not there; name a file";
  case ENOSPC:
    return "no space is left on the device; free some, or write elsewhere";
  case EDQUOT:
    return "the disk quota is used up; free some space, or write elsewhere";
  case EFBIG:
    return "it would become larger than allowed; raise the limit (ulimit -f), or write less";
  case EROFS:
    return "the file system is read-only; write elsewhere";
  case EBADF:
    return "the stream is closed; leave it open, or name a file";
  case EIO:
    return "the device reported an error; look at the system's log";
  default:
    return std::generic_category().message(error_number);
  }
}

// A name as a shell word: quoted if necessary, and never an option.
std::string shell_word(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./-").find(c) != std::string_view::npos;
  };
  const std::string front = name.substr(0, 1) == "-" ? "./" : "";
  if (std::all_of(name.begin(), name.end(), plain)) return front + std::string(name);
  std::string quoted = "'" + front;
  for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

status cannot_open(std::string_view name, int error_number) {
  return say(code::io_error, "{}: cannot be read: {}", name, reason(error_number));
}

status cannot_read(std::string_view name, int error_number) {
  return say(code::io_error, "{}: reading failed: {}", name, reason(error_number));
}

status cannot_write(std::string_view name, int error_number) {
  return say(code::io_error, "{}: cannot be written: {}", name, reason(error_number));
}

status output_is_input(std::string_view output, std::string_view input) {
  return say(code::usage, "{}: is the input {}, which -o would replace; name another file", output,
             input == "-" ? "standard input" : input);
}

status became_shorter(std::string_view name) {
  return say(code::io_error,
             "{}: became shorter while it was read; run again when nothing writes to it", name);
}

status stream_ended(std::string_view name, std::uint64_t got_bytes, std::uint64_t wanted_bytes) {
  return say(code::malformed,
             "{}: ended after {} of {} bytes of elements; the sender stopped early, or the shape "
             "is wrong",
             name, got_bytes, wanted_bytes);
}

status data_truncated(std::string_view name, std::uint64_t data_offset, std::uint64_t wanted_bytes,
                      std::uint64_t there_bytes) {
  return say(code::malformed,
             "{}: byte {}: the elements need {} bytes and {} are there; the file is cut short, or "
             "its shape is wrong",
             name, data_offset, wanted_bytes, there_bytes);
}

std::string trailing_bytes(std::string_view name, std::uint64_t bytes) {
  return fmt::format("{}: {} bytes after the last element were not read; only the first array of "
                     "a file counts",
                     name, bytes);
}

status unknown_extension(std::string_view name) {
  return say(
      code::usage,
      "{}: its name does not show its format (.npy, .safetensors, .txt, .raw and .bin do); say "
      "--format npy, safetensors, text or raw",
      name);
}

status later_format(std::string_view name, std::string_view extension) {
  if (const bool tabs = extension == ".tsv"; tabs || extension == ".csv")
    return say(code::usage,
               "{0}: tables are not read yet; print a column by its NAME: mlr --icsv {1}--onidx "
               "cut -f NAME {3} | onefold sum -, or: python3 -c 'import csv, sys; "
               "[print(row[\"NAME\"]) for row in csv.DictReader(open(sys.argv[1], "
               "newline=\"\"){2})]' {3} | onefold sum -",
               name, tabs ? "--ifs tab " : "", tabs ? ", delimiter=\"\\t\"" : "", shell_word(name));
  if (extension == ".npz")
    return say(code::usage,
               "{}: archives of arrays are not read yet; unpack it: python3 -m zipfile -e {} .",
               name, shell_word(name));
  return say(code::usage,
             "{}: images are not read yet; write the pixels as .npy or as raw elements", name);
}

status raw_options_without_raw(std::string_view name, std::string_view format) {
  return say(code::usage,
             "{}: is read as {}, which says itself what it holds; leave --dtype, --shape, "
             "--order, --endian and --skip out, or say --format raw",
             name, format);
}

status npy_empty(std::string_view name) {
  return say(code::malformed, "{}: byte 0: is empty; a .npy file begins with \\x93NUMPY", name);
}

status npy_bad_magic(std::string_view name) {
  return say(code::malformed,
             "{}: byte 0: is no .npy file, it does not begin with \\x93NUMPY; name its format "
             "with --format",
             name);
}

status npy_short(std::string_view name, std::uint64_t bytes) {
  return say(code::malformed, "{}: byte {}: ends inside the header; the file is cut short", name,
             bytes);
}

status npy_version(place where, int major, int minor) {
  return say(code::malformed,
             "{}: byte {}: has version {}.{} of the format, and 1.0, 2.0 and 3.0 exist; the file "
             "is damaged, or newer than this program",
             where.input, where.byte, major, minor);
}

status npy_header_too_long(place where, std::uint32_t bytes, std::uint32_t cap_bytes) {
  return say(code::malformed,
             "{}: byte {}: claims a header of {} bytes, and more than {} are not read; the file "
             "is damaged",
             where.input, where.byte, bytes, cap_bytes);
}

status npy_header_past_end(place where, std::uint32_t bytes, std::uint64_t file_bytes) {
  return say(code::malformed,
             "{}: byte {}: claims a header of {} bytes in a file of {}; the file is cut short",
             where.input, where.byte, bytes, file_bytes);
}

status npy_expected(place where, std::string_view expected) {
  return say(code::malformed, "{}: byte {}: the header needs {} here; write the file again",
             where.input, where.byte, expected);
}

status npy_unknown_key(place where, std::string_view key) {
  return say(code::malformed,
             "{}: byte {}: the header has a key '{}', and only 'descr', 'fortran_order' and "
             "'shape' exist; write the file again",
             where.input, where.byte, shown(key));
}

status npy_repeated_key(place where, std::string_view key) {
  return say(code::malformed, "{}: byte {}: the header has '{}' twice; write the file again",
             where.input, where.byte, shown(key));
}

status npy_missing_key(place where, std::string_view key) {
  return say(code::malformed, "{}: byte {}: the header has no '{}'; write the file again",
             where.input, where.byte, shown(key));
}

status npy_structured(place where) {
  return say(code::malformed,
             "{}: byte {}: holds records of several fields, which this version does not read; "
             "save one field: numpy.save(name, array['field'])",
             where.input, where.byte);
}

status npy_element_type(place where, std::string_view type) {
  const std::size_t kind = type.find_first_not_of("<>|=");
  const char letter = kind == std::string_view::npos ? ' ' : type[kind];
  std::string_view problem = "an element type that this program does not read";
  if (letter == 'O') problem = "Python objects (a pickle), which are never loaded";
  if (letter == 'c') problem = "complex numbers, which this version does not read";
  if (letter == 'M' || letter == 'm') problem = "dates or times, which this version does not read";
  if (letter == 'U' || letter == 'S' || letter == 'a') problem = "strings, which are no numbers";
  if (letter == 'V') problem = "records or raw bytes, which are no numbers";
  if (type.ends_with("V2")) problem = "two bytes of anything; for bfloat16 say --dtype bf16";
  if (letter == 'f') problem = "floats of a size that this program does not read";
  return say(code::malformed,
             "{}: byte {}: '{}' is {}; save it as bool, i1 to i8, u1 to u8, f2, f4 or f8",
             where.input, where.byte, shown(type), problem);
}

status npy_extent_too_large(place where) {
  return say(code::malformed,
             "{}: byte {}: an extent of 2^63 or more; no file holds that many elements, this one "
             "is damaged",
             where.input, where.byte);
}

status npy_rank(place where, int most) {
  return say(code::malformed, "{}: byte {}: has more than {} axes; reshape it before it is saved",
             where.input, where.byte, most);
}

status npy_too_large(place where) {
  return say(code::malformed,
             "{}: byte {}: the extents of the shape multiply to 2^63 bytes or more; no file holds "
             "them, this one is damaged",
             where.input, where.byte);
}

status safetensors_short(std::string_view name, std::uint64_t bytes) {
  return say(code::malformed,
             "{}: byte {}: ends inside the length of the header; a safetensors file begins with 8 "
             "bytes of it, this one is cut short",
             name, bytes);
}

status safetensors_header_too_long(std::string_view name, std::uint64_t bytes,
                                   std::uint64_t cap_bytes) {
  return say(code::malformed,
             "{}: byte 0: claims a header of {} bytes, and the format has {} at most; the file is "
             "damaged, or no safetensors file: name its format with --format",
             name, bytes, cap_bytes);
}

status safetensors_header_past_end(std::string_view name, std::uint64_t bytes,
                                   std::uint64_t file_bytes) {
  return say(code::malformed,
             "{}: byte 0: claims a header of {} bytes in a file of {}; the file is cut short, or "
             "no safetensors file: name its format with --format",
             name, bytes, file_bytes);
}

status safetensors_no_json(place where) {
  return say(code::malformed,
             "{}: byte {}: the header is no JSON object; the file is damaged, or no safetensors "
             "file: name its format with --format",
             where.input, where.byte);
}

status safetensors_header(std::string_view name, std::string_view problem) {
  return say(code::malformed, "{}: the header: {}; write the file again", name, problem);
}

status safetensors_tensor(std::string_view name, std::string_view tensor,
                          std::string_view problem) {
  return say(code::malformed, "{} {}; write the file again", tensor_name(name, tensor), problem);
}

status safetensors_data(std::string_view name, std::uint64_t wanted_bytes,
                        std::uint64_t there_bytes) {
  return say(code::malformed,
             "{}: the tensors have {} bytes of data and {} are there; the file is {}", name,
             wanted_bytes, there_bytes,
             wanted_bytes > there_bytes ? "cut short" : "damaged, or two files in one");
}

status safetensors_stream(std::string_view name) {
  return say(code::usage,
             "{}: a safetensors file is read by its places, which a pipe does not have; save it, "
             "and name the file",
             name);
}

status safetensors_type(std::string_view name, std::string_view type) {
  return say(code::unsupported,
             "{}: has tensors of {}, which this version does not read; their rows say error; "
             "convert them: in PyTorch, tensor.float()",
             name, shown(type));
}

std::string safetensors_empty(std::string_view name) {
  return fmt::format("{}: has no tensors", name);
}

status one_array(std::string_view name, std::string_view use) {
  return say(code::usage,
             "{}: {} takes one array, and a safetensors file has several; save the tensor as .npy",
             name, use);
}

std::string tensor_name(std::string_view name, std::string_view tensor) {
  constexpr std::size_t most = 120;
  return fmt::format("{}: tensor '{}'", name, shown(tensor, most));
}

std::string excerpt(std::string_view text) {
  return shown(text);
}

status raw_needs_dtype(std::string_view name) {
  return say(code::usage,
             "{}: raw elements do not say what they are; say --dtype (bool, i8 to i64, u8 to u64, "
             "f16, bf16, f32 or f64)",
             name);
}

status raw_endless(std::string_view name) {
  return say(code::usage, "{}: is a device and may have no end; say --shape N", name);
}

status raw_ragged(std::string_view name, std::uint64_t bytes, dtype type) {
  return say(code::malformed,
             "{}: {} bytes are not a whole number of {} elements of {} bytes; check --dtype and "
             "--skip",
             name, bytes, onefold::name(type), size_bytes(type));
}

status skip_past_end(std::string_view name, std::uint64_t skip_bytes, std::uint64_t there_bytes) {
  return say(code::malformed, "{}: --skip {} goes past its end at byte {}; check --skip", name,
             skip_bytes, there_bytes);
}

status shape_too_large(std::string_view name) {
  return say(code::usage, "{}: --shape multiplies to 2^63 bytes or more; check it", name);
}

status exceeds_memory(std::string_view name, std::string_view why, const memory_need& need) {
  const bool given = need.limit_bytes != need.machine_bytes;
  const bool there = need.wanted_bytes <= need.machine_bytes;
  return say(code::out_of_memory, "{}: {} needs {} in memory, and {} allows {}; {}", name, why,
             format_bytes(double(need.wanted_bytes)), given ? "--mem-limit" : "this machine",
             format_bytes(double(need.limit_bytes)),
             given && there ? "raise it" : "cut the input into parts");
}

status ranks_module(std::string_view path) {
  return say(code::io_error,
             "--ranks: the module '{}' is not there; build onefold where CMake finds MPI (Debian: "
             "libopenmpi-dev), or install it with the program",
             path);
}

status ranks_no_mpi(std::string_view why) {
  return say(code::io_error,
             "--ranks: the module of MPI cannot be loaded: {}; install the MPI that it was built "
             "with (Debian: openmpi-bin)",
             why);
}

status ranks_other_version(std::string_view path) {
  return say(code::io_error,
             "--ranks: '{}' belongs to another onefold; install both from one build", path);
}

status no_sibling(std::string_view path) {
  return say(code::io_error, "{}: is not there; 'make run' in the sources of onefold builds it",
             path);
}

status cannot_start(std::string_view path, int error_number) {
  return say(code::io_error, "{}: cannot be started: {}", path, reason(error_number));
}

status out_of_memory() {
  return say(code::out_of_memory,
             "an allocation failed; free some memory, or cut the input into parts");
}

status internal(std::string_view problem) {
  return say(code::io_error, "{}; this is a mistake in onefold, please report it", problem);
}

}  // namespace onefold::program::messages
