// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/library_formulas.h"

#include <algorithm>

namespace flopsprof::model::formulas {
namespace {

using Wide = __int128;  // kMaxSize^3 * 4 is 2^116

std::optional<FlopCount> Checked(Wide count) {
  if (count < 0 || static_cast<FlopCount>(count) > kMaxCallFlops) return std::nullopt;
  return static_cast<FlopCount>(count);
}

// A count for real types, of each of `batch` problems.
std::optional<FlopCount> Whole(const Arguments& a, Wide real, int64_t batch = 1) {
  const std::optional<FlopCount> one = Checked(a.complex ? 4 * real : real);
  if (!one.has_value()) return std::nullopt;
  FlopCount all = 0;
  if (__builtin_mul_overflow(*one, static_cast<FlopCount>(batch), &all)) return std::nullopt;
  return all <= kMaxCallFlops ? std::optional<FlopCount>(all) : std::nullopt;
}

// Elements of n rows of a triangle that reaches k off the diagonal.
Wide TriangleBand(Wide n, Wide k) {
  if (n == 0) return 0;
  k = std::min<Wide>(k, n - 1);
  return n * (k + 1) - k * (k + 1) / 2;
}

// Elements of an m x n matrix on the diagonal and below it, down to `reach` off it.
Wide LowerBand(Wide m, Wide n, Wide reach) {
  // Column j has rows j ... min(m - 1, j + reach).
  const Wide columns = std::min(m, n);                        // others are above the diagonal
  const Wide full = std::clamp<Wide>(m - reach, 0, columns);  // columns not cut by the last row
  const Wide cut = columns - full;                            // columns full ... columns - 1
  const Wide cut_elements = cut * m - (full + columns - 1) * cut / 2;  // m - j each
  return full * (reach + 1) + (cut > 0 ? cut_elements : 0);
}

// Exact quotient: the numerators below are multiples.
Wide Over(Wide numerator, Wide denominator) { return numerator / denominator; }

Wide GetrfCount(Wide m, Wide n) {
  // Step k: one reciprocal, m-1-k products by it, (m-1-k)(n-1-k) multiply-adds.
  // m >= n: mn^2 - n^3/3 - n^2/2 + 5n/6.
  if (m >= n) return Over(6 * m * n * n - 2 * n * n * n - 3 * n * n + 5 * n, 6);
  // Working Note 41 gives none for m < n: m + (1 + 2(n-m)) m(m-1)/2 + (m-1)m(2m-1)/3.
  const Wide steps = m * (m - 1);
  return Over(6 * m + 3 * (1 + 2 * (n - m)) * steps + 2 * steps * (2 * m - 1), 6);
}

Wide GetriCount(Wide n) { return Over(4 * n * n * n - 3 * n * n + 5 * n, 3); }

Wide GeqrfCount(Wide m, Wide n) {
  // m >= n: 2mn^2 - 2n^3/3 + mn + n^2 + 14n/3; else 2nm^2 - 2m^3/3 + 3mn - m^2 + 14m/3.
  if (m >= n) return Over(6 * m * n * n - 2 * n * n * n + 3 * m * n + 3 * n * n + 14 * n, 3);
  return Over(6 * n * m * m - 2 * m * m * m + 9 * m * n - 3 * m * m + 14 * m, 3);
}

// Q of m x m (left) or n x n (right), of k reflectors, times an m x n matrix.
Wide OrmqrCount(Wide m, Wide n, Wide k, bool left) {
  if (left) return 4 * m * n * k - 2 * n * k * k + 3 * n * k;
  return Over(8 * m * n * k - 4 * m * k * k + 4 * m * k + 2 * n * k - k * k + k, 2);
}

}  // namespace

std::optional<FlopCount> Symm(const Arguments& a) {
  const Wide m = a.size[0], n = a.size[1];
  return Whole(a, a.variant == 0 ? 2 * m * m * n : 2 * m * n * n);
}
std::optional<FlopCount> Syrk(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, n * (n + 1) * a.size[1]);
}
// An element of the diagonal is twice one product of two vectors, made once.
std::optional<FlopCount> Syr2k(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, 2 * n * n * a.size[1]);
}
std::optional<FlopCount> Triangular(const Arguments& a) {
  const Wide m = a.size[0], n = a.size[1];
  return Whole(a, a.variant == 0 ? m * m * n : m * n * n, a.size[2]);
}
std::optional<FlopCount> Dgmm(const Arguments& a) {
  return Checked(Wide{a.complex ? 6 : 1} * a.size[0] * a.size[1]);
}
std::optional<FlopCount> Symv(const Arguments& a) {
  return Whole(a, Wide{2} * a.size[0] * a.size[0]);
}
std::optional<FlopCount> Sbmv(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, 2 * (2 * TriangleBand(n, a.size[1]) - n));
}
std::optional<FlopCount> Gbmv(const Arguments& a) {
  const Wide m = a.size[0], n = a.size[1];
  const Wide elements = LowerBand(m, n, a.size[2]) + LowerBand(n, m, a.size[3]) - std::min(m, n);
  return Whole(a, 2 * elements);
}
std::optional<FlopCount> Trmv(const Arguments& a) { return Whole(a, Wide{a.size[0]} * a.size[0]); }
std::optional<FlopCount> Tbmv(const Arguments& a) {
  return Whole(a, 2 * TriangleBand(a.size[0], a.size[1]) - a.size[0]);
}
std::optional<FlopCount> Syr(const Arguments& a) {
  return Whole(a, Wide{a.size[0]} * (a.size[0] + 1));
}
std::optional<FlopCount> Syr2(const Arguments& a) { return Symv(a); }
std::optional<FlopCount> Axpy(const Arguments& a) { return Whole(a, Wide{2} * a.size[0]); }
std::optional<FlopCount> Scal(const Arguments& a) {
  return Checked(Wide{a.complex ? 6 : 1} * a.size[0]);
}
std::optional<FlopCount> RealScal(const Arguments& a) { return Checked(Wide{2} * a.size[0]); }
std::optional<FlopCount> Nrm2(const Arguments& a) {
  return Checked(Wide{a.complex ? 4 : 2} * a.size[0]);
}
std::optional<FlopCount> Asum(const Arguments& a) {
  return Checked(Wide{a.complex ? 2 : 1} * a.size[0]);
}
// x' = c x + s y, y' = c y - s' x: with a real c and a complex s 2 + 6 + 2 operations each.
std::optional<FlopCount> Rot(const Arguments& a) {
  return Checked(Wide{a.complex ? 20 : 6} * a.size[0]);
}
std::optional<FlopCount> RealRot(const Arguments& a) { return Checked(Wide{12} * a.size[0]); }

