// The cells of a mixture of learners of labels, turned over: each number of theirs beside that of the next column, and
// beside them what their rates divide by.
#pragma once
#include "ascent_types.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// The metric has the roundings of the kernel that plays them, which computes it in single precision where it can.
inline void turn_cells(const double* cells, std::int64_t columns, const CellPlaces& p, double* table, double* metric) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const double *const cell = cells + j * p.width, most = cell[p.most], root = cell[p.root];
    for (std::int64_t k = 0; k < p.numbers; ++k) table[k * p.room + j] = cell[k];
    double rates[cell_rates];
    if (most >= p.least && most <= p.largest) {
      for (int k = 0; k < cell_rates; ++k) {
        const double squared = cell[p.squares + k] + most * most;
        rates[k] = 1 / double(1 / (float(root) * __builtin_sqrtf(float(squared))));
      }
    } else {
      for (int k = 0; k < cell_rates; ++k)
        rates[k] =
            root * (most > 1 ? 1 + p.stretch : 1 - p.stretch) * __builtin_sqrt(cell[p.squares + k] + most * most);
    }
    for (int k = 0; k < cell_rates; ++k) metric[k * p.room + j] = rates[k];
  }
}

}  // namespace regretless::REGRETLESS_ISA
