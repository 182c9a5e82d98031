// An upper triangle R with R'R = sum x x', row after row: its rotations and solutions, the same bits on every machine.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace regretless {

// n rows of `stride` numbers, borrowed.
struct Triangle {
  double* numbers;
  std::int64_t n, stride;

  double* row(std::int64_t k) const { return numbers + k * stride; }

  // R' z = z before: entries are eliminated from the first on, each from all behind it.
  void solve_transposed(double* z) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const double* const upper = row(i);
      const double known = z[i] /= upper[i];
      for (std::int64_t j = i + 1; j < n; ++j) z[j] -= upper[j] * known;
    }
  }
  // R w = w before, from the last entry on.
  void solve(double* w) const {
    for (std::int64_t i = n; i-- > 0;) {
      const double* const upper = row(i);
      double rest = w[i];
      for (std::int64_t j = i + 1; j < n; ++j) rest -= upper[j] * w[j];
      w[i] = rest / upper[i];
    }
  }
  // A row that is as long as those of R, with what R's rows have behind their n entries, is rotated in; of it is left
  // what stands behind.
  void rotate(double* added) const {
    for (std::int64_t k = 0; k < n; ++k) {
      double* const upper = row(k);
      if (added[k] == 0) continue;
      const double length = length_of(upper[k], added[k]);
      const double cosine = upper[k] / length, sine = added[k] / length;
      upper[k] = length;
      added[k] = 0;
      for (std::int64_t j = k + 1; j < stride; ++j) {
        const double above = cosine * upper[j] + sine * added[j];
        added[j] = cosine * added[j] - sine * upper[j];
        upper[j] = above;
      }
    }
  }

 private:
  // hypot, whose last bit libraries do not agree on.
  static double length_of(double a, double b) {
    const double most = std::max(std::fabs(a), std::fabs(b));
    return most == 0 ? 0 : most * std::sqrt((a / most) * (a / most) + (b / most) * (b / most));
  }
};

inline double sum_of_products(const double* a, const double* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace regretless
