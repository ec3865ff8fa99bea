# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold for every summary.json, and its counts in the form compare.py judges."""

PHASES = (
    "forward", "backward", "recompute", "clipping", "scaling", "optimizer", "evaluation",
    "generate", "other",
)  # fmt: skip
NAMES = {"fwd_flops": "forward", "bwd_flops": "backward", "recompute_flops": "recompute"}


def zero_if_null(value):
    return 0 if value is None else value


def nanoseconds(seconds) -> int:
    """Times are seconds in the summary and integer nanoseconds where they come from."""
    return round(zero_if_null(seconds) * 1e9)


def total(row: dict, phases=PHASES) -> int:
    return sum(zero_if_null(row.get(phase)) for phase in phases)


def parents(modules: list) -> dict:
    """Path -> path of the line above: lines come depth first."""
    above, chain = {}, []
    for module in modules:
        del chain[module["depth"] :]
        above[module["path"]] = chain[-1] if chain and module["depth"] else None
        chain.append(module["path"])
    return above


def measures(work: dict) -> dict:
    """All that adds up over modules: exact counts, and times as integer nanoseconds."""
    found = {
        f"{key}.{phase}": zero_if_null(work.get(key, {}).get(phase))
        for key in ("flops", "flops_modelled", "macs")
        for phase in PHASES
    }
    for phase in PHASES:
        found[f"gpu_time_s.{phase}"] = nanoseconds(work["gpu_time_s"].get(phase))
    for key in ("unknown_gpu_time_s", "communication_s"):
        found[key] = nanoseconds(work.get(key))
    return found


def tree_problems(modules: list) -> list:
    """Inclusive is self and children, in every module, phase, count and time.

    A module that several parents share has one line; its work is in all who called it. Lines
    above one of its paths may be off by that work at most, and all of them together are not.
    """
    found = []
    above = parents(modules)
    rows = {module["path"]: module for module in modules}
    depth = -1
    for module in modules:
        if module["depth"] > depth + 1:
            found.append(f"module {module['path']}: the line above it is missing")
        depth = module["depth"]
    sums = {path: measures(row["self"]) for path, row in rows.items()}
    shared, allowed = set(), {}
    for module in modules:
        parent = above[module["path"]]
        if parent is not None:
            if parent and not module["path"].startswith(parent + "."):
                found.append(f"module {module['path']} is below {parent}")
            for key, value in measures(module).items():
                sums[parent][key] += value
        if module.get("also"):
            for path in (module["path"], *module["also"]):
                parts = path.split(".")
                shared |= {".".join(parts[:n]) for n in range(len(parts))}
            for key, value in measures(module).items():
                allowed[key] = allowed.get(key, 0) + value
    off = {}
    for path, row in rows.items():
        for key, value in measures(row).items():
            by = value - sums[path][key]
            if by == 0:
                continue
            off[key] = off.get(key, 0) + by
            if path not in shared or abs(by) > allowed[key]:
                found.append(
                    f"module {path or '(root)'} {key}: {value}, self and children: {sums[path][key]}"
                )
    return found + [f"{key} of shared modules is off by {by}" for key, by in off.items() if by]


def problems(summary: dict) -> list:
    """Lines that say which invariant is broken; empty when all hold."""
    found = []

    def equal(what, left, right):
        if left != right:
            found.append(f"{what}: {left} is not {right}")

    equal("schema", summary["schema"], "flopsprof.summary/1")
    modules = summary["modules"]
    paths = [module["path"] for module in modules]
    equal("paths are unique", len(paths), len(set(paths)))
    for phase in PHASES:
        for key in ("flops", "flops_modelled", "macs"):
            equal(
                f"totals.{key}.{phase} = sum over modules' self",
                zero_if_null(summary["totals"].get(key, {}).get(phase)),
                sum(zero_if_null(m["self"].get(key, {}).get(phase)) for m in modules),
            )
        equal(
            f"totals.gpu_time_s.{phase} = sum over modules' self, in ns",
            nanoseconds(summary["totals"]["gpu_time_s"].get(phase)),
            sum(nanoseconds(m["self"]["gpu_time_s"].get(phase)) for m in modules),
        )
        equal(
            f"totals.flops.{phase} = sum over ranks",
            zero_if_null(summary["totals"]["flops"].get(phase)),
            sum(zero_if_null(r["flops"].get(phase)) for r in summary["ranks"]),
        )
        equal(
            f"totals.gpu_time_s.{phase} = sum over ranks, in ns",
            nanoseconds(summary["totals"]["gpu_time_s"].get(phase)),
            sum(nanoseconds(r["gpu_time_s"].get(phase)) for r in summary["ranks"]),
        )
    found += tree_problems(modules)
    by_type = summary["totals"].get("flops_by_type", {})
    equal(
        "flops_by_type adds up",
        sum(zero_if_null(v) for v in by_type.values()),
        total(summary["totals"]["flops"]),
    )
    coverage = summary["coverage"]
    if coverage["gpu_time_s"]:
        shares = ("exact", "modelled", "no_products", "unknown", "communication", "copy")
        share = sum(zero_if_null(coverage[name]) for name in shares)
        if abs(share - 1) > 1e-9:
            found.append(f"coverage shares add up to {share}")
        equal(
            "coverage.gpu_time_s = sum of phases, in ns",
            nanoseconds(coverage["gpu_time_s"]),
            sum(nanoseconds(v) for v in summary["totals"]["gpu_time_s"].values()),
        )
    return found


def counts(summary: dict, level: str = "visible") -> dict:
    """Counts as compare.py reads them: `visible` in library calls, or the `whole`, which has
    what a formula gave for work without a library call as well."""

    def counted(row: dict) -> dict:
        modelled = row.get("flops_modelled", {}) if level == "visible" else {}
        return {
            key: zero_if_null(row["flops"].get(phase)) - zero_if_null(modelled.get(phase))
            for key, phase in NAMES.items()
        }

    result = counted(summary["totals"])
    flops = summary["totals"]["flops"]
    result["rest_flops"] = total(flops, set(flops) - set(NAMES.values()))
    result["by_module"] = {m["path"]: counted(m) for m in summary["modules"]}
    result["by_module_self"] = {m["path"]: counted(m["self"]) for m in summary["modules"]}
    return result


def difference(more: dict, less: dict) -> dict:
    """Counts of the longer run minus those of the shorter: that of the steps between."""
    result = {key: more[key] - less[key] for key in (*NAMES, "rest_flops")}
    for name in ("by_module", "by_module_self"):
        result[name] = {
            path: {
                key: row[key] - less[name].get(path, dict.fromkeys(NAMES, 0))[key]
                for key in NAMES
            }
            for path, row in more[name].items()
        }
    return result
