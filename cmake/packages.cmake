# SPDX-License-Identifier: Apache-2.0
# The libraries that the library and the program need. One error names all that are missing.

# onefold_need(PACKAGE DEBIAN ...): find_package(PACKAGE ...); DEBIAN is the name of its package.
set(onefold_missing "")
macro(onefold_need package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND onefold_missing ${debian})
  endif()
endmacro()

onefold_need(HWY libhwy-dev 1.0.3 NO_MODULE)
if(ONEFOLD_THREADS_BACKEND STREQUAL "tbb")
  onefold_need(TBB libtbb-dev)
endif()
set(onefold_missing_remedy "")
if(ONEFOLD_PROGRAM)
  set(onefold_missing_library "${onefold_missing}")
  onefold_need(CLI11 libcli11-dev)
  if(ONEFOLD_WHEEL)  # by its headers alone: Debian has no static library of it
    find_path(ONEFOLD_FMT fmt/format.h)
    mark_as_advanced(ONEFOLD_FMT)
    add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
    target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
    if(ONEFOLD_FMT)
      target_include_directories(fmt::fmt INTERFACE ${ONEFOLD_FMT})
    else()
      list(APPEND onefold_missing libfmt-dev)
    endif()
  else()
    onefold_need(fmt libfmt-dev)
  endif()
  onefold_need(nlohmann_json nlohmann-json3-dev)
  if(ONEFOLD_LADDER)
    onefold_need(tomlplusplus libtomlplusplus-dev)
    onefold_need(Boost libboost-context-dev 1.74 COMPONENTS context)
  endif()
  if(NOT onefold_missing STREQUAL onefold_missing_library)
    string(CONCAT onefold_missing_remedy ". Only the program needs CLI11, fmt and nlohmann-json, "
      "and its ladder toml++ and Boost: -DONEFOLD_PROGRAM=OFF -DONEFOLD_LADDER=OFF, in the "
      "environment variable CMAKE_ARGS for pip, builds without them")
  endif()
endif()
if(onefold_missing)
  list(JOIN onefold_missing " " onefold_missing)
  message(FATAL_ERROR "Libraries are missing: apt-get install ${onefold_missing} (other systems "
    "have other names)${onefold_missing_remedy}.")
endif()
