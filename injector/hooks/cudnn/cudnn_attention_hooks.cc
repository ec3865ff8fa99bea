// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnMultiHeadAttn*: each product of a call is a part of it, with sizes from the descriptors.
// Pairs of query and key are counted densely, by the sequences' lengths; windows are not
// subtracted.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"

namespace flopsprof::injector {
namespace {

// cudnnSeqDataAxis_t.
constexpr int kBatchAxis = 1;
constexpr int kBeamAxis = 2;
constexpr int kAxes = 4;
constexpr size_t kMaxSequences = 2048;  // 8 KiB of stack for each of two descriptors

struct Attention {
  unsigned mode;
  int heads, data_type, precision, math;
  int q_size, k_size, v_size, q_projection, k_projection, v_projection, o_projection;

  int64_t key_size() const { return q_projection > 0 ? q_projection : q_size; }
  int64_t value_size() const { return v_projection > 0 ? v_projection : v_size; }
};

struct Sequences {
  int64_t beams = 1;
  size_t count = 0;
  int64_t tokens = 0;
  int lengths[kMaxSequences];
};

bool ReadAttention(const void* caller, void* descriptor, Attention* attention) {
  static RealFunction real("cudnnGetAttnDescriptor", kCudnn);
  using Getter = int (*)(void*, unsigned*, int*, double*, int*, int*, int*, void**, void**, int*,
                         int*, int*, int*, int*, int*, int*, int*, int*, int*, int*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  double scale = 0;
  void *dropout = nullptr, *post_dropout = nullptr;
  int q_length = 0, k_length = 0, batch = 0, beam = 0;
  Attention* a = attention;
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, &a->mode, &a->heads, &scale, &a->data_type, &a->precision, &a->math,
             &dropout, &post_dropout, &a->q_size, &a->k_size, &a->v_size, &a->q_projection,
             &a->k_projection, &a->v_projection, &a->o_projection, &q_length, &k_length, &batch,
             &beam) == 0;
}

bool ReadSequences(const void* caller, void* descriptor, Sequences* sequences) {
  static RealFunction real("cudnnGetSeqDataDescriptor", kCudnn);
  using Getter = int (*)(void*, int*, int*, int, int*, int*, size_t*, size_t, int*, void*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  int type = 0, rank = 0, sizes[kAxes] = {}, axes[kAxes] = {};
  double padding = 0;
  Sequences* s = sequences;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &type, &rank, kAxes, sizes, axes, &s->count, kMaxSequences, s->lengths,
          &padding) != 0 ||
      s->count > kMaxSequences) {
    return false;
  }
  s->beams = sizes[kBeamAxis];
  for (size_t i = 0; i < s->count; ++i) {
    if (s->lengths[i] < 0) return false;
    s->tokens += s->lengths[i];
  }
  return s->count == static_cast<size_t>(sizes[kBatchAxis]) * static_cast<size_t>(s->beams);
}

// Pairs of query and key. Keys have one sequence per batch where queries have one per beam, or as
// many as queries. -1: something else.
int64_t CountPairs(const Sequences& q, const Sequences& k) {
  if (k.count == 0 || q.count % k.count != 0) return -1;
  const size_t per_key = q.count / k.count;
  int64_t pairs = 0;
  for (size_t i = 0; i < q.count; ++i) {
    const int64_t of_sequence = int64_t{q.lengths[i]} * k.lengths[i / per_key];
    if (__builtin_add_overflow(pairs, of_sequence, &pairs)) return -1;
  }
  return pairs;
}

struct Part {
  int64_t m, n, k, batch;
};

void EmitParts(const CallScope& call, const Attention& attention, const Part* parts, int count) {
  if (!ReserveRoom(static_cast<uint64_t>(count))) return CountCallWithoutRoom();
  for (int i = 0; i < count; ++i) {
    shm::LibraryCall record = CudnnLibraryRecord(call);
    if (i + 1 < count) record.header.flags |= shm::kFlagMore;
    record.type = CudaTypeOfCudnn(attention.data_type);
    record.math_mode = static_cast<uint8_t>(attention.math);
    record.sizes[0] = parts[i].m;
    record.sizes[1] = parts[i].n;
    record.sizes[2] = parts[i].k;
    record.sizes[3] = parts[i].batch;
    i + 1 < count ? EmitPart(&record) : EmitLastPart(&record);
  }
}

enum class Job { kForward, kDataGradient, kWeightGradient };

// Projections once for each job; of the attention itself, QK^T and PV forward, two gradients of
// each backward (the probabilities are kept from the forward), none for the weights.
void EmitAttention(const CallScope& call, const void* caller, Job job, void* descriptor,
                   void* q_desc, void* k_desc) {
  Attention a{};
  Sequences q, k;
  if (!ReadAttention(caller, descriptor, &a) || !ReadSequences(caller, q_desc, &q) ||
      !ReadSequences(caller, k_desc, &k)) {
    return EmitUnknownCudnnCall(call, shm::UnknownReason::kGetterFailed);
  }
  const int64_t pairs = CountPairs(q, k);
  if (pairs < 0) return EmitUnknownCudnnCall(call, shm::UnknownReason::kBadSize);
  const int64_t heads = a.heads;
  Part parts[6];
  int count = 0;
  if (a.q_projection > 0) parts[count++] = {heads * a.q_projection, q.tokens, a.q_size, 1};
  if (a.k_projection > 0) parts[count++] = {heads * a.k_projection, k.tokens, a.k_size, 1};
  if (a.v_projection > 0) parts[count++] = {heads * a.v_projection, k.tokens, a.v_size, 1};
  if (a.o_projection > 0) {
    parts[count++] = {a.o_projection, q.tokens, heads * a.value_size(), 1};
  }
  if (job != Job::kWeightGradient) {
    const int64_t times = job == Job::kForward ? 1 : 2;
    parts[count++] = {pairs, 1, a.key_size(), heads * times};
    parts[count++] = {pairs, 1, a.value_size(), heads * times};
  }
  if (count == 0) parts[count++] = {0, 0, 0, 0};  // no weights, no gradient of them
  EmitParts(call, a, parts, count);
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

FLOPSPROF_EXPORT int cudnnMultiHeadAttnForward(void* handle, void* attention, int step, void* low,
                                               void* high, void* q_lengths, void* k_lengths,
                                               void* q_desc, void* queries, void* residuals,
                                               void* k_desc, void* keys, void* v_desc, void* values,
                                               void* o_desc, void* out, size_t weight_bytes,
                                               void* weights, size_t work_bytes, void* work,
                                               size_t reserve_bytes, void* reserve) {
  static RealFunction real("cudnnMultiHeadAttnForward", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnMultiHeadAttnForward, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        // One time step of a decoder: how many keys it sees is in its window only.
        if (step >= 0) return EmitUnknownCudnnCall(call, shm::UnknownReason::kNoFormula);
        EmitAttention(call, caller, Job::kForward, attention, q_desc, k_desc);
      },
      handle, attention, step, low, high, q_lengths, k_lengths, q_desc, queries, residuals, k_desc,
      keys, v_desc, values, o_desc, out, weight_bytes, weights, work_bytes, work, reserve_bytes,
      reserve);
}

FLOPSPROF_EXPORT int cudnnMultiHeadAttnBackwardData(
    void* handle, void* attention, void* low, void* high, void* q_lengths, void* k_lengths,
    void* do_desc, void* dout, void* dq_desc, void* dqueries, void* queries, void* dk_desc,
    void* dkeys, void* keys, void* dv_desc, void* dvalues, void* values, size_t weight_bytes,
    void* weights, size_t work_bytes, void* work, size_t reserve_bytes, void* reserve) {
  static RealFunction real("cudnnMultiHeadAttnBackwardData", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnMultiHeadAttnBackwardData, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitAttention(call, caller, Job::kDataGradient, attention, dq_desc, dk_desc);
      },
      handle, attention, low, high, q_lengths, k_lengths, do_desc, dout, dq_desc, dqueries, queries,
      dk_desc, dkeys, keys, dv_desc, dvalues, values, weight_bytes, weights, work_bytes, work,
      reserve_bytes, reserve);
}

FLOPSPROF_EXPORT int cudnnMultiHeadAttnBackwardWeights(
    void* handle, void* attention, int add_gradient, void* q_desc, void* queries, void* k_desc,
    void* keys, void* v_desc, void* values, void* do_desc, void* dout, size_t weight_bytes,
    void* weights, void* dweights, size_t work_bytes, void* work, size_t reserve_bytes,
    void* reserve) {
  static RealFunction real("cudnnMultiHeadAttnBackwardWeights", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnMultiHeadAttnBackwardWeights, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitAttention(call, caller, Job::kWeightGradient, attention, q_desc, k_desc);
      },
      handle, attention, add_gradient, q_desc, queries, k_desc, keys, v_desc, values, do_desc, dout,
      weight_bytes, weights, dweights, work_bytes, work, reserve_bytes, reserve);
}
