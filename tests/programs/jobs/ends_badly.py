# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains three steps and then ends in the way named on the command line.

    python ends_badly.py return|exit7|raise|os_exit|abort|segv|sigterm|sigkill
"""

import os
import signal
import sys

import small_net

small_net.Trainer().train(3)
print("trained", flush=True)
how = sys.argv[1]
if how == "exit7":
    sys.exit(7)
elif how == "raise":
    raise RuntimeError("on purpose")
elif how == "os_exit":
    os._exit(9)
elif how == "abort":
    os.abort()
elif how == "segv":
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "sigterm":
    os.kill(os.getpid(), signal.SIGTERM)
elif how == "sigkill":
    os.kill(os.getpid(), signal.SIGKILL)
