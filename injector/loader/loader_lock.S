// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// How loader_lock.cc gets the loader's lock, x86-64: an indirect function (STT_GNU_IFUNC), whose
// resolver dlsym calls with that lock held. It is exported, because dlsym has to find it; what it
// resolves to does nothing.

        .text
        .p2align 4
        .globl  flopsprof_under_loader_lock
        .type   flopsprof_under_loader_lock, @gnu_indirect_function
flopsprof_under_loader_lock:
        .cfi_startproc
        endbr64
        subq    $8, %rsp                    // a stack aligned for a call
        .cfi_adjust_cfa_offset 8
        call    flopsprof_work_under_loader_lock
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        leaq    1f(%rip), %rax
1:      ret
        .cfi_endproc
        .size   flopsprof_under_loader_lock, . - flopsprof_under_loader_lock

        .section .note.GNU-stack, "", @progbits
