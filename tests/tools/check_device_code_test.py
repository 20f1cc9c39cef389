#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_device_code on small kernels: one as it should be, and one planted fault each.

    check_device_code_test.py NVCC
"""
import pathlib
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
  out[threadIdx.x] = in[threadIdx.x] * 0.5f / float(count);
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
    "wide_full": """
__global__ void wide_full(const uint4* in, unsigned* out) {
  const uint4 v = in[threadIdx.x];
  atomicXor(out, v.x ^ v.y ^ v.z ^ v.w);
}
""",
    "narrow_full": """
__global__ void narrow_full(const uint2* in, unsigned* out) {
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
#include "cuda/parts/half_ends.cuh"
INCLUDES
using namespace onefold::cuda;
__global__ void probe(const uint4* in, std::int64_t* out, float* to, const team_mail* mail) {
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
  meet_team();
  send(out + 1, team_rank(), std::int64_t(team_size()), *mail);
  mail->wait(0);
}
"""


class OldestArchitecture(unittest.TestCase):
    """Whoever has no device of sm_90 gets the PTX of the oldest one, assembled by the driver: what
    it does not take there takes all kernels of a file along."""

    def test_inline_ptx_is_assembled(self):
        headers = sorted(path for path in (ROOT / "src/cuda").rglob("*.cu*")
                         if "asm" in path.read_text(encoding="utf-8").replace("(", " ").split())
        names = [path.relative_to(ROOT / "src").as_posix() for path in headers]
        self.assertEqual(names, [f"cuda/parts/{name}.cuh" for name in
                                 ("copy", "greater", "load", "pieces", "team")])
        includes = "\n".join(f'#include "{name}"' for name in names)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "probe.cu"
            path.write_text(PROBE.replace("INCLUDES", includes), encoding="utf-8")
            done = subprocess.run(
                [NVCC, "-cubin", "-arch=sm_75", "-std=c++20", f"-I{ROOT}", f"-I{ROOT}/include",
                 f"-I{ROOT}/src", path, "-o", path.with_suffix(".cubin")],
                text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)


class CheckDeviceCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.paths = {name: pathlib.Path(folder.name) / f"{name}.cu" for name in KERNELS}
        for name, text in KERNELS.items():
            cls.paths[name].write_text(text, encoding="utf-8")
        cls.code, cls.said = cls.check(*KERNELS)

    @classmethod
    def check(cls, *names):
        command = [sys.executable, SCRIPT, "--nvcc", NVCC, *(cls.paths[name] for name in names)]
        done = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def finding(self, name):
        """The one finding of a kernel."""
        lines = [line for line in self.said.splitlines() if line.startswith(f"{name}: ")]
        self.assertEqual((self.code, len(lines)), (1, 1), self.said)
        return lines[0]

    def test_a_sound_kernel_passes(self):
        code, said = self.check("sound")
        self.assertEqual(code, 0, said)
        self.assertIn("1 kernels in 1 files, 0 findings", said)

    def test_a_flush_to_zero_fails(self):
        self.assertIn("flushing: add.ftz.f32 flushes", self.finding("flushing"))

    def test_a_64_bit_atomic_in_shared_memory_fails(self):
        self.assertIn("wide_add: ", self.finding("wide_add"))
        self.assertIn("use 32 bits", self.finding("wide_add"))
        self.assertIn("use 32 bits", self.finding("wide_max"))

    def test_narrow_loads_of_whole_arrays_fail(self):
        self.assertIn("no load of 16 bytes", self.finding("narrow_full"))
        self.assertNotIn("wide_full: ", self.said)

    def test_a_spill_fails(self):
        self.assertRegex(self.finding("spilling"), r"spilling: \d+ bytes spilled, its budget is 0")

    def test_registers_over_budget_fail(self):
        self.assertRegex(self.finding("greedy"), r"greedy: \d+ registers, its budget is 64")

    def sass(self, *lines):
        path = self.paths["sound"].with_name("listing.txt")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([sys.executable, SCRIPT, "--sass", path], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def test_a_listing_of_machine_code(self):
        wide = "        /*0050*/  LDG.E.128.CONSTANT R4, [R2.64] ;"
        code, said = self.sass("\t\tFunction : wide_full", wide, ".text.other:", "  EXIT ;")
        self.assertEqual(code, 0, said)
        self.assertIn("2 functions", said)
        code, said = self.sass(".text.wide_full:", "  LDG.E.64 R4, [R2.64] ;", ".text.other:", wide)
        self.assertEqual(code, 1)
        self.assertIn("sass: wide_full: no load of 16 bytes", said)
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
