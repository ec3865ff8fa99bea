# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Does every kernel record's correlation id belong to a launch callback? Without us.

    python join_probe.py [api]      api: with the RUNTIME activity kind enabled too
"""

import json
import sys

import torch

from cupti import Cupti

torch.cuda.init()
x = torch.randn(256, 256, device="cuda")
torch.cuda.synchronize()
cupti = Cupti(keep=True)
cupti.start(with_callbacks=True, with_api_kind="api" in sys.argv)
layer = torch.nn.Linear(256, 256, device="cuda")
for _ in range(5):
    layer(x).relu().square().mean().backward()
torch.cuda.synchronize()
cupti.stop()
unmatched = [number for number in cupti.records if number not in cupti.launches]
print(
    json.dumps(
        {
            "records": len(cupti.records),
            "launches": len(cupti.launches),
            "unmatched": len(unmatched),
            "callback_ids": sorted(f"{'driver' if d == 1 else 'runtime'} {n}"
                                   for d, n in cupti.ids_seen),
        }
    )
)  # fmt: skip