std::optional<FlopCount> Getrf(const Arguments& a) {
  return Whole(a, GetrfCount(a.size[0], a.size[1]), a.size[2]);
}
std::optional<FlopCount> Getri(const Arguments& a) {
  return Whole(a, GetriCount(a.size[0]), a.size[1]);
}
std::optional<FlopCount> Inverse(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, GetrfCount(n, n) + GetriCount(n), a.size[1]);
}
// Two triangular systems.
std::optional<FlopCount> Solve(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, 2 * n * n * a.size[1], a.size[2]);
}
std::optional<FlopCount> Potrf(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, Over(2 * n * n * n + 3 * n * n + n, 6), a.size[1]);
}
std::optional<FlopCount> Potri(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, Over(4 * n * n * n + 3 * n * n + 5 * n, 6));
}
std::optional<FlopCount> Sytrf(const Arguments& a) {
  const Wide n = a.size[0];
  return Whole(a, Over(2 * n * n * n + 3 * n * n + 19 * n, 6));
}
std::optional<FlopCount> Geqrf(const Arguments& a) {
  return Whole(a, GeqrfCount(a.size[0], a.size[1]), a.size[2]);
}
std::optional<FlopCount> Orgqr(const Arguments& a) {
  const Wide m = a.size[0], n = a.size[1], k = a.size[2];
  if (n > m || k > n) return std::nullopt;  // no such matrix
  return Whole(a, Over(k * (12 * m * n + 9 * n - 3 * m - 4 + k * (4 * k - 6 * (m + n) - 3)), 3));
}
std::optional<FlopCount> Ormqr(const Arguments& a) {
  const bool left = a.variant == 0;
  if (a.size[2] > a.size[left ? 0 : 1]) return std::nullopt;  // more reflectors than rows
  return Whole(a, OrmqrCount(a.size[0], a.size[1], a.size[2], left));
}
std::optional<FlopCount> Gels(const Arguments& a) {
  const Wide m = a.size[0], n = a.size[1], nrhs = a.size[2];
  if (m < n) return std::nullopt;  // the library refuses it
  return Whole(a, GeqrfCount(m, n) + OrmqrCount(m, nrhs, n, true) + n * n * nrhs, a.size[3]);
}

}  // namespace flopsprof::model::formulas
