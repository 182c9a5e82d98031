// Members that keep the whole matrix: second-order learners of the logistic loss (Jezequel, Gaillard & Rudi 2020), each
// for comparators whose scores stay within a reach of its own.
#pragma once
#include <cmath>
#include <cstring>

#include "aggregated_types.hpp"
#include "factored.hpp"

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
struct FullMember : Factored {
  double curvature;

  // Number `place` of those whose arrays stand one after the other.
  FullMember(std::int64_t n, double* weights, double* scales, double* u, std::int64_t place, double curvature)
      : Factored{n, weights + place * n, scales + place * n, u + place * factor_size(n)}, curvature(curvature) {}

  // Into memory of the call, where the state must stay as it is.
  void move(Buffer<double>& room) {
    const std::int64_t size = factor_size(n);
    if (2 * n + size > room.room) room.make(2 * n + size);
    double* const parts[] = {room.at, room.at + n, room.at + 2 * n};
    std::memcpy(parts[0], weights, std::size_t(n) * sizeof(double));
    std::memcpy(parts[1], scales, std::size_t(n) * sizeof(double));
    std::memcpy(parts[2], u, std::size_t(size) * sizeof(double));
    weights = parts[0];
    scales = parts[1];
    u = parts[2];
  }

  // The prior of feature i grows from 2 `before` to 2 `after`: what was learned shrinks towards zero along it. What is
  // left of a weight is a difference, with errors of the size of what it was, so that large growth is taken in steps.
  REGRETLESS_APART void raise(std::int64_t i, double before, double after, FullRound& round, double* gain) const {
    if (before == 0) {
      scales[i] = 1 / (2 * after);
      return;
    }
    constexpr double longest_step = 1024;
    for (double next; 0 < before && before < after; before = next) {
      next = after > before * longest_step ? before * longest_step : after;
      const double more = 2 * (next - before);
      row_of_factor(i, round.projected);
      const double variance_of_unit = variance(round);
      plan(round, 1 / more);
      round.step = -(more * weights[i] / (1 + more * variance_of_unit));
      round.waits = true;
      settle(round, gain, i);
    }
  }

  // Learns from a slope; returned is B, by how much the loss exceeds the rise of the least penalised sum of its lower
  // bounds.
  double learn(FullRound& round, double h, double plain, double score, double slope, double weight) const {
    if (h == 0 || weight == 0) return 0;
    const double steep = std::fabs(slope) / weight, c = curvature * weight * steep * (1 - steep);
    const double r = (c * (score - plain) - slope) / (1 + h * c), moved = plain - score + h * r;
    // A curvature of nearly nothing: the matrix stays, and the weights follow the slope.
    plan(round, c > 1e-290 ? 1 / c : 1e290);
    round.step = r;
    round.waits = true;
    return -(0.5 * h * r * r + slope * moved + 0.5 * c * moved * moved);
  }
};

}  // namespace regretless::REGRETLESS_ISA
