# SPDX-License-Identifier: Apache-2.0
# Whether there is CUDA: CMAKE_CUDA_COMPILER. ONEFOLD_CUDA is AUTO (where nvcc is found), ON (an
# error without it) or OFF.

set(ONEFOLD_CUDA AUTO CACHE STRING "CUDA parts: AUTO (where nvcc is found), ON, OFF")
set_property(CACHE ONEFOLD_CUDA PROPERTY STRINGS AUTO ON OFF)
# Machine code for Hopper; for every other GPU since Turing the driver compiles the PTX.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
endif()
# nvcc's host compiler is g++, whichever compiler builds the rest.
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
  find_program(ONEFOLD_GXX NAMES g++ g++-12)
  set(CMAKE_CUDA_HOST_COMPILER ${ONEFOLD_GXX})
endif()

if(NOT ONEFOLD_CUDA STREQUAL OFF)
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND ONEFOLD_CUDA STREQUAL ON)
    message(FATAL_ERROR "ONEFOLD_CUDA is ON and there is no nvcc; put it on the PATH or use AUTO")
  endif()
endif()

if(NOT ONEFOLD_CUDA STREQUAL OFF AND CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
