// What the search for a ridge logistic regression reads and writes.
#pragma once
#include "linear_types.hpp"

namespace regretless {

struct RidgeProblem {
  const double* tilt = nullptr;  // columns
  double* best = nullptr;        // columns, of which the constant feature is the first
  double* room = nullptr;
  double intercept = 0;  // size of the constant feature
  double over = 1;       // how many rounds a row stands for
  double reach = 0;      // scores whose size is above it cost a steep square besides
  std::int64_t columns = 1;
};

// Where vectors are combinations of fewer rows than there are columns, they are kept as such.
inline std::int64_t ridge_vector_size(std::int64_t rows, std::int64_t columns) {
  return 2 * (rows + 1) < columns ? 2 * (rows + 1) : columns;
}
inline std::int64_t ridge_room(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
  const std::int64_t entered = entries + (entries + columns + 1) / 2 + 2 * (rows + 1);
  return 9 * ridge_vector_size(rows, columns) + columns + 8 * (rows + 8) + entered;
}

struct RidgeKernels {
  LinearVerdict (*minimise)(const Block& block, const Labels& labels, const RidgeProblem& problem);
};

extern const RidgeKernels ridge_kernels_generic, ridge_kernels_v1, ridge_kernels_v3, ridge_kernels_v4;

}  // namespace regretless
