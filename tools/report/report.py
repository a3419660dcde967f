# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page says, section by section."""

import collections
import math
import os
import re
import statistics

from . import patterns
from .page import Heading, Listing, Picture, Table, Text
from .patterns import PATTERNS, SCALING
from .totals import COUNTS

HOSTS = ("OpenMP", "Serial", "Threads", "HPX")
SHOWN_LOSSES = 12


def number(value):
    """Three digits or so, never in powers of ten."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def plural(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")


def percent(share):
    return f"{share:.0%}".replace("%", " %")


class Report:
    """Blocks of the page. What is drawn only depends on the results, so the text is the same with and without pictures."""

    def __init__(self, directory, runs, tests=None, pictures=None):
        self.directory = os.path.basename(os.path.abspath(directory))
        self.note = self.read_note(directory)
        self.runs = runs
        self.tests = tests
        self.pictures = pictures
        self.comparisons = {p: [c for _, case in p.cases(runs) for c in patterns.compare(p, case)] for p in PATTERNS}
        copies = [run.copy_bandwidth for run in runs if run.copy_bandwidth]
        self.fastest_copy = max(copies, default=None)

    def blocks(self):
        machines = sorted({run.recorded("machine") for run in self.runs if run.context.get("machine")})
        blocks = [Heading(1, f"Performance of Koalesce: {', '.join(machines) or self.directory}"), Text(
            "Made by `tools/perf_report` from the JSON of one run of each performance test, where ours, plain Kokkos and the "
            "peers are measured side by side. Of several repetitions the median counts. Times are from fence to fence.")]
        blocks.append(Text(self.origin()))
        if self.note:
            blocks.append(Text(self.note))
        sections = (self.summary, self.roofline, self.copy_shares, *[lambda p=p: self.pattern(p) for p in PATTERNS],
                    self.scaling, self.test_totals, self.where)
        for section in sections:
            blocks += section()
        return blocks

    def origin(self):
        """Machine and commits in a sentence or two."""
        machines = sorted({run.recorded("machine") for run in self.runs})
        commits = sorted({re.sub(r"^([0-9a-f]{12})[0-9a-f]*", r"\1", run.recorded("commit")) for run in self.runs})
        text = f"Machine: {', '.join(machines)}. Commit{'' if len(commits) == 1 else 's'}: {', '.join(commits)}."
        if any(commit.endswith("+changes") for commit in commits):
            text += " **+changes: files differed from that commit.**"
        return text

    @staticmethod
    def read_note(directory):
        """What whoever made the results knows of them, and they do not say: note.md beside them, one paragraph."""
        path = os.path.join(directory, "note.md")
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return " ".join(line.strip() for line in file if not line.startswith("<!--"))

    def picture(self, file, about, draw, introduced_by=0):
        return Picture(file, about, lambda path: draw(self.pictures, path), introduced_by)

    def where(self):
        keys = (("machine", "machine"), ("execution space", "execution space"), ("backends", "Kokkos backends"),
                ("compiler", "compiler"), ("Koalesce", "Koalesce"), ("commit", "commit"), ("date", "date"))
        rows = [[title] + [run.recorded(key) for run in self.runs] for key, title in keys]
        rows.insert(2, ["Kokkos"] + [run.kokkos for run in self.runs])
        if any("peers" in run.context for run in self.runs):
            rows.append(["peers"] + [str(run.context.get("peers", "-")) for run in self.runs])
        rows.append(["copy, GB/s"] + [number(run.copy_bandwidth * 1e-9) if run.copy_bandwidth else "not recorded"
                                      for run in self.runs])
        return [Heading(2, "Where this was measured"), Table(["", *(f"`{run.file}`" for run in self.runs)], rows),
                Text("The copy is measured by each executable when it starts; where an older file does not have it, it is "
                     "the median of the copies among its benchmarks; where it has none, pictures take the fastest of the other "
                     "files. Bytes read and written both count.")]

    def summary(self):
        rows, losses = [], []
        for pattern, comparisons in self.comparisons.items():
            for ours in pattern.ours.values():
                of_ours = [c for c in comparisons if c.ours == ours]
                if of_ours:
                    rows.append([f"{pattern.title}: {ours}" if len(pattern.ours) > 1 else pattern.title,
                                 *self.counts(of_ours)])
            losses += self.losses(pattern, comparisons)
        even = percent(patterns.EVEN)
        header = ["Ours against the best alternative", "cases", "faster", f"within {even}", "slower", "least", "median",
                  "most"]
        blocks = [Heading(2, "In short"), Table(header, rows),
                  Text("least, median and most say how many times as fast ours is as the best alternative of a case, which is the "
                       "fastest of plain Kokkos and the peers in that case."),
                  Listing(losses or ["No case has an alternative."])]
        return blocks + self.without_comparison() + self.errors()

    @staticmethod
    def counts(comparisons):
        ratios = [c.ratio for c in comparisons]
        verdicts = [c.verdict for c in comparisons]
        return [str(len(ratios)), *(str(verdicts.count(v)) for v in ("faster", "even", "slower")),
                *(f"{f(ratios):.2f}" for f in (min, statistics.median, max))]

    @staticmethod
    def losses(pattern, comparisons):
        if not comparisons:
            return []
        slower = sorted((c for c in comparisons if c.verdict == "slower"), key=lambda c: c.ratio)
        if not slower:
            return [f"{pattern.title}: never more than {percent(patterns.EVEN)} slower than the best alternative in these cases."]
        several = len(pattern.ours) > 1
        worst = ", ".join(f"{c.name}{f' ({c.ours})' if several else ''} **{c.ratio:.2f}** of {c.rival}"
                          for c in slower[:SHOWN_LOSSES])
        more = len(slower) - SHOWN_LOSSES
        return [f"{pattern.title}: **slower than the best alternative in {len(slower)} of "
                f"{plural(len(comparisons), 'comparison')}**: {worst}" +
                (f", and {more} more in the table" if more > 0 else "") + "."]

    def without_comparison(self):
        alone = [case.name for p in PATTERNS for _, case in p.cases(self.runs) if not patterns.compare(p, case)]
        known = {p.name for p in PATTERNS} | {SCALING.rstrip("/")}
        alone += [case.name for run in self.runs for case in run.cases if case.parts[0] not in known]
        return [Text(f"Without ours or without an alternative, so compared with nothing: {', '.join(alone)}.")] if alone else []

    def errors(self):
        errors = [f"`{case.name}/{name}`: {m.error}" for run in self.runs for case in run.cases
                  for name, m in case.implementations.items() if m.error]
        return [Text(f"**{plural(len(errors), 'benchmark')} ended with an error:**"), Listing(errors)] if errors else []

    def pattern(self, pattern):
        cases = [case for _, case in pattern.cases(self.runs)]
        if not cases:
            return []
        blocks = [Heading(2, pattern.title), Text(pattern.about)]
        comparisons = self.comparisons[pattern]
        if comparisons:
            blocks += [self.picture(f"{pattern.name}_ratios.svg", f"{pattern.title}: ours against the best alternative",
                                    lambda draw, path: draw.ratios(pattern, comparisons, path))]
            blocks.append(Text(self.who_won(pattern, comparisons)))
        return blocks + [self.table(pattern, cases)]

    @staticmethod
    def who_won(pattern, comparisons):
        """Which alternatives were the fastest, and in how many cases."""
        sentences = []
        for title in pattern.ours.values() if pattern.only else [None]:
            best = {c.case.name: c.rival for c in comparisons if title in (None, c.ours)}
            counts = sorted(collections.Counter(best.values()).items(), key=lambda item: -item[1])
            if counts:
                sentences.append(f"Best alternative{f' to {title}' if title else ''}: " +
                                 ", ".join(f"{rival} in {plural(count, 'case')}" for rival, count in counts) + ".")
        return " ".join(sentences)

    def table(self, pattern, cases):
        shown = pattern.named(cases, "ours", "aside", "kokkos", "peers", "bounds")
        against_kokkos = bool(pattern.named(cases, "peers")) and bool(pattern.named(cases, "kokkos"))
        ours = list(pattern.ours.items())
        several = bool(pattern.only)  # ours have alternatives of their own
        header = ["case", *shown.values()]
        header += [f"best alternative to {t}" for _, t in ours] if several else ["best alternative"]
        header += [f"{t} / best" for _, t in ours]
        header += [f"{ours[0][1]} / plain Kokkos"] if against_kokkos else []
        even = [patterns.break_even(pattern, case) if pattern.reads else [] for case in cases]
        with_even = any(cell != "-" for row in even for cell in row)
        header += ["ours beats plain from read", "copy beats plain from read", "copy beats ours from read"] if with_even else []
        rows = []
        for case, reads in zip(cases, even):
            ratios = {c.ours: c for c in patterns.compare(pattern, case)}
            row = [case.name.partition("/")[2], *(self.cell(pattern, case, n) for n in shown)]
            rivals = [ratios[title].rival if title in ratios else "-" for _, title in ours]
            row += rivals if several else [next((r for r in rivals if r != "-"), "-")]
            row += [self.ratio(ratios.get(title)) for _, title in ours]
            row += [self.against_kokkos(pattern, case)] if against_kokkos else []
            rows.append(row + (reads if with_even else []))
        unit = pattern.unit[2] if pattern.unit else "milliseconds"
        return Table(header, rows, f"All {plural(len(cases), 'case')}, in {unit}")

    @staticmethod
    def cell(pattern, case, name):
        measurement = case.implementations.get(name)
        if not measurement:
            return "-"
        if measurement.error:
            return "error"
        if not pattern.unit:
            return number(measurement.seconds * 1e3)
        counter, factor, _ = pattern.unit
        return number(measurement.rates[counter] * factor) if counter in measurement.rates else "-"

    @staticmethod
    def ratio(comparison):
        if not comparison:
            return "-"
        return f"**{comparison.ratio:.2f}**" if comparison.verdict == "slower" else f"{comparison.ratio:.2f}"

    @staticmethod
    def against_kokkos(pattern, case):
        first = list(pattern.ours)[0]
        kokkos, ours = patterns.best_of(case, pattern.rivals(case, first, "kokkos")), patterns.best_of(case, [first])
        if not kokkos or not ours:
            return "-"
        return f"{case.implementations[kokkos].seconds / case.implementations[ours].seconds:.2f}"

    def groups(self, pattern, case, without=()):
        """The best of ours, of plain Kokkos and of the peers, but some: group -> Measurement."""
        roles = {"Koalesce": "ours", "plain Kokkos": "kokkos", "peers": "peers"}
        best = {group: patterns.best_of(case, [name for name in pattern.named([case], role) if name not in without])
                for group, role in roles.items()}
        return {group: case.implementations[name] for group, name in best.items() if name}

    def copy_of(self, run):
        return run.copy_bandwidth or self.fastest_copy

    def roofline(self):
        panels = {}
        for pattern in PATTERNS:
            if pattern.name == "steps":  # several share one pass over the bytes that each is counted for
                continue
            for run, case in pattern.cases(self.runs):
                on_host = run.context.get("execution space") in HOSTS
                for group, m in self.groups(pattern, case, pattern.fewer_flops).items():
                    flops, moved = patterns.flops_of(case, m, on_host), m.work("bytes")
                    if flops and moved:
                        title, number_type, label = patterns.roofline_place(pattern, case)
                        panel = panels.setdefault(title, (self.copy_of(run), run.peak_flops(number_type), []))
                        panel[2].append((label, group, flops / moved, flops / m.seconds))
        if not panels:
            return []
        flat = any(peak for _, peak, _ in panels.values())
        return [Heading(2, "Roofline"), Text(
            "Flops a second over flops a byte, for what tells its flops: the best of ours, of plain Kokkos and of the peers "
            "in every case; what adds values before it multiplies them does fewer flops for the same sum, and is left out. "
            "Bytes are those that must move, so who moves more stands lower. The sloping roof is the copy's "
            "bandwidth" + (", the flat one multiply-adds in registers, both measured in the same run." if flat else
                           "; a flat roof, the rate of arithmetic, is not recorded in these results.")),
                self.picture("roofline.svg", "Roofline: ours, plain Kokkos and the peers under the copy's bandwidth",
                             lambda draw, path: draw.roofline(panels, path), 2)]

    def copy_shares(self):
        panels = {}
        for pattern in PATTERNS:
            if pattern.name == "steps":  # several share one pass over the bytes that each is counted for
                continue
            for run, case in pattern.cases(self.runs):
                rates = {g: m.rates["bytes"] / self.copy_of(run) for g, m in self.groups(pattern, case).items()
                         if self.copy_of(run) and m.rates.get("bytes") and not patterns.flops_of(case, m, False)}
                if rates:
                    panels.setdefault(pattern.title, []).append((" ".join(case.parts[1:]), rates))
        if not panels:
            return []
        return [Heading(2, "Bandwidth"), Text(
            "What only moves bytes, or tells no flops, has no place on a roofline: here is its bandwidth as a share of the "
            "copy's in the same run. Again the best of ours, of plain Kokkos and of the peers."),
                self.picture("bandwidth.svg", "Bandwidth of ours, plain Kokkos and the peers as a share of the copy's",
                             lambda draw, path: draw.copy_shares(panels, path), 2)]

    def scaling(self):
        swept = self.size_lines([(p, case) for p in PATTERNS for case in patterns.sweeps(p, self.runs)])
        other = {} if swept else self.size_lines([(PATTERNS[0], case) for _, case in PATTERNS[0].cases(self.runs)])
        if not swept and not other:
            return []
        text = ("Sizes from where everything fits in a cache to where nothing does." if swept else
                "These results have no sweep of sizes (`--benchmark_filter=^scaling/`). Drawn are the stencils that were "
                "measured at three sizes or more; they differ in shape, too.")
        panels = swept or other
        return [Heading(2, "Over sizes"), Text(text),
                self.picture("scaling.svg", "Ours, plain Kokkos and the peers over sizes",
                             lambda draw, path: draw.scaling(panels, path), 2)]

    def test_totals(self):
        if not self.tests:
            return []
        suites = self.tests["suites"]
        passed, skipped, failed = (sum(suite[key] for suite in suites) for key in COUNTS)
        failures = f"**{failed} failed**" if failed else "none failed"
        facts = ", ".join(f"{name}: {self.tests[key]}" for key, name in (
            ("machine", "machine"), ("commit", "commit"), ("koalesce", "Koalesce"), ("kokkos", "Kokkos"),
            ("backends", "Kokkos backends"), ("compiler", "compiler"), ("date", "date")) if self.tests.get(key))
        blocks = [Heading(2, "Tests"), Text(f"Of {plural(passed + skipped + failed, 'test')} {passed} passed, {skipped} skipped "
                                            f"themselves, {failures}. {facts}. The same test counts once for each execution space "
                                            "and backend that it ran on.")]
        if failed:
            blocks.append(Listing([f"`{name}` failed" for name in self.tests.get("failures", [])]))
        if self.tests.get("not run"):
            blocks += [Text(f"**{plural(len(self.tests['not run']), 'test')} did not run:**"),
                       Listing([f"`{name}`" for name in self.tests["not run"]])]
        rows = [[suite["suite"], suite["runs on"], *(str(suite[key]) for key in COUNTS), f"{suite['seconds']:.1f}"]
                for suite in suites]
        return blocks + [Table(["suite", "runs on", *COUNTS, "seconds"], rows, f"All {plural(len(rows), 'suite')}")]

    @staticmethod
    def size_lines(cases):
        """Title -> (unit, {implementation: (group, [(size, rate)])}), of what has three sizes. A size ends a case's name."""
        panels = {}
        for pattern, case in cases:
            *kind, size = case.parts
            if not re.fullmatch(r"\d+(x\d+)*", size):
                continue
            counter, factor, unit = pattern.unit or patterns.GB
            lines = panels.setdefault(" ".join(kind), (unit, {}))[1]
            for name, title in pattern.named([case], "ours", "kokkos", "peers", "bounds").items():
                m = case.implementations.get(name)
                if m and not m.error and counter in m.rates:
                    point = (math.prod(int(n) for n in size.split("x")), m.rates[counter] * factor)
                    lines.setdefault(title, (patterns.group_name(pattern, name), []))[1].append(point)
        return {title: panel for title, panel in panels.items()
                if max((len(points) for _, points in panel[1].values()), default=0) >= 3}
