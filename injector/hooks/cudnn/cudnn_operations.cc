// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Finished operations tell their tensors, and these their sizes; which operation one is, only by
// what it answers to.

#include "injector/hooks/cudnn/cudnn_descriptor.h"
#include "injector/hooks/cudnn/cudnn_follow.h"
#include "injector/hooks/cudnn/json_writer.h"

namespace flopsprof::injector {
namespace {

// cudnnBackendAttributeName_t (cudnn_graph.h).
constexpr int kTensorDataType = 901;
constexpr int kTensorSizes = 902;
constexpr int kTensorVectorCount = 904;
constexpr int kTensorIsVirtual = 907;
constexpr int kMaxRank = 8;

struct Role {
  const char* name;
  int attribute;
};

// The first role that an operation has tells its kind.
struct Kind {
  const char* name;  // as the library's JSON has it
  Role roles[6];
  bool convolution;
};

constexpr int kMaxRoles = 6;

constexpr Kind kKinds[] = {
    {"CONVOLUTION_FORWARD", {{"X", 704}, {"W", 703}, {"Y", 705}}, true},
    {"CONVOLUTION_BACKWARD_DATA", {{"dX", 710}, {"W", 709}, {"dY", 711}}, true},
    {"CONVOLUTION_BACKWARD_FILTER", {{"X", 716}, {"dW", 715}, {"dY", 717}}, true},
    {"MATMUL",
     {{"matA", 1520},
      {"matB", 1521},
      {"matC", 1522},
      {"mOverride", 1525},
      {"nOverride", 1526},
      {"kOverride", 1527}},
     false},
    {"POINTWISE", {{"Y", 753}}, false},
    {"POINTWISE", {{"dX", 756}}, false},
    {"GEN_STATS", {{"X", 772}}, false},
    {"REDUCTION", {{"X", 1610}}, false},
    {"RESAMPLE_FWD", {{"X", 1710}}, false},
    {"NORM_FORWARD", {{"X", 2002}}, false},
    {"RESHAPE", {{"X", 2200}}, false},
    {"RNG", {{"Y", 2310}}, false},
};

// cudnnDataType_t.
constexpr const char* kDataTypes[] = {
    "FLOAT",  "DOUBLE",  "HALF",     "INT8",     "INT32",
    "INT8x4", "UINT8",   "UINT8x4",  "INT8x32",  "BFLOAT16",
    "INT64",  "BOOLEAN", "FP8_E4M3", "FP8_E5M2", "FAST_FLOAT_FOR_FP8",
};

class Describer {
 public:
  Describer(const void* caller, bool may_be_ragged, char* room, size_t bytes)
      : caller_(caller),
        get_(FindCudnnGetter(caller)),
        may_be_ragged_(may_be_ragged),
        writer_(room, bytes) {}

  size_t Write(const void* const* operations, int64_t count) {
    if (get_ == nullptr) return 0;
    writer_.Add("{\"tensors\":[");
    for (int64_t i = 0; i < count; ++i) {
      const Kind* kind = KindOf(operations[i]);
      if (kind != nullptr) WriteTensors(operations[i], *kind);
    }
    writer_.Add("],\"nodes\":[");
    for (int64_t i = 0; i < count; ++i) WriteNode(operations[i], i == 0);
    writer_.Add("]}");
    return writer_.used();
  }

 private:
  const Kind* KindOf(const void* operation) {
    for (const Kind& kind : kKinds) {
      OwnCudnnDescriptor tensor(caller_, kCudnnTensor);
      if (tensor.FillFrom(get_, operation, kind.roles[0].attribute)) return &kind;
    }
    return nullptr;
  }

  bool Integers(const void* tensor, int name, int64_t room, int64_t* values, int64_t* count) {
    return get_(tensor, name, kCudnnTypeInt64, room, count, values) == 0 && *count >= 0 &&
           *count <= room;
  }

  struct Shape {
    int64_t sizes[kMaxRank];
    int64_t rank;
  };

  // Of one convolution: x [n, groups, c, ...], w [groups, k, c, ...], y [n, groups, k, ...], the
  // form that the library keeps it in.
  static bool HaveGroupsApart(const Shape& x, const Shape& w, const Shape& y) {
    return x.rank >= 4 && w.rank == x.rank && y.rank == x.rank && x.sizes[0] == y.sizes[0] &&
           x.sizes[1] == w.sizes[0] && x.sizes[1] == y.sizes[1] && x.sizes[2] == w.sizes[2] &&
           y.sizes[2] == w.sizes[1];
  }

  // x [n, groups * c, ...], w [groups * k, c, ...], y [n, groups * k, ...], as programs give it.
  static bool HaveGroupsInside(const Shape& x, const Shape& w, const Shape& y) {
    return x.rank >= 3 && w.rank == x.rank && y.rank == x.rank && x.sizes[0] == y.sizes[0] &&
           w.sizes[1] > 0 && x.sizes[1] % w.sizes[1] == 0 && y.sizes[1] == w.sizes[0];
  }

