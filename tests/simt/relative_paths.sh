#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plays a compiler cache with a base directory: runs a compiler with every path below the root as a
# path relative to the current folder.
#
#   relative_paths.sh ROOT COMPILER ARGUMENT...
set -eu
root=$1
shift
up=$(realpath --relative-to . "$root")
for word; do
  shift
  case $word in
  "$root"/*) word=$up/${word#"$root"/} ;;
  -I"$root" | -I"$root"/*) word=-I$up${word#-I"$root"} ;;
  esac
  set -- "$@" "$word"
done
exec "$@"
