// A diagonal and a few directions in the place of A: A ~ D + B'B. An update appends its row to B; when B is full, it is
// turned so that its rows are orthogonal in D^-1, the longer half stays, and of the others the squares go to D. So the
// diagonal is always that of A, no weight moves when B is turned, and a round costs as many products as B has rows.
//
// By Woodbury's identity A^-1 x = D^-1 (x - B'K^-1 B D^-1 x) with K = I + B D^-1 B', of which the lower triangle of L,
// K = L L', goes with the state, and K - I too.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>

#include "linear_types.hpp"
#include "rows.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// A symmetric matrix of n rows by Jacobi's rotations, in place: its diagonal is then the eigenvalues, and the columns
// of `vectors` are where they belong. All scalar, in one order.
REGRETLESS_APART static void diagonalise(double* a, double* vectors, std::int64_t n) {
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, a[i * n + i]);
  for (std::int64_t i = 0; i < n * n; ++i) {
    vectors[i] = i % (n + 1) == 0;
    if (most > 0) a[i] /= most;
  }
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) off += a[p * n + q] * a[p * n + q];
    if (!(off > 1e-26)) break;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0) continue;
        const double ratio = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]), size = std::fabs(ratio);
        const double up = 1 / (size + (size < 1e150 ? std::sqrt(size * size + 1) : size));
        const double t = ratio < 0 ? -up : up, c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto turn = [c, s](double& x, double& y) REGRETLESS_LAMBDA {
          const double before = x;
          x = c * before - s * y;
          y = s * before + c * y;
        };
        for (std::int64_t i = 0; i < n; ++i) turn(a[i * n + p], a[i * n + q]);
        for (std::int64_t i = 0; i < n; ++i) turn(a[p * n + i], a[q * n + i]);
        for (std::int64_t i = 0; i < n; ++i) turn(vectors[i * n + p], vectors[i * n + q]);
      }
  }
}

// One target: n features, the constant one first, and room for `room` rows of B, of which half stay.
struct SketchedTarget {
  static constexpr double least_prior = 1e-290;  // or what is divided by it might be no float
  std::int64_t n, room;
  double *sums, *weights, *shed, *sizes, *inverse, *rows, *gram, *lower;
  double prior;
  bool sized;
  double *x, *part, *solved, *vectors, *strip;  // scratch
  std::int64_t used = 0;
  // Where wanted, by feature, the sums of what D got times the weight at that time, and times its square.
  double *drawn = nullptr, *drawn_squares = nullptr;

  // L has ones or more on its diagonal as far as B has rows.
  std::int64_t count() const {
    std::int64_t k = 0;
    while (k < room - 1 && lower[k * room + k] > 0) ++k;
    return k;
  }
  const double* row(std::int64_t r) const { return rows + r * n; }
  double start(double size) const {
    if (!sized) return prior;
    const double at = prior * size;
    return at > least_prior ? at : least_prior;
  }

