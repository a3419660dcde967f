#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of tools/perf_report, by made-up results. Those of pictures are skipped where matplotlib is missing."""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

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

    def test_loss_is_counted_and_named(self):
        self.put("placement", [row("placement/won/koalesce_tuned", 1), row("placement/won/all_scratch", 100),
                               row("placement/lost/koalesce_tuned", 5), row("placement/lost/all_promoted", 4)])
        text = self.text()
        self.assertIn("**slower than the best alternative in 1 of 2 comparisons**: lost **0.80** of all promoted.", text)
        self.assertIn("| Arrays on chip | 2 | 1 | 0 | 1 | 0.80 | 50.40 | 100.00 |", text)

    def test_bound_is_no_alternative(self):
        self.put("placement", [row("placement/a/koalesce_tuned", 5), row("placement/a/exhaustive_best", 4)])
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

    def test_says_how_to_get_matplotlib(self):
        self.put("transpose", [row("transpose/f64/9x9/koalesce", 2)])
        os.mkdir(os.path.join(self.results, "matplotlib"))
        with open(os.path.join(self.results, "matplotlib", "__init__.py"), "w", encoding="utf-8") as f:
            f.write("raise ImportError('hidden')")
        done = self.run_tool(PYTHONPATH=self.results)
        self.assertEqual(done.returncode, 3)
        self.assertIn("apt install python3-matplotlib", done.stderr)
        self.assertEqual(sorted(os.listdir(self.output)), ["report.html", "report.md"])
        for name in os.listdir(self.output):
            self.assertIn("matplotlib was missing", self.file(name))
            self.assertNotIn(".svg", self.file(name))
            self.assertNotIn("<svg", self.file(name))
            self.assertIn("9x9", self.file(name))
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

    def test_committed_page_is_of_the_committed_results(self):
        done = self.run_tool("--text", results=os.path.join(ROOT, "perf_tests", "results", "h200"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(ROOT, "docs", "report", "h200", "report.md"), encoding="utf-8") as f:
            self.assertEqual(f.read(), self.file("report.md"), "make it again: tools/perf_report perf_tests/results/h200 "
                             "-o docs/report/h200")


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
        self.assertEqual(self.run_tool("--text").returncode, 0)
        self.assertEqual(self.file("report.md"), with_pictures)


if __name__ == "__main__":
    unittest.main()
