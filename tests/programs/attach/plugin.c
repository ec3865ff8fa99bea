// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What targets.c opens and closes again and again.
long plugin_twice(long x);
long plugin_twice(long x) { return 2 * x; }
