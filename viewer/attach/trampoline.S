# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Copied into the target, where it runs on the borrowed thread, on a stack of its own, with rbx = Box
# (box.h). It needs nobody: if the attaching process dies, it waits a little and puts the thread back
# with rt_sigreturn.
        .text
        .globl  flopsprof_trampoline_begin, flopsprof_trampoline_end
flopsprof_trampoline_begin:
        call    *24(%rbx)               # __errno_location
        mov     (%rax), %eax
        mov     %eax, 76(%rbx)
        cmpq    $0, 0(%rbx)
        je      1f
        lea     96(%rbx), %rdi
        mov     $2, %esi                # RTLD_NOW | RTLD_LOCAL
        call    *0(%rbx)                # dlopen
        mov     %rax, 48(%rbx)
        mov     192(%rbx), %rdi         # the memory file is closed here: nobody else may be alive
        test    %rdi, %rdi
        js      4f
        mov     $3, %eax                # close
        syscall
4:      mov     48(%rbx), %rax
        test    %rax, %rax
        jz      2f
        mov     %rax, %rdi
        lea     160(%rbx), %rsi
        call    *8(%rbx)                # dlsym
        mov     %rax, 40(%rbx)
        test    %rax, %rax
        jz      2f
1:      mov     200(%rbx), %rdi
        call    *40(%rbx)               # flopsprof_attach
        mov     %rax, 56(%rbx)
        jmp     3f
2:      call    *16(%rbx)               # dlerror
        mov     %rax, 64(%rbx)
        movq    $-1, 56(%rbx)
3:      call    *24(%rbx)
        mov     76(%rbx), %ecx
        mov     %ecx, (%rax)
        movl    $2, 72(%rbx)            # done
        mov     $271, %eax              # ppoll: it leaves the kernel's restart block alone
        xor     %edi, %edi
        xor     %esi, %esi
        lea     80(%rbx), %rdx
        xor     %r10d, %r10d
        mov     $8, %r8d
        syscall
        mov     32(%rbx), %rsp
        ret                             # to __restore_rt, which reads the frame
flopsprof_trampoline_end:
        .section .note.GNU-stack,"",@progbits
