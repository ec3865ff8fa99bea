# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds a value against a JSON schema: the keywords that docs/summary.schema.json uses, and an
error for any other, so that none is passed over."""

import json
import os
import re

from flopsprof_run import ROOT

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "number": (int, float), "integer": int,
}  # fmt: skip
DESCRIPTIONS = {"$schema", "$id", "title", "description", "definitions"}


def has_type(value, name: str) -> bool:
    if isinstance(value, bool):  # which Python takes for an integer
        return name == "boolean"
    return isinstance(value, TYPES[name])


def problems(value, schema: dict, root: dict, path: str = "$") -> list:
    """What is wrong with the value, one line each."""
    found = []

    def check(right: bool, what: str) -> None:
        if not right:
            found.append(f"{path}: {what}, not {str(value)[:80]}")

    for key, rule in schema.items():
        if key in DESCRIPTIONS:
            continue
        if key == "$ref":
            target = root
            for part in rule.removeprefix("#/").split("/"):
                target = target[part]
            found += problems(value, target, root, path)
        elif key == "anyOf":
            check(any(not problems(value, one, root, path) for one in rule), "none of anyOf")
        elif key == "type":
            names = rule if isinstance(rule, list) else [rule]
            check(any(has_type(value, name) for name in names), f"wants {names}")
        elif key in ("enum", "const"):
            check(value in (rule if key == "enum" else [rule]), f"wants {rule}")
        elif key == "pattern":
            check(not isinstance(value, str) or bool(re.search(rule, value)), f"wants {rule}")
        elif key in ("minimum", "maximum", "exclusiveMinimum"):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            fits = {
                "minimum": lambda: value >= rule,
                "maximum": lambda: value <= rule,
                "exclusiveMinimum": lambda: value > rule,
            }[key]
            check(not number or fits(), f"{key} {rule}")
        elif key in ("minItems", "minLength"):
            check(not isinstance(value, (list, str)) or len(value) >= rule, f"{key} {rule}")
        elif key == "required":
            missing = [name for name in rule if isinstance(value, dict) and name not in value]
            check(not missing, f"lacks {missing}")
        elif key == "properties":
            for name, one in rule.items():
                if isinstance(value, dict) and name in value:
                    found += problems(value[name], one, root, f"{path}.{name}")
        elif key == "additionalProperties":
            known = schema.get("properties", {})
            others = [n for n in value if n not in known] if isinstance(value, dict) else []
            if isinstance(rule, dict):
                for name in others:
                    found += problems(value[name], rule, root, f"{path}.{name}")
            elif not rule:
                check(not others, f"knows no {others}")
        elif key == "items":
            for index, item in enumerate(value if isinstance(value, list) else []):
                found += problems(item, rule, root, f"{path}[{index}]")
        else:
            raise NotImplementedError(f"{path}: the keyword {key} is not checked here")
    return found


def summary_problems(summary: dict) -> list:
    with open(os.path.join(ROOT, "docs", "summary.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    return problems(summary, schema, schema)


def undescribed(value, schema: dict, root: dict, path: str = "$") -> list:
    """Names in the value that the schema does not have: it must describe all that is written."""
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return undescribed(value, target, root, path)
    if "anyOf" in schema:
        return min((undescribed(value, one, root, path) for one in schema["anyOf"]), key=len)
    found = []
    if isinstance(value, dict) and "properties" in schema:
        for name, item in value.items():
            if name in schema["properties"]:
                one = schema["properties"][name]
                found += undescribed(item, one, root, f"{path}.{name}")
            elif not isinstance(schema.get("additionalProperties"), dict):
                found.append(f"{path}.{name}")
    elif isinstance(value, list) and "items" in schema:
        for item in value:
            found += undescribed(item, schema["items"], root, f"{path}[]")
    return sorted(set(found))


def summary_undescribed(summary: dict) -> list:
    with open(os.path.join(ROOT, "docs", "summary.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    return undescribed(summary, schema, schema)
