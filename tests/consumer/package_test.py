#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed package, moved to another folder, as a user's project finds it.

    package_test.py BUILD_DIR CMAKE CXX static|shared|subdirectory [CMAKE_ARGUMENT ...]

static takes BUILD_DIR as it is; shared and subdirectory build the library once more.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE, CXX, KIND, *ARGUMENTS = sys.argv[1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/consumer"
EXPECTED = "100000\n"  # 10^6 doubles nearest 0.1, rounded once; a plain loop is off by 1.3e-6
ONLY_C = """\
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(onefold CONFIG REQUIRED)
add_executable(consumer_c main.c)
target_link_libraries(consumer_c PRIVATE onefold::onefold)
"""
MOST_BYTES = {"CPU": 20 * 1000 * 1000, "CPU and GPU": 100 * 1000 * 1000}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        raise AssertionError(f"{command} gave {done.returncode}:\n{done.stdout}")
    return done.stdout


def cmake_build(source, build, *arguments):
    run(CMAKE, "-G", "Ninja", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_CXX_COMPILER={CXX}", *ARGUMENTS, *arguments)
    run(CMAKE, "--build", build)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="package-", dir=BUILD))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        if KIND == "subdirectory":
            return
        cls.built = pathlib.Path(BUILD)
        if KIND == "shared":
            cls.built = cls.place / "build"
            cmake_build(ROOT, cls.built, "-DBUILD_SHARED_LIBS=ON", "-DONEFOLD_TESTS=OFF",
                        "-DONEFOLD_LADDER=OFF")
        run(CMAKE, "--install", cls.built, "--prefix", cls.place / "first")
        cls.prefix = cls.place / "moved"
        (cls.place / "first").rename(cls.prefix)

    def answers(self, program):
        sum_line, refusal = run(program).splitlines(keepends=True)
        self.assertEqual(sum_line, EXPECTED)
        self.assertIn("f32", refusal)

    def one(self, pattern):
        found = [path for path in self.prefix.rglob(pattern) if not path.is_symlink()]
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def library(self):
        return self.one("libonefold.a" if KIND == "static" else "libonefold.so*")


class Installed(Package):
    def test_find_package_gives_the_target(self):
        build = self.place / "found"
        cmake_build(EXAMPLE, build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.answers(build / "consumer")
        self.answers(build / "consumer_c")

    def test_a_project_of_c_alone_links(self):
        source = self.place / "in_c"
        source.mkdir()
        shutil.copy(EXAMPLE / "main.c", source)
        (source / "CMakeLists.txt").write_text(ONLY_C, encoding="utf-8")
        cmake_build(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.answers(source / "build/consumer_c")

    # Before 1.0 a minor version may break its users: docs/versions.md.
    def test_another_minor_or_major_version_is_refused(self):
        for version in ("0.0.9", "0.99", "99"):
            source = self.place / f"wants_{version}"
            source.mkdir()
            (source / "CMakeLists.txt").write_text(
                ONLY_C.replace("CONFIG", f"{version} CONFIG"), encoding="utf-8")
            with self.assertRaisesRegex(AssertionError, "compatible with requested version"):
                cmake_build(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config_is_enough(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.one("onefold.pc").parent))
        flags = run("pkg-config", "--cflags", "--libs", "onefold", env=environment).split()
        self.assertIn(f"-I{self.prefix}", " ".join(os.path.normpath(flag) if flag[:1] != "-" else
                                                   flag[:2] + os.path.normpath(flag[2:])
                                                   for flag in flags))
        program = self.place / "by_pkg_config"
        extra = [f"-Wl,-rpath,{self.library().parent}"] if KIND == "shared" else []
        run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror", EXAMPLE / "main.cpp", "-o", program,
            *flags, *extra)
        self.answers(program)
        run(os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror",
            EXAMPLE / "main.c", "-o", program, *flags, *extra)
        self.answers(program)

    def test_the_program_runs_where_it_was_moved(self):
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        words = run(self.prefix / "bin/onefold", "--version", env=environment)
        self.assertRegex(words, r"\d+\.\d+\.\d+")

    def test_help_lists_what_is_installed(self):
        program = self.prefix / "bin/onefold"
        words, version = run(program, "help"), run(program, "-V")
        self.assertEqual(version, run(program, "--version"))
        for name in ("ladder", "tour"):
            there = (self.prefix / f"bin/onefold-{name}").is_file()
            self.assertEqual(f"\n  {name} " in words, there, words)
            if there:
                self.assertIn("Usage", run(program, name, "--help"))

    def test_the_ladder_is_a_component(self):
        if (self.built / "onefold-ladder").is_file():
            place = self.place / "ladder"
            run(CMAKE, "--install", self.built, "--prefix", place, "--component", "ladder")
            files = [path.name for path in place.rglob("*") if path.is_file()]
            self.assertEqual(files, ["onefold-ladder"])

    def test_fortran_modules_compile_from_the_installed_sources(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.one("onefold.pc").parent))
        folder = run("pkg-config", "--variable=fortrandir", "onefold", env=environment).strip()
        self.assertEqual(sorted(os.listdir(folder)), ["onefold.f90", "onefold_mpi.f90"])
        if shutil.which("gfortran"):
            run("gfortran", "-c", f"{folder}/onefold.f90", cwd=self.place)

    def test_notices_of_third_parties_are_installed(self):
        text = self.one("THIRD_PARTY_NOTICES").read_text(encoding="utf-8")
        for name in ("fmt", "Highway", "nanobind"):
            self.assertIn(f"\n{name}, https://", text)
        self.assertIn("Apache License", self.one("LICENSE").read_text(encoding="utf-8"))

    def test_no_file_names_the_tree_or_the_prefix(self):
        texts = [path for path in self.prefix.rglob("*") if path.suffix in (".cmake", ".pc")]
        self.assertGreaterEqual(len(texts), 4)
        for path in texts:
            text = path.read_text(encoding="utf-8")
            for place in (ROOT, BUILD, self.place):
                self.assertNotIn(str(place), text, path)

    def test_the_library_is_small(self):
        has_kernels = b".nv_fatbin" in self.library().read_bytes()
        most = MOST_BYTES["CPU and GPU" if has_kernels else "CPU"]
        self.assertLessEqual(self.library().stat().st_size, most)

    def test_every_public_header_is_there_and_no_other(self):
        def headers(folder):
            return {path.relative_to(folder).as_posix() for path in folder.rglob("*.h*")}
        self.assertEqual(headers(self.prefix / "include"),
                         headers(ROOT / "include") | {"onefold_exact.hpp"})

    def test_destdir_is_put_in_front(self):
        staged = self.place / "staged"
        run(CMAKE, "--install", self.built, "--prefix", "/opt/onefold",
            env=dict(os.environ, DESTDIR=str(staged)))
        self.assertTrue((staged / "opt/onefold/bin/onefold").is_file())


