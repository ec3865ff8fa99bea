# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A `flopsprof collector` on a port of its own, and what it has written."""

import json
import os
import signal
import subprocess

from flopsprof_run import product


class Collector:
    def __init__(self, store, *options, listen="127.0.0.1:0", prefix=()):
        self.store = store
        self.process = subprocess.Popen(
            [*prefix, product("bin/flopsprof"), "collector", "--listen", listen, "--store", str(store),
             *options],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        line = self.process.stderr.readline()
        assert ", port " in line, line
        self.port = int(line.split(", port ")[1].split(";")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def summaries(self):
        found = {}
        for name in sorted(os.listdir(self.store)):
            path = os.path.join(self.store, name, "summary.json")
            if os.path.exists(path):
                with open(path) as file:
                    summary = json.load(file)
                found[summary["job"]["id"]] = summary
        return found
