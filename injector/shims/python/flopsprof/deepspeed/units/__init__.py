# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, as each version of DeepSpeed writes them."""
