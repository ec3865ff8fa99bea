// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The records that an injector writes into its shared-memory rings and an agent reads.
// FORMAT.md says the same in words; every layout is pinned by a static_assert below.
// Fixed-width integers, little endian, 64 bytes each; type numbers are never reused.
// All ids are per process. A definition (string, scope, module, blob) may arrive after its
// first use, because rings are read one after the other: readers resolve ids late.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::shm {

constexpr size_t kRecordBytes = 64;
constexpr uint32_t kNoStep = 0xffffffffu;  // work before the first step
constexpr uint32_t kOutsideScope = 0;      // work that no module or range owns
constexpr uint32_t kNoCall = 0;            // launch outside of any hooked library call
constexpr uint32_t kNoString = 0;          // the empty string

enum class RecordType : uint16_t {
  kInvalid = 0,
  kBlobBegin = 1,     // first bytes of a string, a cuDNN plan ...
  kBlobPart = 2,      // further bytes; follows its kBlobBegin in the same ring
  kScope = 3,         // definition of a scope
  kModule = 4,        // what only Python knows about one module of a root
  kScopeEnter = 5,    // one call of a module or one push of a range
  kGemmCall = 6,      // cuBLAS or cuBLASLt product, with its arguments
  kCudnnCall = 7,     // execution of a cuDNN plan
  kCollective = 8,    // NCCL call
  kLaunch = 9,        // correlation id -> scope, phase, call
  kActivity = 10,     // kernel, copy or set with its GPU times
  kStep = 11,         // step begins, optimizer stepped
  kDevice = 12,       // a GPU of this process
  kClock = 13,        // one pair of readings of two clocks
  kNote = 14,         // named fact about the process (versions, CUPTI state, reasons)
  kGoodbye = 15,      // the process ends in an orderly way
  kCallEnd = 16,      // a hooked call failed or was abandoned: its launches are not its work
  kGraphLaunch = 17,  // replay of an executable graph
  kGraphEvent = 18,   // a graph or executable graph was made, changed or destroyed
  kGraphCall = 19,    // a library call belongs to a stream capture
  kGraphNode = 20,    // a kernel, copy or set became a node of a graph
  kLibraryCall = 21,  // library call that is no plain product, or whose work is not known
  kOperation = 24,    // operation of the framework without a library call, with its sizes
  kNamedWork = 25,    // work that the program itself declares: flops of an operation or kernel
  kModuleSizes = 26,  // more about the parameters of a kModule
  kMark = 27,         // one NVTX mark
  kModuleAlias = 28,  // a further path of a kModule
  kScopeExit = 29,    // the end of a scope, where the host's clock is recorded
};

enum class Phase : uint8_t {
  kOther = 0,
  kForward = 1,
  kBackward = 2,
  kRecompute = 3,
  kOptimizer = 4,
  kClipping = 5,    // of gradients, by torch.nn.utils.clip_grad_*
  kScaling = 6,     // of loss and gradients, by a GradScaler
  kEvaluation = 7,  // a forward that nobody will go back through, in a program that trains
  kGenerate = 8,    // forwards in generate() of a language model
};
constexpr int kPhaseCount = 9;

enum class ScopeKind : uint8_t {
  kUnspecified = 0,
  kModule = 1,     // nn.Module; name = attribute path from the parent ("0", "attn.q")
  kRange = 2,      // NVTX or flopsprof.h range; name = its text
  kUser = 3,       // flopsprof.scope("x") from Python
  kOptimizer = 4,  // steps of one optimizer; name = class, " #2" behind that of the second ...
};

enum class BlobKind : uint16_t {
  kUnspecified = 0,
  kString = 1,     // UTF-8, not terminated; id = string id
  kCudnnPlan = 2,  // "operationGraph" object of the plan's JSON; id = plan id
  kStack = 3,      // StackFrame entries, innermost first; id = stack id
};

enum class ActivityKind : uint8_t {
  kUnspecified = 0,
  kKernel = 1,
  kMemcpy = 2,
  kMemset = 3,
  kGraph = 4,  // one launch of a graph, timed as a whole; `graph` is the executable's id
};

