// Multiples of directions, each of which is charged what the sums of margins along its ray say: many of them in one
// table, which formulas read.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "linear_types.hpp"

namespace regretless {

// What is known of a direction and its ray, all of it borrowed.
struct SummedRay {
  const std::int64_t* places = nullptr;  // (filled): which bins of positive margins have any rounds, ascending
  const double* below = nullptr;  // (1 + filled, 3): rounds, sums of margins and of their squares, up to each of them
  std::int64_t filled = 0;
  double size = 1, least = 0, own = 1, product = 0, divergence = 0;
};

struct MultiplesTable {
  // The numbers of a multiple, each in a row.
  enum Of { scale, hinge, squared_hinge, norm, smallest, own, product, divergence, numbers_of_a_multiple };

  double* numbers = nullptr;  // (numbers_of_a_multiple, count)
  std::int64_t count = 0, filled = 0;

  // The multiple by s.
  void add(const SummedRay& ray, double s, double hinges, double squares) {
    const auto put = [&](Of which, double number) { numbers[which * count + filled] = number; };
    put(scale, s);
    put(hinge, hinges < 0 ? 0 : hinges);
    put(squared_hinge, squares < 0 ? 0 : squares);
    put(norm, s * ray.size);
    put(smallest, s * ray.least);
    put(own, s == 0 ? 0 : s * ray.own);  // of v = 0 also where its direction has no finite length
    put(product, s * ray.product);
    put(divergence, ray.divergence);
    ++filled;
  }

  // Those at every `step`th edge of a bin from the first to the last: 1 / s is the edge, so that the margins below it
  // have hinge losses.
  void add_edges(const SummedRay& ray, std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t* edges) {
    constexpr std::int64_t lowest = (std::int64_t(ray_lowest) + 1023) << ray_mantissa_bits;
    std::int64_t bins = 0;
    for (std::int64_t edge = first; edge <= last; edge += step) {
      while (bins < ray.filled && ray.places[bins] <= edge) ++bins;
      const double s = 1 / std::bit_cast<double>((edge + lowest) << (52 - ray_mantissa_bits));
      const double *const below = ray.below + 3 * bins, rounds = below[0], total = below[1], squares = below[2];
      edges[filled] = edge;
      add(ray, s, rounds - s * total, rounds - 2 * s * total + s * s * squares);
    }
  }

  // v = 0, or the multiple whose smallest margin is 1.
  void add_end(const SummedRay& ray, double s) {
    const double rounds = s == 0 ? ray.below[3 * ray.filled] : 0;
    add(ray, s, rounds, rounds);
  }
};

// The least of some numbers that are finite, and where the first such one stands; infinity if none is.
struct Least {
  double number = std::numeric_limits<double>::infinity();
  std::int64_t place = 0;
};
inline Least least_of(const double* numbers, std::int64_t begin, std::int64_t end) {
  Least least{.place = begin};
  for (std::int64_t k = begin; k < end; ++k)
    if (numbers[k] < least.number && std::isfinite(numbers[k])) least = {numbers[k], k};
  return least;
}

}  // namespace regretless
