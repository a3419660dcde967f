# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Totals of a run of the tests by suite, from GoogleTest's XML and CTest's."""

import json
import os
import re
from xml.etree import ElementTree

# What a run says of itself: key -> what it is. unit_tests/main.cpp records them.
FACTS = {"machine": "the device", "execution_space": "Kokkos' default execution space", "backends": "Kokkos' backends",
         "kokkos": "Kokkos' version", "koalesce": "Koalesce's version", "commit": "the commit", "compiler": "the compiler",
         "date": "when it began"}
COUNTS = ("passed", "skipped", "failed")
OTHER = "not GoogleTest's"  # the suite of CTest's tests of scripts, packages and pages


class Damaged(Exception):
    """A file that cannot be read, or that does not belong to the others."""


def read_xml(path):
    """The root of a file, and whether GoogleTest wrote it."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as e:
        raise Damaged(f"{path} is not XML ({e}): a program that crashed leaves no result; run its tests again") from e
    if root.tag not in ("testsuites", "testsuite"):
        raise Damaged(f"{path} is of neither GoogleTest nor CTest, because it begins with <{root.tag}>: give what "
                      "--gtest_output=xml:<file> or ctest --output-junit <file> wrote")
    return root, root.tag == "testsuites"


def verdict(case):
    """"passed", "skipped", "failed", or None for a disabled test."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if case.get("result") == "skipped":
        return "skipped"
    if case.get("result") == "suppressed" or case.get("status") == "disabled":
        return None
    if case.get("status") == "notrun":  # by CTest, which says why
        skipped = case.find("skipped")
        return "skipped" if skipped is not None and skipped.get("message", "").startswith("SKIP_") else "failed"
    return "passed"


def cases_of(root, of_gtest):
    """(suite's whole name, test, verdict, seconds) of each test."""
    for case in root.iter("testcase"):
        suite, name = case.get("classname", ""), case.get("name", "")
        if not of_gtest:  # CTest's test of one GoogleTest test has its whole name
            whole = re.fullmatch(r"([A-Z]\w*(?:/\w+)*)\.([\w/]+)", name)
            suite, name = whole.groups() if whole else (OTHER, name)
        if not name:
            raise Damaged("a test without a name")
        result = verdict(case)
        if result:
            yield suite, name, result, float(case.get("time") or 0)


def facts_of(files, given):
    """What the files say of themselves, or what is given instead."""
    facts, first = {}, {}
    for path, root, _ in files:
        for key in FACTS:
            value = root.get("timestamp" if key == "date" else key)
            if not value or key in given:
                continue
            if key == "date":
                facts[key] = min(value, facts.get(key, value))
            elif facts.setdefault(key, value) != value:
                raise Damaged(f"{path} is not of the same run as {first[key]}, because {FACTS[key]} is {value}, not "
                              f"{facts[key]}: run all tests of one build on one machine")
            first.setdefault(key, path)
    return {key: given.get(key) or facts.get(key) for key in FACTS if given.get(key) or facts.get(key)}


def split_suite(suite):
    """StencilRandom3D/Cuda_cuda as suite, and execution space and backend."""
    name, _, path = suite.rpartition("/")
    return (name, path.replace("_", ", ")) if name else (suite, "-")


def totals(paths, given=None):
    """Facts, suites, failures and the names of all tests."""
    files = [(path, *read_xml(path)) for path in paths]
    facts = facts_of(files, given or {})
    names, suites, failures = set(), {}, []
    for path, root, of_gtest in sorted(files, key=lambda file: not file[2]):
        for suite, name, result, seconds in cases_of(root, of_gtest):
            whole = f"{suite}.{name}"
            if whole in names:
                if of_gtest:
                    raise Damaged(f"{path} has {whole}, which another file has, too: give each result once")
                continue
            names.add(whole)
            total = suites.setdefault(split_suite(suite), dict.fromkeys((*COUNTS, "seconds"), 0))
            total[result] += 1
            total["seconds"] += seconds
            failures += [whole] if result == "failed" else []
    if not names:
        raise Damaged(f"{', '.join(paths)} have no test that ran: look at the filter")
    rows = [{"suite": suite, "runs on": path, **total, "seconds": round(total["seconds"], 2)}
            for (suite, path), total in sorted(suites.items())]
    document = {**facts, "suites": rows, "names": names}
    return {**document, "failures": sorted(failures)} if failures else document


def missing(names, lists):
    """Tests that --gtest_list_tests printed, and that no file has."""
    expected = []
    for path in lists:
        try:
            with open(path, encoding="utf-8") as f:
                lines = [line.split("#")[0].rstrip() for line in f]
        except OSError as e:
            raise Damaged(f"{path} cannot be read ({e}): write what --gtest_list_tests prints into it") from e
        suite = None
        for line in lines:
            if re.fullmatch(r"\S+\.", line):
                suite = line
            elif suite and re.fullmatch(r"  \S+", line) and "DISABLED_" not in suite + line:
                expected.append(suite + line.strip())
        if not suite:
            raise Damaged(f"{path} names no test: write what --gtest_list_tests prints into it")
    return sorted(set(expected) - names)


def as_json(document):
    """A line a suite, so that differences are lines."""
    facts = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items() if key != "suites"]
    suites = ",\n".join("    " + json.dumps(suite) for suite in document["suites"])
    return "{\n" + "".join(fact + ",\n" for fact in facts) + '  "suites": [\n' + suites + "\n  ]\n}\n"


def read_totals(directory):
    """tests.json of a directory with results, or None."""
    path = os.path.join(directory, "tests.json")
    if not os.path.exists(path):
        return None
    try:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        for suite in document["suites"]:
            if {"suite", "runs on", "seconds", *COUNTS} - set(suite):
                raise ValueError(f"a suite has only {', '.join(suite)}")
        return document
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise Damaged(f"{path} is not a result of tools/test_totals ({type(e).__name__}: {e}): make it again, or remove "
                      "it") from e
