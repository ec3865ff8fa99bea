#pragma once
// Stand-in CUDA libraries: shared declarations. Everything here imitates documented public APIs only.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
static int sim_log_level(){static int l=getenv("SIMLOG")?atoi(getenv("SIMLOG")):0;return l;}
static inline void sim_unimpl(const char*n){ if(sim_log_level()>0) fprintf(stderr,"[sim] STUB %s\n",n);}
// SIMCALLS=FILE: libsimcore counts each entry point (wrapper of cudart/cuda, body of the others) and writes the counts at exit
extern "C" void sim_count(const char*n);
#define API extern "C"
