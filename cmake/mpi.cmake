# SPDX-License-Identifier: Apache-2.0
# MPI, for the module of `onefold --ranks`, and the tests, examples and times of onefold/mpi.hpp.
# Neither the library nor the program is linked with it.
if(ONEFOLD_SANITIZE OR ONEFOLD_WHEEL)
  return()  # they report what MPI's own libraries do; a wheel has none to go with
endif()
enable_language(C)
find_package(MPI COMPONENTS C QUIET)
if(NOT MPI_C_FOUND)
  message(STATUS "onefold: no MPI (Debian: libopenmpi-dev openmpi-bin): no --ranks, no tests of it")
endif()

# onefold_add_mpi_program(<name> <source>... [LIBRARIES <library>...])
function(onefold_add_mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE onefold::onefold onefold_flags MPI::MPI_C ${arg_LIBRARIES})
endfunction()

# onefold_add_mpi_test(<name> <command>...): a test that starts ranks by ${onefold_mpirun}. More
# ranks than cores, and by root too, are what Open MPI does not do unasked. It looks for no network.
set(onefold_mpirun ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
function(onefold_add_mpi_test name)
  add_test(NAME mpi.${name} COMMAND ${ARGN})
  set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader ONEFOLD_THREADS=1)
  set_tests_properties(mpi.${name} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT "${environment}")
endfunction()