enum class GraphEventKind : uint8_t {
  kUnspecified = 0,
  kCaptureEnd = 1,   // `graph` holds what `capture` captured; graph 0: the capture gave no graph
  kChildLaunch = 2,  // `capture` has taken in `executable`, which was launched into it
  kInstantiate = 3,  // `executable` does what `graph` holds now
  kUpdate = 4,       // the same for an executable that exists
  kClone = 5,        // `graph` is a copy of `source`
  kAddChild = 6,     // `graph` has taken in a copy of `source`
  kExecDestroy = 7,
  kGraphDestroy = 8,
  kConditional = 9,  // `graph` has conditional nodes: nobody tells how often their bodies run
  kEdit = 10,        // single nodes of `executable` were changed or switched
  kUnrecorded = 11,  // `graph` holds what was captured while work was not recorded
};

enum class StepEvent : uint8_t {
  kUnspecified = 0,
  kBegin = 1,         // step `header.step` begins
  kOptimizerEnd = 2,  // an optimizer has stepped in step `header.step`
  kProcessBegin = 3,  // session start
  kWindowBegin = 4,   // recording begins, with step `header.step`; kNoStep: at once
  kWindowEnd = 5,     // recording has ended before step `header.step`; kNoStep: at once
  kNumber = 6,  // labels first_label to header.step get another number; kNoStep: they are no steps
  kDisturbed = 7,  // something was compiled or tuned in step `header.step`
  kBeside = 8,     // an evaluation after step `header.step` begins
};

// The step of a record: a label, and where beside it the work was. Labels rise within a loop; the
// step's number is that of the label's kBegin or newest kNumber. Two labels may have one number.
enum class StepPlace : uint8_t {
  kIn = 0,
  kTail = 1,    // after the step's last optimizer; part of the step if another step follows
  kBeside = 2,  // from the first evaluation after the step to the next step
  kNone = 3,    // kNoStep
};
constexpr uint32_t kStepPlaceShift = 30;
constexpr uint32_t kStepLoopShift = 26;  // 16 loops: threads that train models of their own
constexpr uint32_t kStepLabelMask = (1u << kStepLoopShift) - 1;
constexpr uint32_t kStepKeyMask = (1u << kStepPlaceShift) - 1;  // loop and label
constexpr StepPlace PlaceOfStep(uint32_t step) {
  return static_cast<StepPlace>(step >> kStepPlaceShift);
}
constexpr uint32_t StepAt(StepPlace place, uint32_t key) {
  return static_cast<uint32_t>(place) << kStepPlaceShift | key;
}

enum class ScopeExitKind : uint8_t {
  kUnspecified = 0,
  kLeft = 1,     // with all that was entered after it on its thread and has not ended
  kAlone = 2,    // what was entered after it on its thread goes on
  kStarted = 3,  // a range with `range`, begun and ended on any thread
};

enum class GoodbyeReason : uint8_t { kUnspecified = 0, kExit = 1, kFastExit = 2 };

enum class CollectiveKind : uint8_t {
  kUnspecified = 0,
  kAllReduce = 1,
  kAllGather = 2,
  kReduceScatter = 3,
  kBroadcast = 4,
  kReduce = 5,
  kSend = 6,
  kRecv = 7,
  kAllToAll = 8,
  kGather = 9,
  kScatter = 10,
};

// Record flags.
constexpr uint8_t kFlagCaptured = 1;      // made while its stream was captured: not executed
constexpr uint8_t kFlagBadTimestamp = 2;  // kActivity: start or end is 0, or end < start
constexpr uint8_t kFlagSizesUnknown = 4;  // kGemmCall: a size is not known, `m` is the reason
constexpr uint8_t kFlagMore = 8;  // kGemmCall, kLibraryCall: next in the ring is a further part of
                                  // the call; kCollective: a further call of the NCCL group

// Why the work of a call is not known; numbers are never reused.
enum class UnknownReason : uint8_t {
  kNone = 0,
  kNotSaid = 1,        // by an injector that gives no reason
  kSizesOnDevice = 2,  // sizes are in GPU memory
  kGetterFailed = 3,   // the library's getter refused: handle or descriptor not valid
  kNoFormula = 4,      // the function has no formula here
  kDataDependent = 5,  // the work depends on the data (iterations, sparsity)
  kPlanNotSeen = 6,    // the hooks did not see how the plan or descriptor was made
  kBadSize = 7,        // a size is negative or absurd
  kTooManyParts = 8,   // more parts than the ring holds
  kPartsLost = 9,      // a part of the call did not arrive; set by the reader
  kUnknownType = 10,   // a data type that has no name here; set by the reader
};
constexpr uint8_t kUnknownReasonCount = 11;

