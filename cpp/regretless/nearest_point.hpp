// The point of the convex hull of some rows that is nearest to the origin, by Wolfe's method (Finding the nearest point
// in a polytope, 1976): a corral, rows of which none is superfluous, moves to the nearest point of its plane and loses
// the rows whose weights would be negative; then the row that lies furthest before the point joins it, and some that
// lie nearly as far. The plane's point is (P P' + e e')^-1 e over its sum, for the rows P of the corral, whose Cholesky
// factor is kept.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "nearest_point_types.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double no_weight = 1e-15;  // of all: a row with less leaves the corral
inline constexpr double close = 1e-6;  // where less of a new row's squared length is outside, it is found with care
inline constexpr double dependent = 1e-24;  // and a row with less is in the plane of the others
inline constexpr int most_new = 4;          // rows that join at once, for which the others need not be looked at again
inline constexpr std::int64_t looked_at = 64;  // rows whose products are found together
inline constexpr double short_point = 1e-3;  // as long as this the point is computed with its rounding errors corrected

inline double product(const double* a, const double* b, std::int64_t n) {
  Eight sum = spread<8>(0);
  std::int64_t k = 0;
  for (; k + 8 <= n; k += 8) sum = sum + load<8>(a + k) * load<8>(b + k);
  if (k < n) sum = sum + load_some(a + k, n - k) * load_some(b + k, n - k);
  return tree(sum);
}
// The products of one vector with four others, each with the bits of `product`: the one is read once.
inline void four_products(const double* a, const double* const* others, std::int64_t n, double* out) {
  Eight sums[4] = {spread<8>(0), spread<8>(0), spread<8>(0), spread<8>(0)};
  std::int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    const Eight its = load<8>(a + k);
    for (int i = 0; i < 4; ++i) sums[i] = sums[i] + its * load<8>(others[i] + k);
  }
  if (k < n) {
    const Eight its = load_some(a + k, n - k);
    for (int i = 0; i < 4; ++i) sums[i] = sums[i] + its * load_some(others[i] + k, n - k);
  }
  for (int i = 0; i < 4; ++i) out[i] = tree(sums[i]);
}
// The products of one vector with so many others, of which `other(i)` is where each begins.
template <class Other>
void products(const double* a, std::int64_t count, const Other& other, std::int64_t n, double* out) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double* const others[4] = {other(i), other(i + 1), other(i + 2), other(i + 3)};
    four_products(a, others, n, out + i);
  }
  for (; i < count; ++i) out[i] = product(a, other(i), n);
}
inline void add_times(double* to, double by, const double* from, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) to[k] += by * from[k];
}
inline void add_four(double* to, const double* by, const double* const* from, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k)
    to[k] += (by[0] * from[0][k] + by[1] * from[1][k]) + (by[2] * from[2][k] + by[3] * from[3][k]);
}

class Corral {
 public:
  explicit Corral(Hull& hull) : h_(hull), most_(corral_rows(hull)) {
    double* next = h_.room;
    const auto take = [&](std::int64_t numbers) {
      double* const its = next;
      next += numbers;
      return its;
    };
    factor_ = take(most_ * most_);
    ones_ = take(most_);
    aim_ = take(most_);
    step_ = take(most_);
    weight_ = take(most_);
    rest_ = take(h_.width);
  }

  HullEnd search() {
    if (!begin()) return HullEnd::stalled;
    for (double before = infinity;;) {  // one row more at least, or a search that goes on would not
      if (!settle()) return HullEnd::stalled;
      const double size = product(h_.point, h_.point, h_.width);
      if (!(size < infinity)) return HullEnd::stalled;
      if (std::sqrt(size) <= h_.nothing) return HullEnd::nothing;
      look();
      const double least = score_[0];
      if (!(least < infinity)) return HullEnd::stalled;
      if (size - least <= h_.tolerance * size) return HullEnd::near;
      if (!(size < before)) return HullEnd::stalled;
      if (before < infinity && h_.work > h_.most_work) return HullEnd::late;
      before = size;
      if (!join(row_[0], 0)) return HullEnd::stalled;
      for (int k = 1; k < most_new && size - score_[k] > h_.tolerance * size; ++k) join(row_[k], 0);
    }
  }

  void finish() const {
    std::fill_n(h_.weights, h_.rows, 0.0);
    for (std::int64_t i = 0; i < size_; ++i) h_.weights[h_.places[i]] = weight_[i];
  }

