# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The tree of modules: who is called, for how long, and what belongs to whom."""
