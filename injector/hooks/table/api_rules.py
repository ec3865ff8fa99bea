# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What is known about every exported function: signatures/*.txt judged by api_rules.toml."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
VECTOR_FORMULAS = {"Symv", "Sbmv", "Gbmv", "Trmv", "Tbmv", "Syr2", "Syr", "Axpy", "RealScal",
                   "Scal", "Nrm2", "Asum", "RealRot", "Rot"}
HOOKED = ("product", "grouped", "formula", "zero", "unknown")
# cudaDataType (library_types.h) of the letters in names.
LETTERS = {"S": 0, "D": 1, "H": 2, "C": 4, "Z": 5, "B": 14, "8": 8,
           "HSH": 2, "HSS": 2, "TST": 14, "TSS": 14}
C_TYPES = {"p": "void*", "c": "signed char", "i": "int", "l": "int64_t", "f": "float", "d": "double",
           "F": "ComplexFloat", "D": "ComplexDouble", "v": "void"}
# Beginning of the library's file name, its answer to what it cannot do, how its stream is asked.
LIBRARIES = {
    "cublas": ("libcublas.so", 15, "kCublas"),
    "cublaslt": ("libcublasLt.so", 15, "kNone"),
    "cusolver": ("libcusolver.so", 9, "kCusolver"),
    "cusolvermg": ("libcusolverMg.so", 9, "kNone"),
    "cusparse": ("libcusparse.so", 10, "kCusparse"),
    "cusparselt": ("libcusparseLt.so", 10, "kNone"),
    "cufft": ("libcufft.so", 16, "kNone"),
    "cufftw": ("libcufftw.so", 0, "kNone"),
    "nccl": ("libnccl.so", 5, "kNone"),
    "nvblas": ("libnvblas.so", 0, "kNone"),
    "cudnn": ("libcudnn.so", 9, "kNone"),
}


@dataclass
class Entry:
    library: str
    name: str
    releases: list
    rule: dict
    result: str = ""                                # code; "": no public prototype
    parameters: list = field(default_factory=list)  # [(name, code)]
    group: str = ""                                 # first group of the rule's match

    @property
    def base(self):
        return self.name.removesuffix("_64")

    @property
    def kind(self):
        return self.rule["kind"]

    @property
    def hooked(self):
        return self.kind in HOOKED

    @property
    def vector(self):
        """Level 1 and 2: no tensor cores, whatever the math mode."""
        ones = [self.rule.get(size) for size in ("m", "n", "k")]
        return self.rule.get("formula") in VECTOR_FORMULAS or "1" in ones

    @property
    def handle_kind(self):
        """How the call's stream and math mode are asked for."""
        if not any(name == "handle" for name, _ in self.parameters) or "Xt" in self.name:
            return "kNone"
        if self.library == "cublas" and self.vector:
            return "kCublasVector"
        if self.library == "cusolver":
            kind = self.name[len("cusolver"):][:2]
            return {"Dn": "kCusolverDn", "Sp": "kCusolverSp"}.get(kind, "kNone")
        return LIBRARIES[self.library][2]

    def expression(self, text):
        """The expression with the names that this release's header gives the parameters."""
        if re.fullmatch(r"\d+|[A-Z0-9]{1,3}", text) and text in LETTERS:
            return str(LETTERS[text])
        known = {name.lower(): name for name, _ in self.parameters}
        def name_of(match):
            word = match[0].lstrip("$")
            if word in ("kOpN", "IsOpN", "SideOf") or word.isdigit():
                return word
            if word.lower() not in known:
                raise SystemExit(f"api_rules: {self.name} has no parameter '{word}': "
                                 f"{[n for n, _ in self.parameters]}")
            return known[word.lower()]
        return re.sub(r"\$?[A-Za-z_]\w*", name_of, text)

    def type_expression(self):
        text = self.rule.get("type", "")
        if not text:
            return "-1"
        if text == "$1":
            return str(LETTERS[self.group])
        if text == "$complex":
            return str(LETTERS["Z" if re.search(r"D?[Zz]", self.name[6:9]) else "C"])
        return self.expression(text)


def read_signatures():
    """(library, name) -> {(result, parameters or None): releases}"""
    found = {}
    for file in sorted((HERE / "signatures").glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            releases, name, *rest = line.split()
            forms = found.setdefault((file.stem, name), {})
            if rest == ["-"]:
                forms[None] = releases.split(",")
            else:
                parameters = tuple(tuple(p.split(":")) for p in rest[1:])
                forms[(rest[0], parameters)] = releases.split(",")
    return found


def load_rules():
    with open(HERE / "api_rules.toml", "rb") as file:
        rules = tomllib.load(file)
    for library in rules.values():
        for rule in library:
            rule["pattern"] = re.compile(rule["match"])
    return rules


UNCLEAR = {"kind": "unhooked", "why": "its arguments differ between releases of the library"}
NO_PROTOTYPE = {"kind": "unhooked", "why": "not in the public headers"}
# As C functions that are not of the library's own interface.
FOREIGN = re.compile(r"_Z|_init$|_fini$|__")


def judge(rules, library, name):
    """(rule, first group) of a name, or None."""
    base = name.removesuffix("_64")
    for rule in rules.get(library, []):
        match = rule["pattern"].fullmatch(base)
        if match:
            return rule, next((g for g in match.groups() if g), "")
    return None


def entries(own_table=()):
    """(entries, names without a rule). `own_table`: names with a line in api_table.toml."""
    rules, made, missing = load_rules(), [], []
    for (library, name), forms in read_signatures().items():
        if name in own_table or name.removesuffix("_64") in own_table or FOREIGN.match(name):
            continue
        found = judge(rules, library, name)
        releases = sorted({r for rs in forms.values() for r in rs}, key=lambda r: -float(r))
        if found is None:
            missing.append(f"{library}: {name}")
            continue
        entry = Entry(library, name, releases, found[0], group=found[1])
        known = [form for form in forms if form is not None]
        if len(known) == 1:
            entry.result, entry.parameters = known[0][0], list(known[0][1])
        elif entry.hooked:
            entry.rule = UNCLEAR if known else NO_PROTOTYPE
        made.append(entry)
    return made, missing
