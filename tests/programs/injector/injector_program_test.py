#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The injector in a C program whose libraries say no; what arrives at a fake agent.

injector_program_test.py --library LIB --job JOB [unittest arguments]
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
AGENT = os.path.join(HERE, "../../support/fake_agent.py")
LIBRARY = JOB = None

class Run:
    """One job under the fake agent."""

    def __init__(self, *actions, agent=(), env=None):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "records")
            done = subprocess.run(
                [sys.executable, AGENT, "--library", LIBRARY, "--out", out, "--modules", "0",
                 *agent, "--", JOB, *actions],
                env=dict(os.environ, **(env or {})), capture_output=True, text=True, timeout=120,
                check=False)
            self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr
            with open(out, encoding="utf-8") as file:
                self.rows = [json.loads(line) for line in file]

    def of(self, kind):
        return [row for row in self.rows if row["type"] == kind]

    @property
    def end(self):
        return self.of("end")[0]

    @property
    def loss(self):
        return self.end["loss"]

    def note(self, key):
        values = [row["value"] for row in self.of("note") if row["key"] == key]
        return values[-1] if values else None


def bare(*actions, env=None):
    return subprocess.run([JOB, *actions], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **(env or {})), check=False)


class Calls(unittest.TestCase):
    def test_a_product_has_its_sizes_and_math_mode(self):
        run = Run("gemm")
        self.assertEqual(run.status, 0, run.errors)
        [gemm] = run.of("gemm")
        self.assertEqual((gemm["m"], gemm["n"], gemm["k"], gemm["batch"]), (11, 12, 13, 1))
        self.assertEqual((gemm["api"], gemm["math_mode"], gemm["flags"]), (1, 3, 0))
        self.assertEqual(run.end["hook_calls"], 1)

    def test_a_matrix_times_a_vector_is_a_product_of_one_column(self):
        run = Run("gemv=0", "gemv=1")
        sizes = [(r["m"], r["n"], r["k"]) for r in run.of("gemm")]
        self.assertEqual(sizes, [(7, 1, 9), (9, 1, 7)])

    def test_a_refused_call_is_not_counted(self):
        run = Run("gemm", env={"CUBLAS_SAYS": "13"})
        self.assertEqual(run.output, "gemm: 13\n")
        self.assertEqual(run.of("gemm"), [])
        [end] = run.of("call_end")
        self.assertEqual((end["status"], end["api"]), (13, 1))

    def test_a_plan_is_described_once(self):
        run = Run("execute=1", "execute=1", "execute=2", "destroy=1", "execute=401", "execute=1",
                  env={"CUDNN_PLANS": "1"})
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [1, 1, 2, 3, 1])
        self.assertEqual(len({str(row["graph"]) for row in run.of("cudnn")}), 3)

    def test_plans_that_compute_the_same_have_one_id(self):
        run = Run("execute=1", "execute=1", "execute=2", "destroy=1", "execute=1")
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [1, 1, 1, 1])
        for row in run.of("cudnn"):
            (node,) = row["graph"]["operationGraph"]["nodes"]
            self.assertEqual(node["matC"], "3")
        self.assertEqual(run.loss.get("cudnn_plan_unknown", 0), 0)

    def test_twenty_thousand_plans_each_have_their_own_work(self):
        run = Run("many_plans=20000", agent=("--slots=4", "--records=1048576"),
                  env={"CUDNN_PLANS": "1"})
        self.assertEqual(run.loss, {})
        # Twice for each: how long, and the text. Not once more for those that live.
        self.assertEqual(run.output, "asked 40000, then 0\n")
        made, ids = {}, set()
        for row in run.of("cudnn"):
            a, b, _ = (tensor["dim"] for tensor in row["graph"]["operationGraph"]["tensors"])
            made[a[0], b[1]] = made.get((a[0], b[1]), 0) + 2 * a[0] * a[1] * b[1]
            ids.add(row["plan"])
        expected = {}
        for plan in range(1, 20001):
            m, n = 1 + plan % 200, 1 + plan // 200
            expected[m, n] = (4 if plan > 10000 else 2) * 2 * m * 8 * n
        self.assertEqual(made, expected)
        self.assertEqual(len(ids), 20000)

    def test_sizes_of_a_layout_that_is_not_known_are_unknown(self):
        for version in ("92400", "100000"):
            run = Run("override=vectors", "execute=1", env={"CUDNN_SAYS": version})
            (row,) = run.of("cudnn")
            self.assertEqual(row["graph"]["overrides"], [{"uid": 1, "dim": [5, 8]}])
        run = Run("override=other", "execute=1", env={"CUDNN_SAYS": "100000"})
        self.assertEqual(run.status, 0, run.errors)
        (row,) = run.of("cudnn")
        self.assertEqual((row["plan"], row["flags"] & 4), (0, 4))
        self.assertEqual(run.loss, {"cudnn_plan_unknown": 1})

    def test_a_plan_that_becomes_nodes_of_a_graph_is_not_executed(self):
        run = Run("populate=1", "execute=1")
        populated, executed = run.of("cudnn")
        self.assertEqual((populated["flags"] & 1, executed["flags"] & 1), (1, 0))
        self.assertEqual(populated["plan"], executed["plan"])
        self.assertEqual([row["graph"] for row in run.of("graph_call")], [0x1230])
        self.assertEqual(run.of("graph_call")[0]["call"], populated["call"])
        # As a capture of its own.
        (capture,) = [row["capture"] for row in run.of("graph_call")]
        self.assertEqual(capture >> 63, 1)
        (event,) = run.of("graph_event")
        self.assertEqual((event["capture"], event["graph"]), (capture, 0x1230))
        self.assertNotIn("captured_call", run.loss)

    def test_a_plan_without_json_is_unknown_and_counted_once(self):
        run = Run("execute=1", "execute=1", "execute=2", env={"CUDNN_JSON": "refused"})
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [0, 0, 0])
        self.assertEqual(run.loss["cudnn_plan_unknown"], 2)

    def test_sizes_that_a_plan_does_not_describe_are_asked_for_once(self):
        run = Run("override=vectors", "execute=1", "execute=1", "execute=1", "asked",
                  env={"CUDNN_JSON": "refused later"})
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [0, 0, 0])
        self.assertEqual(run.output, "asked 3\n")
        self.assertEqual(run.loss, {"cudnn_plan_unknown": 1})

    def test_a_plan_that_no_ring_can_hold_is_asked_for_once(self):
        run = Run("execute=1", "execute=1", "execute=1", "asked",
                  env={"CUDNN_NAME_BYTES": "900000"})
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [0, 0, 0])
        self.assertEqual(run.output, "asked 2\n")
        self.assertEqual(run.loss, {"cudnn_plan_unknown": 1, "blob_too_large": 1})

    def test_an_old_library_is_followed_from_the_start(self):
        old = {"CUDNN_JSON": "refused", "CUDNN_SAYS": "8907"}
        run = Run("gemm", "build=1", "execute=1", "execute=1", "execute=2", env=old)
        known, again, unknown = run.of("cudnn")
        self.assertEqual((known["plan"], unknown["plan"]), (again["plan"], 0))
        sizes = [tensor["dim"] for tensor in known["graph"]["tensors"]]
        self.assertEqual(sizes, [[4, 8], [8, 2], [4, 2]])
        (node,) = known["graph"]["nodes"]
        self.assertEqual([node[role] for role in ("matA", "matB", "matC")], ["0", "1", "2"])
        self.assertEqual(run.loss["cudnn_plan_unknown"], 1)

    def test_a_library_that_refuses_is_followed_from_then_on(self):
        run = Run("build=1", "execute=1", "build=2", "execute=2", env={"CUDNN_JSON": "refused"})
        first, second = run.of("cudnn")
        self.assertEqual((first["graph"], len(second["graph"]["nodes"])), (None, 1))

    def test_a_network_of_cudnn_8_has_the_tokens_of_its_time_steps(self):
        run = Run("old_rnn=3321", "old_rnn_ex", "old_rnn=3031", "old_rnn=")
        self.assertEqual(run.output, "")  # every argument arrived
        steps, data, *unreadable = run.of("library")
        lstm_in_both_directions = 2 | 4
        for row, tokens in ((steps, 3 + 3 + 2 + 1), (data, 5 + 3 + 2)):
            self.assertEqual([row[f"size{i}"] for i in range(5)], [tokens, 8, 16, 4, 2])
            self.assertEqual((row["variant"], row["data_type"], row["math_mode"]),
                             (lstm_in_both_directions, 2, 1))
            self.assertEqual(row["reason"], 0)
        self.assertEqual([row["reason"] for row in unreadable], [3, 3])

    def test_ten_megabytes_of_compiled_code_stay_behind(self):
        run = Run("execute=1", env={"CUDNN_JSON": str(10 << 20)})
        self.assertEqual([row["plan"] for row in run.of("cudnn")], [1])
        self.assertEqual(list(run.of("cudnn")[0]["graph"]), ["operationGraph"])

    def test_errno_stays(self):
        self.assertEqual(Run("errno", "errno").output, "errno 77\nerrno 77\n")
        alone = bare("errno", env={"LD_PRELOAD": LIBRARY, "FLOPSPROF_SOCKET": "/nowhere"})
        self.assertEqual(alone.stdout, "errno 77\n")

    def test_each_caller_reaches_its_own_library(self):
        actions = ("plugin=plugin12.so", "plugin=plugin11.so", "plugin=plugin12.so")
        expected = "plugin12.so: 12\nplugin11.so: 11\nplugin12.so: 12\n"
        self.assertEqual(bare(*actions).stdout, expected)
        run = Run(*actions)
        self.assertEqual(run.output, expected)
        self.assertEqual([row["status"] for row in run.of("call_end")], [12, 11, 12])

    def test_a_range_entered_before_the_first_call_is_defined(self):
        run = Run("push=before", "gemm")
        [gemm] = run.of("gemm")
        names = {row["scope"]: row["name"] for row in run.of("scope")}
        self.assertEqual(names.get(gemm["scope"]), "before")

    def test_a_slow_reader_loses_records_and_every_one_is_counted(self):
        run = Run("gemms=1000", agent=("--records", "256", "--no-drain", "--cupti", "0"))
        self.assertEqual(run.status, 0)
        self.assertEqual(run.end["hook_calls"], 1000)
        # The ring holds 256, of which the begin of the process and one note are not calls.
        kept = len(run.of("gemm"))
        self.assertGreater(run.loss["ring_full"], 0)
        self.assertGreaterEqual(kept + run.loss["ring_full"], 1000)

    def test_more_threads_than_slots(self):
        run = Run("threads=40", "sleep=100", agent=("--slots", "16", "--cupti", "0"))
        self.assertEqual(run.status, 0)
        self.assertGreaterEqual(run.loss["no_ring_slot"], 40 - 16)
        self.assertEqual(len(run.of("gemm")) + run.loss["no_ring_slot"], 40)

    def test_slots_serve_one_thread_after_the_other(self):
        run = Run(*["threads=4", "sleep=50"] * 10, agent=("--slots", "16", "--cupti", "0"))
        self.assertEqual(len(run.of("gemm")), 40)
        self.assertNotIn("no_ring_slot", run.loss)

    def test_a_call_at_the_very_end_of_a_thread_keeps_no_slot(self):
        run = Run("destructors=40", agent=("--slots", "16", "--cupti", "0"))
        self.assertEqual(len(run.of("gemm")), 81)
        self.assertEqual(run.loss, {})