struct RecordHeader {
  uint16_t type;  // RecordType
  uint8_t phase;  // Phase
  uint8_t flags;
  uint32_t step;  // kNoStep before step 0
};

struct BlobBegin {
  RecordHeader header;
  uint16_t kind;  // BlobKind
  uint16_t reserved;
  uint32_t id;
  uint32_t total_bytes;   // of the whole blob, at most kMaxBlobBytes
  uint32_t inline_bytes;  // in `data`
  char data[40];
};

struct BlobPart {
  RecordHeader header;
  uint32_t id;
  uint32_t offset;  // of data[0] in the blob
  char data[48];    // min(48, total_bytes - offset) bytes are valid
};
constexpr uint32_t kMaxBlobBytes = 1u << 20;

struct ScopeRecord {
  RecordHeader header;
  uint32_t scope;       // >= 1
  uint32_t parent;      // kOutsideScope: this is a root
  uint32_t name;        // string; "" for a root module
  uint32_t class_name;  // string; module scopes: type(module).__name__
  uint32_t domain;      // string; NVTX domain or ""
  uint8_t kind;         // ScopeKind
  uint8_t known;        // module scopes: 1 = name found in the parent's _modules
  uint16_t depth;
  uint64_t object;  // module scopes: address of the module, from bit 48 on how many had it before
                    // (7: or more); else 0
  uint64_t reserved[3];
};

struct ModuleRecord {
  RecordHeader header;
  uint32_t root_scope;    // scope of the root on which named_modules() ran
  uint32_t path;          // string: name in named_modules(), wrappers included
  uint32_t class_name;    // string
  uint32_t order;         // position in named_modules()
  uint64_t object;        // address
  uint64_t own_params;    // elements of parameters that are this module's own (shared: first owner)
  uint64_t total_params;  // of the module and everything below, each parameter once
  uint64_t trainable_params;
  uint64_t reserved;
};

// Follows the kModule of the same root and path.
struct ModuleSizes {
  RecordHeader header;
  uint32_t root_scope;
  uint32_t path;           // string
  uint64_t local_params;   // of total_params: elements that this rank holds
  uint64_t buffers;        // elements of buffers of the module and everything below, each once
  uint64_t expert_params;  // of total_params: of experts that a router chooses among
  uint64_t active_params;  // of total_params: what works on one token; 0 = not known
  uint64_t param_bytes;    // of total_params
  uint32_t weights;        // string: shapes of what it multiplies by itself, "3072x768 768x768",
                           // and "on:cpu" or "on:cpu,gpu" (FORMAT.md)
  uint32_t reserved;
};

struct ModuleAlias {
  RecordHeader header;
  uint32_t root_scope;
  uint32_t alias;  // string: path that named_modules() leaves out, because the module had one
  uint32_t path;   // string: the path that it had
  uint32_t reserved;
  uint64_t reserved2[5];
};

// A number that a range or mark carries.
enum class PayloadType : uint8_t {
  kNone = 0,
  kUnsigned = 1,  // uint64_t
  kSigned = 2,    // int64_t
  kDouble = 3,
};
constexpr uint8_t kPayloadTypeCount = 4;

struct ScopeEnter {
  RecordHeader header;
  uint32_t scope;
  uint32_t category_name;  // string; what the program calls `category`
  uint64_t payload;        // bits of a PayloadType
  uint32_t category;       // NVTX: a number of the range's domain; 0 = none
  uint8_t payload_type;    // PayloadType
  uint8_t reserved[3];
  // With Recording::kTimedWork:
  uint64_t mono_ns;  // CLOCK_MONOTONIC when it had been entered; 0 = not taken
  uint64_t range;    // of a range that any thread may end; 0 = it is on its thread's stack
  uint32_t frame;    // without `range`: its place on the stack, 0 = the outermost
  uint32_t reserved2;
  uint64_t reserved3;
};

