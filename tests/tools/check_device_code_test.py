#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_device_code on small kernels: one as it should be, and one planted fault each.

    check_device_code_test.py NVCC
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_device_code"
NVCC = sys.argv.pop(1)

KERNELS = {
    "sound": """
__global__ void sound(const float* in, float* out) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1u);
  atomicAdd(reinterpret_cast<unsigned long long*>(out) + 1, 1ull);
  float estimate;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(in[threadIdx.x]));
  out[threadIdx.x] = estimate * 0.5f / float(count);
}
""",
    "flushing": """
__global__ void flushing(const float* in, float* out) {
  asm("add.ftz.f32 %0, %1, %1;" : "=f"(out[threadIdx.x]) : "f"(in[threadIdx.x]));
}
""",
    "wide_add": """
__global__ void wide_add(unsigned long long* out) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, out[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = sum;
}
""",
    "wide_max": """
__global__ void wide_max(const long long* in, long long* out) {
  __shared__ long long most;
  most = in[0];
  __syncthreads();
  atomicMax(&most, in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = most;
}
""",
    "wide_whole": """
__global__ void wide_whole(const uint4* in, unsigned* out) {
  const uint4 v = in[threadIdx.x];
  atomicXor(out, v.x ^ v.y ^ v.z ^ v.w);
}
""",
    "narrow_whole": """
__global__ void narrow_whole(const uint2* in, unsigned* out) {
  const uint2 v = in[threadIdx.x];
  atomicXor(out, v.x ^ v.y);
}
""",
    # 64 values that all live until the last is known, in 32 registers and in as many as it likes.
    "spilling": """
__global__ void __launch_bounds__(1024, 2) spilling(const float* in, float* out) {
  float held[64], last = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) last += held[i] = in[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = held[i] / last;
}
""",
    "greedy": """
__global__ void __launch_bounds__(128) greedy(const float* in, float* out) {
  float held[64], last = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) last += held[i] = in[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = held[i] / last;
}
""",
}


ROOT = SCRIPT.parents[1]
# What the engine's parts have of inline PTX, and what nvcc has other ways for, called once each.
PROBE = """
#include "cuda/primitives/half_ends.cuh"
INCLUDES
using namespace onefold::cuda;
__global__ void probe(const uint4* in, std::int64_t* out, float* to,
                      const cluster_mbarrier* mbarrier) {
  __shared__ __align__(16) std::int64_t room[2];
  ask_for(in);
  begin_copy(room, in);
  end_copies();
  wait_for_copies<0>();
  half_ends ends;
  ends.take(load_vector(in).x ^ load_piece(in + 1).x);
  ends.take(load_near<128>(in + 2).x ^ load_near<256>(in + 3).x ^ load_near<0>(in + 4).x);
  out[0] = ends.largest() + ends.least() + std::int64_t(load_items<double>(
      reinterpret_cast<const double*>(in)).x) + half_of_float(to[1]);
  to[0] = float_of_half(std::uint16_t(room[0]));
  sync_cluster();
  send(out + 1, cluster_rank(), out[2], *mbarrier);
  mbarrier->wait(0);
  write_at(out + 2, cluster_rank(), out[3]);
  meet_cluster();
  __shared__ __align__(256) std::uint64_t table[32];
  table[threadIdx.x % 32] = threadIdx.x;
  __syncthreads();
  to[1] = greater_or_nan(to[2], to[3]) + lesser_or_nan(to[4], to[5]);
  out[3] = greater_halves_or_nan<onefold::f16>(in->x, in->y) ^
           lesser_halves_or_nan<onefold::f16>(in->z, in->w);
  out[4] = greater_halves_or_nan<onefold::bf16>(in->x, in->y) ^
           lesser_halves_or_nan<onefold::bf16>(in->z, in->w);
  out[6] = std::int64_t(entry_of_32(table, in->z));
  out[5] = std::int64_t(rounded_pair<onefold::f16>(to[2], to[3]) ^
                        rounded_pair<onefold::bf16>(to[2], to[3]));
  out[7] = std::int64_t(plus_zero_times<onefold::f16>(in->x, in->y) ^
                        plus_zero_times<onefold::bf16>(in->z, in->w));
  to[4] = root_reciprocal_estimate(to[1]);
}
"""
# Whoever writes another statement calls it in PROBE.
STATEMENTS = {
    "primitives/cluster": 13, "primitives/copy": 6, "primitives/greater": 2, "primitives/load": 5,
    "primitives/pairs": 6, "primitives/pieces": 3, "primitives/root_estimate": 1,
    "rounding/rounded_pair": 2}


