# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof attach` and `detach`: processes that were started without us are profiled while they
run, exactly from a whole step on, and run on as they were, whatever happens to us.

FLOPSPROF_ATTACH_ROUNDS: attaches of every hard target (6; with --full 143, which are 1,001 of seven
targets). FLOPSPROF_ATTACH_KILLS: attaches that are killed (16; with --full 200).
"""

import ctypes
import json
import os
import random
import re
import signal
import statistics
import struct
import subprocess
import time

import pytest
from by_name import compiled
from flopsprof_run import PROGRAMS, environment, product, sim_python
from wait_until import wait_until

TOOL = product("bin/flopsprof")
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
CUDA = {"cu13": "libcudart.so.13 libcublas.so.13"}
# jobs/small_net.py: 4 rows through 64 -> 32 -> 16; the data gradient of the second layer only.
FIRST = 2 * 4 * 64 * 32
SECOND = 2 * 4 * 32 * 16
KINDS = ("malloc", "dlopen", "threads", "signals", "fork", "sleep")
PAUSE = re.compile(r"stood still for ([0-9.]+) ms")


def may_be_traced():
    """In a child, before exec: with kernel.yama.ptrace_scope 1 only its parents could attach."""
    set_ptracer, any_process = 0x59616D61, ctypes.c_ulong(-1)
    LIBC.prctl(set_ptracer, any_process, 0, 0, 0)


def beside_tests():
    """The same for programs that take all the cores that they get."""
    may_be_traced()
    os.nice(10)


def under_a_filter():
    """In a child, before exec: a seccomp filter that is a container's in small: getting the host's
    clock adjusted is refused, all else is allowed."""
    may_be_traced()
    program = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 159, 6, 0, 0, 0x00050001,
                          6, 0, 0, 0x7FFF0000)  # fmt: skip
    text = ctypes.create_string_buffer(program, len(program))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4, ctypes.addressof(text)), 16)
    if LIBC.prctl(38, 1, 0, 0, 0) != 0 or LIBC.prctl(22, 2, filters, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter")


@pytest.fixture(scope="module")
def tracing(compiled_targets):
    """That this machine lets us attach. Where it does not, what is said there is all there is."""
    program = Target([str(compiled_targets / "targets"), "sleep"], compiled_targets, "probe")
    done = flopsprof("attach", "-p", program.pid, "-d", "50ms", "-o", compiled_targets / "probe")
    assert program.end() == (7, "sleep ok\n", "")
    if done.returncode == 4:
        text = done.stderr
        assert "ptrace_scope is" in text or "tracing it was refused" in text, text
        assert "the process is as it was" in text and "flopsprof-run" in text, text
        pytest.skip(f"this machine does not let us attach: {text}")
    assert "runs on without us" in done.stderr, done.stderr


class Program:
    """A program that runs until its file is there; started without us."""

    started: list = []

    def __init__(self, command, folder, name, before_exec=may_be_traced):
        self.end_file = folder / f"{name}.end"
        self.end_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [*command, str(self.end_file), *self.more(folder)], env=environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before_exec)
        self.pid = self.process.pid
        self.started.append(self.process)
        self.first_line = self.process.stdout.readline()

    def more(self, _folder):
        return []

    def use(self):
        """Descriptors, threads."""
        return tuple(len(os.listdir(f"/proc/{self.pid}/{what}")) for what in ("fd", "task"))

    def end(self):
        """(exit code, what it printed after the first line, its stderr)"""
        self.end_file.touch()
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err


class Target(Program):
    def more(self, folder):
        return [str(folder / "plugin.so")]


@pytest.fixture(scope="module", autouse=True)
def no_program_stays():
    """After a failed test they would run for ever."""
    yield
    for process in Program.started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def flopsprof(*words, **more):
    return subprocess.run(
        [TOOL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment(), timeout=120, **more)  # fmt: skip


def summary_of(folder):
    with open(folder / "summary.json", encoding="utf-8") as file:
        return json.load(file)


def has_our_thread(pid):
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as file:
                names.append(file.read().strip())
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            continue
    return "flopsprof" in names


# ------------------------------------------------------------------- training


@pytest.fixture(scope="module")
def trained(tmp_path_factory, tracing):
    """A loop that was attached twice: (the loop's end, the attaches, use before and after)"""
    folder = tmp_path_factory.mktemp("trained")
    job = os.path.join(PROGRAMS, "jobs", "trains_until.py")
    program = Program([sim_python(), job], folder, "loop")
    attaches, use = [], []
    for i in (1, 2):
        out = folder / f"run{i}"
        attaches.append((flopsprof("attach", "-p", program.pid, "--steps", "5", "-o", out), out))
        use.append(program.use())
    return program.end(), attaches, use


def test_whole_steps_are_counted_to_the_integer(trained):
    for done, folder in trained[1]:
        assert done.returncode == 0, done.stderr
        summary = summary_of(folder)
        flops = {m["path"]: (m["flops"]["forward"], m["flops"]["backward"])
                 for m in summary["modules"]}
        assert flops["first"] == (5 * FIRST, 5 * FIRST)
        assert flops["second"] == (5 * SECOND, 5 * 2 * SECOND)
        assert flops[""] == (5 * (FIRST + SECOND), 5 * (FIRST + 2 * SECOND))
        totals = summary["totals"]["flops"]
        assert totals["forward"] == 5 * (FIRST + SECOND)
        assert totals["backward"] == 5 * (FIRST + 2 * SECOND)
        assert summary["steps"]["profiled"] == 5
        coverage = summary["coverage"]
        assert coverage["records_lost"] == 0 and coverage["calls_unmatched"] == 0
        assert coverage["unknown"] == 0  # GPU times were there too


def test_the_loop_ends_as_without_us(trained):
    code, out, err = trained[0]
    assert (code, out, err) == (7, "trained; as before\n", "")


def test_it_says_before_what_will_be_missing(trained):
    done = trained[1][0][0]
    before, after = done.stderr.split("attached to pid")
    assert "counted: whole steps" in before and "not counted: what ran before" in before
    assert "CUDA graphs that were captured before" in before
    assert "runs on without us" in after


def test_nothing_of_ours_stays_open(trained):
    assert trained[2][1][0] <= trained[2][0][0]  # descriptors


# ------------------------------------------------------------------- C, threads, no steps


@pytest.fixture(scope="module")
def multiplied(tmp_path_factory, tracing):
    """(end of a C program with three threads, run folders of two attaches; the second was ended by
    `detach`; then one whose controller was killed)"""
    folder = tmp_path_factory.mktemp("multiplied")
    binary = compiled(os.path.join(PROGRAMS, "jobs", "endless.c"), str(folder / "endless"), "link",
                      CUDA)
    end = folder / "end"
    process = subprocess.Popen([binary, str(end)], stdout=subprocess.PIPE, text=True,
                               env=environment(), preexec_fn=may_be_traced)
    Program.started.append(process)
    wait_until(lambda: len(os.listdir(f"/proc/{process.pid}/task")) >= 4, 60)
    runs = [folder / name for name in ("one", "two", "three")]
    done = [flopsprof("attach", "-p", process.pid, "-d", "300ms", "-o", runs[0])]
    use = len(os.listdir(f"/proc/{process.pid}/fd"))
    for i, way in ((1, "detach"), (2, "kill")):
        attach = subprocess.Popen([TOOL, "attach", "-q", "-p", str(process.pid), "-o", runs[i]],
                                  env=environment(), stderr=subprocess.PIPE, text=True)
        wait_until(lambda i=i: (runs[i] / "profile.db").exists(), 60)
        wait_until(lambda: has_our_thread(process.pid), 60)
        if way == "detach":
            done.append(flopsprof("detach", "-p", process.pid))
        else:
            attach.kill()
        attach.communicate(timeout=60)
    wait_until(lambda: not has_our_thread(process.pid), 60)
    left = len(os.listdir(f"/proc/{process.pid}/fd"))
    end.touch()
    out, _ = process.communicate(timeout=60)
    return (process.returncode, out), done, runs, (use, left)


def test_a_program_without_python_is_counted(multiplied):
    assert multiplied[1][0].returncode == 0, multiplied[1][0].stderr
    summary = summary_of(multiplied[2][0])
    total = summary["totals"]["flops"]
    # Sums of products of 32, 64 and 128.
    assert sum(v or 0 for v in total.values()) > 0
    assert sum(v or 0 for v in total.values()) % (2 * 32**3) == 0
    assert summary["coverage"]["records_lost"] == 0


def test_detach_ends_what_another_shell_has_begun(multiplied):
    done = multiplied[1][1]
    assert (done.returncode, done.stdout.startswith("detached from pid")) == (0, True), done.stderr
    assert (multiplied[2][1] / "summary.json").exists()


def test_it_ends_as_without_us_after_a_killed_controller(multiplied):
    code, out = multiplied[0]
    assert (code, len(out.splitlines())) == (7, 3)
    assert multiplied[3][1] <= multiplied[3][0]


# ------------------------------------------------------------------- hard targets


@pytest.fixture(scope="module")
def compiled_targets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("targets")
    sources = os.path.join(PROGRAMS, "attach")
    subprocess.run(["cc", "-O2", os.path.join(sources, "targets.c"), "-o", folder / "targets",
                    "-pthread", "-ldl"], check=True)  # fmt: skip
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", os.path.join(sources, "plugin.c"), "-o",
                    folder / "plugin.so"], check=True)  # fmt: skip
    return folder


