# SPDX-License-Identifier: Apache-2.0
# One file of a public header and all that it includes, to copy into a project:
#
#   cmake -D INCLUDE=<folder include/> -D HEADER=onefold/exact.hpp -D VERSION=<version>
#         -D OUTPUT=<file> -P one_header.cmake
cmake_minimum_required(VERSION 3.25)
set(seen "")
set(whole "")

# Appends a header's text after those of the headers that it includes, each once.
macro(append_header header)
  if(NOT "${header}" IN_LIST seen)
    list(APPEND seen "${header}")
    append_text("${header}")
  endif()
endmacro()

function(append_text header)
  file(READ "${INCLUDE}/${header}" text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" include "${include}")
    append_header("${include}")
  endforeach()
  string(REGEX REPLACE "#include \"[^\n]*\n" "" text "${text}")
  string(REGEX REPLACE "(^|\n)(// SPDX[^\n]*|#pragma once)\n" "\\1" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  set(seen "${seen}" PARENT_SCOPE)
  set(whole "${whole}\n// ---- ${header} ----\n${text}" PARENT_SCOPE)
endfunction()

append_header("${HEADER}")
file(WRITE "${OUTPUT}" "// SPDX-License-Identifier: Apache-2.0
// <${HEADER}> of onefold ${VERSION} and the headers that it includes, as one file, written by
// cmake/one_header.cmake. Include this file or the headers, not both in one source.
#pragma once
${whole}")
