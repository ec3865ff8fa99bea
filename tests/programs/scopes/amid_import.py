# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA begins, and the profiler's Python is installed, amid the import of a module that it changes.

Prints whether that module was changed by the time a module of the program has been called."""

import sys
import time

import torch

CHANGED = "torch.distributed.fsdp._runtime_utils"


class Amid:
    """Finds nothing; what is looked for while the module is being imported begins CUDA."""

    begun = False

    def find_spec(self, name, path=None, target=None):
        if not self.begun and CHANGED in sys.modules:
            self.begun = True
            torch.ones(1, device="cuda")
            end = time.monotonic() + 20
            while "_flopsprof_shim" not in sys.modules and time.monotonic() < end:
                time.sleep(0.01)
        return None


amid = Amid()
sys.meta_path.insert(0, amid)
import torch.distributed.fsdp  # noqa: E402

torch.nn.Linear(8, 8).cuda()(torch.ones(8, 8, device="cuda"))
torch.cuda.synchronize()
print(amid.begun, hasattr(sys.modules[CHANGED]._unshard, "__wrapped__"))
