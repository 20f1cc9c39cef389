#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a CUDA compiler and moves what ptxas reports (-Xptxas=-v) from stderr to OBJECT.ptxas.
#
#   sh cmake/nvcc_report.sh NVCC ARGUMENT... -o OBJECT
#
# The rest of stderr is printed when the compiler ends; the exit code is the compiler's. The old
# report is removed first and the new one written last, so a compilation that fails or is
# interrupted leaves none. A compiler cache belongs after this script (it repeats stderr on a hit).
object='' previous=''
for argument; do
  if [ "$previous" = -o ]; then object=$argument; fi
  previous=$argument
done
if [ -z "$object" ]; then exec "$@"; fi

report=$object.ptxas
stderr=$report.stderr
# "ptxas info : (C7510) ..." is advice for the developer, and no part of the report.
lines='^ptxas info *: [^(]|^ +[0-9]+ bytes stack frame'
trap 'rm -f "$stderr" "$report.new"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

rm -f "$report"
code=0
"$@" 2>"$stderr" || code=$?
LC_ALL=C grep -aEv "$lines" "$stderr" >&2
if [ "$code" -eq 0 ]; then
  LC_ALL=C grep -aE "$lines" "$stderr" >"$report.new"
  mv "$report.new" "$report" || code=1
fi
exit "$code"
