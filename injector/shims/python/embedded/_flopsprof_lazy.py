# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Roots some of whose parameters have no sizes yet: described in the call that makes them."""

import sys
import weakref

from _flopsprof_base import native, replace, tracing

MOST_ROOTS = 64  # that are waited for at once

_waiting: dict = {}  # scope of a root -> Waiting


class Waiting:
    """What a root waits for, by module and name: a reference to a parameter, weak ones included,
    would keep the program from torch.utils.swap_tensors().
    """

    def __init__(self, root, missing):
        self.root = weakref.ref(root)
        self.missing = [(weakref.ref(module), name) for module, name in missing]
        self.left = len(missing)  # parameters to come before a look is of use

    def is_over(self, is_known) -> bool:
        """To be asked after each parameter that comes, of whichever root: as many as are missing
        have to come before all can be there, so that all looks together are linear.
        """
        self.left = max(0, self.left - 1)
        if self.left > 0 or tracing() is not None:
            return False
        missing = []
        for reference, name in self.missing:
            module = reference()
            parameter = None
            if module is not None:
                parameter = module.__dict__.get("_parameters", {}).get(name)
            if parameter is not None and not is_known(parameter):
                missing.append((reference, name))
        self.missing = missing
        self.left = len(missing)
        return not missing


def wait(root, root_scope, missing, is_known, describe) -> None:
    """describe(root, root_scope) once all of (module, name) are known; replaces the last wait."""
    _waiting.pop(root_scope, None)
    if not missing:
        return
    for other, waiting in list(_waiting.items()):
        if waiting.root() is None:
            _waiting.pop(other, None)
    if len(_waiting) >= MOST_ROOTS:
        return
    mixin = getattr(sys.modules.get("torch.nn.parameter"), "UninitializedTensorMixin", None)
    if mixin is None:
        return
    if not hasattr(mixin.materialize, "__wrapped__"):
        replace(mixin, "materialize", lambda original: telling(original, is_known, describe))
    _waiting[root_scope] = Waiting(root, missing)


def telling(materialize, is_known, describe):
    def wrapped(self, *args, **kwargs):
        result = materialize(self, *args, **kwargs)
        try:
            for root_scope, waiting in list(_waiting.items()):
                if waiting.is_over(is_known):
                    _waiting.pop(root_scope, None)
                    root = waiting.root()
                    if root is not None:
                        describe(root, root_scope)
        except Exception as error:
            native.failed(repr(error)[:200])
        return result

    return wrapped
