# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the names of the benchmarks mean: which implementation is ours, which a peer's, which a bound."""

import dataclasses
import math
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
    peers: dict  # those that have a name of their own on the page; see role()
    bounds: dict  # nobody's alternative: what a copy, or an oracle, reaches
    aside: dict = dataclasses.field(default_factory=dict)  # shown in the table, compared with nothing
    hidden: tuple = ()  # ours in disguise: neither shown nor compared
    fewer_flops: tuple = ()  # what needs fewer flops than the others for the same result
    only: dict = dataclasses.field(default_factory=dict)  # alternative -> the one of ours that it is compared with
    reads: dict = None  # who takes part in the columns of break_even()
    unit: tuple = None  # counter, factor and name of what the table shows; without: milliseconds
    panel: tuple = ()  # parts of the name that share a panel of the picture
    paced: str = None  # counter of which runs of implementations have different amounts: its rate is compared, not the time

    def role(self, name):
        """"ours", "aside", "kokkos", "peers", "bounds" or None: whose an implementation is.

        What begins with koalesce is ours, and counts where it is listed; `copy` is a bound; what begins with kokkos_, and
        `plain`, is plain Kokkos. All else is an alternative, listed or not, so that no peer is forgotten.
        """
        for role in ("ours", "aside", "kokkos", "peers", "bounds"):
            if name in getattr(self, role):
                return role
        if name in self.hidden or name.startswith("koalesce"):
            return None
        return "bounds" if name == "copy" else "kokkos" if name == "plain" or name.startswith("kokkos_") else "peers"

    def title_of(self, name):
        listed = {**self.ours, **self.aside, **self.kokkos, **self.peers, **self.bounds}
        return listed.get(name, name.replace("_", " "))

    def named(self, cases, *roles):
        """The implementations of these roles that the cases have, the listed ones first: name -> title."""
        present = dict.fromkeys(name for case in cases for name in case.implementations)
        names = []
        for role in roles:
            of_role = [name for name in present if self.role(name) == role]
            names += [name for name in getattr(self, role) if name in of_role]
            names += sorted(name for name in of_role if name not in getattr(self, role))
        return {name: self.title_of(name) for name in names}

    def rivals(self, case, ours, *roles):
        """The alternatives, or those of one role, that one of ours is compared with in a case."""
        return [name for name in self.named([case], *(roles or ("kokkos", "peers"))) if self.only.get(name, ours) == ours]

    def cost(self, measurement):
        """What is compared: seconds, or seconds for one of what the pattern is paced by."""
        rate = measurement.rates.get(self.paced)
        return 1 / rate if rate else measurement.seconds

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
            "peers without Kokkos. On NVIDIA GPUs these are five CUDA kernels, each the fastest of several tiles and blocks: "
            "one thread per point, register tiles through the caches, the same with partial sums for known weights and for those that are "
            "the same on both sides, and planes in shared memory (2.5-D blocking). On CPUs it is an OpenMP loop with `omp simd` inside. The functor from the "
            "queue, from tiles in registers and through the caches alone (`queue`, `tile`, `cache`) shows what it chose among. "
            "`7pt` to `125pt` are weighted sums, `2d_` and `1d_` those of two and one dimension, `_aligned` those of fields "
            "whose rows begin at 128 bytes, `biharmonic` two sums in one sweep, `heat` 7 points added before one product; `perona_malik` has 26 divisions a point, "
            "`bilateral` six exponential functions, `gray_scott` two fields, `wave` two more fields read at the point, as "
            "captured Views (functor) or as inputs (fields, linear), `periodic` a sweep with a periodic boundary, `dirichlet` one with a constant at the faces, beside a halo "
            "that is filled before each sweep, and the sweep alone, `residual` a step of Jacobi's method with a norm that it sums, "
            "beside a `ReproducibleSum` of it, a loop that sums it afterwards, and the step alone; `blocks` a sweep over many small "
            "fields, beside a call for each and one field of as many points; `active` a sweep over some of the points (all, one block of 32^3 in ten, a ball, a "
            "checkerboard), beside a sweep over all of them and a loop over a list of their places; its figures count active "
            "points, those of the preparation from a mask all points. The copy is the faster of memcpy and a copy kernel or loop.",
            ours={"koalesce": "functor", "koalesce_linear": "linear", "koalesce_symmetric": "symmetric", "koalesce_fields": "fields"},
            aside={"koalesce_portable": "portable", "koalesce_queue": "queue", "koalesce_tile": "tile", "koalesce_cache": "cache",
                   "koalesce_fill_halo": "fill_halo first", "koalesce_separate": "sum afterwards",
                   "koalesce_reproducible": "reproducible sum", "koalesce_sweep": "sweep alone",
                   "koalesce_each": "a call for each", "koalesce_prepare": "preparation",
                   "mdrange_of_rank_4": "MDRange of rank 4"},
            kokkos={"kokkos_mdrange": "MDRange", "kokkos_mdrange_tuned": "MDRange tuned",
                    "kokkos_index_list": "index list"},
            peers={"cuda": "CUDA", "cuda_tiles": "CUDA tiles", "cuda_partial_sums": "CUDA partial sums",
                   "cuda_symmetric_sums": "CUDA symmetric sums", "cuda_shared": "CUDA shared", "openmp_simd": "OpenMP simd"},
            fewer_flops=("koalesce_symmetric", "cuda_symmetric_sums"), bounds={"copy": "copy"}, unit=("points", 1e-9, "GStencil/s"), panel=(2, 3)),
    Pattern("steps", "Time steps",
            "`parallel_stencil_steps` with a functor, with known weights, and with weights that are the same on both sides, as many steps per sweep as it finds best; the same with "
            "one step per sweep, and with up to 2, 4 or 8; known weights with a periodic boundary and with mirrors. `wave` has two "
            "time levels and reads 25 points of the newest one, `perona_malik` has 26 divisions a point. The alternatives are one "
            "sweep per step in plain CUDA or OpenMP; no other library of time steps is measured here. A copy that reads and writes "
            "the field once a step is what single sweeps are bound by.",
            ours={"koalesce": "functor", "koalesce_linear": "linear", "koalesce_symmetric": "symmetric"},
            aside={"koalesce_one": "functor, one", "koalesce_linear_one": "linear, one", "koalesce_symmetric_one": "symmetric, one",
                   "koalesce_periodic": "periodic",
                   "koalesce_mirror": "mirror", "koalesce_mirror_one": "mirror, one",
                   "koalesce_portable": "portable", "koalesce_portable_one": "portable, one",
                   **{f"koalesce_{k}": f"functor, {k}" for k in (2, 4, 8)},
                   **{f"koalesce_linear_{k}": f"linear, {k}" for k in (2, 4, 8)},
                   **{f"koalesce_symmetric_{k}": f"symmetric, {k}" for k in (2, 4)}},
            kokkos={}, peers={"cuda": "CUDA", "cuda_tiles": "CUDA tiles", "cuda_partial_sums": "CUDA partial sums",
                              "cuda_symmetric_sums": "CUDA symmetric sums",
                              "cuda_shared": "CUDA shared", "openmp_simd": "OpenMP simd"},
            bounds={"copy": "copy"}, unit=("points", 1e-9, "GStencil/s"), panel=(2, ), paced="points"),
    Pattern("distributed", "Several processes",
            "A sweep over the processes of a domain, `weak` with as many points for each process as the name says, `strong` with as "
            "many for all; the number after the extents is that of processes. The alternative is the usual way: subviews copied to "
            "buffers, MPI_Sendrecv through host memory, then the sweep. `alone` is the same sweep with nothing exchanged. `steps` are "
            "24 time steps with halos of 1, 2, 4 and 8 radii, exchanged once for as many steps. `exchange` is `exchange_halo` alone, "
            "against the usual way, and against the bare transfer of as many bytes by MPI.",
            ours={"koalesce": "Koalesce"},
            aside={f"koalesce_{k}": f"Koalesce, {k}" for k in (1, 2, 4, 8)},
            kokkos={}, peers={"usual": "usual way"}, bounds={"alone": "alone", "bare": "bare transfer"}),
    Pattern("transpose", "Transpositions",
            "Ours is `transpose`. The alternatives are `Kokkos::deep_copy` between layouts, the fastest of several "
            "MDRange loops, and, where they were measured, the fastest of several hand-written CUDA kernels (a tile in shared "
            "memory), cuBLAS' geam (a matrix addition that can transpose), cuTENSOR's permutation and kokkos-fft's transposition.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_portable": "portable"},
            kokkos={"kokkos_deep_copy": "deep_copy", "kokkos_mdrange": "MDRange", "kokkos_fft": "kokkos-fft"}, peers={"cublas": "cuBLAS", "cutensor": "cuTENSOR", "cuda_tile": "CUDA"},
            bounds={"copy": "copy"}, unit=GB),
    Pattern("structs", "Arrays of structs",
            "From an array of structs to arrays of their members, and back. Ours is `copy_structs` between Views that Koalesce "
            "allocated; for information with a user's own array per member. The alternatives are a loop over the structs, and CUB's "
            "warp exchange where all members have one size.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_views": "own arrays", "koalesce_portable": "portable"},
            kokkos={"plain": "plain"}, peers={"cub": "CUB"}, bounds={"copy": "copy"}, unit=GB),
    Pattern("transfer", "Copies between host and device with another layout",
            "Ours is `copy_layout` from a column-major View on the device to a row-major one in host memory, and back. The "
            "alternatives have Kokkos reorder on the device and copy from there to the View or to pinned memory of its size, or copy "
            "to a mirror and reorder on the host. The bound copies as many bytes to or from pinned memory.",
            ours={"koalesce": "koalesce"},
            kokkos={"kokkos_device": "by the device", "kokkos_pinned": "by pinned memory", "kokkos_mirror": "by a mirror"}, peers={},
            bounds={"pinned_copy": "pinned copy"}, unit=GB),
    Pattern("tile", "Inside a user's kernel",
            "A recurrence along each row of a row-major matrix, one thread per row. Ours is `HalfWarpTile`, and a plain loop over "
            "`by_column()`, whose shadow is made before, or every time. The alternatives are that loop over the matrix, a kernel "
            "with Kokkos' team scratch, and a hand-written CUDA kernel with tiles in shared memory; the bound reads the matrix "
            "once. Each is the fastest of a few variants.",
            ours={"half_warp_tile": "HalfWarpTile", "by_column": "by_column"}, aside={"by_column_first": "by_column, first"},
            kokkos={"plain": "plain", "kokkos_scratch": "team scratch"}, peers={"tile_32x33": "CUDA tile"},
            bounds={"read": "read"}, unit=GB),
    Pattern("read", "Reads of a matrix by an index map",
            "Ours is `parallel_read_reduce`: the first read, which transposes on the way where the map goes by column, "
            "and later ones. The alternatives are a `Kokkos::parallel_reduce` with the same map and, by column, a copy in the "
            "other layout that is made before the first read and read by a plain loop item by item: made by "
            "`Kokkos::deep_copy`, by the fastest of several MDRange loops, or by cuBLAS' geam. The first read counts against "
            "making the copy and reading it, later ones against reading it. The last columns count from which read on all "
            "reads so far take less time: ours than the plain loop over the original, the copy than that loop, the copy than ours. "
            "Later reads within 2 % of each other count as equal there.",
            ours={"koalesce_first": "first", "koalesce": "later"}, aside={"koalesce_new": "new map"},
            kokkos={"plain": "plain", "copied_deep_copy_first": "deep_copy, first", "copied_mdrange_first": "MDRange copy, first",
                    "copied_later": "copy, later", "copied_evaluating": "copy, map evaluated"},
            peers={"copied_cublas_first": "cuBLAS copy, first"}, bounds={}, hidden=("transpose", ),
            only={"copied_deep_copy_first": "koalesce_first", "copied_mdrange_first": "koalesce_first",
                  "copied_cublas_first": "koalesce_first", "copied_later": "koalesce", "copied_evaluating": "koalesce"},
            reads={"first": "koalesce_first", "later": "koalesce", "original": "plain", "copy": "copied_later"},
            unit=GB, panel=(2, 3)),
    Pattern("reduce", "One result per column or row",
            "Sums along a row-major matrix; `of_four` are sums, sums of squares, minima and maxima. Ours is "
            "`parallel_reduce_columns` and `parallel_reduce_rows`, one pass for all; for information with one pass per reducer. The "
            "alternatives are a team per column or row, a thread per column or row, cuBLAS' product of the matrix with a vector "
            "of ones, and CUB's sums of segments. The bound copies half of the matrix, and so reads and writes as many bytes; on "
            "CPUs also threads that add up their shares.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_each": "one pass each"},
            kokkos={"plain_team": "team per line", "plain_range": "thread per line"},
            peers={"cublas_gemv": "cuBLAS", "cub": "CUB"}, bounds={"copy": "copy", "read": "read"}, unit=GB, panel=(2, )),
    Pattern("regroup", "Regrouped branches",
            "Ours is `parallel_regroup`, which decides by itself; the variants that it can be told to run are in the JSON. "
            "The alternatives are a `Kokkos::parallel_for` with a switch, and prediction, sort by path and loop "
            "(`sort_by_key`, `partition_copy`). The bound is the plain loop over items in order of their paths.",
            ours={"koalesce_auto": "koalesce"}, kokkos={"plain": "plain"},
            peers={"sort_by_key": "sort_by_key", "kokkos_partition_copy": "partition_copy"},
            bounds={"ideal": "ideal"}, panel=(5, 2, 3)),
    Pattern("lookups", "Lookups of cross sections",
            "After XSBench. Ours is `parallel_regroup` by material, with the energy as key and as payload; without the key for "
            "information. The alternatives are a `Kokkos::parallel_for`, and a sort of the lookups by material and energy "
            "(`expert`: CUB on CUDA), then a loop. The bound is the plain loop over lookups that lie in that order.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_unordered": "without a key", "koalesce_many": "many bits, index map",
                   "koalesce_exact": "exact, index map"}, kokkos={"plain": "plain"},
            peers={"expert": "expert"}, bounds={"ideal": "ideal"}),
    Pattern("plan", "Plans while paths change",
            "Ours is `parallel_regroup` with a plan that is always used; for information without one, as it decides. The last "
            "part of a case's name says how many items change their paths from call to call. The alternatives are a "
            "`Kokkos::parallel_for` with a switch, and a sort by path for every call (`expert`: CUB on CUDA). The bound is the "
            "loop alone, in an order that holds.",
            ours={"koalesce": "koalesce"}, aside={"koalesce_anew": "without a plan"}, kokkos={"plain": "plain"},
            peers={"expert": "expert"}, bounds={"ideal": "ideal"}),
    Pattern("until", "Loops of different lengths",
            "Ours is `parallel_regroup_until`. The alternatives are a `Kokkos::parallel_for` with a loop over an item's steps, "
            "and persistent warps whose lanes take the next item (`expert`; on CPUs Kokkos' dynamic schedule). The bound has "
            "as many steps in all, as many for each item, or for the Mandelbrot set items in order of their steps; rays have "
            "none, since another order reads memory otherwise.",
            ours={"koalesce": "koalesce"}, kokkos={"plain": "plain"}, peers={"expert": "expert"},
            bounds={"ideal": "ideal"}),
    Pattern("team", "Branches in kernels of teams",
            "Blocks of cells that burn in one of three ways, 16 steps. Ours is `TeamRegroup`, which keeps the cells in order; "
            "for information `team_regroup`, which orders them in every step. The alternatives are a switch in a team's "
            "kernel, and on CUDA a kernel that sorts a block's cells with CUB in every step (`expert`).",
            ours={"koalesce": "koalesce"}, aside={"koalesce_anew": "ordered anew"}, kokkos={"plain": "plain"},
            peers={"expert": "expert"}, bounds={}),
    Pattern("spmv", "Sparse products, rows regrouped by length",
            "Ours is `parallel_regroup` over the rows of a sparse matrix, which decides by itself, and the same always "
            "regrouped; one thread per row in both. The alternatives are a `Kokkos::parallel_for` over rows, and "
            "KokkosSparse's `spmv` by its default, without vendors' libraries (native), and by merge path.",
            ours={"koalesce_auto": "koalesce"}, aside={"koalesce_regrouped": "regrouped"}, kokkos={"plain": "plain"},
            peers={"kokkos_sparse": "KokkosSparse", "kokkos_sparse_native": "KokkosSparse native",
                   "kokkos_sparse_merge": "KokkosSparse merge"},
            bounds={}, unit=GB),
    Pattern("placement", "Arrays on chip",
            "Ours is what `tune_placement` finds. The alternative is what an expert writes by hand in plain Kokkos for the "
            "same arithmetic: tiles in scratch memory, accumulators in registers, constants in the launch, with team sizes "
            "and blocks of its own. For information: every array in scratch memory, every array where its kind and extents "
            "let it go, and what the search finds as it was published. The bound is the fastest of all placements. `launch` "
            "is the host's time for a call with an almost empty kernel, and for the same call of Kokkos.",
            ours={"koalesce_tuned": "koalesce"},
            aside={"all_scratch": "all scratch", "all_promoted": "all promoted", "published": "published",
                   "koalesce": "placed", "koalesce_fixed": "fixed", "koalesce_remembered": "remembered",
                   "kokkos_team": "TeamPolicy"},
            kokkos={"kokkos_expert": "expert"}, peers={}, bounds={"exhaustive_best": "exhaustive"}),
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


