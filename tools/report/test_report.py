#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of tools/perf_report and tools/test_totals, by made-up results. Those of pictures are skipped where matplotlib is missing."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True

from report.patterns import breaks_even  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "perf_report")
RECORDED = {
    "date": "2026-01-02", "machine": "Abacus 9", "commit": "c0ffee", "execution space": "OpenMP", "Kokkos": "5.2.2",
    "copy_bandwidth_bytes_per_second": "2e10", "f64_flops_per_second": "1e11"
}


def row(name, ms, byte_count=8e6, **more):
    return {"name": name, "run_name": f"{name}/manual_time", "run_type": "iteration", "real_time": ms,
            "time_unit": "ms", "bytes": byte_count / ms * 1e3, **more}


def failed(name, message):
    return {"name": name, "run_name": f"{name}/manual_time", "run_type": "iteration", "error_occurred": True,
            "error_message": message, "real_time": 0, "time_unit": "ms"}


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = os.path.join(folder.name, "abacus")
        self.output = os.path.join(folder.name, "page")
        os.mkdir(self.results)

    def put(self, pattern, rows, context=None):
        document = {"context": RECORDED if context is None else context, "benchmarks": rows}
        self.put_text(pattern, json.dumps(document))

    def put_text(self, pattern, text):
        with open(os.path.join(self.results, f"koalesce_perf_{pattern}.json"), "w", encoding="utf-8") as f:
            f.write(text)

    def run_tool(self, *options, results=None, **environment):
        return subprocess.run([sys.executable, TOOL, results or self.results, "-o", self.output, *options], text=True,
                              capture_output=True, check=False, env={**os.environ, **environment})

    def file(self, name):
        with open(os.path.join(self.output, name), encoding="utf-8") as f:
            return f.read()


