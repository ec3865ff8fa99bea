# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel of scripts/package.sh: its tag is true, and in a fresh virtual environment it is all that a
user needs. Nothing of the source tree is on any path of what runs from there.
"""

import fcntl
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from flopsprof_run import ACCEPTANCE, ROOT, product, sim_python

SCRIPT = os.path.join(ROOT, "scripts", "package.sh")
WHEEL_PY = os.path.join(ROOT, "scripts", "wheel.py")
RANKS, STEPS, FORWARD_MACS, BACKWARD_FLOPS = 2, 3, 5_213_760, 15_210_240  # main_job_test.py


def run(argv, env=None, code=0, timeout=120, **options):
    done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout, **options)  # fmt: skip
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def make(folder) -> None:
    """folder/wheel/*.whl and folder/env, with the wheel in it and nothing else."""
    built = {**os.environ, "FLOPSPROF_BUILD_DIR": product("")}
    packed = run([SCRIPT, str(folder / "wheel")], env=built)
    (wheel,) = glob.glob(str(folder / "wheel" / "*"))
    assert packed.stdout == wheel + "\n"
    run([sim_python(), "-m", "venv", str(folder / "env")])
    # Not what the caller's settings of pip say: no index, no folder of wheels.
    pip = [folder / "env" / "bin" / "pip", "--isolated", "install", "--no-index", "--no-deps"]
    run([*map(str, pip), wheel], env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}, cwd=folder)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Made once for all workers of a test run: their temporary folders have one above."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / "package"
    with open(base / "package.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "done").touch()
    return folder


@pytest.fixture
def wheel(made) -> str:
    return glob.glob(str(made / "wheel" / "*.whl"))[0]


@pytest.fixture
def bin_folder(made) -> str:
    return str(made / "env" / "bin")


def environment(bin_folder, home, torch=False) -> dict:
    """A user's, with nothing of the test's. PyTorch, where wanted, is that of the stand-in GPU."""
    found = {"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(home), "OMP_NUM_THREADS": "1"}
    if torch:
        site = glob.glob(os.path.join(os.path.dirname(sim_python()), "../lib/python3*/site-packages"))
        found["PYTHONPATH"] = os.path.realpath(site[0])
    return found


def elf_files(wheel, folder) -> dict:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
        names = packed.namelist()
    paths = {name: os.path.join(folder, name) for name in names}
    return {name: path for name, path in paths.items() if open(path, "rb").read(4) == b"\x7fELF"}


def test_the_wheel_is_small_and_needs_nothing(wheel):
    assert os.path.getsize(wheel) < 15 * 1000 * 1000
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = [packed.read(n).decode() for n in names if n.endswith("/METADATA")]
    assert "Requires-Dist" not in metadata
    assert [n for n in names if "__pycache__" in n or n.endswith(".pyc")] == []
    sources = os.path.join(ROOT, "injector/shims/python")
    ours = {os.path.relpath(path, sources)
            for path in glob.glob(sources + "/flopsprof/**/*.py", recursive=True)}  # fmt: skip
    assert {name for name in names if name.endswith(".py")} == ours