def best_of(case, names, cost=lambda m: m.seconds):
    """The fastest of these implementations of a case that ran, or None."""
    ran = {n: m for n in names if (m := case.implementations.get(n)) and not m.error and m.seconds > 0}
    return min(ran, key=lambda n: cost(ran[n])) if ran else None


def compare(pattern, case):
    """Each way of ours that ran, against the fastest of its alternatives that did."""
    comparisons = []
    for name, title in pattern.ours.items():
        rival = best_of(case, pattern.rivals(case, name), pattern.cost)
        if rival and best_of(case, [name]):
            ratio = pattern.cost(case.implementations[rival]) / pattern.cost(case.implementations[name])
            comparisons.append(Comparison(case, title, pattern.title_of(rival), ratio))
    return comparisons


def breaks_even(first, later, other_first, other_later):
    """From which use on the sum of all so far is less than the other's: its number, "never", or "up to" it."""
    if abs(later / other_later - 1) <= EVEN:
        return "1" if first < other_first else "never"
    # After n uses: first + (n - 1) later against other_first + (n - 1) other_later.
    meet = (other_first - first) / (later - other_later)
    if later < other_later:
        return "1" if first < other_first else str(math.floor(meet) + 2)
    return f"up to {math.ceil(meet)}" if first < other_first else "never"


