# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations of floating-point numbers, from the shapes of what was called."""
