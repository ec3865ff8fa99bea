// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The entries of dlsym, dlvsym, dlopen and dlmopen, x86-64. libc looks at its return address to
// know who asks (call_as.h). So each of them asks a function of dl_hooks.cc, flopsprof_before_...,
// whether this call is for us, and if not jumps to the next function in the chain, with all
// registers and the program's own return address as they were. If it is, it jumps to
// flopsprof_answer_... with that address as one more argument.
//
// The stack is aligned for a call: 8 bytes of the return address and three registers.

        .macro  begin name
        .p2align 4
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        .endm

        .macro  finish name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro  keep register
        pushq   \register
        .cfi_adjust_cfa_offset 8
        .endm

        .macro  restore register
        popq    \register
        .cfi_adjust_cfa_offset -8
        .endm

        // The caller's return address is then at 24(%rsp).
        .macro  keep_arguments
        keep    %rdi
        keep    %rsi
        keep    %rdx
        .endm

        .macro  restore_arguments
        restore %rdx
        restore %rsi
        restore %rdi
        .endm

        .text
        begin   dlsym
        keep_arguments
        movq    24(%rsp), %rdx
        call    flopsprof_before_dlsym      // (handle, name, return address): the hook, or null
        restore_arguments
        testq   %rax, %rax
        jne     1f
        jmp     *flopsprof_real_dlsym(%rip)
1:      movq    %rax, %rdx
        movq    (%rsp), %rcx
        jmp     flopsprof_answer_dlsym      // (handle, name, hook, return address)
        finish  dlsym

        begin   dlvsym
        keep_arguments
        call    flopsprof_is_about_dlsym    // (handle, name)
        testb   %al, %al
        jne     2f
        movq    16(%rsp), %rdi              // the call has changed them
        movq    8(%rsp), %rsi
        movq    24(%rsp), %rdx
        call    flopsprof_before_dlsym      // (handle, name, return address): the hook, or null
        restore_arguments
        testq   %rax, %rax
        jne     1f
        jmp     *flopsprof_real_dlvsym(%rip)
1:      movq    %rax, %rcx
        movq    (%rsp), %r8
        jmp     flopsprof_answer_dlvsym     // (handle, name, version, hook, return address)
2:      .cfi_adjust_cfa_offset 24           // the arguments are on the stack, as at the jump here
        restore_arguments
        jmp     *flopsprof_libc_dlsym(%rip)
        finish  dlvsym

        begin   dlopen
        keep_arguments
        movq    24(%rsp), %rdx
        call    flopsprof_before_dlopen     // (file, mode, return address): is it for us?
        restore_arguments
        testb   %al, %al
        jne     1f
        jmp     *flopsprof_real_dlopen(%rip)
1:      movq    (%rsp), %rdx
        jmp     flopsprof_answer_dlopen     // (file, mode, return address)
        finish  dlopen

        begin   dlmopen
        keep_arguments
        call    flopsprof_before_dlmopen    // (name space)
        restore_arguments
        jmp     *flopsprof_real_dlmopen(%rip)
        finish  dlmopen

        .section .note.GNU-stack, "", @progbits
