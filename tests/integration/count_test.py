# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""flopsprof.count: numbers by hand, other counters' numbers from their reasons, the command line."""

import csv
import io
import json
import os
import subprocess

import pytest
from flopsprof_run import ROOT, acceptance, sim_python

PACKAGE = os.path.join(ROOT, "injector", "shims", "python")
NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 4, bias=False))

    def forward(self, x, scale=None):
        x = self.body(x)
        return x if scale is None else x * scale

def make():
    return Net(), torch.zeros(4, 8)

ready = Net()
number = 3
"""
# Four rows. MACs: 4 x (8 x 16 + 16 x 4); beside them 4 x 16 additions of the bias and 4 x 16 activations.
MACS, FLOPS, PARAMS = 4 * (128 + 64), 2 * 4 * (128 + 64) + 2 * 64, 8 * 16 + 16 + 64


def run(*words, code=0, cwd=None, devices=0, **environment):
    env = {**os.environ, "PYTHONPATH": PACKAGE, "SIM_DEVICES": str(devices), **environment}
    done = subprocess.run([sim_python(), "-W", "ignore", "-m", "flopsprof.count", *words], env=env, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)  # fmt: skip
    assert done.returncode == code, done.stdout[-2000:] + done.stderr[-3000:]
    return done


MANY = """
import contextlib, io, json, sys
from flopsprof.count.command import main
for words in json.loads(sys.argv[1]):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as end:
            code = end.code
    told = [code, 1] if isinstance(code, str) else [err.getvalue(), code]
    print(json.dumps([*told, out.getvalue()]))
"""


def run_many(lists, cwd) -> list:
    """[message, status, stdout] of each, in one process: most of a process is the import of PyTorch."""
    done = subprocess.run([sim_python(), "-W", "ignore", "-c", MANY, json.dumps(lists)], cwd=cwd, check=True,
                          env={**os.environ, "PYTHONPATH": PACKAGE, "SIM_DEVICES": "0"},
                          stdout=subprocess.PIPE, text=True, timeout=300)  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(said) == len(lists)
    return said


@pytest.fixture
def net(tmp_path):
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def test_other_counters_say_what_the_page_predicts():
    script = os.path.join(ROOT, "scripts", "counter_packages.sh")
    packages = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    done = subprocess.run([sim_python(), os.path.join(ROOT, "tests", "counters", "page.py")],
                          env={**os.environ, "PYTHONPATH": packages, "SIM_DEVICES": "0"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert len(found["calls"]) >= 12 and len(found["cases"]) >= 16 and len(found["models"]) >= 4
    for row in found["calls"]:
        assert row["values"][0] == row["values"][1], row
    for row in found["cases"]:
        ours = row["ours"]
        assert {"flops": ours["flops"], "macs": ours["macs"]} == row["right"], row["name"]
        assert ours["uncounted"] == []
        for tool, entry in row["theirs"].items():
            assert entry["said"] == entry["expected"], (row["name"], tool, entry)
    told = {entry["reason"] for row in found["cases"] for entry in row["theirs"].values()} - {None}
    assert told == set(found["reasons"])
    for row in found["models"]:
        for tool, name, number in row["ours"]["from_ours"]:
            assert row["theirs"][tool][name] == number, (row["name"], tool)
    assert found["old_parts"] == [], "run tests/counters/page.py --write"


WAYS = (
    ("net.py:Net", "--input", "4x8"), ("--input", "4,8:float32", "net.py:ready"), ("net.py:make",),
    ("net:make", "--device", "meta"), ("net.py:Net", "--input", "x=4x8"),
)  # fmt: skip


def test_a_model_of_a_file_is_counted_by_hand(net):
    for words, (message, _, out) in zip(WAYS, run_many([[*words, "--json"] for words in WAYS], net)):
        assert message == "", message
        found = json.loads(out)
        assert (found["format"], found["model"]) == ("flopsprof.count/1", "Net")
        assert (found["flops"], found["macs"], found["params"]) == (FLOPS, MACS, PARAMS)
        modules = {module["path"]: module for module in found["modules"]}
        assert list(modules) == ["", "body", "body.0", "body.1", "body.2"]
        assert modules["body.0"] == {"path": "body.0", "class": "Linear", "calls": 1, "params": 144,
                                     "macs": 512, "flops": 1088}  # fmt: skip
        assert {row["name"]: (row["macs"], row["flops"]) for row in found["operators"]} == {
            "nn.Linear": (MACS, 2 * MACS + 64), "nn.ReLU": (0, 64)}  # fmt: skip
        assert found["uncounted"] == []
        assert found["inputs"] == [("x=" if "x=4x8" in words else "") + "4x8:float32"]


TABLE = """\
Net, one call with 4x8:float32, scale=4:float32
flops 1,680   MACs 768   params 208
1,536 flops are products (2 for each MAC), 144 other arithmetic

