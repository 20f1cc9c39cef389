# SPDX-License-Identifier: Apache-2.0
"""Reads the objects that nvcc built from src/cuda/**/*.cu: their PTX, and what ptxas reported.

cmake/nvcc_report.sh leaves the report next to each object. The PTX is read from the fatbin,
whose format NVIDIA does not document: `cuobjdump -ptx` prints the same text, but the tool is not
part of every toolkit. Entries that this reader does not know are an error or a skip.
"""
import collections
import concurrent.futures
import ctypes
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAUNCHER = ROOT / "cmake/nvcc_report.sh"
FLAGS = ("-std=c++20", "-O3", "-DNDEBUG", "-fmad=false", "-ftz=false", "-prec-div=true",
         "-Xptxas=-v", "-I.", "-Iinclude", "-Isrc")
ARCHITECTURE = 90
SKIPPED = 77  # the exit code that CTest counts as a skipped test

# A fatbin: magic, version 1, bytes of this header, bytes of the entries.
FATBIN = re.compile(re.escape(struct.pack("<IHH", 0xBA55ED50, 1, 16)))
# An entry: kind, version, bytes of this header, bytes of the payload with padding, bytes of the
# compressed payload, offset of options, version of the code, architecture, offset and size of a
# name, flags, unused, bytes of the uncompressed payload.
ENTRY = struct.Struct("<HHIQIIIIIIQQQ")
PTX, ZSTD_FLAG, LZ4_FLAG = 1, 0x8000, 0x2000
KERNEL = re.compile(r"\.entry\s+([\w$]+)")


def fail(what):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {what}")


def skip(why):
    print(f"{pathlib.Path(sys.argv[0]).name}: skipped: {why}")
    sys.exit(SKIPPED)


class Unit(collections.namedtuple("Unit", "name source object")):
    """One .cu file: `module/file` below kernels, its source, and its object."""

    @property
    def report_path(self):
        return self.object.with_name(self.object.name + ".ptxas")

    def report(self):
        return self.report_path.read_text(encoding="utf-8")

    def problem(self):
        """Why the object or its report cannot be judged, or None."""
        for path, needed in ((self.object, self.source), (self.report_path, self.object)):
            if not path.is_file():
                return f'"{path}" is missing'
            if path.stat().st_mtime_ns < needed.stat().st_mtime_ns:
                return f'"{path}" is older than "{needed}"'
        return None

    def ptx_entries(self):
        return [(entry, payload) for entry, payload in entries_of(self.object)
                if entry.kind == PTX and entry.architecture == ARCHITECTURE]

    def ptx(self):
        """The PTX for ARCHITECTURE."""
        return "\n".join(text_of(*entry, self.object) for entry in self.ptx_entries())


def name_of(source):
    return source.with_suffix("").as_posix().removeprefix("kernels/")


class Entry(collections.namedtuple("Entry", "kind version header padded compressed options code "
                                            "architecture name name_size flags unused size")):
    """The header of an entry of a fatbin."""


def entries_of(path):
    """(header, payload) of every entry of every fatbin in an object."""
    data = path.read_bytes()
    fatbins = [match.end() for match in FATBIN.finditer(data)]
    try:
        for at in fatbins:
            size, at = struct.unpack_from("<Q", data, at)[0], at + 8
            end = at + size
            while at < end:
                entry = Entry(*ENTRY.unpack_from(data, at))
                if entry.header < ENTRY.size:
                    raise struct.error("no header of an entry")
                begin, at = at + entry.header, at + entry.header + entry.padded
                yield entry, data[begin:begin + (entry.compressed or entry.padded)]
    except struct.error:
        fatbins = []
    if not fatbins:
        fail(f'"{path}": this tool does not know the format of its fatbin')


def text_of(entry, payload, path):
    if entry.flags & LZ4_FLAG:
        skip(f'"{path}": the PTX is compressed by LZ4, which this tool does not read')
    if entry.flags & ZSTD_FLAG:
        payload = decompressed(payload, entry.size, path)
    text = payload.rstrip(b"\0").decode("utf-8")
    if ".version" not in text:
        fail(f'"{path}": this tool does not know the format of its PTX')
    return text


def decompressed(payload, size, path):
    """The content of a Zstandard frame; Python's library has no decoder before 3.14."""
    try:
        decompress = ctypes.CDLL("libzstd.so.1").ZSTD_decompress
    except OSError as error:
        skip(f"libzstd.so.1 is needed to read PTX: {error}")
    decompress.restype = ctypes.c_size_t
    content = ctypes.create_string_buffer(size)
    got = decompress(content, ctypes.c_size_t(size), payload, ctypes.c_size_t(len(payload)))
    if got != size:
        fail(f'"{path}": the compressed PTX is damaged')
    return content.raw


def kernels_in(ptx):
    return set(KERNEL.findall(ptx))


def cached(build, name):
    """An entry of CMakeCache.txt."""
    cache = build / "CMakeCache.txt"
    if not cache.is_file():
        fail(f'"{build}" has no CMakeCache.txt: name a folder that CMake configured')
    match = re.search(rf"^{name}:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M)
    return match[1] if match else ""


def units_of_build(build):
    """The units of a Release build for ARCHITECTURE, all of them built after their sources."""
    build_type = cached(build, "CMAKE_BUILD_TYPE")
    if build_type != "Release":
        skip(f'"{build}" is a {build_type or "multi-configuration"} build: only Release is judged')
    engine = pathlib.Path(cached(build, "CMAKE_HOME_DIRECTORY")) / "src/cuda"
    objects = build / "src/cuda/CMakeFiles/onefold_cuda_kernels.dir"
    sources = sorted(engine.rglob("*.cu"))
    if not sources:
        fail(f'"{engine}" has no .cu file')
    units = [Unit(name_of(path.relative_to(engine)), path,
                  objects / f"{path.relative_to(engine)}.o") for path in sources]
    problems = [problem for unit in units if (problem := unit.problem())]
    if problems:
        more = f"; {len(problems) - 1} more" if len(problems) > 1 else ""
        fail(f"{problems[0]}{more}: build the target onefold_cuda_kernels")
    without = [unit for unit in units if not unit.ptx_entries()]
    if len(without) == len(units):
        skip(f"the objects embed no PTX for sm_{ARCHITECTURE}: "
             f"configure with -DCMAKE_CUDA_ARCHITECTURES={ARCHITECTURE}")
    if without:
        fail(f'"{without[0].object}" embeds no PTX for sm_{ARCHITECTURE}, others do: '
             "build the target onefold_cuda_kernels")
    return units


def compiled(sources, nvcc, folder, jobs=1):
    """The units of these sources, compiled into the folder as the Release build does it."""
    engine = ROOT / "src/cuda"

    def compile_one(number, source):
        path = source.relative_to(engine) if engine in source.parents else source.name
        unit = Unit(name_of(pathlib.Path(path)), source,
                    pathlib.Path(folder) / f"{number}_{source.stem}.cu.o")
        code = f"arch=compute_{ARCHITECTURE},code=[compute_{ARCHITECTURE},sm_{ARCHITECTURE}]"
        command = ["sh", LAUNCHER, nvcc, *FLAGS, f"--generate-code={code}", "-c", source, "-o",
                   unit.object]
        done = subprocess.run(command, cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            fail(f"{' '.join(map(str, command))}:\n{done.stdout}")
        return unit

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(compile_one, range(len(sources)), sources))
