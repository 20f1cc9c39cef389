# SPDX-License-Identifier: Apache-2.0
# Whether there is CUDA: ONEFOLD_CUDA is AUTO (where nvcc is found), ON (an error without it) or
# OFF; ONEFOLD_HAS_CUDA is what came of it. Included once, by the top folder: a language belongs to
# the highest folder that uses it.

set(ONEFOLD_CUDA AUTO CACHE STRING "CUDA parts: AUTO (where nvcc is found), ON, OFF")
set_property(CACHE ONEFOLD_CUDA PROPERTY STRINGS AUTO ON OFF)
# Machine code for Hopper; for every other GPU since Turing the driver compiles the PTX.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
endif()
# nvcc's host compiler is g++, whichever compiler builds the rest.
find_program(ONEFOLD_GXX NAMES g++ g++-12)
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER AND ONEFOLD_GXX)
  set(CMAKE_CUDA_HOST_COMPILER ${ONEFOLD_GXX})
endif()

set(ONEFOLD_HAS_CUDA OFF)
if(NOT ONEFOLD_CUDA STREQUAL OFF)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(ONEFOLD_HAS_CUDA ON)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
  elseif(ONEFOLD_CUDA STREQUAL ON)
    message(FATAL_ERROR "ONEFOLD_CUDA is ON and there is no nvcc; put it on the PATH or use AUTO")
  endif()
endif()
