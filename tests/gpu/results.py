# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Facts about the machine, and the two files that a run of the checks leaves."""

import datetime
import json
import os
import platform
import subprocess

from check import CONTRADICTED

FACTS = """
import ctypes, json, sys, torch
facts = {"python": sys.version.split()[0], "torch": torch.__version__,
         "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}
torch.cuda.init()
cudart = [line.split()[-1] for line in open("/proc/self/maps") if "libcudart.so" in line]
facts["simulated"] = bool(cudart) and hasattr(ctypes.CDLL(cudart[0]), "flopsprof_simulated_gpu")
facts["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
for name in ("triton", "deepspeed", "transformers", "torchvision"):
    try:
        facts[name] = __import__(name).__version__
    except Exception:
        facts[name] = None
print(json.dumps(facts))
"""


def facts(python: str) -> dict:
    done = subprocess.run(
        [python, "-c", FACTS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        timeout=120,
    )  # fmt: skip
    found = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}
    found["kernel"] = platform.release()
    found["libc"] = " ".join(platform.libc_ver())
    try:
        driver = subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
            stdout=subprocess.PIPE, text=True, timeout=30,
        )  # fmt: skip
        found["driver"] = driver.stdout.splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        found["driver"] = None
    return found


def why_not(facts: dict, simulated: bool) -> str:
    """Why the checks say nothing on this machine; "" when they do. What was measured on the
    stand-in must never look like a GPU's."""
    if not facts.get("devices"):
        return "no GPU that this python's torch can use"
    if facts.get("simulated", False) != simulated:
        found = "the stand-in GPU" if facts["simulated"] else "a real GPU"
        return f"this is {found}: run with{'out' if simulated else ''} --simulated"
    return ""


def write(folder: str, context, rows: list, seconds: float) -> list:
    """Writes <date>[-simulated].json and .md; returns their paths."""
    os.makedirs(folder, exist_ok=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    name = now.strftime("%Y-%m-%dT%H%M%SZ") + ("-simulated" if context.simulated else "")
    document = {
        "schema": "flopsprof.gpu-check/2",
        "date_utc": now.isoformat(timespec="seconds"),
        "simulated": context.simulated,
        "faults": context.faults,
        "seconds": round(seconds, 1),
        "machine": context.facts,
        "questions": [
            {"id": question.id, "question": question.question, "why": question.why,
             "verdict": answer.verdict, "answer": answer.text, "seconds": round(took, 1),
             "assumption": question.assumption, "place": f"{question.file}: {question.symbol}",
             **({"numbers": answer.numbers} if answer.numbers else {})}
            for question, answer, took in rows
        ],
    }  # fmt: skip
    paths = [os.path.join(folder, name + end) for end in (".json", ".md")]
    with open(paths[0], "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    with open(paths[1], "w", encoding="utf-8") as file:
        file.write(markdown(document))
    return paths


def markdown(document: dict) -> str:
    machine = document["machine"]
    device = ", ".join(machine.get("devices") or ["no device"])
    lines = [f"# GPU check of {document['date_utc']}", ""]
    if document["simulated"]:
        lines += ["**Simulated**: run on the stand-in GPU. Counts are real, times are a model.", ""]
    lines += [
        f"{device}; torch {machine.get('torch')}, CUDA {machine.get('cuda')}, driver"
        f" {machine.get('driver')}, Python {machine.get('python')}, {machine['libc']}."
        f" {document['seconds']} s.",
    ]  # fmt: skip
    findings = [row for row in document["questions"] if row["verdict"] == CONTRADICTED]
    if findings:
        lines += ["", "## Findings", ""]
        lines += [f"- **{row['id']}**: {row['answer']} The code assumes: {row['assumption']}"
                  f" (`{row['place']}`)" for row in findings]  # fmt: skip
    lines += ["", "## Answers", "", "| question | assumption | s | answer |", "|---|---|---|---|"]
    for row in document["questions"]:
        cells = (f"{row['id']}: {row['question']}", row["verdict"], row["seconds"], row["answer"])
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