// With Recording::kTimedWork: what a ScopeEnter of the same ring began (of kStarted: of any ring)
// has ended.
struct ScopeExit {
  RecordHeader header;
  uint32_t scope;
  uint32_t frame;    // as in ScopeEnter
  uint64_t mono_ns;  // CLOCK_MONOTONIC
  uint64_t range;    // kStarted: as in ScopeEnter
  uint8_t kind;      // ScopeExitKind
  uint8_t reserved[7];
  uint64_t reserved2[3];
};

struct MarkRecord {
  RecordHeader header;
  uint32_t scope;   // in which it was set
  uint32_t name;    // string
  uint32_t domain;  // string; NVTX domain or ""
  uint32_t category_name;
  uint64_t payload;
  uint32_t category;
  uint8_t payload_type;
  uint8_t reserved[3];
  uint64_t reserved2[3];
};

// m, n, k as the operation's sizes after transposition: 2*m*n*k*batch real operations. With
// kFlagSizesUnknown `m` is an UnknownReason (0: kNotSaid) and the other sizes mean nothing.
struct GemmCall {
  RecordHeader header;
  uint32_t call;  // > 0; unique per ring and generation
  uint32_t scope;
  uint16_t api;    // ApiId
  uint8_t type_a;  // cudaDataType
  uint8_t type_b;
  uint8_t type_c;        // C or D
  uint8_t compute_type;  // cublasComputeType_t; 0 = follows from the API's name
  uint8_t math_mode;     // cublasMath_t of the handle; cuBLASLt: 0
  uint8_t epilogue;      // cuBLASLt: low byte
  int64_t m, n, k;
  int64_t batch;
  uint64_t mono_ns;  // CLOCK_MONOTONIC, 0 = not taken
};

// A library call by function and sizes; the reader has the formula of each function.
struct LibraryCall {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint16_t api;          // ApiId
  uint8_t type;          // cudaDataType of the operands; the API's name goes first
  uint8_t compute_type;  // as in GemmCall
  uint8_t math_mode;     // as in GemmCall
  uint8_t variant;       // what the formula asks for besides sizes (side, job); 0 = none
  uint8_t reason;        // UnknownReason; not 0: the work is not known, whatever the sizes
  uint8_t reserved;
  int64_t sizes[5];  // in the order of the function's row in the API table
};

// An operation that launches kernels of its own; operations.h says what the sizes mean. It owns
// its launches as a library call does, except when library calls were made inside: then those
// count, and the operation is a kCallEnd.
struct OperationCall {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint16_t operation;  // OperationId
  int8_t type;         // c10::ScalarType of the operands, -1 = not known
  uint8_t variant;
  uint8_t reason;  // OperationReason; not 0: the sizes are not known
  uint8_t reserved[3];
  uint32_t sizes[10];
};

// Work of an operation that the program has a formula for.
struct NamedWork {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint16_t reserved;
  int8_t type;      // as in OperationCall
  uint8_t known;    // 1: `flops` is what the formula gave; 0: the reader's formula or `reason`
  uint32_t name;    // string: "mylib::my_op"
  uint32_t shape;   // string: "in0=[8,128] in1=[128,64]", 0 = not given
  uint32_t reason;  // string: why the formula gave nothing
  uint64_t flops;
  uint64_t recompute_flops;  // of them, what repeats a forward pass inside a backward operation
  uint64_t reserved2[2];
};

struct CudnnCall {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint16_t api;
  uint16_t reserved;
  uint32_t plan;  // blob id of the plan; 0 = not known
  uint64_t reserved2[5];
};

struct CollectiveCall {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint16_t api;
  uint8_t kind;        // CollectiveKind
  uint8_t data_type;   // ncclDataType_t
  int32_t rank_count;  // size of the communicator, 0 = not known
  uint64_t count;      // elements, as passed
  uint64_t bytes;      // count * size of an element
  uint64_t group;      // the same number on all ranks of the communicator; 0 = not known
  int32_t peer;        // root or peer, -1 = none
  int32_t rank;        // own rank in the communicator, -1 = not known
  // Number of the collective in the communicator, from 1; all ranks count alike. For sends and
  // receives: number among those from one end to the other; both ends count alike. 0 = not known.
  uint64_t sequence;
};

