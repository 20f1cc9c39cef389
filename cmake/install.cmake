# SPDX-License-Identifier: Apache-2.0
# What `make install` installs: library, headers, programs, sources of the Fortran modules, CMake
# package, pkg-config file. Nothing in them names the prefix, so that the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS onefold EXPORT onefold_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/onefold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.cuh)
install(FILES ${PROJECT_BINARY_DIR}/onefold_exact.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE THIRD_PARTY_NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Each Fortran compiler has its own module files.
install(DIRECTORY fortran DESTINATION ${CMAKE_INSTALL_DATADIR}/onefold FILES_MATCHING PATTERN *.f90)
if(TARGET onefold_ladder_program)
  set_target_properties(onefold_ladder_program PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS onefold_ladder_program
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ladder)
endif()

# A shared library knows what it needs itself; the users of a static one must name it.
get_target_property(kind onefold TYPE)
if(kind STREQUAL "STATIC_LIBRARY")
  set(onefold_private "")
else()
  set(onefold_private .private)
endif()
# A compiler of C does not know the runtime libraries of C++: the pkg-config file names them, and so
# does the CMake package where the project has no C++.
set(onefold_pc_runtime "")
set(onefold_runtime pthread ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER onefold_runtime INCLUDE REGEX "^(pthread|stdc\\+\\+|c\\+\\+|m)$")
list(REMOVE_DUPLICATES onefold_runtime)
if(NOT onefold_private)
  list(TRANSFORM onefold_runtime PREPEND " -l" OUTPUT_VARIABLE options)
  string(JOIN "" onefold_pc_runtime ${options})
endif()
if(ONEFOLD_HAS_CUDA AND NOT onefold_private)
  string(APPEND onefold_pc_runtime " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt")
endif()
if(ONEFOLD_THREADS_BACKEND STREQUAL "tbb")
  set(onefold_pc_requires "libhwy tbb")
else()
  set(onefold_pc_requires "libhwy")
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
install(EXPORT onefold_targets NAMESPACE onefold:: FILE onefoldTargets.cmake DESTINATION ${package})
configure_package_config_file(cmake/onefoldConfig.cmake.in
  ${PROJECT_BINARY_DIR}/onefoldConfig.cmake INSTALL_DESTINATION ${package}
  NO_SET_AND_CHECK_MACRO)
# docs/versions.md: before 1.0 every minor version may break its users.
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onefoldConfigVersion.cmake
  COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/onefoldConfig.cmake
              ${PROJECT_BINARY_DIR}/onefoldConfigVersion.cmake
  DESTINATION ${package})

# From the folder of onefold.pc to the prefix; where somebody gave libdir as an absolute path,
# nothing can be moved.
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(onefold_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" onefold_pc_prefix "\${pcfiledir}/${up}")
endif()
cmake_path(APPEND onefold_pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND onefold_pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
cmake_path(APPEND onefold_pc_fortrandir "\${prefix}" ${CMAKE_INSTALL_DATADIR} onefold/fortran)
configure_file(cmake/onefold.pc.in ${PROJECT_BINARY_DIR}/onefold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onefold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The installed program finds a shared library next to it, and others where the linker found them.
if(TARGET onefold_program)
  set_target_properties(onefold_program PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  if(onefold_private AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH to_library /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(onefold_program PROPERTIES INSTALL_RPATH "\$ORIGIN/${to_library}")
  endif()
endif()
