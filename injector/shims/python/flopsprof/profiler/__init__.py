# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds flops_profiler, where DeepSpeed has it under `profiling`."""
