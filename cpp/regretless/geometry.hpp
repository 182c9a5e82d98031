// How a gradient moves the weights: w' = argmin_v  step <x, v> + D(v, w). A geometry owns the meaning of the stored
// weights (scale * stored) and of `memory`; the row-wise sum and addition are shared.
#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <variant>

#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

// One target's weights inside a (columns, targets) array, and what travels with them.
struct Weights {
  double *w, *lag;
  std::int64_t columns, stride;
  Memory& memory;
};

// |stored weights|^2, afresh, in the fixed order.
REGRETLESS_APART static double stored_norm2(const Weights& s) {
  double lane[8] = {};
  for (std::int64_t j = 0; j < s.columns; ++j) {
    const double v = s.w[j * s.stride];
    lane[j & 7] += v * v;
  }
  return tree(load<8>(lane)) + s.memory.bias * s.memory.bias;
}

// A running |w|^2 drifts by rounding, and loses its digits when what was large cancels. How much is added up along with
// it, in units of the rounding of one number; beyond this share of |w|^2 it is summed afresh. That looks at nothing but
// the rounds themselves, so a model does not depend on how its stream was laid out and cut into blocks.
inline constexpr double most_rounding = 1 << 20;

// The book-keeping of a step w <- w + a x that both geometries share: |w + a x|^2 = |w|^2 + 2 a <w, x> + a^2 |x|^2,
// summed so that a long step along a short row does not overflow.
REGRETLESS_INLINE void moved(const Weights& s, double score, double norm2, double a) {
  Memory& m = s.memory;
  m.rounding += m.norm2 + std::fabs(a) * (2 * std::fabs(score) + std::fabs(a) * norm2);
  m.norm2 += a * (2 * score + a * norm2);
  if (m.rounding > most_rounding * m.norm2) [[unlikely]] {
    m.norm2 = m.scale * m.scale * stored_norm2(s);
    m.rounding = 0;
  }
}

struct Euclidean {  // D(u, w) = |u - w|^2 / 2
  static constexpr std::string_view name = "euclidean";
  explicit Euclidean(const Rules&) {}
  double scale(const Memory&) const { return 1; }
  REGRETLESS_INLINE void after(const Weights& s, double score, double norm2, double a) const {
    moved(s, score, norm2, a);
  }
};

struct Ball {  // the same, inside |w| <= radius: projection is a change of scale
  static constexpr std::string_view name = "ball";
  double radius;
  explicit Ball(const Rules& rules) : radius(rules.radius) {}
  double scale(const Memory& m) const { return m.scale; }
  REGRETLESS_INLINE void after(const Weights& s, double score, double norm2, double a) const {
    moved(s, score, norm2, a);
    Memory& m = s.memory;
    if (!(m.norm2 > radius * radius && m.norm2 < infinity)) return;
    m.scale *= radius / std::sqrt(m.norm2);
    m.norm2 = radius * radius;
    if (m.scale < 1e-6) [[unlikely]]
      fold(s);
  }

 private:
  // Too small a scale would lose digits of the average: take it into the stored weights. The sum of all weights so far,
  // clock * stored - lag, must stay what it is, and starts again from a clock of 0. (Adding +0 makes a zero of what
  // underflows to -0.)
  REGRETLESS_APART static void fold(const Weights& s) {
    Memory& m = s.memory;
    if (s.lag)
      for (std::int64_t j = 0; j < s.columns; ++j) s.lag[j * s.stride] -= m.clock * s.w[j * s.stride];
    m.lag_bias -= m.clock * m.bias;
    m.clock = 0;
    for (std::int64_t j = 0; j < s.columns; ++j) s.w[j * s.stride] = s.w[j * s.stride] * m.scale + 0.0;
    m.bias = m.bias * m.scale + 0.0;
    m.scale = 1;
  }
};

template <class G>
concept Geometry = requires(const G& geometry, Weights s, const Memory& memory, double a) {
  { G::name } -> std::convertible_to<std::string_view>;
  { geometry.scale(memory) } -> std::convertible_to<double>;
  geometry.after(s, a, a, a);
};

using AnyGeometry = std::variant<Euclidean, Ball>;

}  // namespace regretless::REGRETLESS_ISA
