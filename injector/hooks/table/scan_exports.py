#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Does the API table know every function of the installed libraries?

    scan_exports.py SITE_PACKAGES/nvidia

Lists, one a line, each exported function that nobody has judged: not in signatures/*.txt (a
release is new here: run extract_signatures.py), without a rule, or taken for plumbing though its
name sounds like computing. Exit code 1 when there is one.
"""
import re
import sys
import tomllib
from pathlib import Path

import api_rules
import extract_signatures
import library_hooks

HERE = Path(__file__).resolve().parent
COMPUTES = re.compile(r"gemm|matmul|conv|exec|solve|mm|mv|trs|syr|forward|backward|reduce|gather|"
                      r"scatter|factor|allto|(?<!e)send|recv", re.IGNORECASE)
# Parts of names that only look so: Comm(Init), MatmulDescCreate ...
HANDLES = re.compile(r"create|destroy|get|set|info|attribute|algo?|heuristic|buffer|size|init|plan|"
                     r"descr?|nccl(comm|dev|team)|irsparams|zeropivot|deviceselect|estimatememory|"
                     r"prunecheck|bundledfactors|splitfactors|workspace|logger|register", re.IGNORECASE)


def own_table():
    with open(HERE / "api_table.toml", "rb") as file:
        return library_hooks.own_names(tomllib.load(file))


def complaints(exported, rules=None, own=None, known=None):
    """What is wrong with {library: names}."""
    rules = rules or api_rules.load_rules()
    own = own_table() if own is None else own
    known = known or {key for key in api_rules.read_signatures()}
    wrong = []
    for library, names in sorted(exported.items()):
        for name in sorted(names):
            if name in own or name.removesuffix("_64") in own or api_rules.FOREIGN.match(name):
                continue
            rule = api_rules.judge(rules, library, name)
            if (library, name) not in known:
                wrong.append(f"{library}: {name}: new, in no release that signatures/ knows")
            elif rule is None:
                wrong.append(f"{library}: {name}: no rule in api_rules.toml")
            elif rule[0]["kind"] in ("plumbing", "table") and COMPUTES.search(name) and \
                    not HANDLES.search(name):
                wrong.append(f"{library}: {name}: computes by its name, '{rule[0]['kind']}' by rule")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    exported = {}
    for library, (file, _) in extract_signatures.LIBRARIES.items():
        names = extract_signatures.exports(Path(sys.argv[1]), file)
        if names is None:
            print(f"scan_exports: no {file} there", file=sys.stderr)
        else:
            exported[library] = names
    wrong = complaints(exported)
    print("\n".join(wrong))
    total = sum(len(names) for names in exported.values())
    print(f"scan_exports: {total} functions of {len(exported)} libraries, {len(wrong)} not judged",
          file=sys.stderr)
    sys.exit(1 if wrong or not total else 0)


if __name__ == "__main__":
    main()
