# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""GPU memory that CUPTI takes: one process for each measurement, since CUPTI keeps its pool."""

import json
import os
import time

from check import HERE, Answer, Context, contradicted, held, last_lines
from flopsprof_run import product, run_plain

BUFFER_BYTES, KERNELS_A_BUFFER = 3_200_000, 100_000  # CUPTI's defaults
MADE_AT_START = 3
PROMISED_BYTES = 55e6  # README.md, "Of the card's memory"
OWN_BYTES = 32 << 20  # the most that CUPTI may keep beside its buffers
GRANULE_BYTES = 2 << 20  # of the driver


class Measure:
    def __init__(self, context: Context, budget_s: float) -> None:
        self.context, self.deadline = context, time.monotonic() + budget_s

    def __call__(self, limit: str = "", buffers: int = 0, graphs: str = "") -> dict:
        """What probe.memory says, of nodes enough for so many buffers. `graphs`: under the product."""
        prefix = ()
        if graphs:
            folder = os.path.join(self.context.scratch, f"memory-{graphs}")
            prefix = (product("bin/flopsprof-run"), "-o", folder, "--graphs", graphs, "--")
        # The stand-in takes its memory at once.
        nodes = 2000 if self.context.simulated else buffers * KERNELS_A_BUFFER
        run = run_plain(
            [self.context.python, os.path.join(HERE, "probe.py"), "memory", limit, str(nodes)],
            prefix=prefix, timeout=max(1, self.deadline - time.monotonic()),
            faults=self.context.faults if self.context.simulated else "",
        )  # fmt: skip
        if not run.ended_well():
            raise RuntimeError(f"memory {limit} {graphs}: {last_lines(run.stderr)}")
        return json.loads(run.stdout.splitlines()[-1])


def memory(context: Context, budget_s: float) -> Answer:
    """By the product with the limits that it sets, and by CUPTI alone with the same limits and more
    nodes than fit into the pool."""
    measure = Measure(context, budget_s)
    plain = [measure(buffers=1)["all"] for _ in range(2)]
    noise = max(GRANULE_BYTES, abs(plain[0] - plain[1]))
    text, wrong, numbers = [], [], {"without": plain}
    for graphs in ("auto", "graph"):
        ours = measure("ours", 12, graphs)
        limit = ours["limit"]
        alone = measure(str(limit), min(limit, 20) + 10)
        own = max(0, alone["first"] - plain[0] - MADE_AT_START * BUFFER_BYTES)
        pool = limit * BUFFER_BYTES
        by_us, by_cupti = ours["all"] - plain[0], alone["all"] - plain[0]
        text.append(
            f"--graphs {graphs}, {limit} buffers: {by_us / 1e6:.1f} MB under us,"
            f" {by_cupti / 1e6:.1f} by CUPTI with a full pool, {own / 1e6:.1f} of them its own"
        )
        numbers[graphs] = {"ours": ours, "alone": alone}
        most = pool + own + noise
        if pool > PROMISED_BYTES or own > OWN_BYTES or by_cupti > most or by_us > most:
            wrong.append(graphs)
    said = f"{'; '.join(text)}; known to {noise / 1e6:.1f} MB"
    return (contradicted if wrong else held)(said, **numbers)
