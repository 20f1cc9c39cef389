#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gpu_model on PTX written by hand."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
from gpu_rates import devices, ptx  # noqa: E402  pylint: disable=wrong-import-position

# A prologue that loads, a hot loop of two tiles that turns round in the middle, work for few
# elements beside it, and a way out.
KERNEL = """
.visible .entry NAME(
)
{
	.reg .b32 	%r<9>;
$L__BB0_1:
	ld.global.nc.L1::no_allocate.v4.u32 {%r0, %r1, %r2, %r3}, [%rd1];
$L__BB0_2:
	.pragma "nounroll";
	// begin inline asm
	ld.global.nc.L1::no_allocate.v4.u32 {%r10, %r11, %r12, %r13}, [%rd2];
	// end inline asm
	mov.b32 	%f1, %r10;
	cvt.f64.f32 	%fd1, %f1;
	add.rn.f64 	%fd2, %fd1, %fd0;
	setp.ne.s32 	%p1, %r10, 0;
	@%p1 bra 	$L__BB0_4;

	popc.b32 	%r20, %r10;
	call.uni 	slow;

$L__BB0_4:
	xor.b32 	%r21, %r10, %r11;
	or.b32 	%r22, %r21, %r12;
	add.s32 	%r23, %r12, %r13;
	add.s32 	%r24, %r23, %r23;
	shr.u64 	%rd5, %rd4, 32;
	add.s64 	%rd2, %rd2, 16;
	@%p2 bra 	$L__BB0_6;
	ld.global.nc.L1::no_allocate.v2.u64 {%rd10, %rd11}, [%rd2];
	fma.rn.f64 	%fd3, %fd2, %fd1, %fd0;
MORE	@%p3 bra 	$L__BB0_2;
$L__BB0_6:
	@%p4 bra 	$L__BB0_1;
	ret;
}
"""
EXPECTED = {"f64": 2, "cvt64": 1, "load": 2,
            # setp, xor into or, two adds that do not fuse, an add of 64 bits
            "int": 1 + 1 + 2 + 2, "issue": 14}

SUM_F32 = ("_ZN7onefold4cuda10exact_fullILNS_11accumulatorE0EfLNS0_6secondE0ENS0_10all_checksE"
           "NS0_9unwatchedEEEvPKT0_S8_lPNS0_14grid_workspaceIXsr7onefold4cuda5termsIXT_ES6_EE"
           "5wordsEEEPlT3_")


def text_of(more="", name=SUM_F32):
    return KERNEL.replace("NAME", name).replace("MORE", more)


