# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel of what package.sh laid out, and prints its path.

    python3 scripts/wheel.py STAGE VERSION FOLDER

STAGE holds package/ (goes to site-packages), scripts/ (to bin/), data/ (to the environment's folder)
and licenses/. The tag says the oldest glibc that every ELF file in it runs with; the same files
give the same bytes.
"""

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import zipfile

PROMISED = (2, 28)  # the oldest glibc that the injector is made for
# What a program of any x86-64 Linux with glibc has; libgcc and libstdc++ are not among them here.
ALLOWED = {"libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2"}
SUMMARY = "Profiles unmodified training jobs: which module did how many flops in how much GPU time"
METADATA = """\
Metadata-Version: 2.1
Name: flopsprof
Version: {version}
Summary: {summary}
License: Apache-2.0
Requires-Python: >=3.8
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/plain
{licenses}
flopsprof-run -- python train.py        profiles a job, on a GPU
flopsprof report RUN                    prints its report again
from flopsprof.deepspeed import get_model_profile       counts a model, with or without a GPU

The library that goes into the job needs glibc {glibc} or later; both programs need no library.
"""


def fail(message: str):
    sys.exit(f"wheel: error: {message}")


def readelf(option: str, path: str) -> str:
    done = subprocess.run(["readelf", option, "-W", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)  # fmt: skip
    if done.returncode:
        fail(f"readelf cannot read {path}: {done.stderr.strip()}")
    return done.stdout


def is_elf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def glibc_of(path: str) -> tuple:
    """The oldest glibc that an ELF file runs with; (0, 0) when it needs none."""
    if "X86-64" not in readelf("-h", path):
        fail(f"{path} is for another processor than x86-64: build on one")
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("-d", path)))
    if needed - ALLOWED:
        fail(f"{path} needs {', '.join(sorted(needed - ALLOWED))}, which not every Linux has:"
             " link it statically")  # fmt: skip
    asked = re.findall(r"Name: (\w+?)_([\d.]+|\w+)", readelf("-V", path))
    others = sorted({f"{name}_{version}" for name, version in asked
                     if name != "GLIBC" or not version[0].isdigit()})  # fmt: skip
    if others:
        fail(f"{path} asks for {', '.join(others)}, which glibc does not promise")
    versions = [tuple(map(int, version.split(".")))[:2] for _, version in asked]
    if needed and not versions:
        fail(f"{path} needs a glibc of unknown version: it has no symbol versions")
    return max(versions, default=(0, 0))


def oldest_glibc(files: dict) -> tuple:
    """That of all files together; what was promised where they would run with less."""
    oldest = PROMISED
    for name, (path, _) in files.items():
        if is_elf(path):
            found = glibc_of(path)
            told = "no glibc" if found == (0, 0) else f"glibc {found[0]}.{found[1]}"
            print(f"wheel: {name} needs {told}", file=sys.stderr)
            oldest = max(oldest, found)
    if oldest > PROMISED:
        print(f"wheel: the tag says glibc {oldest[0]}.{oldest[1]} and not"
              f" {PROMISED[0]}.{PROMISED[1]}: a file above asks for its symbols", file=sys.stderr)  # fmt: skip
    return oldest


def staged(stage: str, version: str) -> dict:
    """Name in the wheel -> (path, mode)."""
    data, info = f"flopsprof-{version}.data", f"flopsprof-{version}.dist-info"
    places = {"package": "", "scripts": f"{data}/scripts/", "data": f"{data}/data/",
              "licenses": f"{info}/licenses/"}  # fmt: skip
    found = {}
    for place, prefix in places.items():
        top = os.path.join(stage, place)
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                mode = 0o755 if place == "scripts" or path.endswith(".so") else 0o644
                found[prefix + os.path.relpath(path, top)] = (path, mode)
    if not found:
        fail(f"{stage} holds nothing to pack")
    return found


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


def write(path: str, contents: dict, record: str) -> None:
    """contents: name -> (bytes, mode). The list of files comes last."""
    rows = [(name, digest(content), len(content)) for name, (content, _) in contents.items()]
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([*rows, (record, "", "")])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (content, mode) in [*contents.items(), (record, (table.getvalue().encode(), 0o644))]:
            entry = zipfile.ZipInfo(name)  # of 1980: the same files give the same bytes
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


def main() -> None:
    if len(sys.argv) != 4:
        fail("usage: wheel.py STAGE VERSION FOLDER")
    stage, version, folder = sys.argv[1:]
    if not re.fullmatch(r"\d+(\.\d+)+", version):
        fail(f"{version!r} is no version: is project(flopsprof VERSION ...) in CMakeLists.txt?")
    files = dict(sorted(staged(stage, version).items()))
    glibc = oldest_glibc(files)
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_x86_64"
    info = f"flopsprof-{version}.dist-info"
    licenses = "".join(f"License-File: {name[len(info) + 1 :]}\n" for name in files
                       if name.startswith(info))  # fmt: skip
    metadata = METADATA.format(version=version, summary=SUMMARY, licenses=licenses,
                               glibc=f"{glibc[0]}.{glibc[1]}")  # fmt: skip
    about = f"Wheel-Version: 1.0\nGenerator: flopsprof\nRoot-Is-Purelib: false\nTag: {tag}\n"
    contents = {}
    for name, (path, mode) in files.items():
        with open(path, "rb") as file:
            contents[name] = (file.read(), mode)
    contents[f"{info}/METADATA"] = (metadata.encode(), 0o644)
    contents[f"{info}/WHEEL"] = (about.encode(), 0o644)
    path = os.path.join(folder, f"flopsprof-{version}-{tag}.whl")
    write(path + ".new", contents, f"{info}/RECORD")
    os.replace(path + ".new", path)
    print(path)


if __name__ == "__main__":
    main()
