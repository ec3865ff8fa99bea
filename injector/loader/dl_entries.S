// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// dlsym, dlvsym, dlopen, dlmopen, x86-64. libc looks at its return address to know who asks: what
// RTLD_NEXT, RTLD_DEFAULT, RUNPATH and $ORIGIN mean depends on it. So each ends in a jump to the
// next function in the chain, with the program's own return address; dl_hooks.cc decides before.
// Where something is to be done with the answer, the call is made as if by the program
// (flopsprof_call_as).

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

        // Keeps the three arguments on a stack aligned for a call.
        .macro  keep_arguments
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        .endm

        .macro  restore_arguments
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
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
        movq    16(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    24(%rsp), %rdx
        call    flopsprof_before_dlsym
        restore_arguments
        testq   %rax, %rax
        jne     1f
        jmp     *flopsprof_real_dlvsym(%rip)
2:      .cfi_adjust_cfa_offset 24
        restore_arguments
        jmp     *flopsprof_libc_dlsym(%rip)
1:      movq    %rax, %rcx
        movq    (%rsp), %r8
        jmp     flopsprof_answer_dlvsym     // (handle, name, version, hook, return address)
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

        // call_as(function, a, b, c, ret): function(a, b, c), called so that it sees the address
        // `ret` as its return address. That is a `ret` instruction in the object on whose behalf
        // the call is made; below it lies the way back to here.
        begin   flopsprof_call_as
        .hidden flopsprof_call_as
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
        finish  flopsprof_call_as

        begin   dlmopen
        keep_arguments
        call    flopsprof_before_dlmopen    // (name space)
        restore_arguments
        jmp     *flopsprof_real_dlmopen(%rip)
        finish  dlmopen

        // dlsym calls the resolver of an indirect function with the loader's lock held. That is how
        // caller_patch.cc gets it: no other thread is in the middle of dlopen or dlclose then.
        .p2align 4
        .globl  flopsprof_under_loader_lock
        .type   flopsprof_under_loader_lock, @gnu_indirect_function
flopsprof_under_loader_lock:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    flopsprof_work_under_loader_lock
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        leaq    1f(%rip), %rax
1:      ret
        .cfi_endproc
        .size   flopsprof_under_loader_lock, . - flopsprof_under_loader_lock

        .section .note.GNU-stack, "", @progbits
