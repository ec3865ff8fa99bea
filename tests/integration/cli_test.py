# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The command line, no job of which uses a GPU: the job's output, exit code and signals are its
own; errors have the exit codes and the form that the README of viewer/cli gives.
"""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys

import pytest
from flopsprof_run import product
from wait_until import wait_until

RUN = product("bin/flopsprof-run")
TOOL = product("bin/flopsprof")


def call(argv, **options):
    options.setdefault("timeout", 60)
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(argv, stderr=subprocess.PIPE, **options)


def profiled(tmp_path, command, *options, **more):
    return call([RUN, *options, "-o", str(tmp_path / "run"), "--", *command], **more)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 42, 125, 126, 127, 255])
def test_the_exit_code_is_the_jobs(code, tmp_path):
    assert profiled(tmp_path, ["sh", "-c", f"exit {code}"]).returncode == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_death_by_a_signal_is_128_and_its_number(number, tmp_path):
    done = profiled(tmp_path, ["sh", "-c", f"kill -{int(number)} $$"])
    assert done.returncode == 128 + number


def test_stdout_is_byte_identical_with_megabytes_of_it(tmp_path):
    script = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 20000)"
    done = profiled(tmp_path, [sys.executable, "-c", script])
    assert done.stdout == bytes(range(256)) * 20000


def test_stdin_is_the_jobs(tmp_path):
    done = profiled(tmp_path, ["cat"], input=b"to the job\n")
    assert done.stdout == b"to the job\n"


def test_arguments_arrive_untouched(tmp_path):
    words = ["--help", "-o", "--", "", "a b", "*", "$HOME", "--steps"]
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    done = profiled(tmp_path, [sys.executable, "-c", script, *words])
    assert json.loads(done.stdout) == words


def test_a_reader_of_stdout_sees_the_end_when_the_job_ends(tmp_path):
    """We hold no copy of the pipe: the end comes before our report is written."""
    done = profiled(tmp_path, ["sh", "-c", "ls -l /proc/$PPID/fd/1"])
    assert b"/dev/null" in done.stdout


def test_the_job_keeps_the_process_group_and_the_terminal(tmp_path):
    main, other = pty.openpty()
    script = "import os, sys; print(os.isatty(0), os.isatty(1), os.getpgid(0) == os.getpgid(os.getppid()))"
    with subprocess.Popen(
        [RUN, "-o", str(tmp_path / "run"), "--", sys.executable, "-c", script],
        stdin=other, stdout=other, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        os.close(other)
        assert process.wait(60) == 0
        assert os.read(main, 1000).split() == [b"True"] * 3
    os.close(main)


def test_ignored_signals_stay_ignored_in_the_job(tmp_path):
    script = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    argv = [RUN, "-o", str(tmp_path / "run"), "--", sys.executable, "-c", script]
    done = call(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *argv])
    assert done.stdout == b"True\n"


def test_no_signal_is_blocked_in_the_job(tmp_path):
    done = profiled(tmp_path, ["grep", "SigBlk", "/proc/self/status"])
    assert done.stdout.split() == [b"SigBlk:", b"0000000000000000"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_us_reaches_the_job_once(number, tmp_path):
    ready = tmp_path / "ready"
    script = (
        "import signal, sys, time\n"
        "seen = []\n"
        f"signal.signal({int(number)}, lambda *a: seen.append(1))\n"
        "open(sys.argv[1], 'w').close()\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print(len(seen))\n"
        "sys.exit(40 + len(seen))\n"
    )
    argv = [RUN, "-o", str(tmp_path / "run"), "--", sys.executable, "-c", script, str(ready)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(ready.exists, 60, "the job is ready")
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert out == b"1\n"
    assert process.returncode == 41


def test_a_job_without_cuda_gets_one_line_and_an_empty_summary(tmp_path):
    done = profiled(tmp_path, [sys.executable, "-c", "print(1)"])
    assert (done.returncode, done.stdout) == (0, b"1\n")
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith("flopsprof: nothing to report: ")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["empty"] is True
    assert summary["coverage"]["reasons"]
    report = call([TOOL, "report", str(tmp_path / "run")])
    assert report.returncode == 3
    assert report.stdout == b""


def test_strict_makes_an_empty_result_3_and_keeps_the_jobs_failure(tmp_path):
    assert profiled(tmp_path, ["true"], "--strict").returncode == 3
    assert profiled(tmp_path, ["sh", "-c", "exit 5"], "--strict").returncode == 5


@pytest.mark.parametrize("strict", [False, True])
def test_an_unwritable_folder_costs_the_profile_not_the_job(strict, tmp_path):
    (tmp_path / "file").write_text("")
    options = ["--strict"] if strict else []
    done = call(
        [RUN, *options, "-o", str(tmp_path / "file" / "run"), "--", "sh", "-c", "echo x; exit 6"]
    )
    assert done.stderr.startswith(b"flopsprof: ")
    assert (done.returncode, done.stdout) == ((125, b"") if strict else (6, b"x\n"))


def test_a_folder_is_never_overwritten(tmp_path):
    profiled(tmp_path, ["true"])
    profiled(tmp_path, ["true"])
    assert sorted(os.listdir(tmp_path)) == ["run", "run-2"]


def test_no_runtime_folder_is_left(tmp_path):
    profiled(tmp_path, ["true"], env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert os.listdir(tmp_path) == ["run"]


@pytest.mark.parametrize(
    "argv, code, hint",
    [
        ([RUN, "--stpes", "1:2", "--", "true"], 2, "did you mean --steps?"),
        ([RUN, "--steps", "5:2", "--", "true"], 2, "holds no step"),
        ([RUN, "python", "train.py"], 2, "flopsprof-run -- python train.py"),
        ([RUN], 2, "no command"),
        ([TOOL, "reprot"], 2, 'did you mean "report"?'),
        ([TOOL, "attach"], 2, "attach: which process? give -p PID\n  flopsprof ps lists"),
        ([TOOL, "diff", "a", "b"], 2, "diff: not in this version\n  summary.json of both"),
        ([TOOL, "help", "diff"], 2, "diff: not in this version\n  summary.json of both"),
        ([RUN, "--collector", "foo", "--", "true"], 2, '--collector: "foo" is no HOST:PORT\n'),
        ([RUN, "--collector", "foo:0", "--", "true"], 2, '--collector: "foo:0" is no HOST:PORT\n'),
        ([RUN, "-o", "", "--", "true"], 2, "--output: the value is empty\n"),
        ([RUN, "--run-id", "", "--", "true"], 2, "--run-id: the value is empty\n"),
        ([RUN, "--step-at", "", "--", "true"], 2, "--step-at: the value is empty\n"),
        ([RUN, "--graphs", "--", "true"], 2, "--graphs needs a value: auto|graph|node\n"),
        ([RUN, "--max-overhead", "1%", "--max-overhead", "2%", "--", "true"], 2,
         "--max-overhead is given more than once\n"),
        ([TOOL, "re", "--nonsense"], 2, "unknown option --nonsense"),
        ([TOOL, "report", "/no/such/run"], 3, "no such run: /no/such/run"),
        ([TOOL, "query", "/no/such/run", "select 1"], 3, "query: no such run: /no/such/run"),
        ([TOOL, "query", "/etc", "select 1"], 3, "/etc is not a run folder"),
        ([TOOL, "report", "--top", "-1", "x"], 2, '--top: "-1" is no number from 1'),
        ([TOOL, "report", "--depth", "x", "x"], 2, '--depth: "x" is no number\n'),
        ([TOOL, "peaks", "--dtype", "nope"], 2,
         '"nope" is no data type of the table: fp64, fp32, tf32'),
        ([TOOL, "peaks", "--device", "nope"], 3, "no card in the table matches"),
        ([TOOL, "ctl", "foo"], 2, "flopsprof: ctl: what is to be done with foo?"),
        ([RUN, "--formula-off", "nosuch", "--", "true"], 2,
         '"nosuch" is no operation with a formula; see docs/formulas.md'),
        ([TOOL, "env"], 3, "env: no node agent listens at /run/flopsprof/agent\n"),
        ([TOOL, "env", "--socket", "/etc/passwd"], 3, "no node agent listens at /etc/passwd\n"),
        ([RUN, "--", "no-such-program-at-all"], 127, "no such command"),
        ([RUN, "--", "/etc/passwd"], 126, "Permission denied"),
        ([TOOL, "collector", "--listen", "0.0.0.0:0", "--store", "/tmp"], 4, "--insecure"),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_an_error_has_its_exit_code_and_a_hint(argv, code, hint, tmp_path):
    done = call(argv, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert done.stdout == b""
    assert done.stderr.startswith(b"flopsprof: ")
    assert hint in done.stderr.decode()
    assert os.listdir(tmp_path) == []


def test_a_formula_of_a_file_can_be_turned_off_before_it_or_behind(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('[[formula]]\nkernel = "my_fused*"\nflops = "1"\n')
    off, formulas = ["--formula-off", "my_fused_mlp"], ["--formulas", str(file)]
    assert profiled(tmp_path, ["true"], *off, *formulas).returncode == 0
    assert profiled(tmp_path, ["true"], *formulas, *off).returncode == 0
    assert profiled(tmp_path, ["true"], *off).returncode == 2


@pytest.mark.parametrize(
    "argv", [["version"], ["help"], ["help", "run"], ["doctor"], ["peaks"], ["-V"],
             ["completion", "bash"], ["completion", "fish"]],
    ids=" ".join,
)  # fmt: skip
def test_a_verb_that_only_prints(argv):
    done = call([TOOL, *argv])
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_bash_completion_completes_verbs_and_options():
    script = (
        f'PATH="{os.path.dirname(TOOL)}:$PATH"; eval "$(flopsprof completion bash)"\n'
        "COMP_WORDS=(flopsprof rep) COMP_CWORD=1; _flopsprof; echo ${COMPREPLY[@]}\n"
        "COMP_WORDS=(flopsprof-run --ste) COMP_CWORD=1; _flopsprof; echo ${COMPREPLY[@]}\n"
    )
    done = call(["bash", "-c", script])
    assert done.stdout.split() == [b"report", b"--steps", b"--step-at"]


def test_query_reads_and_refuses_to_write(tmp_path):
    profiled(tmp_path, ["true"])
    run = str(tmp_path / "run")
    done = call([TOOL, "query", run, "select 1 as one, 'a' as b", "--json"])
    assert json.loads(done.stdout) == [{"one": 1, "b": "a"}]
    assert call([TOOL, "query", run, "create table t(x)"]).returncode == 2
    assert call([TOOL, "query", run, "select 1; select 2"]).returncode == 2
    assert call([TOOL, "query", run, "select nothing"]).returncode == 2
    assert call([TOOL, "query", str(tmp_path), "select 1"]).returncode == 3


def test_a_query_adds_up_exact_counts_of_any_size(tmp_path):
    profiled(tmp_path, ["true"])
    run = str(tmp_path / "run")
    eleven = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 11) "
    failed = call([TOOL, "query", run, eleven + "select sum(900000000000000000) from n"])
    assert failed.returncode == 2 and b"integer overflow" in failed.stderr
    done = call([TOOL, "query", run, "--json",
                 eleven + "select flops_sum(0, 900000000000000000) as flops from n"])  # fmt: skip
    assert json.loads(done.stdout) == [{"flops": "9900000000000000000"}]
    done = call([TOOL, "query", run, "--json",
                 "select flops_sum(flops_high, flops_low) as flops from calls"])  # fmt: skip
    assert json.loads(done.stdout) == [{"flops": None}]
    assert call([TOOL, "query", run, "select flops from exact_totals"]).returncode == 0


def test_csv_is_no_formula_and_steers_no_terminal(tmp_path):
    profiled(tmp_path, ["true"])
    sql = ("select '=cmd' as \"=head\", char(27) || ']0;x' || char(7) as b, -5 as c, '-5' as d, "
           "'a' || char(10) || 'b' as e")  # fmt: skip
    done = call([TOOL, "query", str(tmp_path / "run"), sql, "--csv"])
    assert done.returncode == 0
    rows = list(csv.reader(io.StringIO(done.stdout.decode(), newline="")))
    assert rows == [["'=head", "b", "c", "d", "e"],
                    ["'=cmd", "\ufffd]0;x\ufffd", "-5", "-5", "a\nb"]]  # fmt: skip
    for form in ([], ["--json"], ["--csv"]):
        assert b"\x1b" not in call([TOOL, "query", str(tmp_path / "run"), sql, *form]).stdout


def test_doctor_as_json_names_what_is_missing():
    done = call([TOOL, "doctor", "--json", "--python", "/no/python"])
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["injector"]["state"] == "ok"
    assert checks["python"]["state"] == "note"


def drivers_check(python) -> tuple:
    done = call([TOOL, "doctor", "--json", "--python", str(python)])
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    return checks["NVIDIA driver"], checks.get("stand-in GPU")


def test_doctor_knows_a_stand_in_gpu(python, tmp_path):
    driver, stand_in = drivers_check(python)
    assert "quickstart.sh" not in driver.get("next", "")
    assert stand_in == {
        "name": "stand-in GPU", "state": "note",
        "found": "that python's NVIDIA libraries are simulated: jobs run, times are a model",
    }  # fmt: skip
    empty = tmp_path / "python"  # one without torch
    empty.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    empty.chmod(0o755)
    driver, stand_in = drivers_check(empty)
    assert stand_in is None
    assert driver["state"] == "ok" or "quickstart.sh" in driver["next"]


def test_a_remote_collector_writes_the_run(tmp_path):
    store = tmp_path / "store"
    with subprocess.Popen(
        [TOOL, "collector", "--listen", "127.0.0.1:0", "--store", str(store)],
        stderr=subprocess.PIPE, text=True,
    ) as collector:  # fmt: skip
        port = collector.stderr.readline().split("port ")[1].split(";")[0]
        done = call([RUN, "--collector", f"127.0.0.1:{port}", "--", "sh", "-c", "exit 9"])
        assert done.returncode == 9, done.stderr
        collector.send_signal(signal.SIGTERM)
        assert collector.wait(60) == 0
    (run,) = store.iterdir()
    summary = json.loads((run / "summary.json").read_text())
    assert summary["empty"] is True
    assert summary["job"]["exit_code"] == 9


def test_a_collector_that_is_gone_costs_the_profile_not_the_job(tmp_path):
    done = call([RUN, "--collector", "127.0.0.1:9", "--", "sh", "-c", "echo x; exit 6"])
    assert (done.returncode, done.stdout) == (6, b"x\n")
    assert done.stderr.startswith(b"flopsprof: ")


def test_the_log_says_what_was_said_and_how_the_job_ended(tmp_path):
    folder = tmp_path / "run"
    done = subprocess.run(
        [RUN, "-o", str(folder), "--", sys.executable, "-c", "raise SystemExit(7)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 7
    log = (folder / "log.txt").read_text()
    assert "the job ended with exit code 7" in log
    for line in done.stderr.splitlines():
        assert line in log
    assert (folder / "log.txt").stat().st_mode & 0o777 == 0o600
    assert json.loads((folder / "summary.json").read_text())["files"]["log"] == "log.txt"
