#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is printed: numbers, tables, TSV, JSON and its schema, on a terminal and in any locale."""
import json
import math
import os
import pty
import re
import struct
import subprocess
import unittest

from support import PROGRAM, SCHEMA, ProgramTest, elements, npy

KINDS = {"object": dict, "array": list, "string": str, "null": type(None)}


def is_kind(value, kind):
    if kind in ("integer", "number"):
        wanted = int if kind == "integer" else (int, float)
        return isinstance(value, wanted) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])


def faults(value, rule, root, where="$"):
    """The ways in which a value breaks a rule: the part of JSON Schema that ours uses."""
    if "$ref" in rule:
        rule = root["$defs"][rule["$ref"].rpartition("/")[2]]
    unknown = set(rule) - {"$schema", "$defs", "title", "description", "type", "required", "enum",
                           "const", "properties", "additionalProperties", "items", "oneOf",
                           "minimum", "pattern"}
    if unknown:
        yield f"{where}: this check knows no {unknown}"
    kinds = rule.get("type", [])
    if kinds and not any(is_kind(value, k) for k in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{where}: {value!r} is not {kinds}"
        return
    if "const" in rule and value != rule["const"] or "enum" in rule and value not in rule["enum"]:
        yield f"{where}: {value!r} is not allowed"
    if "minimum" in rule and value < rule["minimum"]:
        yield f"{where}: {value!r} is too small"
    if "pattern" in rule and not re.search(rule["pattern"], value):
        yield f"{where}: {value!r} does not match {rule['pattern']}"
    if "oneOf" in rule:
        fits = [not list(faults(value, each, root, where)) for each in rule["oneOf"]]
        if sum(fits) != 1:
            yield f"{where}: {value!r} fits {sum(fits)} of {len(fits)} forms"
    for key in rule.get("required", []):
        if key not in value:
            yield f"{where}: has no {key}"
    if isinstance(value, dict):
        for key, each in value.items():
            if key in rule.get("properties", {}):
                yield from faults(each, rule["properties"][key], root, f"{where}.{key}")
            elif not rule.get("additionalProperties", True):
                yield f"{where}: {key} is not in the schema"
    if isinstance(value, list) and "items" in rule:
        for i, each in enumerate(value):
            yield from faults(each, rule["items"], root, f"{where}[{i}]")


class Json(ProgramTest):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    def checked(self, *words, code=0, **how):
        done = self.onefold(*words, "--json", **how)
        self.assertEqual(done.code, code, done.err)
        self.assertEqual(done.out.count("\n"), 1)
        value = done.json()
        self.assertEqual(list(faults(value, self.schema, self.schema)), [])
        return value

    def test_the_check_itself_finds_faults(self):
        good = self.checked("sum", "-", stdin="1")
        for spoil in (lambda v: v.pop("run"), lambda v: v.update(schema=1), lambda v: v.update(x=1),
                      lambda v: v["results"][0].update(value="big"),
                      lambda v: v["results"][0].update(count=-1),
                      lambda v: v["results"][0].update(count=1.5),
                      lambda v: v["results"][0].pop("hex"), lambda v: v["run"].update(plan=[1])):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.assertNotEqual(list(faults(bad, self.schema, self.schema)), [])

    def test_every_result_follows_the_schema(self):
        self.write("a.npy", npy("f32", [0.1, 0.2]))
        self.write("b.npy", npy("f32", [math.nan]))
        self.write("c.npy", npy("f32", []))
        value = self.checked("sum", "a.npy", "b.npy", "c.npy", "--total")
        self.assertEqual([r["input"] for r in value["results"]], ["a.npy", "b.npy", "c.npy", None])
        self.assertEqual([r["value"] for r in value["results"]], [0.3, "nan", 0, "nan"])
        self.assertEqual([r["count"] for r in value["results"]], [2, 1, 0, 3])
        self.assertEqual(value["results"][0]["hex"], "0x1.333334p-2")
        self.assertEqual(value["run"]["device"], "cpu")
        self.assertEqual(value["run"]["plan"][0]["reading"], "in_place")
        value = self.checked("sum", "-", stdin="0.5")
        self.assertEqual(value["run"]["plan"], [None])

    def test_arrays_are_lists_and_their_hexadecimal_forms_too(self):
        self.write("a.npy", npy("f32", [0.1, math.nan, 2, -math.inf], (2, 2)))
        value = self.checked("sum,argmin,minmax", "a.npy", "--axis", "0")["results"]
        self.assertEqual([r["operation"] for r in value], ["sum", "argmin", "minmax"])
        self.assertEqual([r["value"] for r in value],
                         [[2.1, "nan"], [0, 0], [[0.1, 2], ["nan", "nan"]]])
        self.assertEqual([r["hex"] for r in value],
                         [["0x1.0cccccp+1", "nan"], None,
                          [["0x1.99999ap-4", "0x1p+1"], ["nan", "nan"]]])
        self.assertEqual([r["dtype"] for r in value], ["f32", "i64", "f32"])
        bad = {"schema": 2, "results": value, "run": {}}
        value[0]["value"] = [["many"]]
        self.assertNotEqual(list(faults(bad, self.schema, self.schema)), [])

    def test_entries_come_input_by_input_and_operator_by_operator(self):
        self.write("a.npy", npy("i8", [1, 2]))
        self.write("b.npy", npy("i8", [3, 4]))
        value = self.checked("sum,prod,any", "a.npy", "b.npy", "--total")
        self.assertEqual([(r["input"], r["operation"], r["value"]) for r in value["results"]],
                         [("a.npy", "sum", 3), ("a.npy", "prod", 2), ("a.npy", "any", 1),
                          ("b.npy", "sum", 7), ("b.npy", "prod", 12), ("b.npy", "any", 1),
                          (None, "sum", 10), (None, "prod", 24), (None, "any", 1)])
        self.assertEqual(len(value["run"]["plan"]), 2)
        self.assertEqual(value["run"]["plan"][0]["operation"], "sum,prod,any")

    def test_levels_say_what_was_delivered(self):
        self.write("a.npy", npy("f64", [1, 2]))
        ops = "sum,mean,var,max,count,prod,logsumexp"
        for accuracy, levels in (("exact", ["exact"] * 5 + ["bounded"] * 2),
                                 ("fast", ["fast"] * 3 + ["exact"] * 2 + ["bounded"] * 2)):
            value = self.checked(ops, "a.npy", "--accuracy", accuracy)
            self.assertEqual([r["level"] for r in value["results"]], levels)

    def test_results_are_the_same_bytes_in_every_run(self):
        name = self.write("a.npy", npy("f64", [math.sin(i) for i in range(200_000)]))
        texts = {self.onefold("sum", name, "--json", "--threads", threads).out.split(', "run"')[0]
                 for threads in ("1", "2", "1", "2")}
        self.assertEqual(len(texts), 1)
        self.assertIn('"results"', texts.pop())

    def test_failures_are_objects_too(self):
        for words, code, status in ((["sum"], 2, "usage"), (["su"], 2, "usage"),
                                    (["sum", "-", "--device", "cuda:999"], 1, "unsupported"),
                                    (["sum", "-", "-"], 2, "usage")):
            self.assertEqual(self.checked(*words, code=code)["error"]["status"], status)

    def test_an_input_that_fails_has_an_error_for_each_operator(self):
        self.write("bad.npy", b"x")
        for words, code, status in (
                (["sum", "missing.npy"], 1, "io_error"), (["sum", "bad.npy"], 3, "malformed"),
                (["sum", "-", "--dtype-out", "u8"], 2, "unsupported"),
                (["max,sum", "missing.npy"], 1, "io_error")):
            results = self.checked(*words, code=code)["results"]
            self.assertEqual([r["operation"] for r in results], words[0].split(","))
            for each in results:
                self.assertEqual((each["input"], each["error"]["status"]), (words[1], status))
                self.assertIn(words[1], each["error"]["message"])
        results = self.checked("stats", "missing.npy", code=1)["results"]
        self.assertEqual([r["operation"] for r in results][:3], ["count", "nan", "sum"])

    def test_names_that_differ_are_kept_apart(self):
        names = [b"a\xff.npy", b"a\xfe.npy", b"a\\xff.npy", "a\u00e9\U0001f600.npy".encode(),
                 b"a\xed\xa0\x80.npy", b"a\xc0\xaf.npy", b"a\x1b[2J\n.npy"]
        for name in names:
            with open(os.path.join(os.fsencode(self.folder), name), "wb") as file:
                file.write(npy("f64", [1]))
        results = self.checked("sum", *names)["results"]
        self.assertEqual([os.fsencode(r["input"]) for r in results], names)
        lines = self.answer("sum", *names).split("\n")[:-1]
        self.assertEqual([line.split("\t")[1] for line in lines],
                         ["a\\xff.npy", "a\\xfe.npy", "a\\\\xff.npy", "a\u00e9\U0001f600.npy",
                          "a\\xed\\xa0\\x80.npy", "a\\xc0\\xaf.npy", "a\\x1b[2J\\n.npy"])

    def test_a_plan_is_printed_without_reading_the_data(self):
        name = self.write("a.npy", npy("f32", range(6), (2, 3), "F"))
        self.assertIn("in_place", self.answer("plan", "sum", name))
        plan = json.loads(self.answer("plan", "sum", name, "--json"))["plan"]
        self.assertEqual((plan["items"], plan["input"], plan["accuracy"]), (6, "f32", "exact"))
        self.assertEqual(plan["axes"], [{"extent": 6, "stride_bytes": 4}])
        plan = json.loads(self.answer("plan", "mean,max", name, "--axis", "0", "--json"))["plan"]
        self.assertEqual((plan["operation"], plan["answers"], plan["items"]), ("mean,max", 3, 2))
        self.assertIn("operation   dot", self.answer("plan", "dot", name, name))


class Numbers(ProgramTest):
    def one(self, dtype, value, *words):
        name = self.write("a.raw", elements(dtype, [value]))
        return self.answer("sum", name, "--dtype", dtype, *words)[:-1]

    def test_notation_is_fixed_in_the_middle_and_scientific_outside(self):
        for value, text in ((0.0, "0"), (-0.0, "-0"), (1e-5, "0.00001"), (9.9e-6, "9.9e-06"),
                            (1e15, "1000000000000000"), (1e16, "1e+16"), (-1e308, "-1e+308"),
                            (9999999999999998.0, "9999999999999998"), (0.1, "0.1"),
                            (5e-324, "5e-324"), (123456.789, "123456.789")):
            self.assertEqual(self.one("f64", value), text)

    def test_numbers_are_the_shortest_of_their_own_type(self):
        self.assertEqual(self.one("f32", 0.1), "0.1")
        self.assertEqual(self.one("f32", 16777216.0), "16777216")
        self.assertEqual(self.one("f16", 0.1, "--dtype-out", "f16"), "0.1")
        self.assertEqual(self.one("f16", 65504.0, "--dtype-out", "f16"), "65504")
        self.assertEqual(self.one("f16", 0.1), "0.0999755859375")
        self.assertEqual(self.one("f32", 0.1, "--dtype-out", "f64"), "0.10000000149011612")

    def test_hexadecimal_is_exact(self):
        for value in (0.1, -2.5, 5e-324, 1e308, 0.0, -0.0):
            text = self.one("f64", value, "--hex")
            self.assertEqual(struct.pack("<d", float.fromhex(text)), struct.pack("<d", value))
        self.assertEqual(self.one("f32", 0.1, "--hex"), "0x1.99999ap-4")
        self.assertEqual(self.one("i32", 255, "--hex"), "255")
        self.assertEqual(self.one("f64", math.inf, "--hex"), "inf")

    def test_no_locale_changes_a_number(self):
        for locale in ("C", "de_DE.UTF-8", "de_DE", "C.UTF-8"):
            done = self.onefold("sum", "-", env={"LC_ALL": locale}, stdin="1234567.25\n0.5")
            self.assertEqual(done.out, "1234567.75\n")


class Lines(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("a.npy", npy("f64", [1.5]))
        self.write("b.npy", npy("f64", [20.25]))

    def terminal(self, *words, env=None):
        """Standard output where it is a terminal."""
        try:
            ours, theirs = pty.openpty()
        except OSError as why:  # a container without /dev/pts
            self.skipTest(f"this machine gives no terminal: {why}")
        run = subprocess.run([PROGRAM, *words], cwd=self.folder, stdout=theirs, check=False,
                             env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(theirs)
        text = b""
        while chunk := self.read_terminal(ours):
            text += chunk
        os.close(ours)
        return run.returncode, text.decode().replace("\r\n", "\n")

    @staticmethod
    def read_terminal(descriptor):
        try:
            return os.read(descriptor, 65536)
        except OSError:
            return b""  # the other end is closed

    def test_one_input_prints_the_number_alone(self):
        self.assertEqual(self.answer("sum", "a.npy"), "1.5\n")
        self.assertEqual(self.answer("sum", "a.npy", "--tsv"), "1.5\ta.npy\n")

    def test_several_inputs_print_a_line_each(self):
        self.assertEqual(self.answer("sum", "a.npy", "b.npy"), "1.5\ta.npy\n20.25\tb.npy\n")
        self.assertEqual(self.answer("sum", "a.npy", "b.npy", "--total"),
                         "1.5\ta.npy\n20.25\tb.npy\n21.75\ttotal\n")
        self.assertEqual(self.answer("sum", "a.npy", "-", stdin="4"), "1.5\ta.npy\n4\t-\n")

    def test_several_operators_print_their_names_first(self):
        self.assertEqual(self.answer("sum,mean", "a.npy"), "sum\tmean\tinput\n1.5\t1.5\ta.npy\n")
        self.assertEqual(self.answer("max,count", "a.npy", "b.npy", "--total"),
                         "max\tcount\tinput\n1.5\t1\ta.npy\n20.25\t1\tb.npy\n20.25\t2\ttotal\n")
        self.assertEqual(self.answer("sum,mean", "a.npy", "--tsv"),
                         "sum\tmean\tinput\n1.5\t1.5\ta.npy\n")

    def test_minmax_is_two_numbers(self):
        self.write("c.npy", npy("i8", [4, -7, 2]))
        self.assertEqual(self.answer("minmax", "c.npy"), "-7\t4\n")
        self.assertEqual(self.answer("minmax", "c.npy", "a.npy"), "-7\t4\tc.npy\n1.5\t1.5\ta.npy\n")
        self.assertEqual(self.answer("minmax,count", "c.npy"),
                         "min\tmax\tcount\tinput\n-7\t4\t3\tc.npy\n")

    def test_bools_are_one_and_zero(self):
        self.write("c.npy", npy("bool", [True, False]))
        self.assertEqual(self.answer("any", "c.npy"), "1\n")
        self.assertEqual(self.answer("all", "c.npy"), "0\n")

    def test_a_terminal_gets_a_table(self):
        self.assertEqual(self.terminal("sum,count", "a.npy", "b.npy"),
                         (0, "  sum  count  input\n  1.5      1  a.npy\n20.25      1  b.npy\n"))

        self.assertEqual(self.terminal("sum", "a.npy", "b.npy"),
                         (0, "  1.5  a.npy\n20.25  b.npy\n"))
        self.assertEqual(self.terminal("sum", "a.npy", "b.npy", "--tsv"),
                         (0, "1.5\ta.npy\n20.25\tb.npy\n"))

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertNotIn("\x1b", self.answer("doctor"))
        self.assertIn("\x1b", self.terminal("doctor")[1])
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}):
            self.assertNotIn("\x1b", self.terminal("doctor", env=env)[1])
        self.assertIn("\x1b", self.answer("doctor", env={"CLICOLOR_FORCE": "1"}))

    def test_a_field_stays_a_field_whatever_the_name(self):
        self.write("x\ty\n.npy", npy("f64", [1]))
        self.assertEqual(self.answer("sum", "x\ty\n.npy", "a.npy"), "1\tx\\ty\\n.npy\n1.5\ta.npy\n")

    def test_a_total_is_one_exact_sum(self):
        self.write("big.npy", npy("f64", [1e100, 1.0]))
        self.write("minus.npy", npy("f64", [-1e100]))
        self.assertEqual(self.answer("sum", "big.npy", "minus.npy", "--total").split("\n")[2],
                         "1\ttotal")
        text = self.write("c.txt", "0.1")
        self.write("d.txt", "0.2")
        self.assertEqual(self.answer("sum", text, "d.txt", "--total").split("\n")[2], "0.3\ttotal")
        self.write("i.npy", npy("i32", [1]))
        for other, says in ((text, "--total needs one element type"), ("i.npy", "holds i32")):
            done = self.onefold("sum", "a.npy", other, "--total")
            self.assertEqual(done.code, 2)
            self.assertIn(says, done.err)
            self.assertNotIn("total", done.out)
        self.assertEqual(self.answer("sum", "a.npy", "i.npy"), "1.5\ta.npy\n1\ti.npy\n")

    def test_totals_of_several_operators_are_those_of_all_elements(self):
        self.write("c.npy", npy("f64", [1e16, 3.0, -1.0]))
        self.write("d.npy", npy("f64", [-1e16, 7.25]))
        self.write("e.npy", npy("f64", [1e16, 3.0, -1.0, -1e16, 7.25]))
        ops = "sum,mean,var,std,norm2,min,max,minmax,count,prod,logsumexp,any"
        together = self.answer(ops, "c.npy", "d.npy", "--total").split("\n")[3]
        self.assertEqual(together.rsplit("\t", 1)[0],
                         self.answer(ops, "e.npy").split("\n")[1].rsplit("\t", 1)[0])

    def test_control_characters_reach_no_terminal(self):
        name = "x\x1b[31m\ny.npy"
        for words in (["sum", name], ["sum", name, "--format", "raw"]):
            self.assertIn("x\\x1b[31m\\ny.npy", self.refuses(1, *words))
        self.write(name, npy("f64", [1]) + b"more")
        done = self.onefold("sum", name, "--verbose")
        self.assertNotIn("\x1b", done.err)
        self.assertEqual(done.err.count("x\\x1b[31m\\ny.npy"), 2)

    def test_verbose_prints_on_standard_error(self):
        done = self.onefold("sum", "a.npy", "--verbose")
        self.assertEqual(done.out, "1.5\n")
        for word in ("a.npy", "f64 (1)", "in_place", "threads", "time"):
            self.assertIn(word, done.err)

    def test_an_input_that_fails_leaves_the_others_their_answers(self):
        self.write("bad.npy", b"x")
        done = self.onefold("sum", "bad.npy", "a.npy", "missing.npy", "b.npy")
        self.assertEqual((done.code, done.out), (3, "1.5\ta.npy\n20.25\tb.npy\n"))
        self.assertEqual([line.split(":")[1].strip() for line in done.err.split("\n")[:-1]],
                         ["bad.npy", "missing.npy"])
        done = self.onefold("stats", "missing.npy", "a.npy")
        self.assertEqual((done.code, done.out), (1, self.answer("stats", "a.npy")))
        done = self.onefold("sum", "a.npy", "missing.npy", "-o", "out.txt")
        self.assertEqual((done.code, done.out), (1, ""))
        self.assertEqual((self.folder / "out.txt").read_text(), "1.5\ta.npy\n")

    def test_a_total_without_an_input_is_none(self):
        done = self.onefold("sum", "a.npy", "missing.npy", "--total")
        self.assertEqual((done.code, done.out), (1, "1.5\ta.npy\n"))
        self.assertIn("total: cannot be given without missing.npy", done.err)

    def test_an_operator_without_an_answer_leaves_the_others_theirs(self):
        self.write("empty.npy", npy("f64", []))
        done = self.onefold("sum,min,count", "empty.npy", "a.npy")
        self.assertEqual(done.code, 4)
        self.assertEqual(done.out, "sum\tmin\tcount\tinput\n0\terror\t0\tempty.npy\n"
                                   "1.5\t1.5\t1\ta.npy\n")
        self.assertEqual(done.err.count("\n"), 1)
        self.write("wide.npy", npy("f64", [], (2, 0)))
        done = self.onefold("max,sum", "wide.npy", "--axis", "1")
        self.assertEqual((done.code, done.out),
                         (4, "index\tmax\tsum\n0\terror\t0\n1\terror\t0\n"))
        done = self.onefold("sum,max", "-", stdin="")
        self.assertEqual((done.code, done.out), (4, "sum\tmax\tinput\n0\terror\t-\n"))

    def test_only_a_total_that_overflows_is_none(self):
        self.write("p.npy", npy("i64", [2**63 - 1, 1]))
        self.write("n.npy", npy("i64", [-(2**63), -1]))
        self.write("m.npy", npy("i64", [-5]))
        done = self.onefold("sum", "p.npy", "m.npy", "--total")
        self.assertEqual((done.code, done.out), (4, f"-5\tm.npy\n{2**63 - 5}\ttotal\n"))
        done = self.onefold("sum", "n.npy", "m.npy", "--total")
        self.assertEqual((done.code, done.out), (4, "-5\tm.npy\n"))
        self.assertIn("total: ", done.err)


if __name__ == "__main__":
    unittest.main()
