# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Prints megabytes on both outputs, between training steps."""

import sys

import small_net

trainer = small_net.Trainer()
for number in range(8):
    trainer.train(1)
    for line in range(8192):
        print(f"out {number} {line} " + "x" * 100)
        print(f"err {number} {line} " + "y" * 50, file=sys.stderr)
