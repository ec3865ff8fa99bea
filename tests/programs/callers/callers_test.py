#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every way in which a program reaches a library, with LD_PRELOAD and without.

callers_test.py --library LIB --programs FOLDER --libraries FOLDER [unittest arguments]

The expected numbers are the sizes that the program was told to use: 2 * m * 2 * 3.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.join(HERE, "../../support/fake_agent.py")
OPTIONS = None
LINKED = ("caller_lazy", "caller_now", "caller_noplt")
PLUGINS = ("lazy", "now", "noplt", "table")


def library(name):
    return os.path.join(OPTIONS.libraries, name)


def copy(number):
    return f"path={library(f'copy{number}/libcublas.so.13')}"


def plugin(name):
    return f"path={library(name + '.so')}"


def bare(program, *ways, env=None):
    return subprocess.run([os.path.join(OPTIONS.programs, program), *ways], capture_output=True,
                          text=True, timeout=60, check=False, env=dict(os.environ, **(env or {})))


class Run:
    """One program under the fake agent."""

    def __init__(self, program, *ways, preload=True, env=None, agent=(), init=("init",)):
        if isinstance(program, str):
            program = [os.path.join(OPTIONS.programs, program)]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "records")
            argv = [sys.executable, AGENT, "--library", OPTIONS.library, "--out", out,
                    "--modules", "0", "--cupti", "0", *([] if preload else ["--no-preload"]),
                    *agent, "--", *program, *init, *ways]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False,
                                  env=dict(os.environ, **(env or {})))
            self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr
            with open(out, encoding="utf-8") as file:
                self.rows = [json.loads(line) for line in file]
        ends = [row for row in self.rows if row["type"] == "end"]
        self.loss = ends[-1]["loss"] if ends else None
        gemms = [row for row in self.rows if row["type"] == "gemm"]
        self.flops = [2 * r["m"] * r["n"] * r["k"] * r["batch"] for r in gemms]
        self.copies = [row["math_mode"] for row in gemms]

    def note(self, key):
        values = [r["value"] for r in self.rows if r["type"] == "note" and r["key"] == key]
        return values[-1] if values else None


class Both(unittest.TestCase):
    """Whatever is reached, it is counted once, with the getters of its own copy."""

    def check(self, program, ways, ms, copies=None):
        for preload in (True, False):
            with self.subTest(program=program, ways=ways, preload=preload):
                run = Run(program, *ways, preload=preload)
                self.assertEqual(run.status, 0, run.errors)
                self.assertEqual(run.flops, [2 * m * 2 * 3 for m in ms])
                self.assertEqual(run.copies, copies or [1] * len(ms))
                self.assertEqual(run.loss, {})

    def test_link(self):
        for program in LINKED:
            self.check(program, ["link=5", "link=6"], [5, 6])

    def test_dlsym_in_a_local_library(self):
        self.check("caller", [copy(1), "dlsym=5"], [5])

    def test_dlvsym(self):
        self.check("caller", [copy(1), "dlvsym=5"], [5])

    def test_a_table_filled_once(self):
        self.check("caller", [copy(1), "fill", "table=5", "table=6"], [5, 6])

    def test_two_copies_each_reach_their_own(self):
        ways = [copy(1), "fill", copy(2), "dlsym=5", "table=6", "dlsym=7"]
        self.check("caller", ways, [5, 6, 7], copies=[2, 1, 2])

    def test_a_copy_beside_the_linked_one(self):
        for program in LINKED:
            self.check(program, ["link=4", copy(2), "dlsym=5", "link=6"], [4, 5, 6],
                       copies=[1, 2, 1])

    def test_plugins(self):
        for name in PLUGINS:
            self.check("caller", [plugin(name), "plugin=5", "plugin=6"], [5, 6])

    def test_lazily_opened_plugins(self):
        for name in PLUGINS:
            self.check("caller", ["lazy", plugin(name), "plugin=5"], [5])

    def test_plugins_bound_to_themselves_first(self):
        for name in PLUGINS:
            self.check("caller", ["deepbind=1", plugin(name), "plugin=5"], [5])

    def test_a_plugin_beside_a_global_copy_of_the_library(self):
        # Without LD_PRELOAD the global copy comes before us.
        ways = ["global", copy(1), "dlsym=3", plugin("now"), "plugin=5"]
        self.check("caller", ways, [3, 5])

    def test_a_plugin_that_registers_itself(self):
        self.check("caller", [plugin("register"), "registered=5"], [5])
        self.check("caller", ["deepbind=1", plugin("register"), "registered=5"], [5])
        self.check("caller", [plugin("bare"), "registered=5"], [5])

    def test_by_the_program(self):
        for program in LINKED:
            self.check(program, ["program=5"], [5])

    def test_in_the_default_scope(self):
        for program in LINKED:
            self.check(program, ["default=5"], [5])
        self.check("caller", ["global", copy(2), "dlsym=3", "default=5"], [3, 5], copies=[2, 2])

    def test_nested_calls_count_once(self):
        # Five products in a strided batch call: 2 * m * 2 * 3 * 5.
        for program in LINKED:
            self.check(program, ["nested=2"], [10])

    def test_failed_calls_count_nothing(self):
        run = Run("caller", copy(1), "dlsym=13")  # refused by the library
        self.assertEqual((run.status, run.flops), (0, []))
        self.assertEqual([r["status"] for r in run.rows if r["type"] == "call_end"], [7])