class Cupti(unittest.TestCase):
    def says(self, what):
        run = Run("gemm", env={"CUPTI_SAYS": what})
        self.assertEqual(run.status, 0, run.errors)
        self.assertEqual(len(run.of("gemm")), 1)  # counts do not depend on CUPTI
        return run

    def test_yes(self):
        run = self.says("yes")
        self.assertEqual(run.note("cupti"), "recording")
        self.assertEqual(run.note("cupti_version"), "130001")
        self.assertEqual(run.loss, {})

    def test_taken(self):
        run = self.says("taken")
        self.assertEqual(run.note("cupti"), "subscribed by another tool")
        self.assertEqual(run.loss, {"cupti_taken": 1})

    def test_too_old(self):
        run = self.says("old")
        self.assertEqual(run.note("cupti"), "libcupti is older than CUDA 11")
        self.assertEqual(run.loss, {"cupti_unusable": 1})

    def test_of_another_cuda(self):
        run = self.says("other_major")
        self.assertEqual(run.note("cupti"), "libcupti is of another CUDA version than cudart")
        self.assertEqual(run.loss, {"cupti_unusable": 1})

    def test_no_permission_for_kernels(self):
        run = self.says("refuse_kernels")
        self.assertEqual(run.note("cupti"),
                         "cuptiActivityEnable(CONCURRENT_KERNEL): error (35)")
        self.assertEqual(run.loss, {"cupti_unusable": 1})

    def test_no_callback(self):
        run = self.says("no_callbacks")
        self.assertEqual(run.note("cupti"), "no launch callback granted")
        self.assertEqual(run.loss, {"cupti_unusable": 1})

    def test_another_error(self):
        run = self.says("error")
        self.assertEqual(run.note("cupti"), "cuptiSubscribe: error (999)")
        self.assertEqual(run.loss, {"cupti_unusable": 1})

    def test_not_wanted(self):
        run = Run("gemm", agent=("--cupti", "0"))
        self.assertEqual(run.note("cupti"), "not wanted")
        self.assertEqual(run.loss, {})


