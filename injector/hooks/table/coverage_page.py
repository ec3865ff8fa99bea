# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""docs/coverage.md: every exported function that computes, and what is known about its work."""
import re
from pathlib import Path

import api_rules
import library_hooks

ROOT = Path(__file__).resolve().parents[3]
TITLES = {
    "cublas": "cuBLAS and cublasXt", "cublaslt": "cublasLt", "cusolver": "cuSOLVER",
    "cusolvermg": "cuSOLVER, several GPUs", "cusparse": "cuSPARSE", "cusparselt": "cuSPARSELt",
    "cufft": "cuFFT", "cufftw": "cuFFTW", "nvblas": "NVBLAS", "nccl": "NCCL", "cudnn": "cuDNN",
}
STATES = {"product": "exact", "grouped": "exact", "formula": "exact", "table": "exact",
          "zero": "zero", "unknown": "unknown", "unhooked": "unknown", "elsewhere": "elsewhere"}
ORDER = ["exact", "zero", "elsewhere", "unknown"]
# Of names with a line of their own in api_table.toml.
OWN = [
    (r"nccl.*", "zero", "communication: bytes, no flops"),
    (r"cublasLtMatmul", "exact", "2mnk of each member of a batch; groups whose sizes are in GPU "
                                 "memory: unknown"),
    (r"cublas.*", "exact", "2mnk of each member of a batch"),
    (r"cusparse.*", "exact", "2 a nonzero and column, SDDMM 2k a nonzero; formats other than CSR, "
                             "CSC and COO: unknown"),
    (r"cudnnBackend(Execute|PopulateCudaGraph)", "exact",
     "by the operations of the plan: convolutions, products, attention; others have no products"),
    (r"cudnnConvolution.*|cudnnRNN.*|cudnnMultiHead.*", "exact", "by the descriptors"),
    (r"cudnnCausalConv1d.*", "exact", "2 a channel, time step and tap; twice that backward"),
    (r"cudnnFused.*", "unknown", "seen; its work is not known"),
]
NOT_COMPUTING = re.compile(r"cublasCreate.*|ncclGroup.*|ncclComm.*|cudnnBackend(?!Execute|PopulateCudaGraph).*|"
                           r"cudnn(Create|Destroy|Set|Get).*|cublasLt(?!Matmul$).*")

HEAD = """<!-- Made by injector/hooks/table/generate_hooks.py from api_rules.toml, api_table.toml and
signatures/. Do not edit; `injector/hooks/table/generate_hooks.py injector/hooks/table/api_table.toml coverage docs/coverage.md`
makes it again. -->
# Coverage: what is known about each library function

Every function that computes, of those that the libraries in NVIDIA's wheels of CUDA 11.8, 12.9
and 13.0 export. {total} functions compute; {plumbing} others (handles, descriptors, sizes of
buffers, settings) do not.

- **exact**: counted from the arguments of the call, by the formula beside it. Conventions: a
  multiplication or an addition is one operation; a complex multiply-add is eight, so complex types
  do four times as much where nothing else is said; scaling by alpha and beta does not count;
  triangles and bands count the elements that they have. Factorisations: LAPACK Working Note 41.
- **zero**: by its nature nothing that counts. Calls and times are listed.
- **elsewhere**: the work is counted at another call, named beside it.
- **unknown**: calls and times are listed by name with the reason, the work is not. "Kernels by
  name": the call itself is not seen, its kernels are in the report as such.

A call with a negative or absurd size, an unknown type, or a handle that cannot be read is unknown
with that reason, whatever the table says. `_64` stands for the form with 64-bit sizes.

| library | exact | zero | elsewhere | unknown |
|---|---|---|---|---|
"""


def formula_texts():
    """Formula -> what library_formulas.h says of it."""
    text = (ROOT / "collector/model/flops/library_formulas.h").read_text(encoding="utf-8")
    beside = re.findall(r"FlopCount> (\w+)\(const Arguments& a\); *// (.*)", text)
    above = [(name, comment) for comment, name in
             re.findall(r"// (.*)\nstd::optional<FlopCount> (\w+)\(const Arguments& a\);\n", text)]
    return {name: comment.split(";", 1)[-1].strip() for name, comment in beside + above}


def explain(entry, formulas):
    rule = entry.rule
    if entry.kind in ("product", "grouped"):
        level = {("1", "1"): "2n", ("1", None): "2mn"}
        if rule.get("m") == "1":
            return level[("1", "1")]
        if "1" in (rule.get("n"), rule.get("k")):
            return "2mn" + (" of each member of a batch" if "batch" in rule else "")
        if entry.kind == "grouped":
            return "sum of 2mnk times size over the groups"
        return "2mnk" + (" of each member of a batch" if "batch" in rule else "")
    if entry.kind == "formula":
        text = formulas[rule["formula"]]
        batch = len(rule["sizes"]) > 1 and "batch" in rule["sizes"][-1].lower()
        return text + (" of each member of a batch" if batch else "")
    if entry.kind == "unhooked" and "kernels by name" not in rule["why"]:
        return rule["why"] + ": kernels by name"
    return rule["why"]


def judged(table):
    """library -> {(state, text): [(name, releases)]}, number of functions that do not compute."""
    own, formulas, groups, plumbing = library_hooks.own_names(table), formula_texts(), {}, 0
    seen = {}
    for (library, name), forms in api_rules.read_signatures().items():
        base = name.removesuffix("_64")
        if name not in own and base not in own:
            continue
        if NOT_COMPUTING.fullmatch(base):
            plumbing += 1
            continue
        found = next(((s, t) for pattern, s, t in OWN if re.fullmatch(pattern, base)), None)
        if found is None:
            raise SystemExit(f"coverage_page: {name} has a line in api_table.toml: "
                             "say in OWN what is known of it")
        state, text = found
        releases = sorted({r for rs in forms.values() for r in rs}, key=float)
        seen.setdefault(library, {}).setdefault((state, text), []).append((name, releases))
    for entry in api_rules.entries(own)[0]:
        if entry.kind == "plumbing":
            plumbing += 1
            continue
        key = (STATES[entry.kind], explain(entry, formulas))
        releases = sorted(entry.releases, key=float)
        seen.setdefault(entry.library, {}).setdefault(key, []).append((entry.name, releases))
    for library in TITLES:
        groups[library] = seen.get(library, {})
    return groups, plumbing


def names_text(rows):
    """Names with their `_64` forms and releases folded in."""
    named, parts = dict(rows), []
    for name in sorted(named):
        if name.endswith("_64") and name.removesuffix("_64") in named:
            continue
        text = f"`{name}`" + (", `_64`" if name + "_64" in named else "")
        if named[name] != ["11.8", "12.9", "13.0"]:
            text += f" ({', '.join(named[name])})"
        parts.append(text)
    return "; ".join(parts)


def page(table):
    groups, plumbing = judged(table)
    counts = {library: {state: sum(len(rows) for (s, _), rows in rows_of.items() if s == state)
                        for state in ORDER} for library, rows_of in groups.items()}
    total = sum(sum(row.values()) for row in counts.values())
    text = HEAD.format(total=total, plumbing=plumbing)
    for library, title in TITLES.items():
        text += f"| {title} | " + " | ".join(str(counts[library][s]) for s in ORDER) + " |\n"
    for library, title in TITLES.items():
        text += f"\n## {title}\n\n| | formula or reason | functions |\n|---|---|---|\n"
        for (state, why), rows in sorted(groups[library].items(),
                                         key=lambda item: (ORDER.index(item[0][0]), item[0][1])):
            text += f"| {state} | {why} | {names_text(rows)} |\n"
    return text