struct LaunchRecord {
  RecordHeader header;
  uint32_t correlation;
  uint32_t scope;
  uint32_t call;  // kNoCall or a call of the same ring (its record follows)
  uint16_t cbid;
  uint8_t domain;  // CUPTI callback domain: 1 driver, 2 runtime
  uint8_t reserved;
  uint32_t stack;           // blob id of the stack sampled here; kNoStack: not sampled
  uint32_t stack_launches;  // launches of the thread that this sample stands for, itself included
  uint64_t
      mono_ns;  // with Recording::kTimedWork: CLOCK_MONOTONIC when the call began; 0 = not taken
  uint64_t reserved2[3];
};

// One frame of a kStack blob.
enum class FrameOrigin : uint32_t {
  kUnspecified = 0,
  kNative = 1,  // name: string "BUILD_ID PATH" of the object; offset: address in it, as linked
  kPython = 2,  // name: string, qualified name of the function; file: string
  kCut = 3,     // frames further out are not known
};
struct StackFrame {
  uint32_t origin;  // FrameOrigin
  uint32_t name;
  uint32_t file;  // kPython
  uint32_t line;  // kPython: first line of the function
  uint64_t offset;
};
static_assert(sizeof(StackFrame) == 24);
constexpr uint32_t kNoStack = 0;
constexpr uint32_t kMaxStackFrames = 256;

struct ActivityRecord {
  RecordHeader header;  // step and phase are not known here: they come from the launch
  uint32_t correlation;
  uint32_t name;      // string: kernel; 0 = no name given
  uint8_t kind;       // ActivityKind
  uint8_t copy_kind;  // kMemcpy: CUpti_ActivityMemcpyKind
  uint16_t device;    // ordinal
  uint32_t stream;
  uint64_t start_gpu_ns;
  uint64_t end_gpu_ns;
  uint64_t bytes;       // copies and sets; kernels: PackGrid
  uint64_t graph_node;  // 0 = not from a graph
  uint32_t graph;
  uint32_t context;
};

// Blocks of a kernel in x, y and z (at most 2^31 and 65,535 twice); 0 = not known.
constexpr uint64_t PackGrid(uint32_t x, uint32_t y, uint32_t z) {
  return y > 0xffff || z > 0xffff ? 0 : x | uint64_t{y} << 32 | uint64_t{z} << 48;
}
constexpr uint32_t GridX(uint64_t grid) { return static_cast<uint32_t>(grid); }
constexpr uint32_t GridY(uint64_t grid) { return static_cast<uint32_t>(grid >> 32 & 0xffff); }
constexpr uint32_t GridZ(uint64_t grid) { return static_cast<uint32_t>(grid >> 48); }

struct StepRecord {
  RecordHeader header;
  uint8_t event;    // StepEvent
  uint8_t helped;   // kBegin: forwards without gradients of another model came right before
  uint8_t settled;  // kBegin: numbers of this label and those before are not expected to change
  uint8_t reserved;
  uint32_t number;  // of the step: kBegin, kNumber
  uint64_t mono_ns;
  // kNumber: the labels from this one to header.step. kWindowBegin, kWindowEnd: the label of the
  // step that begins; their header.step is its number.
  uint32_t first_label;
  uint32_t reserved2;
  uint64_t reserved3[4];
};

struct DeviceRecord {
  RecordHeader header;
  uint16_t ordinal;
  uint8_t major, minor;  // compute capability
  uint32_t name;         // string
  uint32_t sm_count;
  uint32_t clock_khz;
  uint64_t memory_bytes;
  uint8_t uuid[16];
  uint64_t reserved[2];
};

struct ClockRecord {
  RecordHeader header;
  uint64_t mono_ns;  // CLOCK_MONOTONIC
  uint64_t gpu_ns;   // cuptiGetTimestamp at the same instant
  uint64_t gap_ns;   // width of the bracket
  uint64_t reserved[4];
};

struct NoteRecord {
  RecordHeader header;
  uint32_t key;    // string; names in FORMAT.md
  uint32_t value;  // string
  uint64_t reserved[6];
};

struct GoodbyeRecord {
  RecordHeader header;
  uint8_t reason;  // GoodbyeReason
  uint8_t reserved[7];
  uint64_t mono_ns;
  uint64_t reserved2[5];
};

