# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Texts that generate_hooks.py makes from api_rules.toml."""
import re
from pathlib import Path

import api_rules
from api_rules import C_TYPES, LIBRARIES

ROOT = Path(__file__).resolve().parents[3]
IDS = ROOT / "proto" / "shm" / "library_api_ids.h"
FIRST_ID = 1024


def own_names(table):
    """Names with a line of their own in api_table.toml."""
    return set(table["cublas"]) | set(table["nccl"]) | set(table["handwritten"])


def hooked(table):
    made, missing = api_rules.entries(own_names(table))
    if missing:
        raise SystemExit("api_rules.toml has no rule for: " + ", ".join(missing))
    return [entry for entry in made if entry.hooked]


def api_name(entry, names):
    return entry.base if entry.base in names else entry.name


# ---- Wrappers -----------------------------------------------------------------------------------
def refusal(entry):
    if entry.result == "v":
        return "return;"
    return f"return {LIBRARIES[entry.library][1]};" if entry.result == "i" else "return {};"


def product_text(entry):
    rule = entry.rule
    types = [entry.expression(t) for t in rule["types"]] if "types" in rule \
        else [entry.type_expression()] * 3
    sizes = ["0"] * 4
    if entry.kind == "product":
        sizes = [entry.expression(rule.get(s, "1")) for s in ("m", "n", "k", "batch")]
    sizes = [s if re.fullmatch(r"\d+", s) else f"static_cast<int64_t>({s})" for s in sizes]
    return "{" + ", ".join([*sizes, *types, entry.expression(rule.get("compute_type", "0"))]) + "}"


def ending(entry):
    rule = entry.rule
    # The older cuBLAS calls do not say whether they succeeded.
    status = "status" if entry.result == "i" else "0"
    if entry.kind == "product":
        return f"call.EndProduct({status}, {product_text(entry)});"
    if entry.kind == "grouped":
        index = "int64_t" if entry.name.endswith("_64") else "int"
        return (f"call.EndGroups<{index}>({status}, {product_text(entry)}, group_count, m_array, "
                "n_array,\n                        k_array, group_size);")
    sizes = [entry.expression(s) for s in rule.get("sizes", [])]
    sizes = [s if s.isdigit() else f"static_cast<int64_t>({s})" for s in sizes]
    reason = rule["reason"] if entry.kind == "unknown" else "kNone"
    return (f"call.End({status}, {{{entry.type_expression()}, "
            f"{entry.expression(rule.get('variant', '0'))}, shm::UnknownReason::{reason}, "
            f"{{{', '.join(sizes)}}}}});")


def wrapper(entry, names):
    parameters = ", ".join(f"{C_TYPES[code]} {name}" for name, code in entry.parameters)
    kinds = ", ".join(C_TYPES[code] for _, code in entry.parameters)
    arguments = ", ".join(name for name, _ in entry.parameters)
    result = C_TYPES[entry.result]
    handle = "handle" if entry.handle_kind != "kNone" else "nullptr"
    keep = "" if entry.result == "v" else "const auto status = "
    give = "" if entry.result == "v" else "  return status;\n"
    plain = (f"{{\n    function({arguments});\n    return;\n  }}" if entry.result == "v"
             else f"return function({arguments});")
    return f"""
FLOPSPROF_EXPORT {result} {entry.name}({parameters}) {{
  static RealFunction real("{entry.name}", "{LIBRARIES[entry.library][0]}");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<{result} (*)({kinds})>(EnterLibrary(&real, &caller));
  if (function == nullptr) {refusal(entry)}
  LibraryCallScope call(shm::ApiId::{api_name(entry, names)}, HandleKind::{entry.handle_kind}, {handle}, caller);
  if (!call.counted()) {plain}
  {keep}function({arguments});
  {ending(entry)}
{give}}}
"""


def wrappers(table, license_text):
    text = license_text + """
#include "injector/hooks/solvers/library_call.h"

using namespace flopsprof::injector;  // NOLINT: generated
namespace shm = flopsprof::shm;
"""
    made = hooked(table)
    names = {entry.name for entry in made}
    return text + "".join(wrapper(entry, names) for entry in made)


# ---- Numbers of the calls -----------------------------------------------------------------------
def known_ids():
    if not IDS.exists():
        return {}
    return {name: int(number) for name, number in
            re.findall(r"X\((\w+), (\d+)\)", IDS.read_text(encoding="utf-8"))}


def ids(table, license_text):
    """The header with a number for each name: old ones keep theirs, new ones come after."""
    numbers = known_ids()
    made = hooked(table)
    names = {entry.name for entry in made}
    next_id = max([FIRST_ID - 1, *numbers.values()]) + 1
    for name in dict.fromkeys(api_name(entry, names) for entry in made):
        if name not in numbers:
            numbers[name] = next_id
            next_id += 1
    rows = sorted(numbers.items(), key=lambda item: item[1])
    body = " \\\n".join(f"  X({name}, {number})" for name, number in rows)
    return license_text.replace("Made", "Kept up") + f"""
// clang-format off
// Numbers of the calls of api_rules.toml. Never reused: `generate_hooks.py api_table.toml ids`
// adds new ones at the end.

#pragma once

#define FLOPSPROF_LIBRARY_APIS(X) \\
{body}
"""


# ---- What the collector has to know -------------------------------------------------------------
def facts(table, license_text):
    """{number, formula, names of the sizes, name of the variant} of each formula call."""
    numbers = known_ids()
    made = hooked(table)
    names = {entry.name for entry in made}
    rows = {}
    for entry in made:
        name = api_name(entry, names)
        if entry.kind == "formula":
            sizes = [s.strip("$").lower() for s in entry.rule["sizes"]]
            sizes = [s.replace("batchsize", "batch").replace("batchcount", "batch")
                     if not s.isdigit() else "" for s in sizes]
            side = '"side"' if "variant" in entry.rule else "nullptr"
            rows[numbers[name]] = (f"    {{{numbers[name]}, &{entry.rule['formula']}, "
                                   f"\"{' '.join(s or '-' for s in sizes)}\", {side}}},  // {name}")
        elif entry.kind == "zero":
            rows[numbers[name]] = f"    {{{numbers[name]}, nullptr, \"\", nullptr}},  // {name}"
    return license_text + "\n" + "\n".join(row for _, row in sorted(rows.items())) + "\n"


def check(table):
    """header key -> [(name, prototype)] of what the 13.0 headers declare."""
    keys = {"cublas": "cublas", "cusolver": "cusolver", "cusolvermg": "cusolvermg",
            "cusparse": "cusparse", "cusparselt": "cusparselt", "cufft": "cufft",
            "cublaslt": "cublaslt"}
    groups = {}
    for entry in hooked(table):
        if "13.0" not in entry.releases:
            continue
        by_header = any(name == "handle" for name, _ in entry.parameters)
        if entry.library == "cublas" and not by_header:
            continue  # cublas.h and cublas_v2.h cannot be included together
        kinds = ", ".join(C_TYPES[code] for _, code in entry.parameters)
        groups.setdefault(keys[entry.library], []).append(
            (entry.name, f"{C_TYPES[entry.result]}({kinds})"))
    return groups
