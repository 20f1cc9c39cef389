# SPDX-License-Identifier: Apache-2.0
# The flags that every target of this tree gets through the interface target onefold_flags.
# C++20 travels as a plain flag: CMake 3.25.1 knows no C++20 for nvcc, and CMAKE_CXX_STANDARD and
# CMAKE_CXX_EXTENSIONS, like cxx_std_20, are handed on to the CUDA files of a target. Warnings and
# sanitizers are spelled for the host compiler, so CUDA files get none.

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# A compiler cache that the first configuration finds stays the tree's: another launcher would
# compile everything again. One that has gone is forgotten. It cannot store what a precompiled
# header took part in, so a tree has the one or the other.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  if(NOT DEFINED ONEFOLD_COMPILER_CACHE OR NOT EXISTS "${ONEFOLD_COMPILER_CACHE}")
    find_program(onefold_found NAMES ccache sccache NO_CACHE)
    if(DEFINED ONEFOLD_COMPILER_CACHE OR NOT onefold_found)
      set(onefold_found "")
    endif()
    set(ONEFOLD_COMPILER_CACHE "${onefold_found}" CACHE FILEPATH
      "ccache or sccache; empty: none" FORCE)
  endif()
  if(ONEFOLD_COMPILER_CACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ONEFOLD_COMPILER_CACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${ONEFOLD_COMPILER_CACHE})
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endif()

add_library(onefold_flags INTERFACE)
target_compile_options(onefold_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX,CUDA>:-std=c++20>
  # A target with cxx_std_20 gets -std=gnu++20 after it, which would let g++ contract a * b + c.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>"
  "$<$<COMPILE_LANGUAGE:CXX>:$<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>>"
  $<$<AND:$<BOOL:${ONEFOLD_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)

# For command lines, pages and messages, in which no loop is hot: a third less to compile.
set(ONEFOLD_COLD $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
# For tests, which call the library's loops: half to compile. Under a sanitizer their own code is
# not optimised at all.
set(ONEFOLD_COLD_TESTS ${ONEFOLD_COLD})
if(ONEFOLD_SANITIZE)
  set(ONEFOLD_COLD_TESTS $<$<COMPILE_LANGUAGE:CXX>:-O0>)
endif()

if(ONEFOLD_SANITIZE)
  target_compile_options(onefold_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${ONEFOLD_SANITIZE}>
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(onefold_flags INTERFACE -fsanitize=${ONEFOLD_SANITIZE})
endif()

# The library and the program count their branches for libFuzzer, tests do not; a fuzz target alone
# links -fsanitize=fuzzer.
set(ONEFOLD_FUZZED "")
if(ONEFOLD_FUZZ)
  set(ONEFOLD_FUZZED $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
  target_link_options(onefold_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
