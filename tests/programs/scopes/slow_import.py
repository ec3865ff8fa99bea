# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Imports torch slowly and trains in a thread, while the main thread only waits for it and Python's
queue of pending calls has room for one more: the program's own, as a debugger's, fill it. CUDA begins
amid the import. Argument: seconds that the import takes after that. Prints its steps."""

import ctypes
import sys
import threading
import time

SECONDS = float(sys.argv[1])
CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: 0)
QUEUE = 32  # Python's own limit


class Slow:
    """Finds nothing; the first look for torch.functional begins CUDA and takes its time."""

    done = False

    def find_spec(self, name, path=None, target=None):
        if name == "torch.functional" and not self.done:
            self.done = True
            # libcudart is mapped by now, with libtorch_python.
            with open("/proc/self/maps", encoding="utf-8") as maps:
                cudart = next(line.split()[-1] for line in maps if "libcudart.so" in line)
            memory = ctypes.c_void_p()
            assert ctypes.CDLL(cudart).cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
            time.sleep(SECONDS)
        return None


def train():
    for _ in range(QUEUE - 1):
        assert ctypes.pythonapi.Py_AddPendingCall(CALL, None) == 0
    import torch

    net = torch.nn.Linear(64, 32, bias=False).cuda()
    x = torch.ones(8, 64, device="cuda")
    time.sleep(4)  # modules come within two looks, a second each
    for _ in range(3):
        net(x)
    torch.cuda.synchronize()
    print(3)


sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=train)
thread.start()
thread.join()
