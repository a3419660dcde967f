#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of tools/gpu_check, with a compute-sanitizer and a test program made up, and of its list."""

import glob
import importlib.machinery
import importlib.util
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "gpu_check")

PROGRAM = """#!/bin/sh
case "$*" in
*--gtest_list_tests*) printf 'Beads/Cuda_cuda.  # TypeParam = x\\n  slide\\n  stay\\n  DISABLED_break\\nFrame.\\n  holds\\n' ;;
*) cat "$(dirname "$0")/output"; exec sleep "$(cat "$(dirname "$0")/seconds")" ;;
esac
"""
SANITIZER = """#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
tool=$2
while [ "${1#/}" = "$1" ]; do shift; done
"$@"
cat "$(dirname "$0")/summary.$tool" 2>/dev/null || echo '========= ERROR SUMMARY: 0 errors'
exit "$(cat "$(dirname "$0")/status")"
"""
CLEAN = "[==========] 2 tests from 1 test suite ran. (1 ms total)\n[  PASSED  ] 2 tests.\n"


def module():
    loader = importlib.machinery.SourceFileLoader("gpu_check", TOOL)
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu_check", loader))
    loader.exec_module(loaded)
    return loaded


class GpuCheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (("beads", PROGRAM), ("sanitizer", SANITIZER), ("status", "0"), ("seconds", "0"), ("output", CLEAN),
                           ("list", "# comment\nall beads\n    Beads/*.s*\n"),
                           ("summary.racecheck", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n")):
            self.put(name, text)

    def put(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        if text.startswith("#!"):
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def check(self, status, *options):
        done = subprocess.run([sys.executable, TOOL, self.folder, "--list", os.path.join(self.folder, "list"), "--sanitizer",
                               os.path.join(self.folder, "sanitizer"), *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr

    def test_all_tools_run_the_filter(self):
        self.assertIn("4 of 4 runs are clean", self.check(0))
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as f:
            calls = sorted(f.read().splitlines())
        self.assertEqual([call.split()[1] for call in calls], ["initcheck", "memcheck", "racecheck", "synccheck"])
        for call in calls:
            self.assertIn("--gtest_filter=Beads/*.s*", call)

    def test_filter_that_names_no_test(self):
        for filters in ("Beads/*.s*:Beads/*.missing", "Beads/*.s* Frame.", "Beads/*.DISABLED_*", ""):
            self.put("list", f"all beads {filters}\n")
            self.check(2)
        self.put("list", "all beads Beads/*.s*\n    Frame.hold\n")
        self.assertIn("the filter Frame.hold names no test", self.check(2))

    def test_list_and_programs_that_cannot_be_used(self):
        for text in ("", "    Beads/*\n", "all\n", "all abacus *\n"):
            self.put("list", text)
            self.check(2)
        self.put("list", "all beads Beads/*.s*\n")
        self.check(2, "--tools", "racecheck,other")
        self.check(2, "--groups", "some")
        self.check(2, "--sanitizer", "/nowhere/compute-sanitizer")

    def test_what_a_tool_found(self):
        self.put("summary.memcheck", "========= ERROR SUMMARY: 3 errors\n")
        self.assertRegex(self.check(1), r"memcheck +all +2 .*3 errors")
        self.put("summary.memcheck", "========= ERROR SUMMARY: 0 errors\n")
        self.put("summary.racecheck", "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n")
        self.assertIn("3 of 4 runs are clean", self.check(1))

    def test_status_alone_is_enough(self):
        self.put("status", "86")
        self.assertIn("exit status 86", self.check(1, "--tools", "memcheck"))

    def test_tool_without_a_summary_crashed(self):
        self.put("summary.memcheck", "")
        self.assertIn("no summary", self.check(1, "--tools", "memcheck"))

    def test_tests_that_fail_skip_or_do_not_run(self):
        self.put("output", "[  FAILED  ] Beads/Cuda_cuda.slide (1 ms)\n" + CLEAN.replace("2 tests.", "1 test."))
        self.assertRegex(self.check(1, "--tools", "memcheck"), "  1 failed")
        self.put("output", CLEAN.replace("2 tests.", "1 test.") + "[  SKIPPED ] 1 test.\n")
        self.assertRegex(self.check(1, "--tools", "memcheck"), "  1 skipped")
        self.put("output", CLEAN.replace("] 2 tests from", "] 1 test from"))
        self.assertIn("1 of 2 tests ran", self.check(1, "--tools", "memcheck"))
        self.put("output", "")
        self.assertIn("no of 2 tests ran", self.check(1, "--tools", "memcheck"))

    def test_limits(self):
        self.put("seconds", "60")
        self.assertIn("did not finish in 1 s", self.check(1, "--tools", "memcheck", "--limit", "1"))
        text = self.check(1, "--tools", "memcheck,racecheck", "--total", "1.5", "--jobs", "1")
        self.assertIn("did not finish in 1 s", text.replace("in 2 s", "in 1 s"))
        self.assertIn("not run: the total limit was reached", text)

    def test_logs(self):
        logs = os.path.join(self.folder, "logs")
        self.check(0, "--logs", logs, "--tools", "memcheck")
        self.assertEqual(os.listdir(logs), ["memcheck.all.log"])


class ListTest(unittest.TestCase):
    def test_every_filter_names_a_test_of_the_sources(self):
        names = []
        for path in glob.glob(os.path.join(ROOT, "unit_tests", "**", "Test*.cpp"), recursive=True):
            with open(path, encoding="utf-8") as f:
                for kind, suite, test in re.findall(r"^(TEST|TYPED_TEST)\((\w+), (\w+)\)", f.read(), re.M):
                    for backend in ("cuda", "portable"):
                        names.append(f"{suite}.{test}" if kind == "TEST" else f"{suite}/Cuda_{backend}.{test}")
        self.assertGreater(len(names), 100)
        tool = module()
        for group in tool.read_list(tool.LIST):
            self.assertGreater(len(tool.matching(group.filters, names)), 0)


if __name__ == "__main__":
    unittest.main()
