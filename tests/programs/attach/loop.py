# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""loop.py UNTIL: a Python without PyTorch, busy and sleeping by turns, with a second thread."""

import os
import sys
import threading
import time


def work() -> None:
    while not os.path.exists(sys.argv[1]):
        assert sum(i * i for i in range(200)) == 2646700
        time.sleep(0.001)


print("runs", flush=True)
thread = threading.Thread(target=work)
thread.start()
work()
thread.join()
print("python ok")
sys.exit(7)
