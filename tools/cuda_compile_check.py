#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles Koalesce's CUDA sources for real GPUs, without a GPU and without a CUDA-enabled Kokkos.

Every source that sources.txt names is compiled, not linked, by nvcc for the architectures named there, and ptxas'
report is read: a function of ours that has a stack frame or spills registers, and is not in baseline.txt, fails the
check, as does a header that --headers names and that does not compile, or compiles kernels that nobody called. A Kokkos without CUDA serves as well, because
Kokkos is header-only on the device: an overlay of its generated configuration headers turns CUDA on.

nvcc is taken from PATH or the usual place, else from NVIDIA's Python packages, unpacked into a virtual
environment below --build-dir; where neither is to be had, the check says SKIPPED and succeeds.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECK = os.path.join(ROOT, "tools", "cuda_check")
PYTHON_PACKAGES = [
    "nvidia-cuda-nvcc==13.0.*", "nvidia-cuda-crt==13.0.*", "nvidia-nvvm==13.0.*", "nvidia-cuda-runtime==13.0.*",
    "nvidia-cuda-cccl==13.0.*"
]
ARCH_MACRO = {"80": ("AMPERE", "AMPERE80"), "90": ("HOPPER", "HOPPER90")}
ARCHS = sorted(ARCH_MACRO, reverse=True)
PARSE, DEVICE, HOST = "parse", "device", "host"  # how far a source is compiled; each includes the one before


def lines_of(path):
    """The lines of a list, without comments."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip() and not line.startswith("#")]


def find_nvcc(build_dir):
    nvcc = shutil.which("nvcc")
    if not nvcc and os.access("/usr/local/cuda/bin/nvcc", os.X_OK):
        nvcc = "/usr/local/cuda/bin/nvcc"
    if nvcc:
        return nvcc
    venv = os.path.join(build_dir, "venv")
    pattern = os.path.join(venv, "lib", "python3*", "site-packages", "nvidia", "*", "bin", "nvcc")
    if not glob.glob(pattern):
        print("No nvcc on this machine: installing NVIDIA's Python packages into", venv, flush=True)
        pip = os.path.join(venv, "bin", "pip")
        for command in ([sys.executable, "-m", "venv", venv], [pip, "-q", "install", *PYTHON_PACKAGES]):
            if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
                return None
    found = glob.glob(pattern)
    return found[0] if found else None


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def make_overlay(kokkos, overlay):
    """Kokkos' generated headers with CUDA on. Returns whether Kokkos needed it."""
    def text_of(name):
        with open(os.path.join(kokkos, name), encoding="utf-8") as f:
            return f.read()

    config = text_of("KokkosCore_config.h")
    if re.search(r"^#define KOKKOS_ENABLE_CUDA$", config, re.M):
        return False
    enable = ["#define KOKKOS_ENABLE_CUDA", "#define KOKKOS_ENABLE_CUDA_CONSTEXPR"]
    for number, (family, arch) in ARCH_MACRO.items():
        enable += [f"#if KOALESCE_CHECK_ARCH == {number}",
                   f"#define KOKKOS_ARCH_{family}", f"#define KOKKOS_ARCH_{arch}", "#endif"]
    config, count = re.subn(r"^(#define KOKKOS_ENABLE_(OPENMP|SERIAL|THREADS))$",
                            lambda m: m.group(1) + "\n" + "\n".join(enable), config, count=1, flags=re.M)
    if count != 1:
        sys.exit(f"{kokkos}/KokkosCore_config.h names no host backend; this Kokkos is laid out in a new way")
    write(os.path.join(overlay, "KokkosCore_config.h"), config)
    # The host backend's line stays first: CUDA's declarations rely on it.
    for what, header in (("Declare", "decl/Kokkos_Declare_CUDA.hpp"), ("Fwd", "fwd/Kokkos_Fwd_CUDA.hpp"),
                         ("Setup", "setup/Kokkos_Setup_Cuda.hpp")):
        name = f"KokkosCore_Config_{what}Backend.hpp"
        head, end, tail = text_of(name).rpartition("#endif")
        write(os.path.join(overlay, name), f"{head}#include <{header}>\n{end}{tail}")
    desul = "desul/atomics/Config.hpp"
    write(os.path.join(overlay, desul),
          text_of(desul).replace("/* #undef DESUL_ATOMICS_ENABLE_CUDA */", "#define DESUL_ATOMICS_ENABLE_CUDA"))
    return True