module   class       calls  params  MACs  % MACs   flops  % flops
(model)  Net             1     208   768  100.0%  1.68 K   100.0%
  body   Sequential      1     208   768  100.0%  1.66 K    99.0%
3 modules lie deeper: --depth 2

operator, or layer counted as a whole  MACs  % MACs  flops  % flops
nn.Linear                               768  100.0%  1.6 K    95.2%
nn.ReLU                                   0    0.0%     64     3.8%
aten::mul                                 0    0.0%     16     1.0%
"""


def test_the_table_of_modules_and_operators(net):
    words = ["--depth", "1", "--operators", "net.py:Net", "--input", "4x8", "--input", "scale=4"]
    (_, _, out), written = run_many([words, [*words, "-o", "table.txt"]], net)
    assert out == (net / "table.txt").read_text() == TABLE
    assert written == ["", 0, ""]


def test_csv_is_read_back_and_has_no_formulas(net):
    (net / "odd.py").write_text(NET + "ready.add_module('=1+1', nn.Linear(8, 8))\n")
    rows = list(csv.DictReader(io.StringIO(run("odd.py:ready", "--input", "4x8", "--csv", cwd=net).stdout)))
    assert [row["path"] for row in rows] == ["", "body", "body.0", "body.1", "body.2", "'=1+1"]
    assert rows[0]["flops"] == str(FLOPS) and rows[5]["calls"] == "0"


ODD = NET + """
for name in ("=1+1", "-2+3", "\\t=1", " =1", "\\uff1d1", "\\x1b[31m", "\\u202e", "\\udcff", "a\\nb", "<b>|", "a,b"):
    ready.add_module(name, nn.Identity())
"""


def test_names_are_neither_formulas_nor_lines_nor_letters_of_a_terminal(net):
    (net / "odd.py").write_text(ODD)
    words = ("odd.py:ready", "--input", "4x8")
    (_, _, table), (_, _, text), (message, status, _) = run_many(
        [("--csv", *words), words, ("-o", "table.txt", *words)], net)  # fmt: skip
    shown = [row["path"] for row in csv.DictReader(io.StringIO(table))][5:]
    assert shown == ["'=1+1", "'-2+3", "\\t=1", "' =1", "'\uff1d1", "\\x1b[31m", "\\u202e", "\\udcff", "a\\nb",
                     "<b>|", "a,b"]  # fmt: skip
    names = [line.split()[0] for line in text.splitlines() if line.endswith("-") or " Identity " in line]
    assert names == ["=1+1", "-2+3", "\\t=1", "=1", "\uff1d1", "\\x1b[31m", "\\u202e", "\\udcff", "a\\nb",
                     "<b>|", "a,b"]  # fmt: skip
    assert (message, status) == ("", 0) and (net / "table.txt").read_text() == text


SWALLOWS = """
import torch
model = torch.nn.Linear(4, 4)
while True:
    try:
        model(torch.zeros(1, 4))
    except BaseException:
        pass
