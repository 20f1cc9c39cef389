// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the object made of a learner's file reports to the program that loads it: the kernel's
// parameters as the compiler sees them, and a way to launch it. Included on both sides, and light,
// because the learner's side is instrumented.

#include "simt/launch.hpp"

namespace onefold::ladder::learner {

enum class scalar : unsigned char {
  other,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  float16,
  bfloat16,
};

enum class passed : unsigned char {
  pointer,
  const_pointer,
  integer,
  flag,
  real,
  structure,  ///< value-initialised
  other,
};

/// A number of a struct that a pointer points to.
struct component {
  scalar type;
  unsigned offset;    ///< in the struct
  const char* field;  ///< "value"
  const char* part;   ///< "x", "[2]" of a field with several; else ""
};

/// A parameter, or one field of a parameter that is a struct of such.
struct parameter {
  passed kind;
  scalar type;            ///< of a pointer: what it points to, or the components of that
  unsigned lanes = 1;     ///< components: 4 of a float4
  unsigned bytes = 0;     ///< of what a pointer points to; 0 if that is not known
  unsigned position = 0;  ///< of the parameter in the kernel's list
  unsigned field = 0;
  bool is_field = false;
  /// Of a pointer to a struct: its name, all its numbers in order, or the field that is none.
  const char* struct_name = nullptr;
  const component* components = nullptr;
  unsigned component_count = 0;
  const char* bad_field = nullptr;
};

union argument {
  void* pointer;
  unsigned long long integer;
  double real;
};

struct entry {
  const parameter* parameters;
  unsigned count;
  /// Null when a parameter is of a kind that has no argument.
  void (*launch)(simt::executor&, const simt::launch_config&, const argument*);
};

/// The C name of the one entry that a learner's object defines.
inline constexpr char entry_symbol[] = "onefold_learner_entry";
/// Of the structs in use, as of pointers to them; the last one has no bytes.
inline constexpr char structs_symbol[] = "onefold_learner_structs";

}  // namespace onefold::ladder::learner
