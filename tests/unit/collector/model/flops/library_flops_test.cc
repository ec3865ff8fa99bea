// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Expected numbers are counted by hand from the definition of each operation; for LAPACK from the
// textbook algorithm on matrices of 1, 2 or 3 rows, or the working note's total at a round size.
#include "collector/model/flops/flops_library.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "proto/shm/api_ids.h"

namespace flopsprof::model {
namespace {

using shm::ApiId;
using shm::UnknownReason;

constexpr int kF32 = 0, kF64 = 1, kC32 = 4, kC64 = 5;
constexpr int kLeft = 0, kRight = 1;

shm::LibraryCall Call(ApiId api, std::initializer_list<int64_t> sizes, int type = kF32,
                      int variant = 0) {
  shm::LibraryCall call = {};
  call.api = static_cast<uint16_t>(api);
  call.type = static_cast<uint8_t>(type);
  call.variant = static_cast<uint8_t>(variant);
  int i = 0;
  for (const int64_t size : sizes) call.sizes[i++] = size;
  return call;
}

FlopCount Flops(const shm::LibraryCall& call) { return LibraryWorkOf(call).flops.value_or(-1); }

TEST(LibraryFlopsTest, SymmMultipliesFromTheLeftOrTheRight) {
  // 3x3 times 3x5: 2*3*3*5. 3x5 times 5x5: 2*3*5*5.
  EXPECT_EQ(Flops(Call(ApiId::cublasSsymm_v2, {3, 5}, kF32, kLeft)), 90u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSsymm_v2, {3, 5}, kF32, kRight)), 150u);
  EXPECT_EQ(Flops(Call(ApiId::cublasChemm_v2, {3, 5}, kC32, kRight)), 600u);
}

TEST(LibraryFlopsTest, SyrkMakesOneTriangle) {
  // 6 elements of a 3x3 triangle, each a sum of 4 products.
  EXPECT_EQ(Flops(Call(ApiId::cublasDsyrk_v2, {3, 4}, kF64)), 48u);
  EXPECT_EQ(Flops(Call(ApiId::cublasZherk_v2, {3, 4}, kC64)), 192u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSsyrkx, {3, 4})), 48u);
}

TEST(LibraryFlopsTest, Syr2kMakesTheProductsOfTheDiagonalOnce) {
  // 3 elements off the diagonal with 2*4 products each, 3 on it with 4: 36 multiply-adds.
  EXPECT_EQ(Flops(Call(ApiId::cublasSsyr2k_v2, {3, 4})), 72u);
  EXPECT_EQ(Flops(Call(ApiId::cublasCher2k_v2, {3, 4}, kC32)), 288u);
}

TEST(LibraryFlopsTest, TrsmSolvesOneSystemAColumnOrRow) {
  // A system of 3: 3 divisions, 3 multiplications, 3 subtractions; 5 columns.
  EXPECT_EQ(Flops(Call(ApiId::cublasStrsm_v2, {3, 5, 1}, kF32, kLeft)), 45u);
  EXPECT_EQ(Flops(Call(ApiId::cublasStrsm_v2, {3, 5, 1}, kF32, kRight)), 75u);
  EXPECT_EQ(Flops(Call(ApiId::cublasZtrsmBatched, {3, 5, 7}, kC64, kLeft)), 45u * 4 * 7);
  EXPECT_EQ(Flops(Call(ApiId::cublasDtrmm_v2, {3, 5, 1}, kF64, kRight)), 75u);
}