class Harmless(unittest.TestCase):
    def same(self, program, *ways):
        alone = bare(program, "init", *ways)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for preload in (True, False):
            run = Run(program, *ways, preload=preload)
            self.assertEqual((run.status, run.output), (0, alone.stdout), run.errors)
        return alone.stdout

    def test_what_is_missing_is_said_as_ever(self):
        text = self.same("caller", copy(1), "missing=cublasDgemm_v2")
        self.assertEqual(text.count("found"), 0)
        self.assertIn("undefined symbol: cublasDgemm_v2", text)
        self.assertIn("/nowhere/libcublas.so", text)

    def test_addresses_are_equal_where_they_were(self):
        self.assertEqual(self.same("caller", copy(1), f"same={library('copy2/libcublas.so.13')}"),
                         "1 0\n")

    def test_name_spaces_are_said_to_be_unseen(self):
        for preload in (True, False):
            run = Run("caller", copy(1), "dlsym=4", plugin("now"), "namespace=5", preload=preload)
            self.assertEqual((run.status, run.flops), (0, [48]), run.errors)
            self.assertEqual(run.loss, {"namespace_unseen": 1})

    def test_another_tool_in_front_of_dlsym(self):
        other = library("libother_tool.so")
        ways = [copy(1), "dlsym=5", plugin("now"), "plugin=6"]
        caller = os.path.join(OPTIONS.programs, "caller")
        for preload in (f"{OPTIONS.library}:{other}", f"{other}:{OPTIONS.library}", other):
            with self.subTest(preload=preload):
                run = Run(["/usr/bin/env", f"LD_PRELOAD={preload}", caller], *ways, preload=False)
                self.assertEqual((run.status, run.output), (0, "asked 1\n"), run.errors)
                self.assertEqual(run.flops, [60, 72])

    def test_ctypes(self):
        code = ("import ctypes, sys; ctypes.CDLL(sys.argv[1]).cuInit(0); "
                "library = ctypes.CDLL(sys.argv[2]); handle = ctypes.c_void_p(); "
                "library.cublasCreate_v2(ctypes.byref(handle)); one = ctypes.c_float(1); "
                "library.cublasSgemm_v2(handle, 0, 0, 5, 2, 3, ctypes.byref(one), None, 5, None, "
                "3, ctypes.byref(one), None, 5)")
        for preload in (True, False):
            run = Run([sys.executable, "-c", code, library("libcuda.so.1"),
                       library("copy2/libcublas.so.13")], preload=preload, init=())
            self.assertEqual((run.status, run.flops, run.copies), (0, [60], [2]), run.errors)

    def test_threads_that_load_and_unload(self):
        for preload in (True, False):
            run = Run("caller", "deepbind=1", plugin("now"), "storm=200", preload=preload)
            self.assertEqual(run.status, 0, run.errors)
            self.assertEqual(run.flops, [60] * 800)
            self.assertEqual(run.loss, {})

    def test_pages_are_read_only_again(self):
        self.assertEqual(bare("caller_noplt", "where").stdout, "libcublas.so.13 r--p\n")
        run = Run("caller_noplt", "where", "link=5", preload=False)
        self.assertEqual(run.output, "libflopsprof_inject.so r--p\n")

    def test_everything_is_taken_back_when_the_agent_goes(self):
        run = Run("caller_noplt", "where", "link=5", "link=5", "await=libcublas.so.13", "where",
                  "link=5", preload=False, agent=("--vanish-at", "2"),
                  env={"FLOPSPROF_RECONNECT_S": "0"})
        self.assertEqual(run.status, 0, run.errors)
        self.assertEqual(run.output, "libflopsprof_inject.so r--p\nlibcublas.so.13 r--p\n")

    def test_without_an_agent_nothing_is_touched(self):
        done = bare("caller", "init", copy(1), "dlsym=5", plugin("now"), "plugin=6",
                    env={"LD_PRELOAD": OPTIONS.library})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


class Cost(unittest.TestCase):
    def test_one_more_library_costs_little(self):
        run = Run("caller", plugin("now"), "speed=100000", preload=False)
        # "N slots of M objects, T us, longest L us"
        words = run.note("caller_patch").split()
        print(f"callers: {run.note('caller_patch')}; {run.output.strip()}", file=sys.stderr)
        self.assertLess(int(words[8]), 20000)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--libraries", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
