# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What people write as a launcher: a shell script that sets LD_PRELOAD to an allocator (here: zlib,
which is everywhere) and PYTHONPATH, runs `python -m trainer.train`, then `python -m
trainer.evaluate`, which ends with code 3; the script passes the code on."""

import argparse
import os
import subprocess
import sys

SCRIPT = """
cd "$1"
export LD_PRELOAD=$(ls /lib/x86_64-linux-gnu/libz.so.1)
export PYTHONPATH="$1"
nice -n 1 "$2" -m trainer.train --steps "$3" --device "$4"
exec "$2" -m trainer.evaluate --device "$4"
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    arguments = [here, sys.executable, str(options.steps), options.device]
    sys.exit(subprocess.run(["bash", "-euc", SCRIPT, "launch", *arguments], check=False).returncode)


if __name__ == "__main__":
    main()
