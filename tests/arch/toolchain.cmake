# SPDX-License-Identifier: Apache-2.0
# Cross building for ONEFOLD_ARCH (aarch64, s390x) with Debian's compilers; tools/foreign_packages
# makes ONEFOLD_SYSROOT, which holds the libraries of the other architecture.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ONEFOLD_ARCH ONEFOLD_SYSROOT)
set(triplet ${ONEFOLD_ARCH}-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${ONEFOLD_ARCH})
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})

set(CMAKE_FIND_ROOT_PATH ${ONEFOLD_SYSROOT}/usr)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR}
  ${ONEFOLD_SYSROOT}/usr/lib/${triplet}/pkgconfig:${ONEFOLD_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ONEFOLD_SYSROOT})

# libgmp is what libmpfr needs, and nothing names it.
set(libraries ${ONEFOLD_SYSROOT}/usr/lib/${triplet})
# Some headers of the sysroot name others that lie in the folder of the triplet.
set(CMAKE_CXX_FLAGS_INIT "-isystem ${ONEFOLD_SYSROOT}/usr/include/${triplet}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-${ONEFOLD_ARCH};-L;/usr/${triplet};-E;LD_LIBRARY_PATH=${libraries})
