# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Is a report that is made from the sums that a run keeps the one that its rows give?"""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile

SHORT = (["--json"], [])
ALL = (
    *SHORT,
    ["--view=all", "--totals", "--exact", "--no-fold", "--depth=-1", "--top=1000"],
    ["--view=gradients"],
)
AT_FORMAT = 18  # in the header of a database: 1 = without a write-ahead log


def keeps_sums(folder: str) -> bool:
    """Has the run ended in one plain file, whose sums a launcher or a collector has kept?"""
    try:
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
            if json.load(file)["state"] != "finished":
                return False
        with open(os.path.join(folder, "profile.db"), "rb") as file:
            if file.read(AT_FORMAT + 1)[AT_FORMAT:] != b"\x01":
                return False
        with sqlite3.connect(f"file:{folder}/profile.db?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM run_sums").fetchone()[0] == 1
    except (OSError, ValueError, sqlite3.Error):
        return False


def change(folder: str, *, rows_stay: bool) -> None:
    """Takes the sums away, or all rows of processes in such a way that the sums still hold."""
    with sqlite3.connect(os.path.join(folder, "profile.db")) as database:
        if rows_stay:
            database.execute("DELETE FROM run_sums")
            return
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            if "process_id" in columns or table == "processes":
                database.execute(f"DELETE FROM {table}")
        database.execute("UPDATE run_sums SET state = state + 1")  # that of this transaction


MADE, EMPTY = 0, 3  # exit codes of a report; 3 is also that of a run which cannot be read


def reports(flopsprof: str, parent: str, variants: tuple) -> list:
    """(exit code, text) of each; equal errors are no equal reports."""
    made = []
    for variant in variants:
        run = subprocess.run([flopsprof, "report", "run", *variant], cwd=parent, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        assert run.returncode in (MADE, EMPTY), run.stdout
        if "--json" in variant:
            assert run.stdout.startswith(b"{"), run.stdout
        made.append((run.returncode, run.stdout))
    return made


def differences(program, folder: str, variants: tuple = ALL, *, in_turn: bool = True) -> list:
    """(options, report from the sums alone, from sums that were made one rank after the other, from
    the rows), where they are not all equal. `program`: gives the path of one. `in_turn` needs a
    program of the build; without it the second report is the first."""
    flopsprof = program("bin/flopsprof")
    texts = []
    with tempfile.TemporaryDirectory(prefix="flopsprof-test-") as scratch:
        for kind in ("sums", "in turn", "rows"):
            if kind == "in turn" and not in_turn:
                texts.append(texts[0])
                continue
            copy = os.path.join(scratch, kind, "run")
            shutil.copytree(folder, copy, symlinks=True)
            if kind == "in turn":
                subprocess.run([program("bin/flopsprof_keep_sums"), copy, "0"], check=True)
            change(copy, rows_stay=kind == "rows")
            texts.append(reports(flopsprof, os.path.dirname(copy), variants))
    return [one for one in zip(variants, *texts) if one[1] != one[3] or one[2] != one[3]]
