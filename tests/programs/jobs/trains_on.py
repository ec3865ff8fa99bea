# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains three steps, writes FOLDER/ready-RANK with its pid, and goes on until killed.

    torchrun --nproc-per-node 2 trains_on.py FOLDER
"""

import os
import sys
import time

import small_net

rank = os.environ.get("RANK", "0")
trainer = small_net.Trainer()
trainer.train(3)
path = os.path.join(sys.argv[1], "ready-" + rank)
with open(path + ".new", "w", encoding="utf-8") as file:
    file.write(str(os.getpid()))
os.rename(path + ".new", path)
while True:
    trainer.train(1)
    time.sleep(0.02)
