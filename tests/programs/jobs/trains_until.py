# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network until a file is there: trains_until.py PATH. Prints nothing that depends on
the number of steps, and ends with code 7."""

import os
import sys

import small_net
import torch


def main() -> int:
    trainer = small_net.Trainer(torch.device("cuda"))
    call, hooks = torch.nn.Module.__call__, dict(torch.nn.modules.module._global_forward_hooks)
    trainer.train(3)
    print("trains", flush=True)
    while not os.path.exists(sys.argv[1]):
        trainer.train(5)
        torch.cuda.synchronize()
    same = call is torch.nn.Module.__call__
    same = same and hooks == torch.nn.modules.module._global_forward_hooks
    print("trained;", "as before" if same else "changed")
    return 7


if __name__ == "__main__":
    sys.exit(main())