class Exits(unittest.TestCase):
    def leaves(self, how, reason):
        expected = bare("gemm", how)
        run = Run("gemm", how)
        code = expected.returncode
        self.assertEqual(run.status, code if code >= 0 else 128 - code)
        self.assertEqual(len(run.of("gemm")), 1)
        self.assertEqual([row["reason"] for row in run.of("goodbye")], reason)
        self.assertEqual(run.end["process_state"], 2 if reason else 1)

    def test_return(self):
        self.leaves("sleep=1", [1])

    def test_exit(self):
        self.leaves("exit=3", [1])

    def test__exit(self):
        self.leaves("_exit=4", [2])

    def test__Exit(self):
        self.leaves("_Exit=5", [2])

    def test_quick_exit(self):
        self.leaves("quick_exit=6", [2])

    def test_cupti_is_left_alone_once_the_session_has_ended(self):
        for how in ("exit=0", "sleep=1"):
            self.assertEqual(Run("linger", "gemm", how).output, "cupti calls at exit: 0\n")
        # An agent that answers when the process has begun to end.
        run = Run("linger", "gemm", "exit=0", agent=("--delay-ms", "1500"))
        self.assertEqual(run.output, "cupti calls at exit: 0\n")

    def test_cupti_is_left_alone_where_no_agent_is_there(self):
        # A flush runs when the process ends, while the agent is away: its end is waited for.
        run = Run("linger", "gemms=50", "cuda", "gemms=50", "sleep=700", "await_flush", "exit=0",
                  agent=("--vanish-every", "100", "--refuse-next", "1000"),
                  env={"CUPTI_FLUSH_MS": "400"})
        self.assertEqual(len(run.of("hello")), 1)
        self.assertEqual(run.of("end")[0]["process_state"], 1)  # not at its end yet
        self.assertEqual(run.output, "cupti calls at exit: 0\n")

    def test__exit_does_not_wait_for_the_loader(self):
        for environment in ({}, {"LD_PRELOAD": LIBRARY},
                            {"LD_PRELOAD": LIBRARY, "FLOPSPROF_SOCKET": "/nowhere"}):
            begin = time.monotonic()
            self.assertEqual(bare("hold_loader", "_exit=4", env=environment).returncode, 4)
            self.assertLess(time.monotonic() - begin, 3, environment)

    def test_abort(self):
        self.leaves("abort", [])

    def test_sigterm(self):
        self.leaves(f"signal={int(signal.SIGTERM)}", [])

    def test_sigkill(self):
        self.leaves(f"signal={int(signal.SIGKILL)}", [])


