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
  onefold_need(fmt libfmt-dev)
  onefold_need(nlohmann_json nlohmann-json3-dev)
  if(NOT onefold_missing STREQUAL onefold_missing_library)
    string(CONCAT onefold_missing_remedy ". Only the program needs CLI11, fmt and nlohmann-json: "
      "-DONEFOLD_PROGRAM=OFF, in the environment variable CMAKE_ARGS for pip, builds without it")
  endif()
endif()
if(onefold_missing)
  list(JOIN onefold_missing " " onefold_missing)
  message(FATAL_ERROR "Libraries are missing: apt-get install ${onefold_missing} (other systems "
    "have other names)${onefold_missing_remedy}.")
endif()