 private:
  const double* row_of(std::int64_t i) const { return h_.values + h_.places[i] * h_.width; }
  double* factor(std::int64_t i) const { return factor_ + i * most_; }

  // The rows that have weights already; else the shortest one.
  bool begin() {
    for (std::int64_t i = 0; i < h_.rows; ++i)
      if (h_.weights[i] > 0) join(i, h_.weights[i]);
    double sum = 0;
    for (std::int64_t i = 0; i < size_; ++i) sum += weight_[i];
    for (std::int64_t i = 0; i < size_; ++i) weight_[i] /= sum;
    if (size_) return true;
    std::int64_t shortest = 0;
    double least = infinity;
    for (std::int64_t i = 0; i < h_.rows; ++i) {
      const double* z = h_.values + i * h_.width;
      const double norm2 = product(z, z, h_.width);
      if (norm2 < least) {
        least = norm2;
        shortest = i;
      }
    }
    h_.work += double(h_.rows) * double(h_.width);
    return join(shortest, 1);
  }

  // The rows that lie furthest before the point, seen from it, the furthest one first.
  void look() {
    std::fill_n(score_, most_new, infinity);
    double scores[looked_at];
    for (std::int64_t first = 0; first < h_.rows; first += looked_at) {
      const std::int64_t count = std::min(looked_at, h_.rows - first);
      const auto row = [&](std::int64_t i) { return h_.values + (first + i) * h_.width; };
      products(h_.point, count, row, h_.width, scores);
      for (std::int64_t i = 0; i < count; ++i) put(scores[i], first + i);
    }
    h_.work += double(h_.rows) * double(h_.width);
  }

  // A row among those that lie furthest, if it does.
  void put(double score, std::int64_t row) {
    if (!(score < score_[most_new - 1])) return;
    int k = most_new - 1;
    for (; k && score < score_[k - 1]; --k) {
      score_[k] = score_[k - 1];
      row_[k] = row_[k - 1];
    }
    score_[k] = score;
    row_[k] = row;
  }

  // Whether the row is outside of the plane of the others, and so belongs to the corral now.
  bool join(std::int64_t row, double weight) {
    if (size_ == most_) return false;
    const double* z = h_.values + row * h_.width;
    double* const l = factor(size_);
    const double norm2 = product(z, z, h_.width) + 1;
    double rest = norm2;
    products(z, size_, [&](std::int64_t i) { return row_of(i); }, h_.width, l);
    for (std::int64_t i = 0; i < size_; ++i) l[i] += 1;
    solve(l);
    rest -= product(l, l, size_);
    h_.work += double(size_) * double(h_.width + size_ / 2);
    if (rest < close * norm2) rest = outside(z, l);
    if (!(rest > dependent * norm2) || !(norm2 < infinity)) return false;
    l[size_] = std::sqrt(rest);
    ones_[size_] = (1 - product(l, ones_, size_)) / l[size_];
    h_.places[size_] = row;
    weight_[size_++] = weight;
    return true;
  }

  // How much of a row is outside of the plane, where a difference of squares would not show it; its line of the factor
  // is mended with what is outside (corrected seminormal equations, Bjorck 1987).
  double outside(const double* z, double* l) {
    std::copy_n(z, h_.width, rest_);
    double one = 1;
    std::copy_n(l, size_, step_);
    for (int round = 0;; ++round) {
      solve_back(step_);
      for (std::int64_t i = 0; i < size_; ++i) {
        add_times(rest_, -step_[i], row_of(i), h_.width);
        one -= step_[i];
      }
      h_.work += 2.0 * double(size_) * double(h_.width);
      if (round == 2) return product(rest_, rest_, h_.width) + one * one;
      products(rest_, size_, [&](std::int64_t i) { return row_of(i); }, h_.width, step_);
      for (std::int64_t i = 0; i < size_; ++i) step_[i] += one;
      solve(step_);
      for (std::int64_t i = 0; i < size_; ++i) l[i] += step_[i];
    }
  }

  // To the nearest point of the corral's plane, or as far as the weights allow, and then to that of a smaller one.
  bool settle() {
    for (;;) {
      aim();
      double along = 1;
      std::int64_t last = -1;
      for (std::int64_t i = 0; i < size_; ++i) {
        if (!std::isfinite(aim_[i])) return false;
        if (aim_[i] > no_weight) continue;
        const double fall = weight_[i] - aim_[i], part = fall > 0 ? weight_[i] / fall : 0;
        if (last < 0 || part < along) {
          along = part;
          last = i;
        }
      }
      if (last < 0) {
        std::copy_n(aim_, size_, weight_);
        return true;
      }
      if (size_ == 1) return false;
      for (std::int64_t i = 0; i < size_; ++i) weight_[i] += along * (aim_[i] - weight_[i]);
      leave(last);
    }
  }