class OldestArchitecture(unittest.TestCase):
    """Whoever has no device of sm_90 gets the PTX of the oldest one, assembled by the driver: what
    it does not take there takes all kernels of a file along."""

    def test_inline_ptx_is_assembled(self):
        statements = {}
        for path in sorted((ROOT / "src/cuda").rglob("*.cu*")):
            found = len(re.findall(r"\basm\b", path.read_text(encoding="utf-8")))
            if found:
                statements[path.relative_to(ROOT / "src").as_posix()] = found
        self.assertEqual(statements, {f"cuda/{name}.cuh": count
                                      for name, count in STATEMENTS.items()})
        includes = "\n".join(f'#include "{name}"' for name in statements)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "probe.cu"
            path.write_text(PROBE.replace("INCLUDES", includes), encoding="utf-8")
            done = subprocess.run(
                [NVCC, "-cubin", "-arch=sm_75", "-std=c++20", f"-I{ROOT}", f"-I{ROOT}/include",
                 f"-I{ROOT}/src", path, "-o", path.with_suffix(".cubin")],
                text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)


def check(*arguments):
    done = subprocess.run([sys.executable, "-B", SCRIPT, *arguments], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def generated(architecture, *codes):
    return f"--generate-code=arch=compute_{architecture},code=[{','.join(codes)}]"


SM_90 = generated(90, "compute_90", "sm_90")


class Build:
    """A source tree with some of KERNELS, and the build folder that CMake and nvcc leave of it."""

    def __init__(self, case, names, *options, build_type="Release"):
        folder = tempfile.TemporaryDirectory()
        case.addClassCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        engine = self.path / "src/cuda"
        objects = self.path / "build/src/cuda/CMakeFiles/onefold_cuda_kernels.dir"
        self.sources = {name: engine / f"{name}.cu" for name in names}
        self.objects = {name: objects / f"{name}.cu.o" for name in names}
        self.reports = {name: objects / f"{name}.cu.o.ptxas" for name in names}
        engine.mkdir(parents=True)
        objects.mkdir(parents=True)
        (self.path / "build/CMakeCache.txt").write_text(
            f"CMAKE_BUILD_TYPE:STRING={build_type}\nCMAKE_HOME_DIRECTORY:INTERNAL={self.path}\n",
            encoding="utf-8")
        for name in names:
            self.sources[name].write_text(KERNELS[name], encoding="utf-8")
            subprocess.run(["sh", ROOT / "cmake/nvcc_report.sh", NVCC, "-std=c++20", "-O3",
                            "-fmad=false", "-Xptxas=-v", *(options or [SM_90]), "-c",
                            self.sources[name], "-o", self.objects[name]], check=True)

    def check(self):
        return check("--build", self.path / "build")


class BuildFolders(unittest.TestCase):
    """What --build refuses and skips."""

    @classmethod
    def setUpClass(cls):
        cls.build = Build(cls, ("sound", "wide_whole"))

    def refused(self, build, *words):
        code, said = build.check()
        self.assertEqual(code, 1, said)
        self.assertTrue(said.startswith("check_device_code: "), said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in words:
            self.assertIn(word, said)

    def skipped(self, build, words):
        code, said = build.check()
        self.assertEqual(code, 77, said)
        self.assertIn(words, said)

    def kernels_of(self, *options):
        """The last line for `sound` compiled with these options."""
        code, said = Build(type(self), ("sound",), *options).check()
        self.assertEqual(code, 1, said)  # no kernel matches the rows of the engine
        self.assertNotIn("sound:", said)
        return said.splitlines()[-1].split(",")[0]

    def test_a_report_older_than_its_object_is_refused(self):
        report = self.build.reports["sound"]
        time = report.stat().st_mtime
        os.utime(report, (time - 10, time - 10))
        self.addCleanup(os.utime, report, (time, time))
        self.refused(self.build, 'sound.cu.o.ptxas" is older than', "onefold_cuda_kernels")

    def test_an_object_older_than_its_source_is_refused(self):
        source = self.build.sources["sound"]
        time = source.stat().st_mtime
        os.utime(source, (time + 1000, time + 1000))
        self.addCleanup(os.utime, source, (time, time))
        self.refused(self.build, 'sound.cu.o" is older than', 'sound.cu"')

    def test_what_is_missing_is_refused(self):
        for path in (self.build.reports["sound"], self.build.objects["sound"]):
            moved = path.rename(path.with_suffix(".moved"))
            self.refused(self.build, f'"{path}" is missing')
            moved.rename(path)
        new = self.build.path / "src/cuda/new.cu"
        new.write_text("", encoding="utf-8")
        self.addCleanup(new.unlink)
        self.refused(self.build, 'new.cu.o" is missing')

    def test_the_report_of_another_file_is_refused(self):
        report = self.build.reports["sound"]
        text = report.read_text(encoding="utf-8")
        self.addCleanup(report.write_text, text, encoding="utf-8")
        shutil.copyfile(self.build.reports["wide_whole"], report)
        self.refused(self.build, "lists other kernels")
        report.write_text("", encoding="utf-8")
        self.refused(self.build, "lists other kernels")

    def test_a_folder_without_a_build_is_refused(self):
        code, said = check("--build", self.build.path)
        self.assertEqual(code, 1)
        self.assertIn("has no CMakeCache.txt", said)

    def test_other_builds_are_skipped(self):
        self.skipped(Build(type(self), (), build_type="Debug"), "is a Debug build")
        oldest = (generated(75, "compute_75"), generated(90, "sm_90"))
        self.skipped(Build(type(self), ("sound",), *oldest), "embed no PTX for sm_90")
        self.skipped(Build(type(self), ("sound",), SM_90, "--compress-mode=speed"), "LZ4")

    def test_objects_that_embed_no_ptx_among_others_are_refused(self):
        build = Build(type(self), ("sound",), generated(90, "sm_90"))
        shutil.copytree(self.build.objects["sound"].parent, build.objects["sound"].parent,
                        ignore=shutil.ignore_patterns("sound*"), dirs_exist_ok=True)
        shutil.copy2(self.build.sources["wide_whole"], build.path / "src/cuda")
        self.refused(build, 'sound.cu.o" embeds no PTX for sm_90, others do')

    def test_other_architectures_and_compressions_change_nothing(self):
        one = "check_device_code: 1 kernels in 1 files"
        self.assertEqual(self.kernels_of(generated(80, "sm_80"), SM_90,
                                         generated(100, "compute_100", "sm_100")), one)
        self.assertEqual(self.kernels_of(SM_90, "--compress-mode=size"), one)
        self.assertEqual(self.kernels_of(SM_90, "--compress-mode=none"), one)


class CheckDeviceCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = Build(cls, KERNELS)
        cls.code, cls.said = cls.build.check()
        cls.paths = cls.build.sources

    def check(self, *names):
        return check("--nvcc", NVCC, *(self.paths[name] for name in names))

    def finding(self, name):
        """The one finding of a kernel."""
        lines = [line for line in self.said.splitlines() if line.startswith(f"{name}: ")]
        self.assertEqual((self.code, len(lines)), (1, 1), self.said)
        return lines[0]

    def test_a_sound_kernel_passes(self):
        code, said = self.check("sound")
        self.assertEqual(code, 0, said)
        self.assertIn("1 kernels in 1 files, 0 findings", said)
        self.assertNotIn("sound: ", self.said)

    def test_files_have_the_findings_of_their_objects(self):
        names = ("spilling", "wide_max", "narrow_whole")
        code, said = self.check(*names)
        self.assertEqual(code, 1)
        lines = [line for line in said.splitlines() if ": " in line][:-1]
        self.assertEqual(lines, [self.finding(name) for name in names])

    def test_a_flush_to_zero_fails(self):
        self.assertIn("flushing: add.ftz.f32 flushes", self.finding("flushing"))

    def test_a_64_bit_atomic_in_shared_memory_fails(self):
        self.assertIn("wide_add: ", self.finding("wide_add"))
        self.assertIn("use 32 bits", self.finding("wide_add"))
        self.assertIn("use 32 bits", self.finding("wide_max"))

    def test_narrow_loads_of_whole_arrays_fail(self):
        self.assertIn("no load of 16 bytes", self.finding("narrow_whole"))
        self.assertNotIn("wide_whole: ", self.said)

    def test_a_spill_fails(self):
        self.assertRegex(self.finding("spilling"), r"spilling: \d+ bytes spilled, its budget is 0")

    def test_registers_over_budget_fail(self):
        self.assertRegex(self.finding("greedy"), r"greedy: \d+ registers, its budget is 64")

    def sass(self, *lines):
        path = self.paths["sound"].with_name("listing.txt")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return check("--sass", path)

    def test_a_listing_of_machine_code(self):
        wide = "        /*0050*/  LDG.E.128.CONSTANT R4, [R2.64] ;"
        code, said = self.sass("\t\tFunction : wide_whole", wide, ".text.other:", "  EXIT ;")
        self.assertEqual(code, 0, said)
        self.assertIn("2 functions", said)
        code, said = self.sass(".text.wide_whole:", "  LDG.E.64 R4, [R2.64] ;", ".text.other:",
                               wide)
        self.assertEqual(code, 1)
        self.assertIn("sass: wide_whole: no load of 16 bytes", said)
        code, said = self.sass("\tFunction : adds", "  ATOMS.CAST.SPIN.64 R4, [R0], R2, R4 ;")
        self.assertEqual(code, 1)
        self.assertIn("sass: adds: ATOMS.CAST.SPIN.64 is a loop", said)
        self.assertEqual(self.sass("nothing")[0], 1)

    def test_what_does_not_compile_is_an_error(self):
        self.paths["broken"] = self.paths["sound"].with_name("broken.cu")
        self.paths["broken"].write_text("__global__ int broken() {}\n", encoding="utf-8")
        code, said = self.check("broken")
        self.assertEqual(code, 1)
        self.assertIn("nvcc", said)


if __name__ == "__main__":
    unittest.main()
