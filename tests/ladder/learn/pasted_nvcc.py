#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every rung's kernel by nvcc, pasted alone into a .cu file.

    pasted_nvcc.py ONEFOLD_LADDER NVCC SOURCE_ROOT

A file that includes nothing but ladder/operators.cuh is taken as it is, with that header in
a folder of its own; of the others the text of `onefold-ladder source`, with no folder at all.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEADER = "ladder/operators.cuh"
# Built from the engine's parts, or from CUB.
NOT_ALONE = {"reduce/exact", "reduce/vendor"}
FLOATS = {"reduce/pairwise", "reduce/kahan", "reduce/interval", "reduce/integers"}
PIXELS = {"transpose_tile": "unsigned char, 16", "transpose_padded": "unsigned char, 16, 4"}


def output_of(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def instance(rung, text):
    """The kernel's name with template arguments."""
    pattern = r"template <([^>]*)>\n__global__ void (?:__launch_bounds__\(\w+\)\s*)?(\w+)\("
    parameters, name = re.findall(pattern, text)[-1]
    if name in PIXELS:
        return f"{name}<{PIXELS[name]}>"
    element = "float" if rung.startswith("dot/") or rung in FLOATS else "int"
    values = {"class T": element, "class Operator": f"onefold::ladder::sum<{element}>",
              "unsigned Block": "256", "class Pixel": "unsigned char"}
    return f"{name}<{', '.join(values[p.strip()] for p in parameters.split(','))}>"


def pasted(ladder, root, rung):
    text = (root / rung["file"]).read_text()
    if re.findall(r'#include "(.*)"', text) == [HEADER]:
        return text
    return output_of([ladder, "source", rung["rung"]])


def main():
    ladder, nvcc, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    rungs = [rung for rung in json.loads(output_of([ladder, "list", "--json"]))["rungs"]
             if not rung["published"] and rung["rung"] not in NOT_ALONE]
    assert len(rungs) > 25, len(rungs)
    with tempfile.TemporaryDirectory() as folder:
        include = pathlib.Path(folder, "include")
        (include / "ladder").mkdir(parents=True)
        shutil.copy(root / HEADER, include / HEADER)
        files = []
        for rung in rungs:
            text = pasted(ladder, root, rung)
            file = pathlib.Path(folder, rung["rung"].replace("/", "_") + ".cu")
            file.write_text(f"{text}\nauto* used = &onefold::ladder::"
                            f"{instance(rung['rung'], text)};\n")
            files.append(str(file))
        # g++ warns of `#pragma once` in the file itself.
        subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-Xcompiler=-w",
                        f"-I{include}", "-ptx", f"--output-directory={folder}", *files], check=True)
        print(f"{len(files)} rungs")


if __name__ == "__main__":
    main()