TEST(LibraryFlopsTest, BandsCountTheElementsThatTheyHave) {
  // Tridiagonal 4x4: 10 elements.
  EXPECT_EQ(Flops(Call(ApiId::cublasSsbmv_v2, {4, 1})), 20u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSgbmv_v2, {4, 4, 1, 1})), 20u);
  // 3x5 with one row below and two above the diagonal: rows of 3, 4, 4 elements.
  EXPECT_EQ(Flops(Call(ApiId::cublasSgbmv_v2, {3, 5, 1, 2})), 22u);
  // 5x3 with two below and none above: columns of 3, 3, 3.
  EXPECT_EQ(Flops(Call(ApiId::cublasSgbmv_v2, {5, 3, 2, 0})), 18u);
  // A band wider than the matrix is the whole matrix.
  EXPECT_EQ(Flops(Call(ApiId::cublasSgbmv_v2, {3, 5, 99, 99})), 30u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSsbmv_v2, {4, 99})), 32u);
  // Lower bidiagonal 4x4: 7 elements, 4 of them divisors, 3 multiplied and subtracted.
  EXPECT_EQ(Flops(Call(ApiId::cublasStbsv_v2, {4, 1})), 10u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSgbmv_v2, {0, 5, 1, 1})), 0u);
}

TEST(LibraryFlopsTest, LevelTwo) {
  EXPECT_EQ(Flops(Call(ApiId::cublasSsymv_v2, {4})), 32u);
  EXPECT_EQ(Flops(Call(ApiId::cublasChpmv_v2, {4}, kC32)), 128u);
  EXPECT_EQ(Flops(Call(ApiId::cublasStrsv_v2, {4})), 16u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSsyr_v2, {4})), 20u);  // 10 elements
  EXPECT_EQ(Flops(Call(ApiId::cublasDspr2_v2, {4}, kF64)), 32u);
}

TEST(LibraryFlopsTest, LevelOne) {
  EXPECT_EQ(Flops(Call(ApiId::cublasSaxpy_v2, {7})), 14u);
  EXPECT_EQ(Flops(Call(ApiId::cublasCaxpy_v2, {7}, kC32)), 56u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSscal_v2, {7})), 7u);
  EXPECT_EQ(Flops(Call(ApiId::cublasCscal_v2, {7}, kC32)), 42u);
  EXPECT_EQ(Flops(Call(ApiId::cublasCsscal_v2, {7}, kC32)), 14u);
  EXPECT_EQ(Flops(Call(ApiId::cublasDznrm2_v2, {7}, kC64)), 28u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSasum_v2, {7})), 7u);
  EXPECT_EQ(Flops(Call(ApiId::cublasScasum_v2, {7}, kC32)), 14u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSrot_v2, {7})), 42u);
  EXPECT_EQ(Flops(Call(ApiId::cublasZdrot_v2, {7}, kC64)), 84u);
  EXPECT_EQ(Flops(Call(ApiId::cublasCrot_v2, {7}, kC32)), 140u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSdgmm, {3, 5})), 15u);
  EXPECT_EQ(Flops(Call(ApiId::cublasZdgmm, {3, 5}, kC64)), 90u);
}

TEST(LibraryFlopsTest, FactorsOfSmallMatrices) {
  // Cholesky of 2: a root, a division, a multiplication, a subtraction, a root.
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnSpotrf, {2, 1})), 5u);
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnSpotrf, {1, 1})), 1u);
  // 1000^3/3 + 1000^2/2 + 1000/6
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnDpotrf, {1000, 1}, kF64)), 333'833'500u);
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnSpotrfBatched, {2, 9})), 45u);
  // LU of 2: a reciprocal and a multiplication each column, a multiplication, a subtraction.
  EXPECT_EQ(Flops(Call(ApiId::cublasSgetrfBatched, {2, 2, 1})), 5u);
  // m = 1000, n = 600: 3.6e8 - 7.2e7 - 1.8e5 + 500.
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnDgetrf, {1000, 600, 1}, kF64)), 287'820'500u);
  // Wide: 600 + 801*600*599/2 + 599*600*1199/3.
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnDgetrf, {600, 1000, 1}, kF64)), 287'580'500u);
  // 4/3 * 600^3 - 600^2 + 5/3 * 600
  EXPECT_EQ(Flops(Call(ApiId::cublasSgetriBatched, {600, 1})), 287'641'000u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSgetrsBatched, {10, 3, 2})), 1200u);
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnCgetrs, {10, 3, 1}, kC32)), 2400u);
  // 2*1000*600^2 - 2/3*600^3 + 1000*600 + 600^2 + 14/3*600
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnSgeqrf, {1000, 600, 1})), 576'962'800u);
  // 4*m*n*k - 2*n*k^2 + 3*n*k with 100, 20, 30
  EXPECT_EQ(Flops(Call(ApiId::cusolverDnSormqr, {100, 20, 30}, kF32, kLeft)), 205'800u);
}

