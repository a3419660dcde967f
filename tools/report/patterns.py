# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the names of the benchmarks mean: which implementation is ours, which a peer's, which a bound."""

import dataclasses
import re

SCALING = "scaling/"
EVEN = 0.02  # ratios this close to 1 are called even


@dataclasses.dataclass(frozen=True, eq=False)
class Pattern:
    name: str  # how its benchmarks begin
    title: str
    about: str
    ours: dict  # implementation -> what the page calls it; the first is what users call
    kokkos: dict  # plain Kokkos
    peers: dict
    bounds: dict  # nobody's alternative: what a copy, or an oracle, reaches
    aside: dict = dataclasses.field(default_factory=dict)  # shown in the table, compared with nothing
    unit: tuple = None  # counter, factor and name of what the table shows; without: milliseconds
    panel: tuple = ()  # parts of the name that share a panel of the picture

    @property
    def alternatives(self):
        return {**self.kokkos, **self.peers}

    @property
    def shown(self):
        return {**self.ours, **self.aside, **self.alternatives, **self.bounds}

    def cases(self, runs):
        return [(run, case) for run in runs for case in run.cases if case.parts[0] == self.name]

    def panel_of(self, case):
        return " / ".join(case.parts[i] for i in self.panel)

    def row_of(self, case):
        """What is left of a case's name inside its panel."""
        return " ".join(p for i, p in enumerate(case.parts) if i > 0 and i not in self.panel)


GB = ("bytes", 1e-9, "GB/s")
PATTERNS = (
    Pattern("stencil", "Stencils",
            "Ours is an ordinary functor through `parallel_stencil`, and the same weights as a `LinearStencil`. The "
            "alternatives are `Kokkos::MDRangePolicy` with Kokkos' own tiling, the fastest of several loops with it, and "
            "peers without Kokkos. On NVIDIA GPUs these are four CUDA kernels, each the fastest of several tiles and blocks: "
            "a thread a point, register tiles through the caches, the same with partial sums for known weights, and planes "
            "in shared memory (2.5-D blocking). On CPUs it is an OpenMP loop with `omp simd` inside. The functor from the "
            "queue alone and through the caches alone (`queue`, `cache`) shows what it chose between. "
            "`7pt` to `125pt` are weighted sums, `2d_` and `1d_` those of two and one dimension, `_aligned` those of fields "
            "whose rows begin at 128 bytes, `biharmonic` two sums in one sweep; `perona_malik` has 26 divisions a point, "
            "`bilateral` six exponential functions, `gray_scott` two fields, `wave` two more fields read at the point, as "
            "captured Views (functor) or as inputs (fields). The copy is the faster of memcpy and a copy kernel or loop.",
            ours={"koalesce": "functor", "koalesce_linear": "linear", "koalesce_fields": "fields"},
            aside={"koalesce_portable": "portable", "koalesce_queue": "queue", "koalesce_cache": "cache"},
            kokkos={"kokkos_mdrange": "MDRange", "kokkos_mdrange_tuned": "MDRange tuned"},
            peers={"cuda": "CUDA", "cuda_tiles": "CUDA tiles", "cuda_partial_sums": "CUDA partial sums",
                   "cuda_shared": "CUDA shared", "openmp_simd": "OpenMP simd"},
            bounds={"copy": "copy"}, unit=("points", 1e-9, "GStencil/s"), panel=(2, 3)),
    Pattern("transpose", "Transpositions",
            "Ours is `transpose`. The alternatives are `Kokkos::deep_copy` between layouts, the fastest of several "
            "MDRange loops, and cuBLAS' geam where it has the type.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_portable": "portable"},
            kokkos={"kokkos_deep_copy": "deep_copy", "kokkos_mdrange": "MDRange"}, peers={"cublas": "cuBLAS"},
            bounds={"copy": "copy"}, unit=GB),
    Pattern("read", "Reads of a matrix by an index map",
            "Ours is `parallel_read_reduce`: the first read, which transposes on the way where the map goes by column, "
            "and later ones. The alternative is a `Kokkos::parallel_reduce` with the same map.",
            ours={"koalesce_first": "first", "koalesce": "later"}, aside={"koalesce_new": "new map"},
            kokkos={"plain": "plain"}, peers={}, bounds={}, unit=GB, panel=(2, 3)),
    Pattern("regroup", "Regrouped branches",
            "Ours is `parallel_regroup`, which decides by itself; the ways that it can be told to take are in the JSON. "
            "The alternatives are a `Kokkos::parallel_for` with a switch, and prediction, sort by path and loop "
            "(`sort_by_key`, `partition_copy`). The bound is the plain loop over items in order of their paths.",
            ours={"koalesce_auto": "koalesce"}, kokkos={"plain": "plain"},
            peers={"sort_by_key": "sort_by_key", "kokkos_partition_copy": "partition_copy"},
            bounds={"ideal": "ideal"}, panel=(5, 2, 3)),
    Pattern("spmv", "Sparse products, rows regrouped by length",
            "Ours is `parallel_regroup` over the rows of a sparse matrix, which decides by itself, and the same always "
            "regrouped; one thread a row in both. The alternatives are a `Kokkos::parallel_for` over rows, and "
            "KokkosSparse's `spmv` by its default, without vendors' libraries (native), and by merge path.",
            ours={"koalesce_auto": "koalesce"}, aside={"koalesce_regrouped": "regrouped"}, kokkos={"plain": "plain"},
            peers={"kokkos_sparse": "KokkosSparse", "kokkos_sparse_native": "KokkosSparse native",
                   "kokkos_sparse_merge": "KokkosSparse merge"},
            bounds={}, unit=GB),
    Pattern("placement", "Arrays on chip",
            "Ours is what `tune_placement` finds. The alternatives are every array in scratch memory, every array "
            "where its kind and extents let it go, and what the search finds as it was published. The bound is the "
            "fastest of all placements.",
            ours={"koalesce_tuned": "koalesce"}, kokkos={"all_scratch": "all scratch", "all_promoted": "all promoted"},
            peers={"published": "published"}, bounds={"exhaustive_best": "exhaustive"}),
)


