# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The scripts on machines that have little: what is missing is seen, what fails is named."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest
from flopsprof_run import ROOT

SCRIPTS = os.path.join(ROOT, "scripts")
GPU = os.path.exists("/dev/nvidia0")


def bash(code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    """Runs code after common.sh, as scripts do."""
    head = f"set -euo pipefail; script_name=test; source {SCRIPTS}/common.sh; "
    return subprocess.run(
        ["bash", "-c", head + code, "bash", *arguments],
        env={**os.environ, **variables}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def program(folder, name: str, code: str) -> None:
    """A program of a test, in the place of another when folder is first in PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\n{code}\n")
    (folder / name).chmod(0o755)


def test_a_copied_build_folder_does_not_build_where_it_came_from(tmp_path):
    programs, copy = tmp_path / "programs", tmp_path / "copy"
    shutil.copytree(SCRIPTS, copy / "scripts")
    (copy / "build").mkdir()
    (tmp_path / "original").mkdir()
    cache = copy / "build/CMakeCache.txt"
    cache.write_text(f"CMAKE_CACHEFILE_DIR:INTERNAL={tmp_path}/original\n")
    configured = (
        "touch build/build.ninja; "
        'echo "CMAKE_CACHEFILE_DIR:INTERNAL=$PWD/build" > build/CMakeCache.txt'
    )
    program(programs, "cmake", f"echo cmake >> {tmp_path}/calls; {configured}")
    program(programs, "ninja", f"echo ninja >> {tmp_path}/calls")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    command = [copy / "scripts/build.sh", "some_test"]
    for target in range(2):  # once is enough
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        assert ("configured as" in done.stderr) == (target == 0)
    assert (tmp_path / "calls").read_text().split() == ["cmake", "ninja", "ninja"]


def installed(site, name: str, whole: bool = True) -> None:
    info = site / f"{name}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hjson\nVersion: 3.1.0\n")
    if whole:
        (info / "INSTALLER").write_text("pip\n")


@pytest.mark.parametrize("option", ["-s", "-u"])
def test_a_pinned_package_that_is_not_there_is_missing(tmp_path, option):
    """With nullglob and without: 'torch==2.14.1' once counted as installed in an empty folder."""
    for name in ("numpy-2.4.0", "torch_geometric-2.8.1", "torch-2.8.0"):
        installed(tmp_path, name)
    wanted = ["torch==2.14.1", "numpy", "torch-geometric==2.8.1", "jax[cuda13]==0.10.2", "hjson"]
    code = f'shopt {option} nullglob; missing_packages "$@"'
    done = bash(code, str(tmp_path), *wanted)
    assert done.stdout.split() == ["torch==2.14.1", "jax[cuda13]==0.10.2", "hjson"]


def test_everything_is_missing_where_there_is_no_environment(tmp_path):
    done = bash('missing_packages "$@"', str(tmp_path / "none"), "torch==2.14.1", "numpy")
    assert done.stdout.split() == ["torch==2.14.1", "numpy"]


def test_a_package_whose_installation_was_interrupted_is_installed_again(tmp_path):
    """pip calls it satisfied; programs found a folder without its files, at every later run."""
    bash('make_venv "$1"', str(tmp_path))
    (site,) = tmp_path.glob("lib/python3*/site-packages")
    installed(site, "hjson-3.1.0", whole=False)
    assert bash('missing_packages "$@"', str(site), "hjson==3.1.0").stdout == "hjson==3.1.0\n"
    is_there = 'make_venv "$1"; "$1/bin/python" -m pip list'
    assert "hjson" not in bash(is_there, str(tmp_path)).stdout
    installed(site, "hjson-3.1.0")
    assert bash('missing_packages "$@"', str(site), "hjson==3.1.0").stdout == ""
    assert "hjson" in bash(is_there, str(tmp_path)).stdout


def test_an_environment_whose_making_was_interrupted_is_made_anew(tmp_path):
    """Its python was there, and no pip: every run failed until somebody deleted the folder."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to("/usr/bin/python3")
    (tmp_path / "pyvenv.cfg").write_text(
        "home = /usr/bin\ninclude-system-site-packages = false\n"
    )
    (tmp_path / "lock").write_text("")
    code = 'make_venv "$1"; "$1/bin/python" -m pip --version'
    done = bash(code, str(tmp_path))
    assert f"from {tmp_path}/lib" in done.stdout, done.stderr
    assert (tmp_path / "lock").exists()
    assert "making" in done.stderr and "making" not in bash(code, str(tmp_path)).stderr


def test_each_environment_is_made_by_what_mends_it():
    """No script has a way of its own."""
    made = subprocess.run(
        ["grep", "-rlE", "make_venv|-m venv", SCRIPTS], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    own = subprocess.run(
        ["grep", "-rl", "-e", "-m venv", SCRIPTS], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    assert own == [f"{SCRIPTS}/common.sh"] and len(made) == 6


def test_a_part_that_fails_is_named_with_its_log_and_ends_the_others(tmp_path):
    code = (
        'begin_part good "$1/good.log" bash -c "sleep 55; touch $1/ended"; '
        'begin_part bad "$1/logs/bad.log" bash -c "echo no such wheel; exit 3"; '
        "wait_for_parts good bad"
    )
    begin = time.monotonic()
    done = bash(code, str(tmp_path))
    assert done.returncode == 1
    assert time.monotonic() - begin < 50 and not os.path.exists(tmp_path / "ended")
    assert "no such wheel" in done.stderr
    assert f" s: bad. All of its output: {tmp_path}/logs/bad.log" in done.stderr


def test_a_process_that_has_ended_is_ended_without_an_error(tmp_path):
    """Itself before its children or one of them: a script with set -e once ended there."""
    code = (
        "bash -c 'true & sleep 55' & parent=$!; "
        'until [[ $(cat "/proc/$parent/task/$parent/children") ]]; do sleep 0.1; done; sleep 0.2; '
        'end_tree "$parent"; wait "$parent" || true; end_tree "$parent"; echo both'
    )
    assert bash(code).stdout == "both\n"


@pytest.mark.parametrize(
    "what, number",
    [
        ("begin_part part $1/log {}; wait_for_parts part", signal.SIGINT),
        ("begin_part part $1/log {}; wait_for_parts part", signal.SIGTERM),
        ("{}; true", signal.SIGTERM),
        ("{}; true", signal.SIGHUP),
    ],
)
def test_a_script_that_is_ended_ends_all_that_it_began(tmp_path, what, number):
    """Ctrl-C goes to all of the terminal's programs, but is ignored by those in the background."""
    part = "bash -c 'touch $1/begun; sleep 20; true' part $1"
    code = f"source {SCRIPTS}/common.sh; set -euo pipefail; {what.format(part)}"
    alive, inherited = os.pipe()
    script = subprocess.Popen(
        ["bash", "-c", code, "bash", tmp_path], pass_fds=[inherited], start_new_session=True,
        preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGHUP)],
    )  # fmt: skip
    os.close(inherited)
    begin = time.monotonic()
    while not (tmp_path / "begun").exists():
        assert time.monotonic() - begin < 15
    (os.killpg if number == signal.SIGINT else os.kill)(script.pid, number)
    assert os.read(alive, 1) == b""  # closed by the last of them
    os.close(alive)
    assert script.wait(timeout=15) == -number
    assert time.monotonic() - begin < 15


def test_long_parts_show_what_they_do(tmp_path):
    code = (
        'begin_part build "$1/build.log" bash -c "echo [3/141] Building CXX; sleep 1.5"; '
        'begin_part env "$1/env.log" bash -c "echo simgpu: installing torch; sleep 1.5"; '
        "wait_for_parts build env"
    )
    done = bash(code, str(tmp_path), FLOPSPROF_PROGRESS_S="1")
    assert done.returncode == 0
    assert "build (build.log: step 3/141); env (env.log: installing torch)" in done.stderr
    assert re.search(r"done in \d+ s: build", done.stderr)


@pytest.mark.parametrize("name, found", [("libc.so.6", True), ("libcuda.so.77", False)])
def test_libraries_are_found_without_the_folders_of_root_in_path(name, found):
    assert bash('linker_finds "$1"', name, PATH="/usr/bin:/bin").returncode == (not found)


def test_a_library_is_found_in_a_long_list(tmp_path):
    """A pipe that is read to the first match only ends its writer with an error."""
    lines = "echo 'libcuda.so.1 (libc6,x86-64) => /a'; for n in {1..30000}; do echo lib$n.so; done"
    program(tmp_path / "programs", "ldconfig", lines)
    path = f"{tmp_path}/programs:{os.environ['PATH']}"
    assert bash("linker_finds libcuda.so.1", PATH=path).returncode == 0


def test_a_fresh_machine_sees_the_clone_and_the_system_only(tmp_path):
    """What CI runs in: no home, no neighbours, Debian's Python, and what is made stays."""
    script = os.path.join(SCRIPTS, "fresh_machine.sh")
    code = (
        "set -e; ls -A ~; ls -A ..; command -v python3; "
        'python3 -c "import sys; print(sys.prefix)"; touch ~/made'
    )
    home = str(tmp_path / "home")
    done = subprocess.run(
        [script, "--home", home, "bash", "-c", code],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [os.path.basename(ROOT), "/usr/bin/python3", "/usr"]
    assert os.listdir(home) == ["made"]


def test_a_part_of_a_script_that_is_not_known_is_refused():
    for script, arguments in (
        ("setup.sh", ["everything"]), ("simgpu_env.sh", ["--for", "nobody"]),
        ("simgpu_env.sh", ["--fro"]), ("test.sh", ["--only", "nothing"]),
        ("gpu_check.sh", ["--only"]),
    ):  # fmt: skip
        done = subprocess.run(
            [os.path.join(SCRIPTS, script), *arguments],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode != 0, script
        assert "error" in done.stderr and arguments[-1] in done.stderr, done.stderr


def test_the_product_alone_is_configured_without_tests_and_their_libraries(tmp_path):
    """A user's machine has no GoogleTest. What was configured with tests once stays so."""
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    programs = tmp_path / "programs"
    program(programs, "cmake", f"echo $* >> {tmp_path}/configured; touch build/build.ninja")
    program(
        programs, "ninja",
        "mkdir -p build/bin build/lib; "
        "touch build/bin/flopsprof build/bin/flopsprof-run build/lib/libflopsprof_inject.so",
    )  # fmt: skip
    seen = []
    for target in (["product"], ["product"], [], ["product"], ["some_test"]):
        (tmp_path / "configured").write_text("")
        subprocess.run(
            [tmp_path / "scripts/build.sh", *target], check=True, timeout=60,
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        )  # fmt: skip
        words = (tmp_path / "configured").read_text().split()
        seen.append([word[2:] for word in words if "_BUILD_" in word])
    off = ["FLOPSPROF_BUILD_TESTS=OFF", "FLOPSPROF_BUILD_BENCHMARKS=OFF"]
    on = ["FLOPSPROF_BUILD_TESTS=ON", "FLOPSPROF_BUILD_BENCHMARKS=ON"]
    assert seen == [off, [], on, [], []]


@pytest.mark.parametrize(
    "report, verdict",
    [
        ("! GPU is simulated: times\n conv1", "tested"),
        # Where there is a GPU, that is right.
        ("MFU 40%\n conv1", "tested" if GPU else "does not say that the GPU is simulated"),
        ("! GPU is simulated: times", "no module of the model"),
        ("", "no report"),
    ],
)
def test_ci_reads_the_report_and_not_what_quickstart_says_of_it(tmp_path, report, verdict):
    shutil.copytree(os.path.join(ROOT, ".ci"), tmp_path / ".ci")
    (tmp_path / "report.txt").write_text(report)
    (tmp_path / "build/logs").mkdir(parents=True)
    (tmp_path / "build/logs/build.log").write_text("[142/142] Linking\n")
    scripts = tmp_path / "scripts"
    program(scripts, "fresh_machine.sh", 'shift; exec "$@"')
    program(
        scripts, "quickstart.sh",
        "echo 'quickstart: SIMULATED conv1'; echo 'flopsprof: profiling net, run folder .'",
    )  # fmt: skip
    program(scripts, "test.sh", "echo tested")
    done = subprocess.run(
        [tmp_path / ".ci/run"], env={**os.environ, "FLOPSPROF_CI_IS_FRESH": "yes"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert verdict in done.stdout
    assert done.returncode == (verdict != "tested")


def test_a_fresh_machine_hides_what_no_debian_package_brought(tmp_path):
    """A home with the clone two folders below it, and one with the clone's neighbours."""
    clone = tmp_path / "home/src/clone"
    shutil.copytree(SCRIPTS, clone / "scripts")
    (tmp_path / "home/src/neighbour").mkdir()
    done = subprocess.run(
        [clone / "scripts/fresh_machine.sh", "bash", "-c", "ls -A .. /srv /usr/local ~"],
        env={**os.environ, "HOME": str(tmp_path / "home")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folders = ["..:", "/srv:", "/usr/local:", f"{clone}/build/fresh/home:"]
    debian = {"etc", "share"} & set(os.listdir("/usr/local"))
    assert sorted(done.stdout.split()) == sorted([*folders, "clone", *debian])
    assert sorted(os.listdir(tmp_path / "home/src")) == ["clone", "neighbour"]


def test_a_machine_without_the_packages_of_tests_has_no_googletest():
    """What quickstart.sh runs in for CI: a build that wants GoogleTest fails there."""
    code = (
        'for header in sqlite3.h google/protobuf/message.h gtest/gtest.h benchmark/benchmark.h; do '
        'echo "#include <$header>" | g++ -xc++ -E - > /dev/null && echo $header; done'
    )
    script = os.path.join(SCRIPTS, "fresh_machine.sh")
    done = subprocess.run(
        [script, "--without-test-packages", "bash", "-c", code],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["sqlite3.h", "google/protobuf/message.h"]
    assert "gtest/gtest.h: No such file" in done.stderr


def test_a_home_with_files_of_others_is_not_emptied(tmp_path):
    script = os.path.join(SCRIPTS, "fresh_machine.sh")
    (tmp_path / "letters").write_text("dear")
    arguments = [script, "--home", str(tmp_path), "bash", "-c", "touch ~/made"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and f"--home {tmp_path}: there are files" in done.stderr
    assert os.listdir(tmp_path) == ["letters"]
    for _ in range(2):
        arguments = [script, "--home", str(tmp_path / "home"), "bash", "-c", "ls -A ~; touch ~/made"]
        assert subprocess.check_output(arguments, timeout=60) == b""


def test_a_machine_that_cannot_hide_folders_says_so(tmp_path):
    program(tmp_path / "programs", "unshare", "exit 1")
    done = subprocess.run(
        [os.path.join(SCRIPTS, "fresh_machine.sh"), "--home", str(tmp_path / "home"), "true"],
        env={**os.environ, "PATH": f"{tmp_path}/programs:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot hide folders" in done.stderr and "user namespaces" in done.stderr


def test_a_set_up_that_fails_is_a_failure_in_the_last_line(tmp_path):
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    program(tmp_path / "scripts", "setup.sh", "exit 1")
    done = subprocess.run(
        [tmp_path / "scripts/test.sh"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1 and done.stdout.splitlines()[-1:] == ["0 passed, 1 failed"]


@pytest.mark.parametrize("made, free_gb, wanted", [(False, 18, 19), (True, 2, 3)])
def test_tests_say_at_once_how_much_room_they_take(tmp_path, made, free_gb, wanted):
    """With environments that were made before, and with ones whose making was interrupted."""
    cache = tmp_path / "cache"
    for name in ("sim-env/simgpu-stamp", "sim-env-jax/stamp", "torch-2.4.1/simgpu-stamp"):
        (cache / name).parent.mkdir(parents=True)
        if made:
            (cache / name).touch()
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    program(tmp_path / "scripts", "setup.sh", f"touch {tmp_path}/begun; exit 1")
    script = str(tmp_path / "scripts/test.sh")

    def run(free_mb: int) -> subprocess.CompletedProcess:
        told = f"echo Filesystem; echo disk 9999999 1 {free_mb} 1% /"
        program(tmp_path / "programs", "df", told)
        return bash(
            script, FLOPSPROF_CACHE_DIR=str(cache),
            PATH=f"{tmp_path}/programs:{os.environ['PATH']}",
        )  # fmt: skip

    done = run(1000 * free_gb + 999)
    assert done.returncode == 1 and done.stdout.splitlines()[-1:] == ["0 passed, 1 failed"]
    assert f"takes up to {wanted} GB" in done.stderr and f"has {free_gb} GB left" in done.stderr
    assert not (tmp_path / "begun").exists()
    run(1000 * wanted)
    assert (tmp_path / "begun").exists()


def test_quickstart_runs_a_python_without_torchrun_and_says_the_command(tmp_path):
    """The command that is printed is the one that is run, word by word."""
    scripts = tmp_path / "scripts"
    shutil.copytree(SCRIPTS, scripts)
    for name in ("setup.sh", "build.sh"):
        program(scripts, name, "true")
    program(tmp_path / "programs", "python3", "exit 1")  # no torch: on the stand-in
    program(scripts, "simgpu_env.sh", f"echo {tmp_path}/env/bin/python")
    (tmp_path / "build").mkdir()
    program(tmp_path / "build/bin", "flopsprof-run", 'printf "%s\\n" "$@"')
    done = subprocess.run(
        [scripts / "quickstart.sh", "--focus", "a b"],
        env={**os.environ, "PATH": f"{tmp_path}/programs:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    words = done.stdout.splitlines()
    assert words[:3] == ["--focus", "a b", "--"]
    assert words[3:6] == [f"{tmp_path}/env/bin/python", "-m", "torch.distributed.run"]
    said = next(line for line in done.stderr.splitlines() if "3/3 running" in line)
    command = shlex.split(said.split(f"in {tmp_path}: ")[1])
    assert command == ["build/bin/flopsprof-run", *words]
