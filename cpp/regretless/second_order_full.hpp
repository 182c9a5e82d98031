// The inverse of A = a I + sum of x x', kept as U D U' with U unit upper triangular and D positive, and how one more x
// x' changes it (Bierman 1977). Unlike an inverse that is itself subtracted from, it stays positive whatever the
// rounding, and it does not mind features of very different sizes.
#pragma once
#include "numeric.hpp"
#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

// One target: arrays over the constant feature, which is the first, and the others.
struct Factored {
  std::int64_t n;
  double *sums, *weights, *d, *u, *volume;
};

// Column j of U, and what is known of A^-1 x so far.
REGRETLESS_INLINE void turn(double* __restrict u, double* __restrict gain, std::int64_t n, double by, double more) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double old = u[i];
    u[i] = old + gain[i] * by;
    gain[i] = gain[i] + old * more;
  }
}

// A <- A + x x' / noise. Afterwards `gain` is A^-1 x with the A of before; returned is x' A^-1 x, which may be far
// smaller than the noise that it is added to.
REGRETLESS_APART static double take_in(const Factored& s, const double* x, double noise, double* gain) {
  double *column = s.u, doubt = 0;
  for (std::int64_t j = 0; j < s.n; column += j, ++j) {
    const double f = product(column, x, j) + x[j], v = s.d[j] * f;
    gain[j] = v;
    if (f == 0) continue;  // this column has no part in x
    const double before = noise + doubt;
    doubt += v * f;
    turn(column, gain, j, -f / before, v);
    s.d[j] *= before / (noise + doubt);
  }
  return doubt;
}

// A round that teaches: sums, matrix and weights. `scratch` has room for 2 n numbers. Returned is x' A^-1 x with the A
// of before.
template <class Row>
REGRETLESS_APART static double take_in_row(const Factored& s, const Row& row, double intercept, double y, double score,
                                           double confidence, double* scratch) {
  const double noise = 1 / confidence;
  if (!(noise < std::numeric_limits<double>::infinity())) return 0;  // next to no weight
  double *x = scratch, *gain = scratch + s.n;
  for (std::int64_t i = 0; i < s.n; ++i) x[i] = 0;
  x[0] = intercept;
  for (std::int64_t k = 0; k < row.n; ++k) x[1 + row.column(k)] = row.x[k];
  const double doubt = take_in(s, x, noise, gain);
  *s.volume += log_past_one(confidence * doubt);
  const double step = (y - score) / (noise + doubt), by = confidence * y;
  for (std::int64_t i = 0; i < s.n; ++i) {
    s.weights[i] += step * gain[i];
    s.sums[i] += by * x[i];
  }
  return doubt;
}

}  // namespace regretless::REGRETLESS_ISA
