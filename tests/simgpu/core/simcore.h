// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the stand-in libraries share: libsimcore.so. It holds the simulated devices, their
// streams and memory, stream capture and graphs, the frames of API calls, and what tests
// read: ledger, call log and fault script. Everything imitates documented behaviour only.
//
// Threads: every function may be called from any thread.
#include <cuda.h>

#include <functional>
#include <string>

#include "sim.h"

// ---- API frames: one per driver or runtime call that somebody watches ----

enum { SIM_DRIVER = 0, SIM_RUNTIME = 1 };
// Bits of sim_on: who wants frames of a callback id.
enum { SIM_CB = 1, SIM_ACT = 2, SIM_TRACE = 4, SIM_LEDGER = 8 };
inline constexpr int kSimCallbackIds = 1024;

struct SimFrame {
  int dom;            // SIM_DRIVER or SIM_RUNTIME
  uint32_t cbid;      // CUPTI callback id
  const char* fname;  // function name
  const void* params;
  void* ret;
  const char* sym;  // kernel name of a launch, else null
  uint64_t cdata;   // correlationData of CUPTI callbacks
  uint32_t corr;    // correlation id: that of the outermost frame
  uint64_t t0, t1;  // REALTIME ns
  SimFrame* up;     // enclosing frame of this thread
  uint8_t on;       // sim_on when the frame was opened
};

// A kernel as the driver knows it: CUfunction, CUkernel and cudaKernel_t point to one.
struct SimFn {
  const char* name;
  void* mod;
  unsigned nparams;
};

// ---- Operations ----

// OP_CHILD, OP_CONDITIONAL: only as nodes of graphs, which hold other graphs. OP_FAULT: only in
// the ledger, a switch of the fault script that has changed something.
enum {
  OP_KERNEL,
  OP_MEMCPY,
  OP_MEMSET,
  OP_HOST,
  OP_SYNC,
  OP_GRAPH,
  OP_CHILD,
  OP_CONDITIONAL,
  OP_FAULT
};

struct SimOp {
  int kind = OP_KERNEL;
  const char* name = nullptr;  // kernels; must outlive the process
  unsigned g[3] = {1, 1, 1}, b[3] = {1, 1, 1};
  unsigned smem = 0;
  uint64_t bytes = 0;                          // copies and sets
  double flops = 0, mbytes = 0;                // work for the time model; 0: by number of threads
  int copyKind = 0, srcKind = 0, dstKind = 0;  // CUPTI's enumerations
  int value = 0;                               // sets
  std::function<void()> body;                  // effect on memory: at enqueue, or at each replay
  uint64_t not_before = 0;                     // earliest start, REALTIME ns (a rendezvous)
  uint64_t duration_ns = 0;                    // 0: by the time model or the fault script
  int copies = 1;

  // Filled in by sim_enqueue.
  int dev = 0;
  uint32_t stream = 0;
  uint32_t corr = 0;
  uint64_t ordinal = 0;         // per process, counts ledger lines
  uint64_t start = 0, end = 0;  // REALTIME ns
  uint32_t graphId = 0;         // executable graph of a replayed node
  uint64_t nodeId = 0;
  int syncType = 0;
  void* stream_handle = nullptr;
};

// What a library watching the device (libcupti) implements. The op is complete at op->end,
// which may lie in the future.
struct SimGraphEvent {
  int cbid;  // CUpti_CallbackIdResource
  void *graph, *original_graph, *node, *original_node, *exec;
  int op_kind;
};
struct SimSink {
  void (*api)(SimFrame*, int exit);
  void (*op)(const SimOp*);
  void (*resource)(int cbid, void* ctx, void* stream);
  void (*graph)(const SimGraphEvent*);
};