class Children(unittest.TestCase):
    def test_a_forked_child_writes_nothing(self):
        for how in ("exit", "_exit"):
            run = Run("gemm", f"fork={how}", "gemm")
            self.assertEqual(run.status, 0)
            self.assertEqual(len(run.of("gemm")), 2)
            self.assertEqual(run.end["hook_calls"], 2)
            self.assertEqual(len(run.of("goodbye")), 1)

    def test_a_child_forked_before_the_first_call_is_a_process_of_its_own(self):
        run = Run("fork=exit", "gemm")
        self.assertEqual(len(run.of("hello")), 2)
        self.assertEqual(len(run.of("gemm")), 2)

    def test_a_child_forked_before_the_first_call_gets_stuck_in_no_range(self):
        self.assertEqual(Run("fork_in_ranges=300").output, "stuck children: 0\n")

    def test_the_exit_of_a_vfork_child_ends_nothing(self):
        run = Run("gemm", "vfork", "gemm")
        self.assertEqual(len(run.of("gemm")), 2)
        self.assertEqual([row["reason"] for row in run.of("goodbye")], [1])

    def test_the_agent_learns_of_the_end_while_a_child_lives_on(self):
        begin = time.monotonic()
        run = Run("gemm", "orphan", "_exit=0")
        self.assertEqual(len(run.of("gemm")), 1)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(run.end["process_state"], 2)