"""


def test_a_count_that_stdout_does_not_take_is_a_failure_with_one_message(net):
    (net / "swallows.py").write_text(SWALLOWS)
    (net / "calls.py").write_text("import torch\ntorch.nn.Linear(4, 4)(torch.zeros(1, 4))\n")
    reader, writer = os.pipe()
    os.close(reader)
    command = f"{sim_python()} -W ignore -m flopsprof.count"
    cases = {
        "swallows.py >/dev/full": (1, "cannot write stdout: No space left on device\n  give a file with -o\n"),
        "calls.py >&-": (1, "cannot write stdout: it is closed\n  give a file with -o\n"),
        "swallows.py": (141, ""),
    }
    running = [subprocess.Popen(["sh", "-c", f"{command} {words}"], cwd=net, stdout=writer, stderr=subprocess.PIPE,
                                env={**os.environ, "PYTHONPATH": PACKAGE, "SIM_DEVICES": "0"}, text=True)
               for words in cases]  # fmt: skip
    os.close(writer)
    for done, (words, (code, told)) in zip(running, cases.items()):
        _, said = done.communicate(timeout=300)
        assert (done.returncode, said) == (code, f"flopsprof.count: {told}" if told else ""), words


def test_a_script_is_counted_up_to_its_first_model_and_trains_nothing(net):
    (net / "train.py").write_text(
        "import sys, torch\nfrom net import Net\nprint('begins', sys.argv[1:])\nmodel = Net()\n"
        "torch.nn.Flatten()(torch.zeros(4, 8))\n"  # without parameters: no model
        "try:\n    model(torch.zeros(4, 8)).sum().backward()\n"
        "except Exception:\n    print('caught')\n"
        "finally:\n    print('tidied')\nprint('trained')\n"
    )
    done = run("--json", "train.py", "--csv", "-x", cwd=net)
    found = json.loads(done.stdout)
    assert (found["model"], found["flops"], found["macs"]) == ("Net", FLOPS, MACS)
    assert done.stderr == "begins ['--csv', '-x']\ntidied\n"
    found = json.loads(run("--json", "--class", "Linear", "train.py", cwd=net).stdout)
    assert (found["model"], found["macs"]) == ("Linear", 512)


THREADS = """
import threading
import torch
from torch import nn

layer = nn.Linear(3, 4, bias=False)
inside, go = threading.Barrier(3), threading.Barrier(3)

class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        inside.wait(60)
        x = self.layer(x)
        go.wait(60)
        return x