def tool():
    loader = importlib.machinery.SourceFileLoader("gpu_model", str(TOOLS / "gpu_model"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_model", loader))
    loader.exec_module(module)
    return module


MODEL = tool()


class GpuModel(unittest.TestCase):
    def counts(self, more=""):
        units, loaded = ptx.kernels(text_of(more))[SUM_F32]
        return {unit: n for unit, n in units.items() if n}, loaded

    def test_the_hot_loop_is_counted_and_nothing_else(self):
        counts, loaded = self.counts()
        self.assertEqual(loaded, 32)
        self.assertEqual({unit: counts[unit] for unit in EXPECTED if unit != "issue"},
                         {unit: n for unit, n in EXPECTED.items() if unit != "issue"})
        self.assertEqual(counts["issue"], EXPECTED["issue"])
        self.assertNotIn("slow", counts)

    def test_ptx_of_an_object_has_no_indentation_and_scopes_have_braces(self):
        text = text_of("\t{\n\t.reg .pred \t%p9;\n\tsub.rn.f64 \t%fd9, %fd3, %fd1;\n\t}\n")
        stripped = "\n".join(line.strip() for line in text.splitlines())
        self.assertIn("\n}\n@%p3 bra", stripped)
        before, after = ptx.kernels(text), ptx.kernels(stripped)
        self.assertEqual(after, before)
        self.assertEqual(after[SUM_F32][0]["f64"], EXPECTED["f64"] + 1)

    def test_one_instruction_more_is_one_more(self):
        before, _ = self.counts()
        after, _ = self.counts("\tsub.rn.f64 \t%fd9, %fd3, %fd1;\n")
        self.assertEqual(after["f64"], before["f64"] + 1)
        self.assertEqual(after["issue"], before["issue"] + 1)

    def test_the_way_that_adds_counts_where_a_shorter_one_only_looks(self):
        body = """mov.u32 %r9, 0;
$L1:
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
@%p1 bra $L2;
fma.rn.f64 %fd1, %fd2, %fd3, %fd1;
$L2:
@%p2 bra $L1;
ret;"""
        lines = sum(ptx.hot_loop(ptx.blocks_of(body)), [])
        self.assertEqual([line for line in lines if line.startswith("fma")],
                         ["fma.rn.f64 %fd1, %fd2, %fd3, %fd1;"])

    def test_a_result_that_is_read_twice_does_not_fuse(self):
        fused = ["xor.b32 %r1, %r2, %r3;", "or.b32 %r4, %r1, %r5;"]
        self.assertEqual(ptx.fused(fused), 1)
        self.assertEqual(ptx.fused([*fused, "st.shared.u32 [%r9], %r1;"]), 0)
        self.assertEqual(ptx.fused(["add.s32 %r1, %r2, %r3;", "or.b32 %r4, %r1, %r5;"]), 0)

    def test_the_busiest_unit_bounds(self):
        # 4 operations of float64 a byte; 10 bytes a clock; 64 or 2 operations a clock.
        kernel = MODEL.Kernel("total", "f32", "", ptx.collections.Counter(f64=4, issue=4), 1)
        fast = devices.Device("fast", "9.0", 1, 1.0, 10)
        slow = devices.Device("slow", "8.9", 1, 1.0, 10)
        self.assertEqual(kernel.share(fast, 1.0), (1.0, None))
        self.assertEqual(kernel.share(fast, 4.0), (0.4, "f64"))
        self.assertEqual(kernel.share(slow, 1.0), (0.05, "f64"))

    def test_kernels_have_the_names_of_the_benchmark(self):
        names = {MODEL.kernel_of(name, ptx.collections.Counter(), 1).name for name in (
            "void onefold::cuda::exact_full<(onefold::accumulator)3, onefold::bf16, "
            "(onefold::cuda::second)1, onefold::cuda::all_checks>(float)",
            "void onefold::cuda::exact_integers<(onefold::accumulator)2, unsigned char, "
            "(onefold::cuda::second)0>(int)",
            "void onefold::cuda::exact_moments_full<double, onefold::cuda::all_checks>(int)",
            "void onefold::cuda::folds::fold_full<onefold::cuda::folds::count_fold<unsigned char> >"
            "(int)")}
        self.assertEqual(names, {"dot bf16", "sum of squares u8", "var f64", "tally u8"})
        apart = ("void onefold::cuda::exact_full<(onefold::accumulator)3, float, "
                 "(onefold::cuda::second)2, x>(float)")
        self.assertIsNone(MODEL.kernel_of(apart, {}, 1))

    def test_every_device_has_rates_of_every_unit(self):
        for device in devices.DEVICES:
            self.assertEqual(set(devices.RATES[device.capability]), set(ptx.UNITS), device.name)

    def test_the_table_has_the_kernel_its_bound_and_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in MODEL.FILES:
                text = text_of() if name == "exact" else ""
                (pathlib.Path(folder) / f"{name}.ptx").write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", TOOLS / "gpu_model", "--print", "--all",
                                   "--ptx", folder], text=True, check=True, stdout=subprocess.PIPE)
        rows = [line for line in done.stdout.splitlines() if line.startswith("| sum f32 |")]
        self.assertEqual(len(rows), 2, done.stdout)
        self.assertRegex(rows[0], r"\| 0\.9\d \|$")  # recorded on the H200
        self.assertTrue(rows[1].startswith("| sum f32 | 0.2 |  | 0.8 |"), rows[1])

    def test_a_page_without_its_markers_is_refused(self):
        page = "a\n<!-- begin gpu-model -->\nold\n<!-- end gpu-model -->\nz\n"
        self.assertEqual(MODEL.rewritten(page, "new\n"), page.replace("old", "new"))
        for broken in ("", page + page):
            with self.assertRaises(SystemExit):
                MODEL.rewritten(broken, "new\n")


if __name__ == "__main__":
    unittest.main()