def test_the_tag_is_true_of_every_program_and_library(wheel, tmp_path):
    (promised,) = re.findall(r"-py3-none-manylinux_2_(\d+)_x86_64\.whl$", wheel)
    assert promised == "28"
    found = elf_files(wheel, tmp_path)
    assert sorted(map(os.path.basename, found)) == [
        "flopsprof", "flopsprof-run", "libflopsprof_inject.so"]  # fmt: skip
    for name, path in found.items():
        needed = re.findall(r"NEEDED.*\[(.*)\]", run(["readelf", "-dW", path]).stdout)
        asked = set(re.findall(r"Name: (\w+)", run(["readelf", "-VW", path]).stdout))
        if name.endswith(".so"):
            assert set(needed) <= {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2"}
            assert asked and all(re.fullmatch("GLIBC_2", version) for version in asked)
            minors = re.findall(r"Name: GLIBC_2\.(\d+)", run(["readelf", "-VW", path]).stdout)
            assert max(map(int, minors)) <= int(promised)
        else:
            assert needed == [] and asked == set()
            # An empty environment and no shell: a static program needs the kernel alone.
            assert "interpreter" not in run(["readelf", "-lW", path]).stdout


def staged(folder, source, *options) -> str:
    """A stage for wheel.py with one library."""
    (folder / "data").mkdir(parents=True)
    (folder / "x.c").write_text(source)
    library = str(folder / "data" / "x.so")
    run(["gcc", "-shared", "-fPIC", "-o", library, str(folder / "x.c"), *options])
    return str(folder)


def test_a_newer_symbol_is_in_the_tag_and_a_foreign_library_is_refused(tmp_path):
    newer = staged(tmp_path / "newer", "int stat(); int f(void) { return stat(); }")
    versions = run(["readelf", "-VW", newer + "/data/x.so"]).stdout
    newest = max(map(int, re.findall(r"Name: GLIBC_2\.(\d+)", versions)))
    assert newest > 28, "this machine's glibc is too old to show a newer symbol"
    done = run([sys.executable, WHEEL_PY, newer, "1.2", str(tmp_path)])
    assert done.stdout == f"{tmp_path}/flopsprof-1.2-py3-none-manylinux_2_{newest}_x86_64.whl\n"
    assert f"the tag says glibc 2.{newest} and not 2.28" in done.stderr

    foreign = staged(tmp_path / "foreign", "int f(void) { return 1; }", "-Wl,--no-as-needed", "-lm")
    done = run([sys.executable, WHEEL_PY, foreign, "1.2", str(tmp_path)], code=1)
    assert done.stderr.endswith("needs libm.so.6, which not every Linux has: link it statically\n")
    done = run([sys.executable, WHEEL_PY, newer, "next", str(tmp_path)], code=1)
    assert "'next' is no version" in done.stderr


def test_the_same_files_give_the_same_wheel(tmp_path):
    stage = staged(tmp_path / "stage", "int f(void) { return 1; }", "-nostdlib")
    wheels = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        done = run([sys.executable, WHEEL_PY, stage, "1.2", str(tmp_path / name)])
        wheels.append(open(done.stdout.strip(), "rb").read())
        os.utime(os.path.join(stage, "data", "x.so"), (0, 0))
    assert wheels[0] == wheels[1]


def test_both_commands_are_there(made, bin_folder, tmp_path):
    env = environment(bin_folder, tmp_path)
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        (version,) = re.findall(r"^project\(flopsprof VERSION ([\d.]+)", file.read(), re.M)
    said = run([f"{bin_folder}/flopsprof", "--version"], env={}, cwd=tmp_path).stdout
    assert said == f"flopsprof {version}\n"
    assert run([f"{bin_folder}/pip", "--isolated", "list"], env=env).stdout.count(version) == 1
    checks = json.loads(run(["flopsprof", "doctor", "--json"], env=env, cwd=tmp_path).stdout)["checks"]
    (library,) = glob.glob(str(made / "env/lib/flopsprof/libflopsprof_inject.so"))
    assert library in json.dumps(checks)


def test_the_job_gets_the_users_environment_and_its_status_comes_back(bin_folder, tmp_path):
    env = environment(bin_folder, tmp_path)
    os.symlink(f"{bin_folder}/flopsprof-run", tmp_path / "flopsprof-run")  # as pipx makes them
    seen = []
    starts = (["flopsprof", "run"], ["flopsprof-run"], [str(tmp_path / "flopsprof-run")])
    for number, start in enumerate(starts):
        argv = [*start, "-o", str(tmp_path / f"run{number}"), "--", "env", "-0"]
        lines = run(argv, env=env, cwd=tmp_path).stdout.split("\0")
        seen.append({line.partition("=")[0] for line in lines})
    assert seen[0] == seen[1] == seen[2] and "HOME" in seen[0]
    assert "PWD" not in seen[0] and "SHLVL" not in seen[0]
    argv = ["flopsprof-run", "-o", str(tmp_path / "failed"), "--", "sh", "-c", "exit 7"]
    run(argv, env=env, code=7, cwd=tmp_path)


def test_a_lonely_command_says_what_to_do(bin_folder, tmp_path):
    shutil.copy(f"{bin_folder}/flopsprof-run", tmp_path)
    done = run([str(tmp_path / "flopsprof-run"), "--", "true"], code=127)
    assert done.stderr == (f"flopsprof-run: cannot start {tmp_path}/flopsprof: No such file or"
                           " directory\n  install the package again\n")  # fmt: skip


def test_the_main_job_runs_from_there(bin_folder, tmp_path):
    shutil.copytree(ACCEPTANCE, tmp_path / "programs")
    folder = tmp_path / "run"
    job = ["python", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(RANKS),
           str(tmp_path / "programs" / "cifar_net.py"), "--batch", "8", "--steps", str(STEPS)]  # fmt: skip
    env = environment(bin_folder, tmp_path, torch=True)
    run(["flopsprof-run", "-o", str(folder), "--", *job], env=env, cwd=tmp_path, timeout=300)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["simulated"] is True
    assert [rank["rank"] for rank in summary["ranks"]] == list(range(RANKS))
    for rank in summary["ranks"]:
        assert rank["macs"]["forward"] == STEPS * FORWARD_MACS
        assert rank["flops"]["backward"] == STEPS * BACKWARD_FLOPS
    assert {"", "conv1", "fc3"} <= {module["path"] for module in summary["modules"]}
    assert "conv1" in run(["flopsprof", "report", str(folder)], env=env).stdout


COUNT = """
import torch
from flopsprof.deepspeed import get_model_profile
layer = torch.nn.Linear(8, 16)
print(get_model_profile(layer, (4, 8), print_profile=False, as_string=False))
"""
# By hand: 4 x 8 x 16 products of 2 flops, 4 x 16 additions of the bias; 8 x 16 + 16 parameters.
COUNTED = f"{(2 * 512 + 64, 512, 144)}\n"


def test_a_model_is_counted_from_there(bin_folder, tmp_path):
    env = environment(bin_folder, tmp_path, torch=True)
    assert run(["python", "-c", COUNT], env=env, cwd=tmp_path).stdout == COUNTED
    command = ["python", "-m", "flopsprof.count", "torch.nn:Linear", "--arg", "in_features=8", "--arg",
               "out_features=16", "--input", "4x8", "--json"]  # fmt: skip
    found = json.loads(run(command, env=env, cwd=tmp_path).stdout)
    assert f"{(found['flops'], found['macs'], found['params'])}\n" == COUNTED
    without = environment(bin_folder, tmp_path)  # PyTorch is asked for when something is counted
    code = "import flopsprof.deepspeed; flopsprof.step(); print(flopsprof.active())"
    assert run(["python", "-c", code], env=without, cwd=tmp_path).stdout == "False\n"
    code = "from flopsprof.deepspeed import get_model_profile"
    assert "No module named 'torch'" in run(["python", "-c", code], env=without, code=1).stderr


def test_a_profiled_job_finds_the_whole_package(bin_folder, tmp_path):
    """And not the module that flopsprof-run puts into jobs of environments without it."""
    code = "import flopsprof; print(flopsprof.active(), flopsprof.__file__)\n" + COUNT
    (tmp_path / "job.py").write_text(code)
    env = environment(bin_folder, tmp_path, torch=True)
    argv = ["flopsprof-run", "-o", str(tmp_path / "run"), "--", "python", str(tmp_path / "job.py")]
    first, counted = run(argv, env=env, cwd=tmp_path).stdout.splitlines(keepends=True)
    where = os.path.dirname(bin_folder)
    assert re.fullmatch(rf"True {re.escape(where)}/lib/python3[.\d]*/site-packages/flopsprof/__init__.py\n",
                        first)  # fmt: skip
    assert counted == COUNTED


def test_what_cannot_be_packed_is_told(tmp_path):
    def told(*options, **env):
        return run([SCRIPT, *options], env={**os.environ, **env}, code=1).stderr

    assert "error: unknown option --here; see --help" in told("--here")
    assert "error: one folder at most" in told(str(tmp_path), "more")
    (tmp_path / "file").touch()
    said = told(str(tmp_path / "file" / "dist"))
    assert f"error: cannot write to {tmp_path}/file/dist: give another folder" in said
    said = told(str(tmp_path), FLOPSPROF_BUILD_DIR=str(tmp_path))
    assert f"error: {tmp_path}/build.ninja is missing: run scripts/build.sh" in said
    assert glob.glob(str(tmp_path / "*.whl")) == []