  static void JoinGroups(Shape* shape, int at) {
    int64_t* sizes = shape->sizes;
    if (__builtin_mul_overflow(sizes[at], sizes[at + 1], &sizes[at])) sizes[at] = -1;
    for (int64_t i = at + 1; i + 1 < shape->rank; ++i) sizes[i] = sizes[i + 1];
    --shape->rank;
  }

  // Brings a convolution's tensors into the programs' form; what may be either has no sizes.
  static void Normalise(Shape* shapes) {
    Shape &x = shapes[0], &w = shapes[1], &y = shapes[2];
    const bool apart = HaveGroupsApart(x, w, y);
    if (apart && HaveGroupsInside(x, w, y)) {
      x.rank = 0;
    } else if (apart) {
      JoinGroups(&x, 1);
      JoinGroups(&w, 0);
      JoinGroups(&y, 1);
    }
  }

  // Tensors are named by their order: the library's copies do not have their ids.
  void WriteTensors(const void* operation, const Kind& kind) {
    Shape shapes[kMaxRoles] = {};
    for (int i = 0; i < kMaxRoles && kind.roles[i].name != nullptr; ++i) {
      OwnCudnnDescriptor tensor(caller_, kCudnnTensor);
      Shape& shape = shapes[i];
      if (!tensor.FillFrom(get_, operation, kind.roles[i].attribute) ||
          !Integers(tensor.get(), kTensorSizes, kMaxRank, shape.sizes, &shape.rank)) {
        shape.rank = 0;
      }
    }
    if (kind.convolution) Normalise(shapes);
    for (int i = 0; i < kMaxRoles && kind.roles[i].name != nullptr; ++i) {
      OwnCudnnDescriptor tensor(caller_, kCudnnTensor);
      if (!tensor.FillFrom(get_, operation, kind.roles[i].attribute)) continue;
      WriteTensor(tensor.get(), shapes[i]);
    }
  }

  void WriteTensor(const void* tensor, const Shape& shape) {
    int64_t count = 0, vectors = 1;
    int type = -1;
    bool is_virtual = false;
    if (get_(tensor, kTensorDataType, kCudnnTypeDataType, 1, &count, &type) != 0) type = -1;
    if (get_(tensor, kTensorIsVirtual, kCudnnTypeBool, 1, &count, &is_virtual) != 0) {
      is_virtual = false;
    }
    if (!Integers(tensor, kTensorVectorCount, 1, &vectors, &count)) vectors = 1;
    writer_.Add(tensors_ == 0 ? "{\"name\":\"" : ",{\"name\":\"");
    writer_.Add(tensors_++);
    writer_.Add("\",\"dataType\":\"CUDNN_DATA_");
    constexpr int kTypes = sizeof kDataTypes / sizeof *kDataTypes;
    writer_.Add(type >= 0 && type < kTypes ? kDataTypes[type] : "OTHER");
    writer_.Add("\",\"dim\":[");
    for (int64_t i = 0; i < shape.rank; ++i) {
      if (i > 0) writer_.Add(",");
      writer_.Add(shape.sizes[i]);
    }
    writer_.Add("],\"vectCount\":");
    writer_.Add(vectors);
    writer_.Add(is_virtual ? ",\"isVirtual\":true" : "");
    writer_.Add(may_be_ragged_ ? ",\"isRagged\":[1]}" : "}");
  }

  void WriteNode(const void* operation, bool first) {
    const Kind* kind = KindOf(operation);
    writer_.Add(first ? "{\"operation\":\"" : ",{\"operation\":\"");
    writer_.Add("CUDNN_BACKEND_OPERATION_");
    writer_.Add(kind == nullptr ? "NOT_READABLE" : kind->name);
    writer_.Add("_DESCRIPTOR\"");
    for (int i = 0; kind != nullptr && i < kMaxRoles && kind->roles[i].name != nullptr; ++i) {
      OwnCudnnDescriptor tensor(caller_, kCudnnTensor);
      if (!tensor.FillFrom(get_, operation, kind->roles[i].attribute)) continue;
      writer_.Add(",\"");
      writer_.Add(kind->roles[i].name);
      writer_.Add("\":\"");
      writer_.Add(named_++);  // in the order of WriteTensors
      writer_.Add("\"");
    }
    writer_.Add("}");
  }

  const void* const caller_;
  const CudnnGetter get_;
  const bool may_be_ragged_;
  JsonWriter writer_;
  int64_t tensors_ = 0;
  int64_t named_ = 0;
};

}  // namespace

size_t WriteCudnnOperations(const void* caller, const void* const* operations, int64_t count,
                            bool may_be_ragged, char* room, size_t bytes) {
  constexpr int64_t kMaxOperations = 256;
  if (count > kMaxOperations) return 0;
  return Describer(caller, may_be_ragged, room, bytes).Write(operations, count);
}

}  // namespace flopsprof::injector