def demangle(names):
    if not names:
        return {}
    result = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, result.stdout.split("\n")))


def parse_report(report):
    """ptxas' report as a list of (mangled name, registers, stack bytes, spill bytes)."""
    functions = []
    name = None
    for line in report.splitlines():
        if m := re.search(r"Function properties for '?([\w$.]+)", line):
            name = m.group(1)
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if name:
                functions.append([name, 0, int(m.group(1)), int(m.group(2)) + int(m.group(3))])
        elif (m := re.search(r"Used (\d+) registers", line)) and functions and functions[-1][0] == name:
            functions[-1][1] = int(m.group(1))
    return functions


def key_of(demangled):
    """A name that stays the same from one compilation and one folder to the next."""
    name = re.sub(r"_(GLOBAL__N__|INTERNAL_)[0-9a-f]+_\w*?_[0-9a-f]{8}(_\d+)?", "(anonymous)", demangled)
    return re.sub(r"\s+", " ", name).strip()


def compile_one(args, nvcc, overlay, source, options, arch, extent):
    stem = re.sub(r"\W", "_", os.path.relpath(source, ROOT) + "".join(options))
    output = os.path.join(args.build_dir, f"{stem}.sm_{arch}")
    command = [nvcc, "-x", "cu", "-std=c++20", "-O3", "-DNDEBUG", "--expt-extended-lambda",
               f"-DKOALESCE_CHECK_ARCH={arch}", f"-arch=sm_{arch}", "-Xptxas", "-v", *options]
    # The host compiler only looks: what it would write takes half of the time.
    command += {PARSE: ["-ptx"], DEVICE: ["-cubin"], HOST: ["-Xcompiler", "-fopenmp,-fsyntax-only", "-c"]}[extent]
    if overlay:
        command += ["-I", overlay]
    command += ["-isystem", args.kokkos]
    for path in args.include:
        if path and path not in ("/usr/include", args.kokkos):
            command += ["-isystem", path]
    for pattern in ("core/include", "backends/*/include", "unit_tests"):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            command += ["-I", path]
    start = time.monotonic()
    # nvcc of a Python package finds its own parts, but not its libraries; nothing here links.
    result = subprocess.run(command + ["-o", output, source], capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL)
    report = result.stdout + result.stderr
    entries = []
    if os.path.exists(output):
        if extent == PARSE:
            with open(output, encoding="utf-8") as f:
                entries = re.findall(r"\.entry ([\w$.]+)", f.read())
        os.remove(output)
    with open(output + ".log", "w", encoding="utf-8") as f:
        f.write(" ".join(command) + "\n" + report)
    return source, arch, result.returncode, report, entries, time.monotonic() - start


def is_ours(name):
    """Whether a function is the library's; kernels of the benchmarks' peers have its shapes as arguments."""
    return "Koalesce" in name and not name.startswith("void perf::cuda_")


