# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""As much of torch as the module hook looks at, for Pythons without torch."""

from . import nn, optim  # noqa: F401

__version__ = "0"


class autograd:  # noqa: N801
    class graph:  # noqa: N801
        pass
