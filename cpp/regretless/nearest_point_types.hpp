// What the search for the nearest point of a convex hull reads and writes.
#pragma once
#include <algorithm>
#include <cstdint>

namespace regretless {

enum class HullEnd { near, nothing, stalled, late };

struct Hull {
  const double* values;  // rows * width, finite
  std::int64_t rows, width;
  double tolerance, nothing;  // how far the rows may lie before the point, of its length; and when it is the origin
  double most_work, work;     // multiplications
  double *weights, *point;    // what to begin with, or zeros, and what it came to; the point
  double* room;               // hull_room(*this) numbers
  std::int64_t* places;       // corral_rows(*this)
};

// Rows of which none lies in the plane of the others, and their room: a factor, four vectors and a row.
inline std::int64_t corral_rows(const Hull& h) { return std::min(h.rows, h.width + 1); }
inline std::int64_t hull_room(const Hull& h) { return corral_rows(h) * (corral_rows(h) + 4) + h.width; }

struct HullKernels {
  HullEnd (*nearest)(Hull& hull);
};

extern const HullKernels hull_kernels_generic, hull_kernels_v1, hull_kernels_v3, hull_kernels_v4;

}  // namespace regretless
