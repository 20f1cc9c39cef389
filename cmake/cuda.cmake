# SPDX-License-Identifier: Apache-2.0
# Whether the CUDA engine is built, and for which GPUs. Included once, by the top folder: a language
# belongs to the highest folder that uses it.
#
# ONEFOLD_CUDA   AUTO: where nvcc and a GPU are found; ON: an error without nvcc; OFF
# ONEFOLD_HAS_CUDA, ONEFOLD_CUDA_REASON   the outcome, and one line that says why
#
# Machine code is for the GPUs found; for later ones the driver compiles the PTX next to it.
# ONEFOLD_CUDA=ON without a GPU: for Hopper, and PTX for every GPU since Turing.

set(ONEFOLD_CUDA AUTO CACHE STRING "CUDA engine: AUTO (where nvcc and a GPU are found), ON, OFF")
set_property(CACHE ONEFOLD_CUDA PROPERTY STRINGS AUTO ON OFF)
# nvcc's host compiler is g++, whichever compiler builds the rest.
find_program(ONEFOLD_GXX NAMES g++ g++-12)
if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER AND ONEFOLD_GXX)
  set(CMAKE_CUDA_HOST_COMPILER ${ONEFOLD_GXX})
endif()

# onefold_find_gpus(OUT): the architectures of this machine's GPUs, "90" for compute capability 9.0.
function(onefold_find_gpus out)
  set(${out} "" PARENT_SCOPE)
  find_program(nvidia_smi nvidia-smi NO_CACHE)
  if(nvidia_smi)
    execute_process(COMMAND ${nvidia_smi} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE said RESULT_VARIABLE code ERROR_QUIET)
    if(code EQUAL 0)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${said}")
      list(TRANSFORM found REPLACE "\\." "")
      list(REMOVE_DUPLICATES found)
      set(${out} ${found} PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(ONEFOLD_HAS_CUDA OFF)
set(onefold_gpus "")
if(ONEFOLD_CUDA STREQUAL OFF)
  set(ONEFOLD_CUDA_REASON "ONEFOLD_CUDA is OFF")
else()
  onefold_find_gpus(onefold_gpus)
  if(ONEFOLD_CUDA STREQUAL AUTO AND NOT onefold_gpus)
    set(ONEFOLD_CUDA_REASON "nvidia-smi finds no GPU")
  else()
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER AND ONEFOLD_CUDA STREQUAL ON)
      message(FATAL_ERROR
        "ONEFOLD_CUDA is ON and there is no nvcc; put it on the PATH or use AUTO")
    elseif(NOT CMAKE_CUDA_COMPILER)
      set(ONEFOLD_CUDA_REASON "there is a GPU, and no nvcc on the PATH")
    else()
      set(ONEFOLD_HAS_CUDA ON)
    endif()
  endif()
endif()

if(ONEFOLD_HAS_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND onefold_gpus)
    set(CMAKE_CUDA_ARCHITECTURES ${onefold_gpus})
  elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  list(JOIN CMAKE_CUDA_ARCHITECTURES " " onefold_architectures)
  set(ONEFOLD_CUDA_REASON
    "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${onefold_architectures}")
  # For an example and a test: the library opens NCCL at run time. The system's, or that of the
  # package of PyPI, whose folder NCCL_ROOT names.
  find_path(ONEFOLD_NCCL_INCLUDE nccl.h HINTS ENV NCCL_ROOT PATH_SUFFIXES include)
  find_library(ONEFOLD_NCCL_LIBRARY NAMES nccl libnccl.so.2
    HINTS ENV NCCL_ROOT ${CUDAToolkit_BIN_DIR}/.. PATH_SUFFIXES lib)
  mark_as_advanced(ONEFOLD_NCCL_INCLUDE ONEFOLD_NCCL_LIBRARY)
endif()
