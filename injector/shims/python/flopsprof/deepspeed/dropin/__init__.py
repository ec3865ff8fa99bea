# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts that import DeepSpeed's profiler, with this one in its place."""
