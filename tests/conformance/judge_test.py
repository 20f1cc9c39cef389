#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge finds what is planted: wrong signs of zero, a lost answer, one too many."""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "conformance"
sys.path.insert(0, str(FOLDER / "adapters"))
from protocol import Question  # noqa: E402

# Answers a vector by looking it up; {twist} spoils an answer.
ADAPTER = """\
import pathlib, sys
if sys.argv[1:] == ["--version"]:
    {version}
known = {{}}
for path in pathlib.Path({vectors!r}).glob("*.txt"):
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words = line.split(" ", 6)
            known[tuple(words[:5])] = words[5]
for line in sys.stdin:
    words = line.split(" ", 6)
    assert words[5] == "?"
    op, kind, output, rule, number = words[:5]
    said = known[tuple(words[:5])]
    {twist}
    print(said)
"""


class Judge(unittest.TestCase):
    def judge(self, twist="pass", version="print('planted 1'); sys.exit()", ops=("sum",)):
        with tempfile.TemporaryDirectory() as folder:
            adapter, out = pathlib.Path(folder, "adapter.py"), pathlib.Path(folder, "out.json")
            adapter.write_text(ADAPTER.format(twist=twist, version=version,
                                              vectors=str(FOLDER / "vectors")), encoding="utf-8")
            command = [sys.executable, FOLDER / "judge", "--library",
                       f"planted={sys.executable} {adapter}", "--out", out, *ops]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            results = json.loads(out.read_text())["libraries"] if out.exists() else None
            return done.returncode, done.stdout, results

    def totals(self, result, verdict):
        found = collections.Counter()
        for rules in result["ops"].values():
            for rule, counts in rules.items():
                found[rule] += counts[verdict]
        return {rule: count for rule, count in found.items() if count}

    def test_a_right_library_passes_everything(self):
        code, said, results = self.judge(ops=())
        self.assertEqual(code, 0, said)
        self.assertEqual(results[0]["version"], "planted 1")
        self.assertEqual(set(results[0]["ops"]), {"sum", "mean", "dot", "norm2", "var", "std"})
        self.assertGreater(sum(self.totals(results[0], "right").values()), 5000)
        for verdict in ("wrong", "refused", "unsupported"):
            self.assertEqual(self.totals(results[0], verdict), {})
        self.assertEqual(*results[0]["permutations"])

    def test_a_wrong_sign_of_zero_is_wrong(self):
        code, said, results = self.judge('said = said.replace("-0x0p+0", "0x0p+0")')
        self.assertEqual(code, 1)
        self.assertEqual(set(self.totals(results[0], "wrong")), {"minus-zero", "underflow"})
        self.assertIn("sum/f64/f64/minus-zero/1: said 0x0p+0, expected -0x0p+0", said)

    def test_one_bit_is_wrong(self):
        code, _, results = self.judge(
            'said = "0x1.0000000000001p+0" if (kind, said) == ("f64", "0x1p+0") else said')
        self.assertEqual(code, 1)
        self.assertIn("tie", self.totals(results[0], "wrong"))

    def test_another_form_of_the_same_number_is_right(self):
        code, said, _ = self.judge('said = float.fromhex(said).hex() if "x" in said else said')
        self.assertEqual(code, 0, said)

    def test_an_error_is_a_refusal_and_right_only_where_an_integer_does_not_fit(self):
        code, _, results = self.judge('said = "error no" if "overflow" in rule else said')
        self.assertEqual(code, 1)
        self.assertEqual(set(self.totals(results[0], "refused")),
                         {"overflow", "intermediate-overflow"})
        self.assertGreater(self.totals(results[0], "right")["integer-overflow"], 0)

    def test_wrapping_where_an_integer_does_not_fit_is_wrong(self):
        code, _, results = self.judge('said = "0" if said == "overflow" else said')
        self.assertEqual(code, 1)
        self.assertEqual(set(self.totals(results[0], "wrong")), {"integer-overflow"})

    def test_what_is_unsupported_fails_nothing(self):
        code, said, results = self.judge('said = "unsupported" if kind == "bf16" else said')
        self.assertEqual(code, 0, said)
        self.assertGreater(sum(self.totals(results[0], "unsupported").values()), 100)

    def test_answers_that_a_crash_leaves_out_are_refusals(self):
        code, _, results = self.judge('if kind == "f16": sys.exit(3)')
        self.assertEqual(code, 1)
        self.assertGreater(sum(self.totals(results[0], "refused").values()), 100)

    def test_one_answer_too_many_ends_the_judging(self):
        code, said, results = self.judge('print(said)')
        self.assertEqual((code, results), (1, None))
        self.assertIn("an answer is one line", said)

    def test_the_largest_error_is_given_in_ulps(self):
        twist = ("if (kind, output, rule, number) == ('f32', 'f32', 'single', '2'): "
                 "said = (float.fromhex(said) * (1 + 3 * 2.0**-23)).hex()")
        _, _, results = self.judge(twist)
        self.assertEqual(results[0]["errors"]["sum"], {"ulps": 3.0, "not_finite": 0})
        _, _, results = self.judge(
            "if (kind, output, rule, number) == ('f64', 'f64', 'tie', '1'): said = 'inf'")
        self.assertEqual(results[0]["errors"]["sum"], {"ulps": 0.0, "not_finite": 1})

    def test_an_answer_that_is_no_number_is_wrong(self):
        code, _, results = self.judge('said = "one" if rule == "single" else said')
        self.assertEqual(code, 1)
        self.assertEqual(set(self.totals(results[0], "wrong")), {"single"})

    def test_order_that_matters_is_counted_by_multisets(self):
        _, _, results = self.judge(
            'said = "0x1p+0" if rule == "order" and int(number) % 3 == 0 else said')
        same, groups = results[0]["permutations"]
        self.assertLess(same, groups)

    def test_a_library_that_is_not_here_is_skipped(self):
        code, said, results = self.judge(version='sys.exit("no planted library") or 0')
        self.assertEqual((code, results), (1, None), said)
        code, said, _ = self.judge(version='print("no such", file=sys.stderr); sys.exit(77)')
        self.assertIn("planted: skipped: no such", said)


class Protocol(unittest.TestCase):
    def test_a_python_adapter_reads_runs_and_two_views(self):
        asked = Question("dot f32 f32 tie 4 ? 4 0x1p+0*3 -inf 0x1p-1*4")
        self.assertEqual(asked.x, [1.0, 1.0, 1.0, float("-inf")])
        self.assertEqual(asked.y, [0.5] * 4)
        self.assertEqual(Question("sum i8 i64 wide 1 ? 2 -128*2").x, [-128, -128])
        self.assertEqual(Question("sum f64 f64 empty 1 ? 0").x, [])


if __name__ == "__main__":
    unittest.main()
