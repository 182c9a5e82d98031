// What crosses the border between the binding and the second-order kernels of one instruction set: plain borrowed data.
#pragma once
#include <cstdint>

#include "factor_size.hpp"
#include "linear_types.hpp"

namespace regretless {

// What travels with the arrays of one target. The constant feature is here only if the matrix is diagonal; a full one
// has it as its first.
struct SecondOrderMemory {
  double prior;   // a: the matrix A starts as a I
  double sum;     // of y x over the updates
  double square;  // of x^2 over the updates
  double weight;  // where weights are kept
  double volume;  // full: ln det(A / a)
  double size;    // of x^2 over the updates the largest, where a is in units of that; else below 0
};
inline constexpr int second_order_memory_size = sizeof(SecondOrderMemory) / sizeof(double);

// State of `targets` learners side by side. Of A = a I + sum of x x' over the updates either the diagonal is kept, all
// that belongs to a feature in one place; or all of it, as the factors of its inverse U D U', target after target.
struct SecondOrder {
  // Diagonal: (columns, numbers), for each feature the sums of y x over the updates and those of x^2, target by target;
  // where weights are kept, the weights, the sums of x^2, the sums of y x and, if a is in units of that, the largest
  // x^2 of the updates; for one target a zero in its place, to fill a register.
  double* records = nullptr;
  std::int64_t numbers = 0;
  // Full: (targets, 1 + columns), the constant feature first; and U, (targets, factor_size(1 + columns)).
  double *sums = nullptr, *weights = nullptr, *scales = nullptr, *factor = nullptr;
  // A sketch, D + B'B: sums and weights as above, and of the same shape what D has from rows that B has shed, the
  // largest squares of the updates, and 1 / D; B, (targets, sketch_rows, 1 + columns), whose rows beyond those in use
  // are zeros; B D^-1 B' and the lower L with L L' = I + B D^-1 B', (targets, sketch_rows, sketch_rows).
  double *shed = nullptr, *sizes = nullptr, *inverse = nullptr, *rows = nullptr, *gram = nullptr, *lower = nullptr;
  std::int64_t sketch_rows = 0;
  SecondOrderMemory* memory = nullptr;  // (targets)
  Ledger* book = nullptr;               // (targets), and one more for the whole when there are several
  double* scratch = nullptr;            // `second_order_scratch`
  double* scores = nullptr;             // (rounds, targets), or null: what each round was predicted by
  std::int64_t columns = 0, targets = 1;
  bool sized = false;  // whether a is in units of the largest x^2 of each feature
};
inline constexpr std::int64_t numbers_by_sums = 2, numbers_by_weights = 3, numbers_by_sizes = 4;  // a feature and a
inline constexpr std::int64_t numbers_by_one_weight = 4;  // target of several; a feature, of one target

inline constexpr std::int64_t second_order_scratch(std::int64_t targets, std::int64_t columns, std::int64_t rows) {
  return 5 * targets + 4 * (columns + 8) + 2 * rows * (rows + 1);
}

struct SecondOrderKernels {
  LinearVerdict (*play)(const Block&, const Labels&, const Rules&, const SecondOrder&, std::int64_t begin,
                        std::int64_t end);
  LinearVerdict (*score)(const Block&, const Rules&, const SecondOrder&, double* out);
};

extern const SecondOrderKernels second_order_v1, second_order_v3, second_order_v4, second_order_generic;

}  // namespace regretless