model = Shared()
"""


def test_only_the_calling_threads_work_is_counted(tmp_path):
    (tmp_path / "program.py").write_text(
        THREADS + "from flopsprof.count import count\n"
        "others = [threading.Thread(target=model, args=(torch.zeros(3, 3),)) for _ in range(2)]\n"
        "for other in others:\n    other.start()\n"
        "counted = count(model, torch.zeros(3, 3))\n"
        "for other in others:\n    other.join()\n"
        "print(counted.flops, counted.macs, counted.module('').calls, counted.module('layer').calls)\n"
    )
    done = subprocess.run([sim_python(), "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": PACKAGE, "SIM_DEVICES": "0"}, timeout=300)  # fmt: skip
    assert done.stdout == "72 36 1 1\n"


def test_threads_of_a_script_end_at_a_call_without_a_traceback(tmp_path):
    (tmp_path / "threads.py").write_text(
        THREADS + "def work():\n    model(torch.zeros(3, 3))\n"  # others may go on until the count is made
        "    for _ in range(10 ** 6):\n        layer(torch.zeros(3, 3))\n    print('on')\n"
        "threads = [threading.Thread(target=work) for _ in range(3)]\n"
        "for thread in threads:\n    thread.start()\n"
        "for thread in threads:\n    thread.join()\nprint('joined')\nmodel(torch.zeros(3, 3))\nprint('trained')\n"
    )
    done = run("--json", "threads.py", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (found["macs"], found["flops"], [module["calls"] for module in found["modules"]]) == (36, 72, [1, 1])
    assert done.stderr == "joined\n"


ENDS = {  # what follows the call of the model -> what the script still says
    "caught": ("try:\n    model(x)\nexcept:\n    print('caught')\nopen('checkpoint', 'w')\n", "caught\n"),
    "base": ("for step in range(9):\n    try:\n        model(x)\n    except BaseException:\n        pass\n"
             "open('checkpoint', 'w')\n", ""),
    "inside": ("import contextlib\ndef step():\n    with contextlib.suppress(BaseException):\n        model(x)\n"
               "step()\nopen('checkpoint', 'w')\n", ""),
    "again": ("try:\n    model(x)\nexcept:\n    model(x)\n    open('checkpoint', 'w')\n", ""),
    "thread": ("import threading\ndef work():\n    try:\n        model(x)\n    except:\n        model(x)\n"
               "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
               "open('checkpoint', 'w')\n", ""),
    "tidied": ("class Tidy:\n    def __enter__(self):\n        pass\n    def __exit__(self, *error):\n"
               "        print('left')\ndef step():\n    with Tidy():\n        try:\n            model(x)\n"
               "        except ValueError:\n            print('wrong')\n        finally:\n            print('finally')\n"
               "try:\n    step()\nfinally:\n    print('last')\n", "finally\nleft\nlast\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_a_script_that_catches_everything_ends_at_the_call_too(net, name):
    body, said = ENDS[name]
    (net / "script.py").write_text(f"import torch\nfrom net import Net\nmodel, x = Net(), torch.zeros(4, 8)\n{body}")
    done = run("--json", "-o", "count.json", "script.py", cwd=net)
    assert (done.stdout, done.stderr) == ("", said)
    assert json.loads((net / "count.json").read_text())["flops"] == FLOPS
    assert not (net / "checkpoint").exists()


def test_a_call_that_fails_is_not_counted_and_the_next_one_is(net):
    half = ("import torch\nfrom net import Net\nmodel = Net()\ntry:\n    model(torch.zeros(4, 9))\n"
            "except RuntimeError:\n    pass\n")  # fmt: skip
    (net / "half.py").write_text(half)
    (net / "whole.py").write_text(half + "model(torch.zeros(4, 8))\n")
    (message, code, _), (_, _, out) = run_many([["half.py"], ["--json", "whole.py"]], net)
    assert message.startswith("flopsprof.count: half.py: no call of a model succeeded; the first, of Net, failed:"
                              " RuntimeError: mat1 and mat2") and code == 1  # fmt: skip
    assert json.loads(out)["flops"] == FLOPS


def test_a_script_says_which_call_was_counted_and_where_options_went(net):
    (net / "train.py").write_text("import torch\nfrom net import Net\nNet()(torch.zeros(4, 8))\n")
    lists = [["train.py"], ["--class", "Net", "train.py"], ["train.py", "--batch", "8", "--json"]]
    (_, _, plain), (_, _, named), (_, _, behind) = run_many(lists, net)
    first = "first call of a module with parameters: Net; another: --class NAME\n"
    wrong = "--json went to train.py: options of flopsprof.count stand before the script\n"
    assert plain.splitlines(True)[1] == behind.splitlines(True)[1] == first
    assert behind.splitlines(True)[2] == wrong and wrong not in plain
    assert "first call" not in named and wrong not in named


def test_a_script_imports_its_neighbours_and_its_workers_calls_are_their_own(net):
    (net / "deep").mkdir()
    (net / "deep" / "near.py").write_text(NET)
    (net / "deep" / "train.py").write_text(
        "import os, torch\nfrom near import Net\nworker = os.fork()\nif worker == 0:\n"
        "    os._exit(Net()(torch.zeros(4, 8)).shape[1])\n"
        "print('the worker made', os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))\nNet()(torch.zeros(4, 8))\n"
    )
    ((message, _, out),) = run_many([["--json", "deep/train.py"]], net)
    assert message == "the worker made 4\n"
    assert json.loads(out)["flops"] == FLOPS


def test_a_count_that_cannot_be_written_fails_where_the_script_catches_everything_too(net):
    (net / "script.py").write_text(
        "import torch\nfrom net import Net\ntry:\n    Net()(torch.zeros(4, 8))\nexcept:\n    print('caught')\n"
    )
    done = run("-o", "no/such/file", "script.py", cwd=net, code=1)
    assert done.stdout == "" and done.stderr.startswith("caught\nflopsprof.count: cannot write no/such/file: ")


def test_modules_that_were_never_called_are_said(net):
    (net / "spare.py").write_text(
        NET + "class Spare(Net):\n    def __init__(self):\n        super().__init__()\n"
        "        self.spare = nn.ModuleList([nn.Linear(8, 8), nn.ReLU()])\n"
        "        self.own = nn.MultiheadAttention(8, 2)\n"
        "    def forward(self, x):\n        self.own(x, x, x)\n        return self.body(x)\n"
        "def one():\n    net = Net()\n    net.spare = nn.ReLU()\n    return net, torch.zeros(4, 8)\n"
    )
    lists = [["spare.py:Spare", "--input", "4x8"], ["spare.py:one"], ["net.py:make"]]
    (_, _, zeros), (_, _, own), (_, _, none) = run_many(lists, net)
    assert zeros.endswith("\n2 modules were never called; the input is zeros\n")
    assert own.endswith("\n1 module was never called\n") and "never called" not in none


def test_the_examples_of_a_package_in_the_help_work(tmp_path):
    import shlex

    page = run("--help", cwd=tmp_path).stdout
    lines = [line.split("  ")[1] for line in page.splitlines() if line.startswith("  python -m flopsprof.count ")]
    lists = [shlex.split(line)[3:] for line in lines]
    assert len(lists) == 6 and not any("..." in words for words in lists)
    (tmp_path / "bert.py").write_text(
        "from transformers import BertConfig, BertModel\ndef make():\n    return BertModel(BertConfig())\n"
    )
    assert "bert.py: def make(): return BertModel(BertConfig())" in " ".join(page.split())
    lists = [words for words in lists if "torch.nn:" in words[0] or "bert.py" in words[0]]
    (attention, _, small), (bert, _, large) = run_many([[*words, "--json"] for words in lists], tmp_path)
    assert (attention, bert) == ("", "")
    assert json.loads(small)["macs"] == 36_000 and json.loads(large)["macs"] == 11_174_215_680  # coming-from.md


def test_a_training_job_is_counted_on_the_stand_in():
    done = run("--json", *acceptance("cifar_net", "--batch", "8"), devices=1)
    assert json.loads(done.stdout)["macs"] == 5_213_760  # tests/golden/golden.json


def test_what_is_unknown_is_named_and_in_no_number(net):
    (net / "operators.py").write_text(
        "import torch\n@torch.library.custom_op('mine::twice', mutates_args=())\n"
        "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n"
    )
    (net / "own.py").write_text(
        NET + "from operators import twice\n"
        "class Own(Net):\n    def forward(self, x):\n        return twice(self.body(x))\n"
    )
    words = ("own.py:Own", "--input", "4x8")
    (_, _, text), (_, _, whole) = run_many([words, [*words, "--json"]], net)
    assert text.endswith("\n! work of these operators is unknown and in no number above:\n"
                         "  mine::twice: 1 call, no formula\n")  # fmt: skip
    found = json.loads(whole)
    assert found["uncounted"] == [{"name": "mine::twice", "calls": 1, "why": "no formula"}]
    assert found["flops"] == FLOPS


def test_deepspeeds_numbers_on_request(net):
    words = ("net.py:make", "--json", "--compat", "quirks")
    assert json.loads(run(*words, cwd=net).stdout)["flops"] == FLOPS - 64  # without the linear layer's bias


def test_the_call_in_a_program(net):
    (net / "program.py").write_text(
        "import torch\nfrom net import Net\nfrom flopsprof.count import count\n"
        "net = Net().train()\ncounted = count(net, torch.zeros(4, 8), scale=torch.ones(4))\n"
        "print(counted.flops, counted.macs, counted.params, counted.module('body').flops, net.training)\n"
        "print(counted)\nprint(count(net.body[0].forward, torch.zeros(4, 8)).macs)\n"
        "try:\n    count(net, torch.zeros(1, 9))\nexcept RuntimeError:\n    print(count(net, torch.zeros(4, 8)).flops)\n"
        "try:\n    counted.module('head')\nexcept KeyError as error:\n    print(error)\n"
    )
    done = subprocess.run([sim_python(), "program.py"], cwd=net, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": PACKAGE, "SIM_DEVICES": "0"})  # fmt: skip
    assert done.stdout == (f"{FLOPS + 16} {MACS} {PARAMS} {FLOPS} True\n"
                           f"<Count of Net: {FLOPS + 16} flops, {MACS} MACs, {PARAMS} params>\n512\n{FLOPS}\n"
                           "\"no module 'head' in Net\"\n")  # fmt: skip


BAD = [
    (("resnet1",), 1, "torchvision.models has no resnet1\n  did you mean resnet18"),
    (("there.py",), 1, "no file there.py\n  check the path"),
    (("there.py:Net", "--input", "4x8"), 1, "no file there.py\n  check the path"),
    (("no_such_package:Net",), 1, "cannot import no_such_package: No module named 'no_such_package'\n  is it"),
    (("net.py:Met", "--input", "4x8"), 1, "net.py has no Met\n  did you mean Net?"),
    (("net.py:number",), 1, "net.py:number is an int, not a model\n  name a module"),
    (("net.py:Net",), 1, "with which input is net.py:Net called?\n  say its sizes: --input"),
    (("net.py:Net", "--input", "4y8"), 1, "--input 4y8: expected [NAME=]SIZExSIZE"),
    (("net.py:Net", "--input", "4x8:float31"), 1, "--input 4x8:float31: torch has no type float31"),
    (("net.py:Net", "--input", "4x9"), 1, "net.py:Net cannot be called with this input: RuntimeError: mat1 and"),
    (("net.py:Net", "--arg", "width", "--input", "4x8"), 1, "--arg width: expected NAME=VALUE"),
    (("net.py:Net", "--arg", "depth=3", "--input", "4x8"), 1, "net.py:Net cannot be made: TypeError: "),
    (("net.py:ready", "--arg", "width=3", "--input", "4x8"), 1, "net.py:ready is a model already"),
    (("net.py:make", "--device", "tpu9"), 1, "--device tpu9: "),
    (("net.py:make", "-o", "no/such/file"), 1, "cannot write no/such/file: No such file or directory"),
    (("net.py:make", "--device", "gpu"), 1, "--device gpu: torch knows no such device\n  for example: cpu, cuda, meta"),
    (("net.py:make", "--device", "cuda"), 1, "--device cuda: "),
    (("bad.py:Needs", "--input", "4x8"), 1, "argument: 'config'\n  give its arguments: --arg NAME=VALUE; where they"
     " are objects, name FILE.py:FUNCTION that returns the model"),
    (("bad.py:fails", "--input", "4x8"), 1, "bad.py:fails cannot be made: ValueError: boom\n  it failed at bad.py,"
     " line 7"),
    (("bad.py:reads", "--device", "meta", "--input", "4x8"), 1, "\n  with --device meta tensors have no values: leave"
     " it out"),
    (("bad.py:three",), 1, "bad.py:three gives an int, not a model"),
    (("syntax.py:Net",), 1, "cannot load syntax.py: SyntaxError: '(' was never closed\n  mend syntax.py, line 2"),
    (("syntax.py",), 1, "cannot run syntax.py: SyntaxError: '(' was never closed\n  mend syntax.py, line 2"),
    (("above.py:Net",), 1, "cannot load above.py: SyntaxError: '(' was never closed\n  mend syntax.py, line 2"),
    (("missing.py:Net",), 1, "cannot load missing.py: ModuleNotFoundError: No module named 'no_such_package'\n"
     "  at missing.py, line 3"),
    (("missing:Net",), 1, "cannot load missing: ModuleNotFoundError: No module named 'no_such_package'\n"
     "  at missing.py, line 3"),
    (("missing.py",), 1, "cannot run missing.py: ModuleNotFoundError: No module named 'no_such_package'\n"
     "  at missing.py, line 3"),
    (("raises.py", "--depth"), 1, "cannot run raises.py: ValueError: one\n  at raises.py, line 2; options of"
     " flopsprof.count stand before the script: --depth"),
    (("empty.py", "--batch", "8", "--json"), 1, "empty.py called no model: it ended without a call of a module with"
     " parameters\n  options of flopsprof.count stand before the script: --json"),
    (("empty.py",), 1, "empty.py called no model: it ended without a call of a module with parameters\n  give it"),
    (("leaves.py",), 1, "leaves.py called no model: it ended with status 3 without a call of a module"),
    (("net.py", "--input", "4x8"), 1, "net.py called no model"),  # options behind a script are the script's
    (("--input", "4x8", "net.py"), 2, "--input: a script makes its model and input itself; name a model: net.py:NAME"),
    (("net.py:Net", "4x8"), 2, "a model takes no arguments: 4x8; its input is --input SIZES"),
    (("--class", "Net", "net.py:Net"), 2, "--class: for scripts; name the class itself"),
    (("net.py:make", "--json", "--csv"), 2, "--json or --csv, not both"),
    (("net.py:make", "--depth", "-1"), 2, "--depth: 0 is the model alone"),
    (("net.py:make", "--operators", "--compat", "quirks"), 2, "--operators: not with --csv"),
    ((), 2, "the following arguments are required: MODEL\n"),
]


NEEDS = """
from torch import nn
class Needs(nn.Module):
    def __init__(self, config):
        super().__init__()
