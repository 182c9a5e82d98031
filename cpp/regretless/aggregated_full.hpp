// Members that keep the whole matrix: second-order learners of the logistic loss (Jezequel, Gaillard & Rudi 2020), each
// for comparators whose scores stay within a reach of its own.
#pragma once
#include <cmath>
#include <cstring>

#include "aggregated_types.hpp"
#include "second_order_full.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// Columns of U are taken four at a time, so that what they share is read, and written, once.
inline constexpr std::int64_t columns_at_once = 4;

struct FourColumns {
  double* at[columns_at_once];
  // From column j on, which begins at u.
  FourColumns(double* u, std::int64_t j) : at{u, u + j, u + 2 * j + 1, u + 3 * j + 3} {}
  static std::int64_t size(std::int64_t j) { return 4 * j + 6; }
};

// f = U' x.
REGRETLESS_APART static void project(const Factored& s, const double* x, double* f) {
  double* u = s.u;
  std::int64_t j = 0;
  for (; j + columns_at_once <= s.n; u += FourColumns::size(j), j += columns_at_once) {
    const FourColumns column(u, j);
    Eight sums[columns_at_once] = {};
    std::int64_t i = 0;
    for (; i + 8 <= j; i += 8) {
      const Eight part = load<8>(x + i);
      for (int k = 0; k < columns_at_once; ++k) sums[k] = sums[k] + load<8>(column.at[k] + i) * part;
    }
    for (int k = 0; k < columns_at_once; ++k) {
      double sum = tree(sums[k]);
      for (std::int64_t l = i; l < j + k; ++l) sum += column.at[k][l] * x[l];
      f[j + k] = sum + x[j + k];
    }
  }
  for (const std::int64_t four = j; j < s.n; u += j, ++j) {  // in the order in which it sums where three others follow
    Eight sums{};
    std::int64_t i = 0;
    for (; i + 8 <= four; i += 8) sums = sums + load<8>(u + i) * load<8>(x + i);
    double sum = tree(sums);
    for (; i < j; ++i) sum += u[i] * x[i];
    f[j] = sum + x[j];
  }
}

// `take_in` of a row whose f = U' x is known.
REGRETLESS_APART static void take_in_projected(const Factored& s, const double* f, double noise, double* gain) {
  double *u = s.u, doubt = 0;
  std::int64_t j = 0;
  for (; j < s.n;) {
    const int several = s.n - j >= columns_at_once ? int(columns_at_once) : 1;
    double by[columns_at_once], more[columns_at_once];
    for (int k = 0; k < several; ++k) {
      more[k] = s.d[j + k] * f[j + k];
      const double before = noise + doubt;
      by[k] = -f[j + k] / before;
      doubt += more[k] * f[j + k];
      s.d[j + k] *= before / (noise + doubt);
    }
    if (several == 1) {
      turn(u, gain, j, by[0], more[0]);
      gain[j] = more[0];
      u += j;
      ++j;
      continue;
    }
    const FourColumns column(u, j);
    std::int64_t i = 0;
    for (; i + 4 <= j; i += 4) {
      Quartet all = load<4>(gain + i);
      for (int k = 0; k < columns_at_once; ++k) {
        const Quartet old = load<4>(column.at[k] + i);
        store(column.at[k] + i, old + all * spread<4>(by[k]));
        all = all + old * spread<4>(more[k]);
      }
      store(gain + i, all);
    }
    for (int k = 0; k < columns_at_once; ++k) {
      turn(column.at[k] + i, gain + i, j + k - i, by[k], more[k]);
      gain[j + k] = more[k];
    }
    u += FourColumns::size(j);
    j += columns_at_once;
  }
}

