# SPDX-License-Identifier: Apache-2.0
# Writes summary.txt, which `make run` prints at its end: what this build tree has, what it has not,
# and why.

# onefold_summary(PART TEXT): a line of it.
set(onefold_summary_text "")
function(onefold_summary part text)
  string(LENGTH "${part}" length)
  math(EXPR spaces "12 - ${length}")
  string(REPEAT " " ${spaces} gap)
  string(APPEND onefold_summary_text "  ${part}${gap}${text}\n")
  set(onefold_summary_text "${onefold_summary_text}" PARENT_SCOPE)
endfunction()

# onefold_summary_of(PART CONDITION TEXT HINT): TEXT where the part is built, otherwise the HINT.
function(onefold_summary_of part condition text hint)
  if(NOT ${condition})
    set(text "not built: ${hint}")
  endif()
  onefold_summary(${part} "${text}")
  set(onefold_summary_text "${onefold_summary_text}" PARENT_SCOPE)
endfunction()

file(RELATIVE_PATH onefold_tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
set(onefold_hint "${ONEFOLD_CUDA_REASON}")
if(NOT ONEFOLD_HAS_CUDA)
  find_program(onefold_nvcc nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin NO_CACHE)
  if(onefold_nvcc)
    string(APPEND onefold_hint "; `make run CUDA=ON` builds it all the same")
  else()
    string(APPEND onefold_hint "; with a CUDA toolkit, `make run CUDA=ON` builds it")
  endif()
endif()
set(onefold_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
onefold_summary(library
  "${onefold_compiler}, ${CMAKE_BUILD_TYPE}, threads by ${ONEFOLD_THREADS_BACKEND}")
onefold_summary_of(CUDA ONEFOLD_HAS_CUDA "${ONEFOLD_CUDA_REASON}" "${onefold_hint}")
onefold_summary_of(program ONEFOLD_PROGRAM "${onefold_tree}/onefold" "ONEFOLD_PROGRAM is OFF")
onefold_summary_of(ladder ONEFOLD_LADDER "${onefold_tree}/onefold-ladder" "ONEFOLD_LADDER is OFF")
onefold_summary_of(tests ONEFOLD_TESTS "${ONEFOLD_TESTS}" "`make test` builds and runs them")
onefold_summary_of(benchmarks ONEFOLD_BENCH
  "${onefold_tree}/bench" "`make bench` builds and runs them")
if(ONEFOLD_COMPILER_CACHE)
  onefold_summary(cache "${ONEFOLD_COMPILER_CACHE}")
else()
  onefold_summary(cache "none: no ccache or sccache at the first configuration")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/summary.txt "In ${onefold_tree}:\n${onefold_summary_text}")
