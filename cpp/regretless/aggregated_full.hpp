// Members that keep the whole matrix: second-order learners of the logistic loss (Jezequel, Gaillard & Rudi 2020), each
// for comparators whose scores stay within a reach of its own.
#pragma once
#include "aggregated_types.hpp"
#include "second_order_full.hpp"

namespace regretless::REGRETLESS_ISA {

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

  // The prior of feature i grows from 2 `before` to 2 `after`: what was learned shrinks towards zero along it.
  REGRETLESS_APART void raise(std::int64_t i, double before, double after, double* unit, double* gain) const {
    if (before == 0) {
      matrix.d[i] = 1 / (2 * after);
      return;
    }
    const double more = 2 * (after - before);
    unit[i] = 1;
    const double variance = take_in(matrix, unit, 1 / more, gain);
    unit[i] = 0;
    const double by = more * matrix.weights[i] / (1 + more * variance);
    for (std::int64_t j = 0; j < matrix.n; ++j) matrix.weights[j] -= by * gain[j];
  }

  // x' A^-1 x.
  REGRETLESS_INLINE double variance(const double* x) const {
    double sum = 0;
    const double* column = matrix.u;
    for (std::int64_t j = 0; j < matrix.n; column += j, ++j) {
      const double f = product(column, x, j) + x[j];
      sum += matrix.d[j] * f * f;
    }
    return sum;
  }

  // Learns from a slope; returned is B, by how much the loss exceeds the rise of the least penalised sum of its lower
  // bounds.
  REGRETLESS_INLINE double learn(const double* x, double h, double plain, double score, double slope, double weight,
                                 double* gain) const {
    const double steep = std::fabs(slope) / weight, c = curvature * weight * steep * (1 - steep);
    if (h == 0) return 0;
    const double r = (c * (score - plain) - slope) / (1 + h * c), moved = plain - score + h * r;
    // A curvature of nearly nothing: the matrix stays, and the weights follow the slope.
    const double noise = c > 1e-290 ? 1 / c : 1e290;
    take_in(matrix, x, noise, gain);
    for (std::int64_t j = 0; j < matrix.n; ++j) matrix.weights[j] += r * gain[j];
    return -(0.5 * h * r * r + slope * moved + 0.5 * c * moved * moved);
  }
};

}  // namespace regretless::REGRETLESS_ISA