#pragma GCC visibility push(default)
extern "C" {
extern uint8_t sim_on[2][kSimCallbackIds];
extern SimSink* sim_sink;

void sim_enter(SimFrame* f);
void sim_correlations_start_again(void);  // from 1
void sim_exit(SimFrame* f);
uint32_t sim_cur_corr();
// Name of a callback id (domain 1 driver, 2 runtime), or null.
const char* sim_cbid_name(int domain, uint32_t id);
// Whether calls with this id can put work on a device or wait for it.
int sim_cbid_enqueues(int dom, uint32_t id);

// ---- Entry points ----
extern int sim_entry_watched;
// Counts the call; not 0: the status to return instead of working (fault script "fail").
int sim_entry(const char* library_and_name);
// The outermost library call of this thread, for ledger and call log.
void sim_call_enter(const char* name);
void sim_call_exit();
const char* sim_call_name();
// Sets the shape text of the outermost call, as the ledger shows it.
void sim_call_shape(const char* shape);
// The thread's tag, copied; the ledger lines of its launches carry it. Null clears it.
void sim_set_tag(const char* tag);

// ---- Devices, contexts, streams ----
void sim_inject();  // loads CUDA_INJECTION64_PATH, once
int sim_ndev();
// The number in the machine of a visible device (CUDA_VISIBLE_DEVICES).
int sim_device_number(int device);
int sim_dev();
void sim_set_dev(int);
void* sim_ctx(int d);
// The context of a device ends: cudaDeviceReset. It is made again when it is used again.
void sim_reset_context(int d);
// Any stream of the process.
bool sim_any_capture(void);
// CUPTI is in the process: from its first call until cuptiFinalize. "attached_ns" of waiting at
// each launch; and the sum of it.
extern int sim_cupti_attached;
uint64_t sim_attached_ns(void);
// Inside of cuInit ("init_ms").
bool sim_another_thread_initializes(void);
int sim_ctx_dev(void* c);
uint64_t sim_now();  // CLOCK_REALTIME, ns
int sim_realtime();  // 1: waiting calls wait until the simulated end
void* sim_stream_create();
void sim_stream_destroy(void* s);
uint32_t sim_stream_id(void* s);
int sim_stream_dev(void* s);
uint64_t sim_stream_tail(void* s);  // end of the last operation
void sim_stream_wait_until(void* s, uint64_t t);
void sim_sync_stream(void* s, int type);
void sim_sync_device(int d);
void sim_wait_until(uint64_t t);
// dlopen of a stand-in that lies in the folder of libsimcore.so.
void* sim_open_beside(const char* soname);

// ---- Memory. Kinds as CUpti_ActivityMemoryKind: 1 pageable 2 pinned 3 device 5 managed.
int sim_alloc(void** p, size_t bytes, int kind);  // 0, or -1: no memory
int sim_free(void* p);                            // 0, or -1: unknown pointer
int sim_memory_kind(const void* p);
// The allocation around p: 0, or -1 when p is not ours.
int sim_memory_find(const void* p, void** base, size_t* bytes, int* dev, int* kind);

// ---- Capture and graphs ----
// graph: null for a new one, or the graph to add to.
int sim_capture_begin(void* s, void* graph);
int sim_capture_end(void* s, void** graph);
int sim_capture_status(void* s, unsigned long long* id, void** g);
void* sim_capture_graph(void* s);
void sim_capture_join(void* s, void* graph);
void* sim_graph_new();
void sim_graph_free(void*);
size_t sim_graph_size(void*);
void sim_graph_node(void*, size_t, void**);
void* sim_graph_instantiate(void*);
void sim_graph_exec_free(void*);
void sim_graph_launch(void* exec, void* s);
// A node with a copy of the graph. It is called again at each launch of what holds it.
void* sim_graph_add_child(void* graph, void* child);
void* sim_graph_clone(void*);
// A kernel node that no launch made. The name is copied.
void sim_graph_add_kernel(void* graph, const char* name, unsigned blocks, unsigned threads,
                          double flops, double bytes);
// 0, or 1: not the same nodes in the same order.
int sim_graph_exec_update(void* exec, void* graph);
// Nodes of an executable by the node of the graph that it was made of; 1: it has none such.
int sim_graph_exec_set_grid(void* exec, void* node, const unsigned grid[3], const char* name);
int sim_graph_exec_set_child(void* exec, void* node, void* child);
int sim_graph_exec_set_enabled(void* exec, void* node, int enabled);
int sim_graph_exec_enabled(void* exec, void* node, unsigned* enabled);
// The operation of a node, alive while the graph is; the graph that a child node holds.
const SimOp* sim_node_op(void* node);
void* sim_node_child(void* node);
// type: 0 if, 1 while, 2 switch. Returns the node, and its bodies.
unsigned long long sim_condition_new(unsigned value, unsigned flags);
void* sim_graph_add_conditional(void* graph, unsigned long long handle, int type, unsigned bodies,
                                void*** graphs);
void sim_condition_set(unsigned long long handle, unsigned value);
uint32_t sim_graph_id(void*);
uint64_t sim_node_id(void*);
uint32_t sim_graph_exec_id(void*);

// ---- Launches ----
int sim_launch_named(const char* n, void* s, unsigned g);
// A closed library sets memory on a stream, with the runtime.
void sim_memset_lib(void* s, unsigned long bytes);
// A closed library launches a kernel with the runtime (driver 0: cudaLaunchKernelExC) or
// with the driver (1: cuLaunchKernelEx).
int sim_launch_lib(const char* n, void* s, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   double flops, double bytes, int driver);

// ---- Call log (SIMGPU_CALLS) ----
extern int sim_calls_logged;
// One line; does nothing unless SIMGPU_CALLS is set.
void sim_log_call(const char* format, ...) __attribute__((format(printf, 1, 2)));
}
// Puts an operation on a stream (or into the graph being captured there). Fills in op.
void sim_enqueue(SimOp& op, void* s);
void sim_launch_fn(const SimFn* f, const unsigned g[3], const unsigned b[3], unsigned smem, void* s,
                   void** args, int nested);
// A name for a pointer that is the same in every run: d3+512 (third device allocation),
// h1+0 (pinned), host, null.
std::string sim_pointer(const void* p);
#pragma GCC visibility pop

// Holds the name of a library call for as long as it runs.
class SimCallScope {
 public:
  explicit SimCallScope(const char* name) { sim_call_enter(name); }
  ~SimCallScope() { sim_call_exit(); }
  SimCallScope(const SimCallScope&) = delete;
  SimCallScope& operator=(const SimCallScope&) = delete;
};