class Shown(Package):
    """Of a shared library: what ONEFOLD_API says, and nothing else."""

    def exported(self):
        lines = run("nm", "-DC", "--defined-only", self.library()).splitlines()
        return {line.split(maxsplit=2)[2] for line in lines if line.split()[1] in "TVW"}

    def test_nothing_of_the_inside_is_shown(self):
        names = self.exported()
        self.assertTrue(any(name.startswith("onefold::reduce(") for name in names))
        inside = [name for name in names if re.match(r"onefold::(cpu|detail)::|hwy::|tbb::", name)]
        self.assertEqual(inside, [])

    # A function that a public header names and whose symbol is hidden lacks its ONEFOLD_API.
    def test_every_function_of_the_public_headers_is_shown(self):
        text = "".join(path.read_text(encoding="utf-8")
                       for path in (ROOT / "include/onefold").glob("*.h*"))
        words, called = set(re.findall(r"\w+", text)), set(re.findall(r"\w+(?=\()", text))
        shown = {name_of(name) for name in self.exported()}
        hidden = {name_of(line.split(maxsplit=2)[2])
                  for line in run("nm", "-C", "--defined-only", self.library()).splitlines()
                  if line.split()[1] == "t"}
        self.assertGreater(len(hidden), 30)
        missing = [name for name in hidden - shown if name.startswith("onefold::")
                   and "detail" not in name and "cpu" not in name
                   and words.issuperset(name.split("::")) and name.split("::")[-1] in called]
        self.assertEqual(missing, [])


def name_of(symbol):
    """onefold::f of `onefold::f(int)` and `onefold::f[abi:cxx11](int)`; else nothing."""
    name = re.match(r"([\w:]+)(\[abi:cxx11\])?\(", symbol)
    return name[1] if name else ""


class Subdirectory(Package):
    def test_the_sources_are_a_folder_of_the_project(self):
        build = self.place / "below"
        cmake_build(EXAMPLE, build, f"-DONEFOLD_SOURCES={ROOT}")
        self.answers(build / "consumer")
        self.answers(build / "consumer_c")
        self.assertFalse(list(build.rglob("*_tests")), "tests of onefold in a user's build")


CASES = {"static": (Installed,), "shared": (Installed, Shown), "subdirectory": (Subdirectory,)}

if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in CASES[KIND])
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