def start_all(folder):
    programs = [Target([str(folder / "targets"), kind], folder, kind, beside_tests)
                for kind in KINDS]  # fmt: skip
    loop = os.path.join(PROGRAMS, "attach", "loop.py")
    programs.append(Target([sim_python(), loop], folder, "python", beside_tests))
    assert {program.first_line for program in programs} == {"runs\n"}
    return programs


def assert_all_end_well(programs):
    ends = {kind: program.end() for kind, program in zip((*KINDS, "python"), programs)}
    assert ends == {kind: (7, f"{kind} ok\n", "") for kind in ends}


def test_hard_targets_are_attached_again_and_again(compiled_targets, tracing, request):
    few_or_many = 143 if request.config.getoption("--full") else 6
    rounds = int(os.environ.get("FLOPSPROF_ATTACH_ROUNDS", few_or_many))
    programs = start_all(compiled_targets)
    pids = ",".join(str(program.pid) for program in programs)
    pauses, files = [], []
    for i in range(rounds):
        out = compiled_targets / f"run{i}"
        done = flopsprof("attach", "-p", pids, "-d", "50ms", "-o", out)
        pauses += [float(text) for text in PAUSE.findall(done.stderr)]
        assert done.stderr.count("attached to pid") == len(programs), done.stderr
        assert done.stderr.count("runs on without us") == len(programs), done.stderr
        # Not the one that forks, and the one that opens files, at any moment.
        files.append([p.use()[0] for p in programs if "fork" not in p.end_file.name
                      and "dlopen" not in p.end_file.name])
        # Inert, which was waited for, is what it says last of all: then it ends.
        wait_until(lambda: not any(has_our_thread(program.pid) for program in programs), 60)
    print(f"pause of {len(pauses)} attaches: median {statistics.median(pauses):.2f} ms, "
          f"worst {max(pauses):.2f} ms")
    assert files[-1] == files[0]
    assert_all_end_well(programs)