TEST(LibraryFlopsTest, NothingIsDoneWithSizeZero) {
  EXPECT_EQ(Flops(Call(ApiId::cublasSgetrfBatched, {0, 0, 5})), 0u);
  EXPECT_EQ(Flops(Call(ApiId::cublasStrsmBatched, {3, 5, 0})), 0u);
  EXPECT_EQ(Flops(Call(ApiId::cublasSsyrk_v2, {3, 0})), 0u);
  EXPECT_EQ(Flops(Call(ApiId::cublasStbmv_v2, {0, 3})), 0u);
}

TEST(LibraryFlopsTest, BadSizesAreUnknownWithTheirReason) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  for (const shm::LibraryCall& call :
       {Call(ApiId::cublasSsymm_v2, {-1, 5}), Call(ApiId::cublasSsymm_v2, {huge, huge}),
        Call(ApiId::cublasSaxpy_v2, {huge}), Call(ApiId::cusolverDnSpotrf, {int64_t{1} << 38, 1}),
        Call(ApiId::cublasStrsmBatched, {1 << 30, 1 << 30, 1 << 30}),
        Call(ApiId::cublasSgelsBatched, {3, 5, 1, 1})}) {
    const LibraryWork work = LibraryWorkOf(call);
    EXPECT_FALSE(work.flops.has_value());
    EXPECT_EQ(work.reason, UnknownReason::kBadSize);
    EXPECT_EQ(LibraryShape(call), "unknown: a size is negative or too large");
  }
}

TEST(LibraryFlopsTest, AnUnknownTypeIsUnknown) {
  const LibraryWork work = LibraryWorkOf(Call(ApiId::cublasAxpyEx, {7}, 99));
  EXPECT_FALSE(work.flops.has_value());
  EXPECT_EQ(work.reason, UnknownReason::kUnknownType);
}

TEST(LibraryFlopsTest, AReasonOfTheInjectorGoesFirst) {
  shm::LibraryCall call = Call(ApiId::cublasSsymm_v2, {3, 5});
  call.reason = static_cast<uint8_t>(UnknownReason::kGetterFailed);
  EXPECT_FALSE(LibraryWorkOf(call).flops.has_value());
  EXPECT_EQ(LibraryShape(call), "unknown: a handle or descriptor could not be read");
}

TEST(LibraryFlopsTest, MovingDataIsNoWork) {
  const LibraryWork work = LibraryWorkOf(Call(ApiId::cublasScopy_v2, {}, 255));
  EXPECT_EQ(work.flops, FlopCount{0});
  EXPECT_FALSE(work.has_products);
}

TEST(LibraryFlopsTest, AnUnknownFunctionIsUnknown) {
  shm::LibraryCall call = {};
  call.api = 65'000;
  EXPECT_EQ(LibraryWorkOf(call).reason, UnknownReason::kNoFormula);
}

TEST(LibraryFlopsTest, TheShapeNamesSizesAndSide) {
  shm::LibraryCall call = Call(ApiId::cublasStrsm_v2, {3, 5, 1}, kF32, kRight);
  call.math_mode = 3;
  EXPECT_EQ(LibraryShape(call), "m=3 n=5 side=right type=f32 math=3");
  EXPECT_EQ(LibraryComputeType(call), "tf32");
  EXPECT_EQ(LibraryShape(Call(ApiId::cublasDgetrfBatched, {4, 4, 2}, kF64)),
            "n=4 batch=2 type=f64");
}

}  // namespace
}  // namespace flopsprof::model
