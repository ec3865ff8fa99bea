# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Validates what summary_sample prints against the published schema.

validate_summary.py SUMMARY_SAMPLE SCHEMA. Needs jsonschema, which scripts/setup.sh installs.
"""

import json
import subprocess
import sys

import jsonschema


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def main() -> int:
    sample, schema_path = sys.argv[1:]
    with open(schema_path) as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failed = False
    for kind in ("full", "no-times", "empty"):
        text = subprocess.run([sample, kind], check=True, capture_output=True, text=True).stdout
        summary = json.loads(text, parse_constant=refuse)
        for error in validator.iter_errors(summary):
            print(kind, list(error.absolute_path), error.message[:200])
            failed = True
        # The validator itself must be able to say no.
        broken = json.loads(text)
        broken["totals"]["flops"]["forward"] = "many"
        if validator.is_valid(broken):
            print(kind, "a wrong summary is accepted")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
