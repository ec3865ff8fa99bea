# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What is booked to one module itself, without its children."""


class Record:
    __slots__ = ("module", "flops", "macs", "duration", "calls", "formula", "attributes",
                 "is_ignored", "is_recurrent", "seen_flops", "seen_macs", "functionals", "__weakref__")  # fmt: skip

    def __init__(self, module):
        self.module = module
        self.formula = None
        self.attributes = None  # where its forward is a straight line: what it reads of the module
        self.is_ignored = self.is_recurrent = False
        self.reset()

    def reset(self):
        self.flops = self.macs = self.calls = 0
        self.duration = 0
        self.seen_flops = self.seen_macs = 0  # by DeepSpeed's rules
        self.functionals = {}  # name -> [flops, MACs, seconds], by DeepSpeed's rules
