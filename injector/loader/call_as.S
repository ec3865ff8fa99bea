// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof_call_as(function, a, b, c, ret), x86-64: function(a, b, c), called so that it sees the
// address `ret` as its return address (call_as.h). Below that on the stack lies the way back to
// here. While the function runs, unwinders find a frame of the object of `ret`, whose row says that
// nothing was pushed, and below it one of this function.

        .text
        .p2align 4
        .globl  flopsprof_call_as
        .hidden flopsprof_call_as
        .type   flopsprof_call_as, @function
flopsprof_call_as:
        .cfi_startproc
        endbr64
        movq    %rdi, %r11
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        leaq    1f(%rip), %rax
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        jmp     *%r11
        .cfi_adjust_cfa_offset -16
        nop                                 // unwinders look at the byte before an address
1:      ret
        .cfi_endproc
        .size   flopsprof_call_as, . - flopsprof_call_as

        .section .note.GNU-stack, "", @progbits
