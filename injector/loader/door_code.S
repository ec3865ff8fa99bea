// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The code of all doors (doors.h), x86-64. On the way nothing is touched but r10, r11 and rax,
// which carry no argument of the hooked functions (none takes a variable number).

#include "injector/loader/door_layout.h"

        .text
        .cfi_startproc
        .p2align 4
        .globl  flopsprof_door_code
        .hidden flopsprof_door_code
flopsprof_door_code:
        .set    offset, 0
        .rept   FLOPSPROF_DOOR_COUNT
        .p2align 4
        endbr64
        leaq    flopsprof_doors+offset(%rip), %r11
        jmp     enter
        .set    offset, offset + FLOPSPROF_DOOR_BYTES
        .endr
        .p2align 4
// r11: the door. Its function goes to the thread's flopsprof_behind_door, where the hook takes it.
enter:
        movq    (%r11), %r10
        movq    flopsprof_behind_door@gottpoff(%rip), %rax
        movq    %r10, %fs:(%rax)
        jmp     *8(%r11)
        .cfi_endproc

        .section .note.GNU-stack, "", @progbits