  // The weights of the nearest point of the plane, and the point.
  void aim() {
    std::copy_n(ones_, size_, aim_);
    solve_back(aim_);
    combine();
    if (product(h_.point, h_.point, h_.width) > short_point * short_point) return;
    for (int round = 0; round < 2; ++round) {
      // The aim has the sum 1 by now: what is left of (P P' + e e') aim = s e, where s is as large as it comes to.
      double level = 0;
      for (std::int64_t i = 0; i < size_; ++i) {
        step_[i] = product(row_of(i), h_.point, h_.width);
        level += aim_[i] * step_[i];
      }
      for (std::int64_t i = 0; i < size_; ++i) step_[i] = level - step_[i];
      solve(step_);
      solve_back(step_);
      for (std::int64_t i = 0; i < size_; ++i) aim_[i] += step_[i];
      combine();
    }
  }

  // u where L u is what it is now: of four rows at a time, what the entries before them take off first.
  void solve(double* u) const {
    for (std::int64_t first = 0; first < size_; first += 4) {
      const std::int64_t end = std::min(first + 4, size_);
      double before[4];
      products(u, end - first, [&](std::int64_t i) { return factor(first + i); }, first, before);
      for (std::int64_t i = first; i < end; ++i) u[i] -= before[i - first];
      for (std::int64_t i = first; i < end; ++i) {
        const double* l = factor(i);
        for (std::int64_t k = first; k < i; ++k) u[i] -= l[k] * u[k];
        u[i] /= l[i];
      }
    }
  }

  // u where L' u is what it is now.
  void solve_back(double* u) const {
    for (std::int64_t i = size_ - 1; i >= 0; --i) {
      const double* l = factor(i);
      u[i] /= l[i];
      add_times(u, -u[i], l, i);
    }
    h_.work += double(size_) * double(size_) / 2;
  }

  // The aim over its sum, and the point that it stands for.
  void combine() {
    double sum = 0;
    for (std::int64_t i = 0; i < size_; ++i) sum += aim_[i];
    std::fill_n(h_.point, h_.width, 0.0);
    for (std::int64_t i = 0; i < size_; ++i) aim_[i] /= sum;
    std::int64_t i = 0;
    for (; i + 4 <= size_; i += 4) {
      const double* const rows[4] = {row_of(i), row_of(i + 1), row_of(i + 2), row_of(i + 3)};
      add_four(h_.point, aim_ + i, rows, h_.width);
    }
    for (; i < size_; ++i) add_times(h_.point, aim_[i], row_of(i), h_.width);
    h_.work += double(size_) * double(h_.width);
  }

  // A row less: the factor's rows below move up, and rotations of neighbouring columns make it triangular again.
  void leave(std::int64_t gone) {
    --size_;
    for (std::int64_t i = gone; i < size_; ++i) {
      h_.places[i] = h_.places[i + 1];
      weight_[i] = weight_[i + 1];
      double* const l = factor(i);
      std::memcpy(l, factor(i + 1), std::size_t(i + 2) * sizeof(double));
      for (std::int64_t k = gone; k < i; ++k) {  // the rotations so far: cosines in aim_, sines in step_
        const double a = l[k], b = l[k + 1];
        l[k] = aim_[k] * a + step_[k] * b;
        l[k + 1] = aim_[k] * b - step_[k] * a;
      }
      const double size = std::sqrt(l[i] * l[i] + l[i + 1] * l[i + 1]);
      aim_[i] = l[i] / size;
      step_[i] = l[i + 1] / size;
      l[i] = size;
    }
    for (std::int64_t i = gone; i < size_; ++i) ones_[i] = (1 - product(factor(i), ones_, i)) / factor(i)[i];
    h_.work += 3.0 * double(size_ - gone) * double(size_ - gone) + double(size_) * double(size_ - gone);
  }

  Hull& h_;
  std::int64_t most_, size_ = 0, row_[most_new];
  double score_[most_new];
  double *factor_, *ones_, *aim_, *step_, *weight_, *rest_;
};

static HullEnd nearest_point(Hull& hull) {
  Corral corral(hull);
  const HullEnd end = corral.search();
  corral.finish();
  return end;
}

}  // namespace regretless::REGRETLESS_ISA
