// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// flopsprof-run of a wheel, which can hold no links: becomes the flopsprof beside it, in the same
// process and the same environment. A shell script would put variables into the job's environment.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  (void)argc;
  static char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  char* name = size > 0 ? strrchr(path, '/') : NULL;
  if (name == NULL || (size_t)(name - path) + sizeof "/flopsprof" > sizeof path) {
    fputs("flopsprof-run: /proc does not say where this program is: start \"flopsprof run\"\n",
          stderr);
    return 125;
  }
  strcpy(name, "/flopsprof");
  static char run[] = "flopsprof-run";  // by this name flopsprof knows what is wanted
  argv[0] = run;
  execv(path, argv);
  fprintf(stderr, "flopsprof-run: cannot start ");
  perror(path);
  fputs("  install the package again\n", stderr);
  return 127;
}