class Agents(unittest.TestCase):
    def test_a_program_that_closes_all_descriptors_keeps_what_it_opens_then(self):
        run = Run("gemm", "reuse_descriptors=1500", "gemm")
        self.assertEqual(run.status, 0, run.errors)
        self.assertIn("touched: 0\n", run.output)

    def test_one_that_refuses(self):
        run = Run("gemm", "exit=7", agent=("--refuse",))
        self.assertEqual(run.status, 7)
        self.assertEqual(run.rows, [])

    def test_one_that_answers_late(self):
        run = Run("gemm", "sleep=2000", "gemm", agent=("--delay-ms", "1500"))
        self.assertEqual(run.status, 0)
        self.assertEqual(run.loss["agent_late"], 1)
        self.assertEqual(len(run.of("gemm")), 1)

    def test_a_late_one_does_not_hold_the_program_up(self):
        run = Run("slowest=3", agent=("--delay-ms", "3000"))
        milliseconds = float(run.output.split()[1])
        self.assertGreaterEqual(milliseconds, 990)
        self.assertLess(milliseconds, 2000)

    def test_one_that_vanishes(self):
        run = Run("gemms=100", "sleep=1000", "gemms=100", "exit=8",
                  agent=("--vanish-after", "50"), env={"FLOPSPROF_RECONNECT_S": "0"})
        self.assertEqual(run.status, 8)
        self.assertEqual(run.loss["agent_gone"], 1)
        self.assertEqual(run.end["hook_calls"], 100)  # nothing is recorded after it has gone

    def test_none(self):
        done = bare("gemm", "exit=9", env={"LD_PRELOAD": LIBRARY,
                                           "FLOPSPROF_SOCKET": "/nowhere/agent.sock"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (9, "", ""))


class Reconnect(unittest.TestCase):
    """Agents that go, and others that come to the same socket."""

    def counted(self, run):
        """Calls that were made, by the newest header, and those that some agent has read."""
        end = run.of("end")[-1]
        made = sum(end[key] for key in ("calls_before", "calls_written", "calls_dropped",
                                        "calls_away"))
        return made, len(run.of("gemm")), end

    def test_another_one_goes_on(self):
        # Half a second is what it needs; the rest is for a busy machine.
        run = Run("gemms=100", "sleep=4000", "gemms=100", "exit=8", agent=("--vanish-every", "99"))
        self.assertEqual(run.status, 8)
        first, second = run.of("hello")
        self.assertEqual((first["session"], second["session"]), (1, 2))
        self.assertEqual(first["image"], second["image"])
        self.assertGreater(first["image"], 0)
        made, read, end = self.counted(run)
        self.assertEqual((made, end["hook_calls"]), (200, 200))
        self.assertEqual(read, 200)
        self.assertEqual(end["loss"]["agent_gone"], 1)
        self.assertEqual([end["session"] for end in run.of("end")], [1, 2])

    def test_notes_and_names_are_told_again(self):
        run = Run("gemms=100", "sleep=2500", "gemms=100", agent=("--vanish-every", "99"))
        sessions = []
        for row in run.rows:
            if row["type"] == "hello":
                sessions.append({})
            if row["type"] == "note":
                sessions[-1][row["key"]] = row["value"]
        self.assertGreater(len(sessions), 1)
        self.assertIn("cupti", sessions[0])
        for later in sessions[1:]:
            self.assertEqual({**sessions[0], **later}, later)

    def test_more_scopes_than_a_ring_holds_are_told_again(self):
        scopes = 3000
        run = Run(f"scopes={scopes}", "gemv=0", "sleep=3000", "gemms=50",
                  agent=("--vanish-at", "1", "--next-records", "1024"))
        self.assertEqual([hello["session"] for hello in run.of("hello")], [1, 2])
        second = run.rows[[row["type"] for row in run.rows].index("end"):]
        told = {row["name"] for row in second if row["type"] == "scope"}
        self.assertEqual(told, {f"scope {i}" for i in range(scopes)})
        self.assertNotIn("ring_full", run.of("end")[-1]["loss"])

    def test_one_that_writes_nonsense_as_it_goes_does_no_harm(self):
        run = Run("gemms=100", "sleep=4000", "gemms=50", "exit=8",
                  agent=("--vanish-every", "100", "--scribble"))
        self.assertEqual(run.status, 8)
        made, read, end = self.counted(run)
        self.assertEqual((made, read, end["hook_calls"]), (150, 150, 150))

    def test_no_socket_is_made_where_none_is_to_be_found(self):
        run = Run("gemms=100", "sleep=1500", "sockets", "exit=8",
                  agent=("--vanish-every", "100", "--leave"))
        self.assertEqual((run.status, run.output), (8, "sockets: 1\n"))

    def test_calls_meanwhile_are_counted(self):
        run = Run("gemms=100", "sleep=600", "gemms=100000", "sleep=2500", "gemms=50",
                  agent=("--vanish-every", "100", "--delay-ms", "900"))
        made, read, end = self.counted(run)
        self.assertEqual((made, end["hook_calls"]), (100150, 100150))
        self.assertGreater(end["calls_away"], 0)
        self.assertEqual(end["loss"]["agent_away"], end["calls_away"] + end["launches_away"])
        self.assertLess(read, made)
        self.assertEqual(end["calls_dropped"], 0)

    def test_many_come_and_go(self):
        run = Run("steady=8", "sleep=2000", "gemm", agent=("--vanish-every", "500", "--slots", "32"))
        sessions = [hello["session"] for hello in run.of("hello")]
        self.assertGreater(len(sessions), 9)  # old addresses are used again
        self.assertEqual(sessions, list(range(1, len(sessions) + 1)))
        made, read, end = self.counted(run)
        calls = int(run.output.split()[0])
        self.assertEqual((made, end["hook_calls"]), (calls + 1, calls + 1), run.output)
        self.assertLess(read, made)
        # The slots of threads that end come back, while their agent reads: four threads, main, ours
        # and CUPTI's have one.
        self.assertLessEqual(max(end["slots_owned"] for end in run.of("end")), 7)
        _, memory, addresses, descriptors = (
            int(word) for word in run.output.replace(",", " ").split()
            if word.lstrip("-").isdigit())
        segment_kb = (4096 + 32 * (256 + 16384 * 64)) // 1024
        self.assertLess(memory, segment_kb)
        self.assertLess(addresses, 10 * segment_kb)
        self.assertLessEqual(descriptors, 1)  # the socket, which is not there between two agents

    def test_a_child_of_a_fork_meanwhile_is_cut_off(self):
        run = Run("gemms=100", "sleep=600", "fork=exit", "sleep=2500", "gemms=50", "exit=8",
                  agent=("--vanish-every", "100", "--delay-ms", "900"))
        self.assertEqual(run.status, 8)
        self.assertEqual([hello["session"] for hello in run.of("hello")], [1, 2])
        self.assertEqual(len({row["pid"] for row in run.rows}), 1)
        made, read, end = self.counted(run)
        self.assertEqual((made, read, end["hook_calls"]), (150, 150, 150))

    def test_a_program_that_runs_another_one_meanwhile_is_another_image(self):
        run = Run("gemms=100", "sleep=600", "again=gemms=7",
                  agent=("--vanish-every", "100", "--delay-ms", "900"),
                  env={"FLOPSPROF_CONNECT_TIMEOUT_MS": "10000"})
        self.assertEqual(run.status, 0)
        first, *_, last = run.of("hello")
        self.assertEqual((first["pid"], first["session"]), (last["pid"], 1))
        self.assertEqual(last["session"], 1)
        self.assertLess(first["image"], last["image"])
        self.assertEqual(run.of("end")[-1]["calls_written"], 7)
        self.assertEqual(run.of("end")[-1]["calls_before"], 0)

    def test_one_of_another_version_is_passed_over(self):
        for answer in ("--refuse-next", "--strange-next"):
            run = Run("gemms=100", "sleep=7000", "gemms=50", "exit=8",
                      agent=("--vanish-every", "100", answer, "2"))
            self.assertEqual(run.status, 8)
            self.assertEqual([hello["session"] for hello in run.of("hello")], [1, 2])
            made, read, end = self.counted(run)
            self.assertEqual((made, read, end["hook_calls"]), (150, 150, 150))

    def test_one_that_refuses_is_left_alone(self):
        run = Run("gemms=10", agent=("--refuse",))
        self.assertEqual((run.status, run.of("hello"), run.of("gemm")), (0, [], []))


class Idle(unittest.TestCase):
    """In a process that never uses CUDA."""

    def test_no_thread_and_no_descriptor(self):
        plain = bare("look")
        loaded = Run("look")
        self.assertEqual(loaded.rows, [])
        threads = loaded.output.split()[0]
        self.assertEqual((threads, plain.stdout.split()[0]), ("1", "1"))
        # The agent's program hands down no descriptor either.
        self.assertEqual(loaded.output.split()[1], plain.stdout.split()[1])

    def test_loading_takes_at_most_5_ms(self):
        environment = {"PATH": os.environ["PATH"], "FLOPSPROF_SOCKET": "/nowhere"}

        def seconds(extra):
            begin = time.perf_counter()
            subprocess.run(["/bin/true"], env={**environment, **extra}, check=True)
            return time.perf_counter() - begin

        pairs = [(seconds({}), seconds({"LD_PRELOAD": LIBRARY})) for _ in range(41)]
        added_ms = statistics.median(b - a for a, b in pairs) * 1e3
        print(f"loading into /bin/true: {added_ms:.2f} ms added")
        self.assertLess(added_ms, 5)

    def test_loading_takes_at_most_2_mb(self):
        def resident_kb(extra):
            script = "while read -r k v u; do [ $k = VmRSS: ] && echo $v; done < /proc/$$/status"
            done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True,
                                  env={"PATH": os.environ["PATH"], "FLOPSPROF_SOCKET": "/nowhere",
                                       **extra}, check=False)
            return int(done.stdout)

        added = (statistics.median(resident_kb({"LD_PRELOAD": LIBRARY}) for _ in range(9)) -
                 statistics.median(resident_kb({}) for _ in range(9)))
        print(f"loading into /bin/sh: {added:.0f} KiB added")
        self.assertLess(added, 2048)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--job", required=True)
    arguments, rest = parser.parse_known_args()
    LIBRARY, JOB = os.path.abspath(arguments.library), os.path.abspath(arguments.job)
    unittest.main(argv=[sys.argv[0], *rest])
