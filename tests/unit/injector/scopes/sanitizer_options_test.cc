// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Scopes, their names and the sequence logs are kept for ever, and each test starts with empty
// tables, freeing nothing, as the child of a fork does. All else is looked at.

extern "C" const char* __lsan_default_suppressions() { return "leak:text_table.h\n"; }