def test_attaches_that_are_killed_leave_every_target_running(compiled_targets, tracing, request):
    few_or_many = 200 if request.config.getoption("--full") else 16
    kills = int(os.environ.get("FLOPSPROF_ATTACH_KILLS", few_or_many))
    programs = start_all(compiled_targets)
    pids = ",".join(str(program.pid) for program in programs)
    chance = random.Random(16)
    begin = time.monotonic()
    done = flopsprof("attach", "-q", "-p", pids, "-d", "50ms", "-o", compiled_targets / "whole")
    # All are loaded by then: later a kill is one of the agent, which multiplied() has.
    whole = min(time.monotonic() - begin, 1.5)
    for i in range(kills):
        attach = subprocess.Popen(
            [TOOL, "attach", "-q", "-p", pids, "-d", "50ms", "-o", compiled_targets / f"killed{i}"],
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)  # fmt: skip
        time.sleep(chance.uniform(0, whole))  # any moment: what is to be survived
        os.killpg(attach.pid, signal.SIGKILL)
        attach.wait(60)
    for program in programs:
        wait_until(lambda program=program: not has_our_thread(program.pid), 60)
    done = flopsprof("attach", "-p", pids, "-d", "50ms", "-o", compiled_targets / "last")
    assert done.stderr.count("runs on without us") == len(programs), done.stderr
    assert_all_end_well(programs)


# ------------------------------------------------------------------- what is refused


def refusal(pid):
    done = flopsprof("attach", "-p", pid)
    assert done.returncode in (3, 4), done.stderr
    return done.returncode, done.stderr.split("\n")[0].partition(f"pid {pid}: ")[2]


@pytest.fixture
def sleeper(compiled_targets, tmp_path):
    for name in ("plugin.so",):
        os.symlink(compiled_targets / name, tmp_path / name)
    program = Target([str(compiled_targets / "targets"), "sleep"], tmp_path, "sleep")
    yield program
    if program.process.poll() is None:
        assert program.end() == (7, "sleep ok\n", "")