def fails():
    raise ValueError("boom")
def reads():
    return nn.Linear(8, 8).weight.sum().item()
def three():
    return 3
"""


def test_bad_input_has_one_message_that_says_what_to_do(net):
    (net / "empty.py").write_text("")
    (net / "syntax.py").write_text("import torch\nx = (1,\n")
    (net / "above.py").write_text("import syntax\n")
    (net / "missing.py").write_text("\n\nimport no_such_package\n")
    (net / "raises.py").write_text("import torch\nraise ValueError('one\\ntwo')\n")
    (net / "bad.py").write_text(NEEDS)
    (net / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    said = run_many([words for words, _, _ in BAD], net)
    for (words, code, told), (message, status, out) in zip(BAD, said):
        assert told in message and (status, out) == (code, ""), (words, message, status, out)
    assert "Traceback" not in run("net.py:Net", "--input", "4x9", code=1, cwd=net).stderr


def test_without_pytorch_one_line_says_so(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError('not here')\n")
    path = os.pathsep.join((str(tmp_path), PACKAGE))
    done = run("resnet18", code=1, PYTHONPATH=path)
    assert done.stderr.startswith("flopsprof.count: PyTorch is not in this Python (")
    assert done.stderr.endswith(
        "): not here\n  use the Python that the model runs with: flopsprof count --python PROGRAM ...\n"
    )