def break_even(pattern, case):
    """For what the first use prepares: from which one on ours beats the original, the copy the original, the copy ours."""
    def seconds(names):
        best = best_of(case, names)
        return case.implementations[best].seconds if best else None

    reads = pattern.reads
    plain = (seconds([reads["original"]]), ) * 2
    ours = seconds([reads["first"]]), seconds([reads["later"]])
    makers = [name for name, ours_too in pattern.only.items() if ours_too == reads["first"]]
    copy = seconds(makers), seconds([reads["copy"]])
    if None in copy:
        return ["-"] * 3
    pairs = ((ours, plain), (copy, plain), (copy, ours))
    return ["-" if None in a + b else breaks_even(*a, *b) for a, b in pairs]


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
        # Where rows begin, and which points, would be told a dozen times a column.
        label = re.sub(r"^([a-z]+)_\d+pt\w*", r"\1", case.parts[1].replace("_aligned", ""))
        return f"{pattern.title}, {case.parts[2]}", case.parts[2], label
    if pattern.name == "regroup":
        return pattern.title, "f64", f"{case.parts[4]} {case.parts[5]}"
    return pattern.title, "f64" if pattern.name == "plan" else "f32", " ".join(case.parts[1:])


def group_name(pattern, name):
    """Whose implementation this is."""
    return {"ours": "Koalesce", "kokkos": "plain Kokkos", "peers": "peers"}.get(pattern.role(name), "bound")


def sweeps(pattern, runs):
    """The cases of a pattern that were measured over sizes, under their plain names."""
    prefix = SCALING + pattern.name + "/"
    return [dataclasses.replace(case, name=case.name[len(SCALING):]) for run in runs for case in run.cases
            if case.name.startswith(prefix)]
