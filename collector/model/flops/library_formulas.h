// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations of the library calls that are no plain product. Exact integers: every
// multiplication, addition and division of the textbook algorithm. Triangles and bands count the
// elements that they have. LAPACK functions by LAPACK Working Note 41, appendix C ("Installation
// Guide for LAPACK", 1999), whose figures hold for real types. Complex types do four times as much
// (8 operations for a multiply-add), if a formula does not say otherwise.

#include <cstdint>
#include <optional>

#include "collector/model/flops/flop_count.h"

namespace flopsprof::model::formulas {

struct Arguments {
  const int64_t* size;  // five, none negative, each at most kMaxSize
  int variant;          // functions with a side: 0 left, 1 right
  bool complex;
};
// Third powers of larger ones leave the range of a count.
constexpr int64_t kMaxSize = int64_t{1} << 38;

using Formula = std::optional<FlopCount> (*)(const Arguments&);

// Sizes behind the names, in order.
std::optional<FlopCount> Symm(const Arguments& a);        // m n; left 2m^2n, right 2mn^2
std::optional<FlopCount> Syrk(const Arguments& a);        // n k; n(n+1)k
std::optional<FlopCount> Syr2k(const Arguments& a);       // n k; 2n^2k
std::optional<FlopCount> Triangular(const Arguments& a);  // m n batch; left m^2n, right mn^2
std::optional<FlopCount> Dgmm(const Arguments& a);        // m n; mn, complex 6mn
std::optional<FlopCount> Symv(const Arguments& a);        // n; 2n^2
std::optional<FlopCount> Sbmv(const Arguments& a);        // n k; 2 * elements of the band
std::optional<FlopCount> Gbmv(const Arguments& a);        // m n kl ku; 2 * elements of the band
std::optional<FlopCount> Trmv(const Arguments& a);        // n; n^2
std::optional<FlopCount> Tbmv(const Arguments& a);        // n k; 2 * elements of the band - n
std::optional<FlopCount> Syr(const Arguments& a);         // n; n(n+1)
std::optional<FlopCount> Syr2(const Arguments& a);        // n; 2n^2
std::optional<FlopCount> Axpy(const Arguments& a);        // n; 2n
std::optional<FlopCount> Scal(const Arguments& a);        // n; n, complex 6n
std::optional<FlopCount> RealScal(const Arguments& a);    // n; complex vector, real factor: 2n
std::optional<FlopCount> Nrm2(const Arguments& a);        // n; 2n, complex 4n
std::optional<FlopCount> Asum(const Arguments& a);        // n; n, complex 2n
std::optional<FlopCount> Rot(const Arguments& a);         // n; 6n, complex with complex sine 20n
std::optional<FlopCount> RealRot(const Arguments& a);     // n; complex vectors, real rotation: 12n
// m n batch; mn^2 - n^3/3 - n^2/2 + 5n/6 for m >= n, else m + (1+2(n-m))m(m-1)/2 + (m-1)m(2m-1)/3
std::optional<FlopCount> Getrf(const Arguments& a);
// n batch; 4n^3/3 - n^2 + 5n/3
std::optional<FlopCount> Getri(const Arguments& a);
// n batch; that of getrf and getri: 2n^3 - 3n^2/2 + 5n/2
std::optional<FlopCount> Inverse(const Arguments& a);
std::optional<FlopCount> Solve(const Arguments& a);  // n nrhs batch; 2n^2 nrhs
// n batch; n^3/3 + n^2/2 + n/6
std::optional<FlopCount> Potrf(const Arguments& a);
// n; 2n^3/3 + n^2/2 + 5n/6
std::optional<FlopCount> Potri(const Arguments& a);
// n; n^3/3 + n^2/2 + 19n/6
std::optional<FlopCount> Sytrf(const Arguments& a);
// m n batch; 2mn^2 - 2n^3/3 + mn + n^2 + 14n/3, m < n: 2nm^2 - 2m^3/3 + 3mn - m^2 + 14m/3
std::optional<FlopCount> Geqrf(const Arguments& a);
// m n k; 4mnk - 2(m+n)k^2 + 4k^3/3 + 3nk - mk - k^2 - 4k/3
std::optional<FlopCount> Orgqr(const Arguments& a);
// m n k; left 4mnk - 2nk^2 + 3nk, right 4mnk - 2mk^2 + 2mk + nk - k^2/2 + k/2
std::optional<FlopCount> Ormqr(const Arguments& a);
// m n nrhs batch; that of geqrf, ormqr and a triangular solve, m >= n
std::optional<FlopCount> Gels(const Arguments& a);

}  // namespace flopsprof::model::formulas