class TextTest(ToolTest):
    def text(self):
        done = self.run_tool("--text")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.file("report.md")

    def test_ratio_is_against_the_fastest_alternative(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/kokkos_mdrange", 6),
                               row("transpose/f64/9x9/cublas", 3), row("transpose/f64/9x9/copy", 1)])
        text = self.text()
        self.assertIn("| f64/9x9 | 4.00 | 1.33 | 2.67 | 8.00 | cuBLAS | 1.50 | 3.00 |", text)
        self.assertIn("| Transpositions | 1 | 1 | 0 | 0 | 1.50 | 1.50 | 1.50 |", text)
        self.assertIn("Transpositions: never more than 2 % slower", text)

    def test_time_steps_are_compared_by_their_rate(self):
        self.put("steps", [row("steps/7pt/f64/9x9x9/koalesce", 12, points=4e9),
                           row("steps/7pt/f64/9x9x9/cuda_tiles", 0.5, points=2e9),
                           row("steps/7pt/f64/9x9x9/cuda", 0.4, points=1e9)])
        text = self.text()
        self.assertIn("| Time steps: functor | 1 | 1 | 0 | 0 | 2.00 | 2.00 | 2.00 |", text)
        self.assertNotIn("Roofline", text)

    def test_peers_of_stencils_are_alternatives(self):
        self.put("stencil", [row("stencil/2d_5pt/f64/9x9/koalesce", 3, points=1e6),
                             row("stencil/2d_5pt/f64/9x9/cuda_tiles", 6, points=1e6),
                             row("stencil/2d_5pt/f64/9x9/cuda_partial_sums", 2, points=1e6),
                             row("stencil/wave/f32/9x9x9/koalesce", 2, points=1e6),
                             row("stencil/wave/f32/9x9x9/koalesce_fields", 6, points=1e6),
                             row("stencil/wave/f32/9x9x9/openmp_simd", 3, points=1e6),
                             row("stencil/periodic/7pt/f32/9x9x9/koalesce", 2, points=1e6),
                             row("stencil/periodic/7pt/f32/9x9x9/koalesce_sweep", 1, points=1e6),
                             row("stencil_aligned/active/7pt_half/f32/9x9x9/koalesce", 2, points=1e6)])
        text = self.text()
        self.assertIn("2d_5pt/f64/9x9 (functor) **0.67** of CUDA partial sums", text)
        self.assertIn("wave/f32/9x9x9 (fields) **0.50** of OpenMP simd", text)
        self.assertIn("periodic_7pt/f32/9x9x9", text)
        self.assertIn("active_aligned_7pt_half/f32/9x9x9", text)

    def test_loss_is_counted_and_named(self):
        self.put("placement", [row("placement/won/koalesce_tuned", 1), row("placement/won/kokkos_expert", 100),
                               row("placement/lost/koalesce_tuned", 5), row("placement/lost/kokkos_expert", 4)])
        text = self.text()
        self.assertIn("**slower than the best alternative in 1 of 2 comparisons**: lost **0.80** of expert.", text)
        self.assertIn("| Arrays on chip | 2 | 1 | 0 | 1 | 0.80 | 50.40 | 100.00 |", text)

    def test_bound_is_no_alternative(self):
        self.put("placement", [row("placement/a/koalesce_tuned", 5), row("placement/a/exhaustive_best", 4),
                               row("placement/a/all_scratch", 6)])
        self.assertIn("compared with nothing: placement/a.", self.text())

    def test_case_without_peer_says_so(self):
        self.put("transpose", [row("transpose/u8/9x9/koalesce", 2), row("transpose/u8/9x9/kokkos_mdrange", 6),
                               row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/cublas", 3)])
        text = self.text()
        self.assertIn("| u8/9x9 | 4.00 | 1.33 | - | MDRange | 3.00 | 3.00 |", text)
        self.assertIn("| f64/9x9 | 4.00 | - | 2.67 | cuBLAS | 1.50 | - |", text)

    def test_error_is_told_and_not_compared(self):
        self.put("regroup", [failed("regroup/2paths/equal/random/none/8B/koalesce_auto", "7 results are wrong"),
                             row("regroup/2paths/equal/random/none/8B/plain", 3)])
        text = self.text()
        self.assertIn("**1 benchmark ended with an error:**", text)
        self.assertIn("- `regroup/2paths/equal/random/none/8B/koalesce_auto`: 7 results are wrong", text)
        self.assertIn("| 2paths/equal/random/none/8B | error | 3.00 | - | - |", text)

    def test_note_beside_the_results_is_told(self):
        self.put("transpose", [row("transpose/f64/8x8/koalesce", 1), row("transpose/f64/8x8/kokkos_mdrange", 2)])
        with open(os.path.join(self.results, "note.md"), "w", encoding="utf-8") as f:
            f.write("<!-- not this -->\nThe fan\nwas broken.\n")
        text = self.text()
        self.assertIn("\nThe fan was broken.\n", text)
        self.assertNotIn("not this", text)

    def test_median_of_repetitions_counts(self):
        ours = [row("read/by_row/f64/9x9/koalesce", ms, repetition_index=i) for i, ms in enumerate((90, 2, 1))]
        mean = row("read/by_row/f64/9x9/koalesce", 31) | {"run_type": "aggregate", "aggregate_name": "mean"}
        self.put("transpose", [*ours, mean, row("read/by_row/f64/9x9/plain", 4)])
        self.assertIn("| Reads of a matrix by an index map: later | 1 | 1 | 0 | 0 | 2.00 | 2.00 | 2.00 |", self.text())

    def test_only_aggregates_were_written(self):
        kind = {"run_type": "aggregate", "aggregate_name": "median"}
        self.put("transpose", [row("read/by_row/f64/9x9/koalesce", 2) | kind, row("read/by_row/f64/9x9/plain", 4) | kind])
        self.assertIn("| 1 | 1 | 0 | 0 | 2.00 | 2.00 | 2.00 |", self.text())

    def test_where_it_was_measured(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/copy", 1)])
        text = self.text()
        self.assertIn("# Performance of Koalesce: Abacus 9", text)
        self.assertIn("| commit | c0ffee |", text)
        self.assertIn("| copy, GB/s | 20.0 |", text)

    def test_versions_of_the_peers(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2)], RECORDED | {"peers": "cuTENSOR 2.8.1"})
        self.put("stencil", [row("stencil/7pt/f64/8x8x8/koalesce", 2)])
        self.assertIn("| peers | - | cuTENSOR 2.8.1 |", self.text())

    def test_older_results_say_what_is_not_recorded(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/copy", 1)], {"Kokkos": "40601"})
        text = self.text()
        self.assertIn("# Performance of Koalesce: abacus", text)
        self.assertIn("| commit | not recorded |", text)
        self.assertIn("| Kokkos | 4.6.01 |", text)
        self.assertIn("| copy, GB/s | 8.00 |", text)

    def test_damaged_file_is_named(self):
        damaged = ('{"context": {}, "bench', "[]", '{"benchmarks": []}', '{"context": {}, "benchmarks": ["a"]}',
                   '{"context": {}, "benchmarks": [{"name": "a/b"}]}')
        for text in damaged:
            self.put_text("stencil", text)
            done = self.run_tool("--text")
            self.assertEqual(done.returncode, 1, text)
            self.assertIn("koalesce_perf_stencil.json is not a result of Google Benchmark", done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_folder_without_results(self):
        done = self.run_tool("--text")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no koalesce_perf_*.json", done.stderr)

    def test_unknown_implementation_is_an_alternative(self):
        self.put("stencil", [row("stencil/7pt/f64/8x8x8/koalesce", 2), row("stencil/7pt/f64/8x8x8/kokkos_mdrange", 4),
                             row("stencil/7pt/f64/8x8x8/cuda_other_way", 1), row("stencil/7pt/f64/8x8x8/copy", 0.5),
                             row("stencil/7pt/f64/8x8x8/koalesce_aside", 0.1)])
        text = self.text()
        self.assertIn("| cuda other way | **0.50** |", text)
        self.assertIn("functor) **0.50** of cuda other way", text)
        self.assertIn("Best alternative: cuda other way in 1 case.", text)

    def test_hidden_implementation_is_no_alternative(self):
        self.put("transpose", [row("read/by_row/f64/9x9/koalesce", 2), row("read/by_row/f64/9x9/plain", 4),
                               row("read/by_row/f64/9x9/transpose", 1)])
        self.assertIn("| 1 | 1 | 0 | 0 | 2.00 | 2.00 | 2.00 |", self.text())

    def test_first_and_later_reads_have_alternatives_of_their_own(self):
        times = {"koalesce_first": 5, "koalesce": 1, "plain": 4, "copied_deep_copy_first": 12, "copied_cublas_first": 6,
                 "copied_later": 0.5}
        self.put("transpose", [row(f"read/by_column/f64/9x9/{name}", ms) for name, ms in times.items()])
        text = self.text()
        self.assertIn("| plain | copy, later | **0.80** | **0.50** | 0.80 | 2 | 2 | 4 |", text)
        self.assertIn("Best alternative to first: plain in 1 case. Best alternative to later: copy, later in 1 case.", text)

    def test_break_even(self):
        for numbers, expected in (((5, 1, 4, 4), "2"), ((3, 1, 4, 4), "1"), ((4, 1, 4, 4), "2"), ((10, 1, 4, 4), "4"),
                                  ((5, 4, 4, 4), "never"), ((3, 4, 4, 4), "1"), ((5, 6, 4, 4), "never"),
                                  ((1, 5, 4, 4), "up to 3"), ((1, 5, 4.5, 4), "up to 4"), ((5, 4.05, 4, 4), "never")):
            self.assertEqual(breaks_even(*numbers), expected, numbers)

    def test_break_even_agrees_with_counting(self):
        for first in range(1, 12):
            for later in (1, 2, 3, 5, 6):
                wins = [n for n in range(1, 200) if first + (n - 1) * later < n * 4]
                told = breaks_even(first, later, 4, 4)
                if not wins:
                    self.assertEqual(told, "never")
                elif wins[-1] == 199:
                    self.assertEqual(told, str(wins[0]))
                else:
                    self.assertEqual(told, f"up to {wins[-1]}")

    def test_machine_and_commit_come_first_and_changes_are_told(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2)], RECORDED | {"commit": "0123456789abcdef+changes"})
        self.assertIn("Machine: Abacus 9. Commit: 0123456789ab+changes. **+changes: files differed from that commit.**",
                      self.text())

    def test_no_picture_is_shown_that_is_not_there(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/kokkos_mdrange", 6)])
        self.assertNotIn(".svg", self.text())
        for name in ("transpose_ratios.svg", "other.svg"):
            with open(os.path.join(self.output, name), "w", encoding="utf-8") as f:
                f.write("<svg></svg>")
        self.assertEqual(re.findall(r"\w+\.svg", self.text()), ["transpose_ratios.svg"])

    def test_says_how_to_get_matplotlib(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/kokkos_mdrange", 6)])
        os.mkdir(self.output)
        with open(os.path.join(self.output, "transpose_ratios.svg"), "w", encoding="utf-8") as f:
            f.write("<svg>of an earlier run</svg>")
        os.mkdir(os.path.join(self.results, "matplotlib"))
        with open(os.path.join(self.results, "matplotlib", "__init__.py"), "w", encoding="utf-8") as f:
            f.write("raise ImportError('hidden')")
        done = self.run_tool(PYTHONPATH=self.results)
        self.assertEqual(done.returncode, 3)
        self.assertIn("apt install python3-matplotlib", done.stderr)
        self.assertEqual(sorted(os.listdir(self.output)), ["report.html", "report.md", "transpose_ratios.svg"])
        for name in ("report.md", "report.html"):
            self.assertIn("Without pictures, because matplotlib is missing", self.file(name))
            self.assertNotRegex(self.file(name), r"<svg|\.svg|Bandwidth")
        self.assertIn("f64/9x9", self.file("report.html"))
        self.assertEqual(self.run_tool("--text", PYTHONPATH=self.results).returncode, 0)

    def test_figures_of_the_readme_are_the_pages(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
            section = f.read().split("\n## How fast\n")[1].split("\n## ")[0]
        figures = [line for line in section.splitlines() if line.startswith("| ")]
        with open(os.path.join(ROOT, "docs", "report", "h200", "report.md"), encoding="utf-8") as f:
            page = f.read()
        self.assertGreater(len(figures), 2)
        for line in figures:
            self.assertTrue(line in page, f"not a line of the page: {line}")

    def test_committed_pages_are_of_the_committed_results(self):
        pages = os.path.join(ROOT, "docs", "report")
        self.assertIn("h200", os.listdir(pages))
        for name in sorted(os.listdir(pages)):
            self.output = os.path.join(os.path.dirname(self.results), name)
            shutil.copytree(os.path.join(pages, name), self.output, ignore=shutil.ignore_patterns("report.md"))
            done = self.run_tool("--text", results=os.path.join(ROOT, "perf_tests", "results", name))
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(pages, name, "report.md"), encoding="utf-8") as f:
                self.assertEqual(f.read(), self.file("report.md"),
                                 f"make it again: tools/perf_report perf_tests/results/{name} -o docs/report/{name}")
            self.assertIn(".svg", self.file("report.md"))


GTEST_XML = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="{failures}" disabled="1" errors="0" time="3" timestamp="{date}" name="AllTests" machine="Abacus 9"
            kokkos="4.6.01" commit="{commit}">
  <testsuite name="Beads/Cuda_cuda" tests="3"><testcase name="{test}" status="run" result="completed" time="1.5" classname="Beads/Cuda_cuda">
    {failure}</testcase>
    <testcase name="skips" status="run" result="skipped" time="0.5" classname="Beads/Cuda_cuda"><skipped message="x"/></testcase>
    <testcase name="DISABLED_a" status="notrun" result="suppressed" time="0" classname="Beads/Cuda_cuda"/></testsuite>
  <testsuite name="Frame"><testcase name="{test}" status="run" result="completed" time="1" classname="Frame"/></testsuite>
</testsuites>"""
CTEST_XML = """<testsuite name="Linux" tests="5" timestamp="2026-01-04">
  <testcase name="Beads/Cuda_cuda.slide" classname="x" time="9" status="run"/>
  <testcase name="install.versions" classname="install.versions" time="2" status="run"/>
  <testcase name="large" time="0" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="gone" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="off" time="0" status="disabled"/></testsuite>"""


class TotalsTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.json = os.path.join(self.results, "tests.json")

    def put_xml(self, name, text):
        path = os.path.join(self.results, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def gtest(self, name, test="slide", failure="", commit="c0ffee", date="2026-01-03"):
        return self.put_xml(name, GTEST_XML.format(test=test, failure=failure, failures=int(bool(failure)), commit=commit, date=date))

    def totals(self, *arguments, status=0):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "test_totals"), *arguments, "-o", self.json], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if status == 1:
            return done.stderr
        with open(self.json, encoding="utf-8") as f:
            return json.load(f)

    def test_shards_add_up(self):
        second = GTEST_XML.replace('name="skips"', 'name="skips_too"')
        self.put_xml("b.xml", second.format(test="stay", failure="", failures=0, commit="c0ffee", date="2026-01-02"))
        totals = self.totals(self.gtest("a.xml"), os.path.join(self.results, "b.xml"))
        self.assertEqual(totals, {
            "machine": "Abacus 9", "kokkos": "4.6.01", "commit": "c0ffee", "date": "2026-01-02", "suites": [
                {"suite": "Beads", "runs on": "Cuda, cuda", "passed": 2, "skipped": 2, "failed": 0, "seconds": 4.0},
                {"suite": "Frame", "runs on": "-", "passed": 2, "skipped": 0, "failed": 0, "seconds": 2.0}]})

    def test_failure_is_counted_and_named(self):
        totals = self.totals(self.gtest("a.xml", failure='<failure message="no"/>'), status=2)
        self.assertEqual(totals["failures"], ["Beads/Cuda_cuda.slide"])
        self.assertEqual([totals["suites"][0][key] for key in ("passed", "skipped", "failed")], [0, 1, 1])

    def test_ctests_file_adds_what_gtest_does_not_have(self):
        totals = self.totals(self.put_xml("c.xml", CTEST_XML), self.gtest("a.xml"), status=2)
        self.assertEqual(totals["failures"], ["not GoogleTest's.gone"])
        self.assertEqual(totals["suites"][0]["seconds"], 2.0)
        self.assertEqual(totals["suites"][2], {"suite": "not GoogleTest's", "runs on": "-", "passed": 1, "skipped": 1,
                                               "failed": 1, "seconds": 2.0})

    def test_listed_test_that_did_not_run(self):
        listed = self.put_xml("listed.txt", "Running main()\nBeads/Cuda_cuda.  # TypeParam = x\n  slide\n  break\n  skips\n"
                              "  DISABLED_a\nFrame.\n  slide  # GetParam() = 1\n")
        self.assertEqual(self.totals(self.gtest("a.xml"), "--listed", listed, status=2)["not run"], ["Beads/Cuda_cuda.break"])

    def test_options_replace_what_the_files_say(self):
        totals = self.totals(self.gtest("a.xml"), "--commit", "beef", "--machine", "Slide rule")
        self.assertEqual([totals["commit"], totals["machine"]], ["beef", "Slide rule"])

    def test_what_does_not_belong_together(self):
        first = self.gtest("a.xml")
        self.assertIn("is not of the same run as", self.totals(first, self.gtest("b.xml", "stay", commit="beef"), status=1))
        self.assertIn("give each result once", self.totals(first, first, status=1))
        for text in ("<testsuites>", "<html></html>", "<testsuites></testsuites>", ""):
            self.assertIn("d.xml", self.totals(self.put_xml("d.xml", text), status=1))
        self.assertFalse(os.path.exists(self.json))

    def test_page_shows_them(self):
        self.totals(self.gtest("a.xml", failure='<failure message="no"/>'), status=2)
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2)])
        self.assertEqual(self.run_tool("--text").returncode, 0)
        page = self.file("report.md")
        self.assertIn("Of 3 tests 1 passed, 1 skipped themselves, **1 failed**. machine: Abacus 9, commit: c0ffee, Kokkos: 4.6.01",
                      page)
        self.assertIn("- `Beads/Cuda_cuda.slide` failed", page)
        self.assertIn("| Beads | Cuda, cuda | 0 | 1 | 1 | 2.0 |", page)

    def test_page_refuses_damaged_totals(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2)])
        for text in ("{", "[]", "{}", '{"suites": [{"suite": "a"}]}'):
            self.put_xml("tests.json", text)
            done = self.run_tool("--text")
            self.assertEqual(done.returncode, 1)
            self.assertIn("tests.json is not a result of tools/test_totals", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
class PicturesTest(ToolTest):
    def put_all(self):
        stencil = [row(f"{group}stencil/7pt/f64/{n}x{n}x{n}/{name}", ms * n, 16 * n**3, points=n**3 / (ms * n) * 1e3)
                   for group, sizes in (("", (8, )), ("scaling/", (8, 16, 32))) for n in sizes
                   for name, ms in (("koalesce", 3), ("koalesce_linear", 1), ("kokkos_mdrange", 2))]
        self.put("stencil", stencil)
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2), row("transpose/f64/9x9/kokkos_mdrange", 6)])

    def draw(self):
        done = self.run_tool()
        self.assertEqual(done.returncode, 0, done.stderr)
        return {name: self.file(name) for name in sorted(os.listdir(self.output))}

    def test_pictures_that_the_page_shows(self):
        self.put_all()
        files = self.draw()
        self.assertEqual(list(files), ["bandwidth.svg", "report.html", "report.md", "roofline.svg", "scaling.svg",
                                       "stencil_ratios.svg", "transpose_ratios.svg"])
        for name in files:
            self.assertEqual(name.endswith(".svg"), f"({name})" in files["report.md"])
        self.assertEqual(files["report.html"].count("<svg"), 5)

    def test_loss_has_its_own_colour(self):
        self.put_all()
        files = self.draw()
        count = {name: text.lower().count("#d55e00") for name, text in files.items()}
        # Beside the legend's: a bar, and its number.
        self.assertEqual(count["stencil_ratios.svg"] - count["transpose_ratios.svg"], 2)

    def test_odd_results_are_drawn(self):
        self.put("stencil", [failed("stencil/7pt/f64/8x8x8/koalesce", "broken"),
                             row("stencil/7pt/f64/8x8x8/kokkos_mdrange", 2, points=256e3),
                             row("stencil/other/f64/8x8x8/koalesce", 2, points=256e3), row("unknown/a/b", 1)], {})
        self.assertEqual(list(self.draw()), ["report.html", "report.md", "roofline.svg"])

    def test_drawn_again_the_same(self):
        self.put_all()
        self.assertEqual(self.draw(), self.draw())

    def test_text_does_not_depend_on_pictures(self):
        self.put_all()
        with_pictures = self.draw()["report.md"]
        self.assertEqual(self.run_tool("--text").returncode, 0)  # beside the pictures
        self.assertEqual(self.file("report.md"), with_pictures)


if __name__ == "__main__":
    unittest.main()