  // Rows of L from `first` on. What is under a root is 1 or more but for rounding.
  void factor(std::int64_t first) const {
    for (std::int64_t i = first; i < used; ++i)
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = gram[i * room + j] + double(i == j);
        for (std::int64_t k = 0; k < j; ++k) sum -= lower[i * room + k] * lower[j * room + k];
        lower[i * room + j] = i != j ? sum / lower[j * room + j] : std::sqrt(sum > 1 ? sum : 1);
      }
  }

  // x'A^-1 x, or 0 where rounding has eaten it; `solved` becomes K^-1 B D^-1 x, and `part` B D^-1 x.
  double look(const double* x, double& diagonal) const {
    double* const scaled = strip;
    for (std::int64_t i = 0; i < n; ++i) scaled[i] = x[i] * inverse[i];
    diagonal = product(x, scaled, n);
    double doubt = diagonal;
    for (std::int64_t r = 0; r < used; ++r) {
      double z = part[r] = product(row(r), scaled, n);
      for (std::int64_t k = 0; k < r; ++k) z -= lower[r * room + k] * solved[k];
      solved[r] = z / lower[r * room + r];
      doubt -= solved[r] * solved[r];
    }
    for (std::int64_t r = used; r-- > 0;) {
      for (std::int64_t k = r + 1; k < used; ++k) solved[r] -= lower[k * room + r] * solved[k];
      solved[r] /= lower[r * room + r];
    }
    return doubt > 0 ? doubt : 0;
  }

  // w <- w + step A^-1 x, of the x that was looked at last.
  REGRETLESS_APART void move(const double* x, double step) const {
    const std::int64_t whole = n & ~std::int64_t(7);
    const Eight by = spread<8>(step);
    for (std::int64_t i = 0; i < whole; i += 8) {
      Eight left = load<8>(x + i);
      for (std::int64_t r = 0; r < used; ++r) left = left - spread<8>(solved[r]) * load<8>(row(r) + i);
      store(weights + i, load<8>(weights + i) + by * (left * load<8>(inverse + i)));
    }
    for (std::int64_t i = whole; i < n; ++i) {
      double left = x[i];
      for (std::int64_t r = 0; r < used; ++r) left = left - solved[r] * row(r)[i];
      weights[i] = weights[i] + step * (left * inverse[i]);
    }
  }

  // Features that are larger than in all updates before raise what D starts with: A grows by their part, and the
  // weights shrink as they would with a prior that had been so large all the time. Whether any weight moved.
  REGRETLESS_APART bool raise(double longer = 1) const {
    bool felt = false, pulled = false;
    double* const pull = strip + n;
    for (std::int64_t i = 0; i < n; ++i) {
      const double size = x[i] * longer, square = size * size;
      pull[i] = 0;
      if (!(square > sizes[i])) continue;
      const double before = start(sizes[i]), after = start(square), next = 1 / (shed[i] + after);
      sizes[i] = square;
      pull[i] = weights[i] == 0 ? 0 : (after - before) * weights[i];
      pulled |= pull[i] != 0;
      for (std::int64_t r = 0; r < used; ++r)
        if (const double b = row(r)[i] * (next - inverse[i]); b != 0) {
          felt = true;
          for (std::int64_t q = 0; q < used; ++q) gram[r * room + q] += b * row(q)[i];
        }
      inverse[i] = next;
    }
    if (felt) factor(0);
    if (!pulled) return false;
    double diagonal;
    look(pull, diagonal);
    move(pull, -1);
    return true;
  }

  // B is full: its rows are turned by the eigenvectors of K - I, the longest first.
  REGRETLESS_APART void turn() {
    const std::int64_t rank = room / 2;
    double* const values = vectors + room * room;
    std::memcpy(values, gram, std::size_t(room * room) * sizeof(double));
    diagonalise(values, vectors, room);
    std::int64_t order[most_sketch_rows];
    for (std::int64_t e = 0; e < room; ++e) {
      std::int64_t place = e;
      const auto value = [&](std::int64_t i) { return values[i * room + i]; };
      for (; place > 0 && value(order[place - 1]) < value(e); --place) order[place] = order[place - 1];
      order[place] = e;
    }
    for (std::int64_t i = 0; i < n; i += strip_width) turn_strip(i, std::min(n - i, strip_width), rank, order);
    std::memset(rows + rank * n, 0, std::size_t((room - rank) * n) * sizeof(double));
    std::memset(gram, 0, std::size_t(room * room) * sizeof(double));
    std::memset(lower, 0, std::size_t(room * room) * sizeof(double));
    used = rank;
    for (std::int64_t i = 0; i < n; ++i) inverse[i] = 1 / (shed[i] + start(sizes[i]));
    for (std::int64_t r = 0; r < rank; ++r) {
      for (std::int64_t i = 0; i < n; ++i) strip[i] = row(r)[i] * inverse[i];
      for (std::int64_t q = 0; q <= r; ++q) gram[r * room + q] = gram[q * room + r] = product(strip, row(q), n);
    }
    factor(0);
  }

  static constexpr std::int64_t strip_width = 64;
  void shed_row(std::int64_t from, std::int64_t width, const double* row) const {
    for (std::int64_t i = 0; i < width; ++i) {
      const double square = row[i] * row[i], w = weights[from + i];
      shed[from + i] += square;
      if (!drawn) continue;
      drawn[from + i] += square * w;
      drawn_squares[from + i] += square * (w * w);
    }
  }
  void turn_strip(std::int64_t from, std::int64_t width, std::int64_t rank, const std::int64_t* order) const {
    // Many rows go to where the eigenvalues were, which are not needed any more: stacks of threads may be small.
    double few[strip_width * strip_width], sum[strip_width];
    double* const old = room > strip_width ? vectors + room * room : few;
    for (std::int64_t r = 0; r < room; ++r)
      std::memcpy(old + r * strip_width, row(r) + from, std::size_t(width) * sizeof(double));
    for (std::int64_t e = 0; e < room; ++e) {
      for (std::int64_t i = 0; i < width; ++i) sum[i] = 0;
      for (std::int64_t r = 0; r < room; ++r) {
        const double by = vectors[r * room + order[e]];
        const double* const of = old + r * strip_width;
        for (std::int64_t i = 0; i < width; ++i) sum[i] += by * of[i];
      }
      if (e < rank) std::memcpy(rows + e * n + from, sum, std::size_t(width) * sizeof(double));
      else shed_row(from, width, sum);
    }
  }

  // A <- A + confidence x x', of the x that was looked at last.
  void append(double confidence, double diagonal) {
    const double root = std::sqrt(confidence);
    double* const place = rows + used * n;
    // Plus 0, since a dense row may have -0 where a sparse one has no entry.
    for (std::int64_t i = 0; i < n; ++i) place[i] = root * x[i] + 0.0;
    for (std::int64_t r = 0; r < used; ++r) gram[used * room + r] = gram[r * room + used] = root * part[r];
    gram[used * room + used] = confidence * diagonal;
    ++used;
    factor(used - 1);
    if (used == room) turn();
  }

  // A round that teaches. A row whose part of A would be no float leaves A as it is.
  REGRETLESS_APART void take_in(double y, double score, double confidence) {
    for (std::int64_t i = 0; i < n; ++i) sums[i] += confidence * y * x[i];
    if (sized && raise()) score = product(weights, x, n);
    double diagonal;
    const double doubt = look(x, diagonal), noise = 1 / confidence;
    if (!(noise < infinity && confidence * diagonal < most_part)) return;
    move(x, (y - score) / (noise + doubt));
    append(confidence, diagonal);
  }
  static constexpr double most_part = 1e280;
};

}  // namespace regretless::REGRETLESS_ISA