def test_what_is_not_there_is_refused():
    child = subprocess.Popen(["true"])
    wait_until(lambda: open(f"/proc/{child.pid}/stat", encoding="utf-8").read().split()[2] == "Z", 60)
    assert refusal(child.pid) == (
        3, "it has ended and is a zombie: its parent has not asked for it")
    child.wait()
    assert refusal(child.pid) == (3, "there is no such process here")


def test_a_stopped_process_is_refused(sleeper):
    os.kill(sleeper.pid, signal.SIGSTOP)
    wait_until(lambda: open(f"/proc/{sleeper.pid}/stat", encoding="utf-8").read().split()[2] == "T",
               60)
    assert refusal(sleeper.pid) == (3, "it is stopped by a signal")
    os.kill(sleeper.pid, signal.SIGCONT)


def test_a_traced_process_is_refused(sleeper):
    seize, detach, interrupt = 0x4206, 17, 0x4207
    if LIBC.ptrace(seize, sleeper.pid, None, None) != 0:
        pytest.skip("this machine does not let us trace a child")
    code, why = refusal(sleeper.pid)
    assert code == 3 and re.fullmatch(r"process \d+ \(.*\) traces it, as a debugger does", why)
    LIBC.ptrace(interrupt, sleeper.pid, None, None)
    os.waitpid(sleeper.pid, 0)
    LIBC.ptrace(detach, sleeper.pid, None, None)


def test_a_container_with_a_seccomp_filter_is_no_hindrance_inside(compiled_targets, tracing,
                                                                 tmp_path):
    """As in docker's: the filter cannot be read, but is that of flopsprof attach too."""
    os.symlink(compiled_targets / "plugin.so", tmp_path / "plugin.so")
    program = Target([str(compiled_targets / "targets"), "sleep"], tmp_path, "sleep", under_a_filter)
    done = flopsprof("attach", "-p", program.pid, "-d", "50ms", "-o", tmp_path / "run",
                     preexec_fn=under_a_filter)
    assert program.end() == (7, "sleep ok\n", "")
    assert "runs on without us" in done.stderr, done.stderr


def test_a_static_program_is_refused(tmp_path):
    source = tmp_path / "waits.c"
    # Reads a byte, ends with code 0; without libc, whose static library not every machine has.
    source.write_text("""void _start(void) {
      char c;
      __asm__ volatile("xor %%eax, %%eax; xor %%edi, %%edi; mov $1, %%edx; syscall;"
                       "mov $60, %%eax; xor %%edi, %%edi; syscall" : : "S"(&c)
                       : "rax", "rdi", "rdx", "rcx", "r11", "memory");
      __builtin_unreachable();
    }
    """)
    subprocess.run(["cc", "-static", "-nostdlib", source, "-o", tmp_path / "waits"], check=True)
    with subprocess.Popen([tmp_path / "waits"], stdin=subprocess.PIPE) as process:
        assert refusal(process.pid) == (
            3, "it has no C library that could load ours: it is statically linked")
        process.communicate()
    assert process.returncode == 0


def test_a_process_under_flopsprof_is_refused(compiled_targets, tmp_path):
    library = product("lib/libflopsprof_inject.so")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=environment({"LD_PRELOAD": library})
                          ) as process:
        wait_until(lambda: "libflopsprof" in open(f"/proc/{process.pid}/maps",
                                                  encoding="utf-8").read(), 60)
        assert refusal(process.pid) == (3, "it was started under flopsprof")
        process.communicate()


def test_another_users_process_is_refused():
    if os.getuid() != 0:
        pytest.skip("only root can start another user's process")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, user=65534) as process:
        assert refusal(process.pid) == (4, "it is of user 65534, we are user 0")
        process.communicate()


def test_a_process_that_nobody_attached_is_not_detached(sleeper):
    done = flopsprof("detach", "-p", sleeper.pid)
    assert (done.returncode, "is not attached" in done.stderr) == (3, True)


def test_all_that_the_injector_reads_of_an_environment_is_handed_over():
    root = os.path.dirname(os.path.dirname(PROGRAMS))
    texts = []
    for name in ("injector/base/env_config.cc", "viewer/attach/preflight.cc"):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            texts.append(set(re.findall(r'"([A-Z][A-Z0-9_]{3,})"', file.read())))
    # Set by attach itself, or of the loader.
    ours = {"FLOPSPROF_SOCKET", "FLOPSPROF_CONNECT_TIMEOUT_MS", "FLOPSPROF_RECONNECT_S",
            "FLOPSPROF_STEP_AT", "NVTX_INJECTION64_PATH"}
    assert texts[0] - ours and texts[0] - ours <= texts[1]