struct CallEnd {
  RecordHeader header;
  uint32_t call;
  int32_t status;  // the library's error code
  uint16_t api;
  uint16_t reserved;
  uint32_t scope;
  uint64_t reserved2[5];
};

struct GraphLaunch {
  RecordHeader header;
  uint32_t correlation;
  uint32_t scope;
  uint64_t executable;  // address
  uint64_t order;       // number of the newest kGraphEvent before it; 0 = none
  // Correlation id of the driver's callback inside the runtime's, if it differs. The records of the
  // nodes have one of the two ids. 0: none.
  uint32_t inner_correlation;
  uint32_t reserved1;
  uint64_t reserved[3];
};

// An address may be used again after a destruction; `order` tells which object is meant.
struct GraphEvent {
  RecordHeader header;
  uint8_t kind;  // GraphEventKind
  uint8_t reserved[7];
  uint64_t order;       // 1 ... per process; none is left out, a missing one was lost
  uint64_t capture;     // CUDA's id of the capture sequence
  uint64_t graph;       // address
  uint64_t source;      // address of another graph
  uint64_t executable;  // address
  uint32_t graph_id;    // CUPTI's id of `graph`; 0 = not known
  uint32_t other_id;    // CUPTI's id of `executable`, else of `source`; 0 = not known
};

// Precedes the record of the call, in the same ring.
struct GraphCall {
  RecordHeader header;
  uint32_t call;
  uint32_t scope;
  uint64_t capture;  // 0 = not known
  uint64_t graph;    // address of the graph that is being captured, 0 = not known
  uint64_t reserved[4];
};

struct GraphNode {
  RecordHeader header;   // scope, phase and step of the capture
  uint32_t correlation;  // of the call that made the node; 0 = a copy of another node
  uint32_t scope;
  uint32_t call;  // kNoCall or a call of the same ring
  uint8_t kind;   // ActivityKind
  uint8_t reserved[3];
  uint64_t node;    // CUPTI's id: id of its graph in the upper half
  uint64_t source;  // id of the node that it is a copy of, 0 = none
  uint64_t graph;   // address
  uint64_t reserved2[2];
};

#define FLOPSPROF_PIN(T) static_assert(sizeof(T) == kRecordBytes, #T " is one record")
FLOPSPROF_PIN(BlobBegin);
FLOPSPROF_PIN(BlobPart);
FLOPSPROF_PIN(ScopeRecord);
FLOPSPROF_PIN(ModuleRecord);
FLOPSPROF_PIN(ModuleSizes);
FLOPSPROF_PIN(ScopeEnter);
FLOPSPROF_PIN(ScopeExit);
FLOPSPROF_PIN(MarkRecord);
FLOPSPROF_PIN(ModuleAlias);
FLOPSPROF_PIN(GemmCall);
FLOPSPROF_PIN(LibraryCall);
FLOPSPROF_PIN(OperationCall);
FLOPSPROF_PIN(NamedWork);
FLOPSPROF_PIN(CudnnCall);
FLOPSPROF_PIN(CollectiveCall);
FLOPSPROF_PIN(LaunchRecord);
FLOPSPROF_PIN(ActivityRecord);
FLOPSPROF_PIN(StepRecord);
FLOPSPROF_PIN(DeviceRecord);
FLOPSPROF_PIN(ClockRecord);
FLOPSPROF_PIN(NoteRecord);
FLOPSPROF_PIN(GoodbyeRecord);
FLOPSPROF_PIN(CallEnd);
FLOPSPROF_PIN(GraphLaunch);
FLOPSPROF_PIN(GraphEvent);
FLOPSPROF_PIN(GraphCall);
FLOPSPROF_PIN(GraphNode);
#undef FLOPSPROF_PIN
static_assert(offsetof(ScopeEnter, mono_ns) == 32 && offsetof(ScopeEnter, range) == 40 &&
              offsetof(ScopeEnter, frame) == 48);
static_assert(offsetof(ScopeExit, mono_ns) == 16 && offsetof(ScopeExit, range) == 24 &&
              offsetof(ScopeExit, kind) == 32);
static_assert(offsetof(LaunchRecord, mono_ns) == 32);

}  // namespace flopsprof::shm