def is_left_alone(name):
    """Whether a kernel comes with Kokkos' or CUB's headers, whatever includes them."""
    return "Koalesce" not in name and ("cub::" not in name or "EmptyKernel<void>" in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kokkos", required=True, help="folder with Kokkos_Core.hpp; or several, separated by semicolons")
    parser.add_argument("--include", action="append", default=[], help="further folders with headers")
    parser.add_argument("--headers", default="", help="sources, separated by semicolons, that tell whether headers compile alone")
    parser.add_argument("--build-dir", required=True)
    parser.add_argument("--arch", nargs="+", choices=ARCHS, help="instead of those that sources.txt names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true", help="write baseline.txt instead of comparing with it")
    parser.add_argument("sources", nargs="*", help="instead of those that sources.txt names")
    args = parser.parse_args()
    args.include = [path for entry in args.include for path in entry.split(";")]
    # An installed Kokkos names its folder once a library, and perhaps those of other packages.
    kokkos = [path for path in args.kokkos.split(";") if os.path.isfile(os.path.join(path, "KokkosCore_config.h"))]
    if not kokkos:
        print(f"FAILED: there is no KokkosCore_config.h in {args.kokkos}")
        return 1
    args.include += [path for path in dict.fromkeys(args.kokkos.split(";")) if path not in kokkos]
    args.kokkos = kokkos[0]
    args.build_dir = os.path.abspath(args.build_dir)
    os.makedirs(args.build_dir, exist_ok=True)

    nvcc = find_nvcc(args.build_dir)
    if not nvcc:
        print("SKIPPED: no nvcc on this machine, and NVIDIA's Python packages cannot be installed")
        return 0
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    print(nvcc, re.search(r"release [\d.]+", version).group(0))

    # The host's half is compiled once; for other architectures the device's half is enough.
    jobs = [(os.path.abspath(s), (), a, HOST if a == (args.arch or ARCHS)[0] else DEVICE)
            for s in args.sources for a in args.arch or ARCHS]
    headers = [(s, (), (args.arch or ARCHS)[0], PARSE) for s in args.headers.split(";") if s]
    if not jobs:
        for file, *rest in map(str.split, lines_of(os.path.join(CHECK, "sources.txt"))):
            options = tuple(word for word in rest if word.startswith("-"))
            archs = args.arch or [word for word in rest if not word.startswith("-") and word != "host"]
            missing = [o for o in options if o.startswith("-I") and not os.path.isdir(o[2:])]
            if missing:
                print(f"{file} is left out: there is no {missing[0][2:]}")
                continue
            jobs += [(os.path.join(ROOT, file), options, a, HOST if "host" in rest and a == archs[0] else DEVICE)
                     for a in archs]
    if not jobs:
        print("FAILED: no sources to compile")
        return 1

    overlay = os.path.join(args.build_dir, "overlay")
    if not make_overlay(args.kokkos, overlay):
        overlay = None

    # Largest first, so that the last job is a short one.
    jobs.sort(key=lambda job: os.path.getsize(job[0]), reverse=True)
    jobs += headers
    broken = []
    worst = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [pool.submit(compile_one, args, nvcc, overlay, *job) for job in jobs]
        for future in concurrent.futures.as_completed(futures):
            source, arch, status, report, entries, seconds = future.result()
            where = f"{os.path.relpath(source, ROOT)} sm_{arch}"
            if status != 0:
                broken.append(where)
                print(f"{where}: nvcc failed\n{report}", flush=True)
                continue
            functions = parse_report(report)
            names = demangle([f[0] for f in functions])
            ours = [(key_of(names[f[0]]), *f[1:]) for f in functions if is_ours(names[f[0]])]
            bad = [f for f in ours if f[2] or f[3]]
            if (source, (), arch, PARSE) in headers:
                # Every file that includes it would compile them; templates are compiled where they are called.
                kernels = [name for name in demangle(entries).values() if not is_left_alone(name)]
                if kernels:
                    broken.append(where)
                    print(f"{where}: a header that compiles kernels by itself:\n  " + "\n  ".join(kernels), flush=True)
                continue
            print(f"{where}: {seconds:.0f} s, {len(ours)} kernels, at most {max((f[1] for f in ours), default=0)} "
                  f"registers, {len(bad)} with a stack frame or spills", flush=True)
            for name, registers, stack, spill in bad:
                key = f"sm_{arch} {name}"
                old = worst.get(key, (0, 0, 0))
                worst[key] = (max(old[0], registers), max(old[1], stack), max(old[2], spill))

    path = os.path.join(CHECK, "baseline.txt")
    if args.update and not broken:
        write(path, "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
              "#\n# Functions that may have a stack frame or spill registers; written by\n"
              "# tools/cuda_compile_check.py --update. Any other that has one fails the check.\n"
              + "".join(key + "\n" for key in sorted(worst)))
        print(f"baseline.txt: {len(worst)} functions")
        return 0
    allowed = set(lines_of(path))
    new = sorted(key for key in worst if key not in allowed)
    for key in new:
        registers, stack, spill = worst[key]
        print(f"NEW: {stack} bytes of stack frame, {spill} bytes of spills, {registers} registers: {key}")
    print(f"CUDA compile check: {len(jobs) - len(broken)} compiled ({len(headers)} of them headers), "
          f"{len(broken)} failed, "
          f"{len(new)} functions with a new stack frame or spill")
    return 1 if broken or new else 0


if __name__ == "__main__":
    sys.exit(main())
