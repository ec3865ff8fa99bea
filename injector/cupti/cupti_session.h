// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Our subscription to CUPTI: taken at session start or for a window, kept until its end or until
// the program's own profiler wants it. All functions but CuptiIsOurs, the ids and
// FlushEndingContext are called by the session only, on the helper thread (StartCupti also where
// the session begins, and at the exit of a CUDA call that shows that it may).

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// How replays of CUDA graphs are timed: each node; each launch as a whole, which costs much less;
// each node until there have been so many that the cost and CUPTI's own memory are a worry.
enum class GraphTimes { kNodes, kLaunches, kAuto };

// Subscribes and asks for launches, kernels, copies and sets. A failure becomes a note ("cupti")
// and a counter; library calls are still recorded. False: there is no libcupti yet, but the program
// may import one. This is not noted or counted until NoteNoCupti is called.
bool StartCupti(bool another_client_was_seen, GraphTimes graphs);

void NoteNoCupti();

// How many buffers of 3.2 MB of GPU memory CUPTI may take in a context, if it keeps the times of
// this many graph nodes for good.
size_t DeviceBuffersFor(uint64_t graph_nodes);

// Once a second: kAuto goes over to launches when its time has come, and callbacks that are not
// needed go.
void TickCupti();

// Delivers the records that CUPTI holds; `forced`: also those of work that still runs.
void FlushCupti(bool forced);

// The calling thread destroys a context (cudaDeviceReset, cuCtxDestroy): what CUPTI has of it is
// lost afterwards. Called as the program enters the call, as CUPTI's own samples do it.
void FlushEndingContext();

// Contexts that begin and end are told from before the first one on: then the last one is known.
void CountContextsFromNow();
void CountContext(int change);

// Work of a window may still run on the GPU after the window's end. So CUPTI's records are wanted
// while work is recorded, and from the first window on until the times are given up.
void WantActivities();
bool ActivitiesAreWanted();
void ForgetActivities();

// Gives the subscription back. Buffers that CUPTI still holds stay valid.
void StopCupti();

// The same, and CUPTI leaves the process (cupti_detach.h). FollowCuptiDetach, now and then: true
// while that is under way.
void DetachCupti();
bool FollowCuptiDetach();

bool CuptiIsOurs();

// CUPTI's ids of graphs, executables and nodes; 0: not known. On any thread.
uint32_t CuptiGraphId(const void* graph);
uint32_t CuptiExecutableId(const void* executable);
uint64_t CuptiNodeId(const void* node);

// One kClock record: CLOCK_MONOTONIC beside the clock of CUPTI's times.
void EmitClockPair();

}  // namespace flopsprof::injector
