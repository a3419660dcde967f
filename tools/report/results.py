# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of the performance tests, as Google Benchmark writes them."""

import dataclasses
import glob
import json
import os
import re
import statistics

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
NOT_RECORDED = "not recorded"
FIELDS = ("real_time", "cpu_time", "iterations", "repetitions", "repetition_index", "threads", "family_index",
          "per_family_instance_index")


class Damaged(Exception):
    """A file that cannot be read, or that Google Benchmark did not write."""


@dataclasses.dataclass
class Measurement:
    """The median of an implementation's repetitions."""
    seconds: float
    rates: dict  # counters a second: bytes, flops, points
    label: str = ""
    repetitions: int = 1
    error: str = ""

    def work(self, counter):
        """How much of a counter one run of the kernel has."""
        return self.rates.get(counter, 0) * self.seconds


@dataclasses.dataclass
class Case:
    """What was measured side by side: one problem, several implementations."""
    name: str
    implementations: dict  # name -> Measurement

    @property
    def parts(self):
        return self.name.split("/")


@dataclasses.dataclass
class Run:
    """One JSON file: one process."""
    file: str
    context: dict
    cases: list

    def recorded(self, key):
        return str(self.context.get(key) or NOT_RECORDED)

    @property
    def kokkos(self):
        """The version; results once had Kokkos' number for it. Releases before 5 have two digits in their last place."""
        version = self.recorded("Kokkos")
        if not version.isdigit():
            return version
        number = int(version)
        patch = f"{number % 100:02d}" if number < 50000 else str(number % 100)
        return f"{number // 10000}.{number // 100 % 100}.{patch}"

    @property
    def copy_bandwidth(self):
        """Bytes a second that a copy in this process read and wrote, or None."""
        recorded = self.context.get("copy_bandwidth_bytes_per_second")
        if recorded:
            return float(recorded)
        copies = [c.implementations["copy"].rates.get("bytes", 0) for c in self.cases if "copy" in c.implementations]
        copies = [c for c in copies if c > 0]
        return statistics.median(copies) if copies else None

    def peak_flops(self, number_type):
        """Flops a second of multiply-adds in registers, or None."""
        recorded = self.context.get(f"{number_type}_flops_per_second")
        return float(recorded) if recorded else None


def split_name(name):
    """Case and implementation, without what Google Benchmark appends. stencil_aligned/7pt is the stencil 7pt_aligned, and
    what regrouping is compared by elsewhere than in its own loops stands for itself: regroup/until/..., until/..."""
    parts = [p for p in name.split("/") if p not in ("manual_time", "real_time", "process_time")
             and not re.match(r"(repeats|min_time|min_warmup_time|iterations|threads):", p)]
    if parts[0].endswith("_aligned"):
        parts[:2] = [parts[0].removesuffix("_aligned"), parts[1] + "_aligned"]
    if parts[0] == "regroup" and parts[1] in ("lookups", "plan", "team", "until"):
        del parts[0]
    if parts[0] == "stencil" and len(parts) > 2 and re.fullmatch(r"\d+pt(_\w+)?", parts[2]):  # a case, then its points
        parts[1:3] = ["_".join(parts[1:3])]
    return "/".join(parts[:-1]), parts[-1]


def median_of(rows):
    """One Measurement of all repetitions of a benchmark."""
    errors = [r.get("error_message") or "failed" for r in rows if r.get("error_occurred")]
    if errors:
        return Measurement(0, {}, error=errors[0])
    rows = sorted(rows, key=lambda r: r["real_time"] * SECONDS[r["time_unit"]])
    middle = rows[(len(rows) - 1) // 2]
    rates = {k: float(v) for k, v in middle.items() if isinstance(v, (int, float)) and k not in FIELDS}
    seconds = statistics.median(r["real_time"] * SECONDS[r["time_unit"]] for r in rows)
    return Measurement(seconds, rates, middle.get("label", ""), len(rows))


def rows_of(document):
    """Rows by benchmark. Aggregates count only where the repetitions themselves were not written."""
    repetitions, medians = {}, {}
    for row in document["benchmarks"]:
        if row.get("run_type", "iteration") == "iteration":
            repetitions.setdefault(row.get("run_name", row["name"]), []).append(row)
        elif row.get("aggregate_name") == "median":
            medians[row["run_name"]] = [row]
    return {**medians, **repetitions}


def read_run(path):
    try:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        cases = {}
        for name, rows in rows_of(document).items():
            case, implementation = split_name(name)
            cases.setdefault(case, Case(case, {})).implementations[implementation] = median_of(rows)
        return Run(os.path.basename(path), dict(document["context"]), list(cases.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise Damaged(f"{path} is not a result of Google Benchmark ({type(e).__name__}: {e}): "
                      "run that performance test again, or remove the file") from e


def read_runs(directory):
    """The runs of all koalesce_perf_*.json of a directory, in order of their names."""
    paths = sorted(glob.glob(os.path.join(directory, "koalesce_perf_*.json")))
    if not paths:
        raise Damaged(f"{directory} has no koalesce_perf_*.json: the performance tests write them with "
                      "--benchmark_out=<file> --benchmark_out_format=json")
    return [read_run(path) for path in paths]
