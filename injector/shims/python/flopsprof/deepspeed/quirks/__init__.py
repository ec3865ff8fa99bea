# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's own numbers: what its profiler sees, by its rules, with the reason of each difference."""
