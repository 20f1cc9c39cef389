# SPDX-License-Identifier: Apache-2.0
# -DONEFOLD_GLIBC=2.28: what is linked here runs on that glibc and on later ones, and needs no C++
# library. For wheels.
#
# The compilers stay those of this machine, and so do the loops. What ties their output to its glibc
# are the versions of symbols, which are chosen when it is linked. zig links, because it has the
# symbols of every glibc: -DONEFOLD_ZIG="python3 -m ziglang", from `pip install ziglang`. The C++
# library and what it needs are g++'s static ones, the unwinder LLVM's; glibc_additions.cpp has what
# they want of a later glibc.
set(ONEFOLD_GLIBC "" CACHE STRING "The oldest glibc to run on, as 2.28; empty: this machine's")
set(ONEFOLD_ZIG "zig" CACHE STRING "The command line of zig, which then links")
if(NOT ONEFOLD_GLIBC)
  return()
endif()

set(onefold_additions ${PROJECT_BINARY_DIR}/glibc_additions.o)
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -O2 -fPIC -c ${PROJECT_SOURCE_DIR}/cmake/glibc_additions.cpp
          -o ${onefold_additions}
  COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/cmake/glibc_additions.cpp)
set(onefold_static "")
foreach(name libstdc++.a libgcc.a)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE onefold_found OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(APPEND onefold_static " ${onefold_found}")
endforeach()

string(CONCAT onefold_zig
  "${ONEFOLD_ZIG} c++ -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.${ONEFOLD_GLIBC} -nostdlib++ "
  "-Wl,--gc-sections")
set(onefold_linked "-o <TARGET> <OBJECTS> <LINK_LIBRARIES> ${onefold_additions}")
string(APPEND onefold_linked "${onefold_static} -lunwind")
set(CMAKE_CXX_LINK_EXECUTABLE "${onefold_zig} <LINK_FLAGS> ${onefold_linked}")
foreach(kind LIBRARY MODULE)
  set(CMAKE_CXX_CREATE_SHARED_${kind}
    "${onefold_zig} -shared <LINK_FLAGS> <SONAME_FLAG><TARGET_SONAME> ${onefold_linked}")
endforeach()
# No file that a wheel would have to bring along.
set(Boost_USE_STATIC_LIBS ON)
# zig knows no --push-state, by which CMake would name archives that are linked whole.
set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE
  "LINKER:--whole-archive" "<LINK_ITEM>" "LINKER:--no-whole-archive")
