// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace sim::nccl {
namespace {

// How elements of a type are read into, and written from, the type that is computed with.
template <class T>
struct Plain {
  using Value = T;
  static constexpr size_t kBytes = sizeof(T);
  static T Load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static void Store(T value, char* to) { std::memcpy(to, &value, sizeof value); }
};

struct BFloat16 {
  using Value = float;
  static constexpr size_t kBytes = 2;
  static float Load(const char* from) {
    const uint32_t bits = static_cast<uint32_t>(Plain<uint16_t>::Load(from)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static void Store(float value, char* to) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (!std::isnan(value)) bits += 0x7fff + ((bits >> 16) & 1);  // to nearest, ties to even
    Plain<uint16_t>::Store(static_cast<uint16_t>(bits >> 16), to);
  }
};

struct Half {
  using Value = float;
  static constexpr size_t kBytes = 2;
  static float Load(const char* from) {
    const uint16_t bits = Plain<uint16_t>::Load(from);
    const int exponent = (bits >> 10) & 31;
    const int mantissa = bits & 1023;
    const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
    if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
    return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  static void Store(float value, char* to) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    uint16_t bits;
    if (std::isnan(value)) {
      bits = 0x7e00;
    } else if (size >= 65520.0F) {  // rounds beyond the largest finite value
      bits = 0x7c00;
    } else {
      int exponent;
      std::frexp(size, &exponent);
      const int scale = std::max(exponent - 1, -14);  // unit in the last place: 2^(scale-10)
      const float units = std::nearbyint(std::ldexp(size, 10 - scale));
      // Counted from the smallest normal; a carry into the exponent comes out right.
      bits = static_cast<uint16_t>((scale + 14) * 1024 + static_cast<int>(units));
    }
    Plain<uint16_t>::Store(sign | bits, to);
  }
};

template <class Value>
Value Combine(Reduction::Kind kind, Value a, Value b) {
  switch (kind) {
    case Reduction::Kind::kProduct:
      return static_cast<Value>(a * b);
    case Reduction::Kind::kMax:
      return std::max(a, b);
    case Reduction::Kind::kMin:
      return std::min(a, b);
    default:
      return static_cast<Value>(a + b);
  }
}

template <class Type>
void ReduceAs(const Reduction& reduction, const ReductionInput& input, char* result) {
  using Value = typename Type::Value;
  for (size_t i = 0; i < input.count; i++) {
    const size_t at = i * Type::kBytes;
    const auto load = [&](int rank) {
      const Value value = Type::Load(input.arrays[rank] + at);
      return reduction.factor == 1 ? value : static_cast<Value>(value * reduction.factor);
    };
    Value value = load(0);
    for (int rank = 1; rank < input.ranks; rank++) {
      value = Combine<Value>(reduction.kind, value, load(rank));
    }
    if (reduction.kind == Reduction::Kind::kAverage)
      value = static_cast<Value>(value / input.ranks);
    Type::Store(value, result + at);
  }
}

}  // namespace

size_t ElementBytes(ncclDataType_t type) {
  switch (type) {
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 1;
  }
}

const char* TypeName(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
      return "i8";
    case ncclUint8:
      return "u8";
    case ncclInt32:
      return "i32";
    case ncclUint32:
      return "u32";
    case ncclInt64:
      return "i64";
    case ncclUint64:
      return "u64";
    case ncclFloat16:
      return "f16";
    case ncclBfloat16:
      return "bf16";
    case ncclFloat32:
      return "f32";
    case ncclFloat64:
      return "f64";
    default:
      return "f8";
  }
}

// Calls `use` with the accessor of the type; false for fp8.
template <class Use>
bool WithType(ncclDataType_t type, const Use& use) {
  switch (type) {
    case ncclInt8:
      return use(Plain<int8_t>()), true;
    case ncclUint8:
      return use(Plain<uint8_t>()), true;
    case ncclInt32:
      return use(Plain<int32_t>()), true;
    case ncclUint32:
      return use(Plain<uint32_t>()), true;
    case ncclInt64:
      return use(Plain<int64_t>()), true;
    case ncclUint64:
      return use(Plain<uint64_t>()), true;
    case ncclFloat16:
      return use(Half()), true;
    case ncclBfloat16:
      return use(BFloat16()), true;
    case ncclFloat32:
      return use(Plain<float>()), true;
    case ncclFloat64:
      return use(Plain<double>()), true;
    default:
      return false;
  }
}

double ToDouble(const char* element, ncclDataType_t type) {
  double value = 1;
  WithType(type, [&](auto access) { value = static_cast<double>(access.Load(element)); });
  return value;
}

void Reduce(const Reduction& reduction, const ReductionInput& input, char* result) {
  const bool known = WithType(
      input.type, [&](auto access) { ReduceAs<decltype(access)>(reduction, input, result); });
  if (!known) std::memmove(result, input.arrays[0], input.count * ElementBytes(input.type));
}

}  // namespace sim::nccl
