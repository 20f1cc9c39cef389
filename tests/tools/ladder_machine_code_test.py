#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/ladder_machine_code on a disassembly written by hand, and the file that it has written."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("ladder_machine_code",
                                              str(ROOT / "tools/ladder_machine_code"))
TOOL = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(TOOL)

MASK = ROOT / "ladder/reduce/mask.cuh"
DISASSEMBLY = f"""
.text._Z4mask:
\t//## File "{ROOT}/./ladder/reduce/mask.cuh", line 22
        /*0000*/                   S2R R2, SR_TID.X ;
\t//## File "{ROOT}/ladder/operators.cuh", line 23 inlined at "{MASK}", line 31
\t//## File "{MASK}", line 31
        /*0010*/              @!P1 IMAD.IADD R6,  R0, 0x1, R5 ;
.L_x_1:
        /*0020*/              @!P1 BRA `(.L_x_11) ;
\t//## File "/usr/include/other.hpp", line 7
        /*0030*/                   EXIT ;
.L_x_2:
        /*0040*/                   BRA `(.L_x_2);
        /*0050*/                   NOP;
.text._Z5other:
        /*0000*/                   EXIT ;
"""


class LadderMachineCode(unittest.TestCase):
    def test_an_instruction_belongs_to_the_innermost_line_of_a_kernel(self):
        code = TOOL.sections(DISASSEMBLY)["_Z4mask"]
        mask = "ladder/reduce/mask.cuh"
        self.assertEqual(code, [((mask, 22), "S2R R2, SR_TID.X"),
                                ((mask, 31), "@!P1 IMAD.IADD R6, R0, 0x1, R5"),
                                ((mask, 31), "@!P1 BRA ..."), (None, "EXIT")])

    def test_a_kernel_ends_where_the_next_begins(self):
        self.assertEqual(TOOL.sections(DISASSEMBLY)["_Z5other"], [(None, "EXIT")])

    def test_an_excerpt_of_a_line_that_is_gone_is_refused(self):
        with self.assertRaisesRegex(TOOL.Refusal, "reduce/mask: no instruction is made of a line"):
            list(TOOL.excerpts("reduce/mask", "int", []))

    def test_what_is_written_is_the_page(self):
        page = json.loads(TOOL.WRITTEN.read_text(encoding="utf-8"))
        self.assertEqual(TOOL.written(page), TOOL.WRITTEN.read_text(encoding="utf-8"))

    def test_every_excerpt_asked_for_is_in_the_file(self):
        page = json.loads(TOOL.WRITTEN.read_text(encoding="utf-8"))
        shown = {(k["rung"], k["type"]) for k in page["kernels"] if k["excerpts"]}
        self.assertEqual(shown, set(TOOL.EXCERPTS))


if __name__ == "__main__":
    unittest.main()