@dataclasses.dataclass
class Comparison:
    """One way of ours against the best alternative of its case."""
    case: object
    ours: str  # what the page calls it
    rival: str
    ratio: float  # how many times as fast ours is

    @property
    def verdict(self):
        if self.ratio < 1 - EVEN:
            return "slower"
        return "faster" if self.ratio > 1 + EVEN else "even"

    @property
    def name(self):
        return self.case.name.partition("/")[2]


def best_of(case, names):
    """The fastest of these implementations of a case that ran, or None."""
    ran = {n: m for n in names if (m := case.implementations.get(n)) and not m.error and m.seconds > 0}
    return min(ran, key=lambda n: ran[n].seconds) if ran else None


def compare(pattern, case):
    """Each way of ours that ran, against the fastest alternative that did."""
    rival = best_of(case, pattern.alternatives)
    if not rival:
        return []
    seconds = case.implementations[rival].seconds
    return [Comparison(case, title, pattern.alternatives[rival], seconds / case.implementations[name].seconds)
            for name, title in pattern.ours.items() if best_of(case, [name])]


def flops_of(case, measurement, on_host):
    """Flops of one run of the kernel; 0 where nobody tells. Results once had no such counter for stencils and branches."""
    told = measurement.work("flops")
    if told:
        return told
    if case.parts[0] == "stencil":
        points = re.fullmatch(r"(?:[12]d_)?(\d+)pt(?:_aligned)?", case.parts[1])
        a_point = 2 * int(points.group(1)) - 1 if points else 26 if case.parts[1] == "biharmonic" else 0
        return a_point * measurement.work("points")
    if case.parts[0] == "regroup":
        multiply_adds = {"none": 1, "short": 24 if on_host else 320, "long": 200 if on_host else 4320}[case.parts[4]]
        items = measurement.work("bytes") / (int(case.parts[5].rstrip("B")) + 12)
        return 2 * multiply_adds * items
    return 0


def roofline_place(pattern, case):
    """The panel of a case, the type that its flops are in, and what its points are called there."""
    if pattern.name == "stencil":
        return f"{pattern.title}, {case.parts[2]}", case.parts[2], case.parts[1]
    if pattern.name == "regroup":
        return pattern.title, "f64", f"{case.parts[4]} {case.parts[5]}"
    return pattern.title, "f32", " ".join(case.parts[1:])


def group_name(pattern, name):
    """Whose implementation this is."""
    if name in pattern.ours:
        return "Koalesce"
    return "plain Kokkos" if name in pattern.kokkos else "peers" if name in pattern.peers else "bound"


def sweeps(pattern, runs):
    """The cases of a pattern that were measured over sizes, under their plain names."""
    prefix = SCALING + pattern.name + "/"
    return [dataclasses.replace(case, name=case.name[len(SCALING):]) for run in runs for case in run.cases
            if case.name.startswith(prefix)]