// The root s of s + h tanh(s / 2) = p: Newton's steps rise to it from below, for the left side is concave where it is
// positive.
REGRETLESS_INLINE double shrunk(double p, double h) {
  const double goal = std::fabs(p), tiny = 1e-15 * (1 + goal);
  double s = goal / (1 + 0.5 * h);
  for (int step = 0; step < 60; ++step) {
    const double e = exp_of_negative(-s), tangent = (1 - e) / (1 + e);
    const double rise = (goal - s - h * tangent) / (1 + 0.5 * h * (1 - tangent * tangent));
    if (!(rise > tiny)) break;
    s += rise;
  }
  return p < 0 ? -s : s;
}

// One full member of one target.
struct FullMember {
  Factored matrix;
  double curvature;

  FullMember(const Aggregated& s, const AggregatedRules& rules, std::int64_t target, int lane)
      : curvature(rules.curvature[lane]) {
    const std::int64_t n = 1 + s.columns, place = target * full_lanes + lane;
    matrix = {n, nullptr, s.weights + place * n, s.scales + place * n, s.factor + place * (n * (n - 1) / 2), nullptr};
  }

  // Into memory of the call, where the state must stay as it is.
  void move(Buffer<double>& room) {
    const std::int64_t n = matrix.n, pairs = n * (n - 1) / 2;
    if (2 * n + pairs > room.room) room.make(2 * n + pairs);
    double* const parts[] = {room.at, room.at + n, room.at + 2 * n};
    std::memcpy(parts[0], matrix.weights, std::size_t(n) * sizeof(double));
    std::memcpy(parts[1], matrix.d, std::size_t(n) * sizeof(double));
    std::memcpy(parts[2], matrix.u, std::size_t(pairs) * sizeof(double));
    matrix.weights = parts[0];
    matrix.d = parts[1];
    matrix.u = parts[2];
  }

  // The prior of feature i grows from 2 `before` to 2 `after`: what was learned shrinks towards zero along it. What is
  // left of a weight is a difference, with errors of the size of what it was, so that large growth is taken in steps.
  REGRETLESS_APART void raise(std::int64_t i, double before, double after, double* unit, double* gain) const {
    if (before == 0) {
      matrix.d[i] = 1 / (2 * after);
      return;
    }
    constexpr double longest_step = 1024;
    for (double next; 0 < before && before < after; before = next) {
      next = after > before * longest_step ? before * longest_step : after;
      const double more = 2 * (next - before);
      unit[i] = 1;
      const double variance = take_in(matrix, unit, 1 / more, gain);
      unit[i] = 0;
      const double by = more * matrix.weights[i] / (1 + more * variance);
      for (std::int64_t j = 0; j < matrix.n; ++j) matrix.weights[j] -= by * gain[j];
    }
  }

  // x' A^-1 x; `f` takes U' x, for when the matrix takes in the row.
  REGRETLESS_INLINE double variance(const double* x, double* f) const {
    project(matrix, x, f);
    double sum = 0;
    for (std::int64_t j = 0; j < matrix.n; ++j) sum += matrix.d[j] * f[j] * f[j];
    return sum;
  }

  // Learns from a slope; returned is B, by how much the loss exceeds the rise of the least penalised sum of its lower
  // bounds.
  REGRETLESS_INLINE double learn(const double* f, double h, double plain, double score, double slope, double weight,
                                 double* gain) const {
    if (h == 0 || weight == 0) return 0;
    const double steep = std::fabs(slope) / weight, c = curvature * weight * steep * (1 - steep);
    const double r = (c * (score - plain) - slope) / (1 + h * c), moved = plain - score + h * r;
    // A curvature of nearly nothing: the matrix stays, and the weights follow the slope.
    const double noise = c > 1e-290 ? 1 / c : 1e290;
    take_in_projected(matrix, f, noise, gain);
    for (std::int64_t j = 0; j < matrix.n; ++j) matrix.weights[j] += r * gain[j];
    return -(0.5 * h * r * r + slope * moved + 0.5 * c * moved * moved);
  }
};

}  // namespace regretless::REGRETLESS_ISA
