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

// Jacobi's rotations of a symmetric matrix of n rows, n being even, as many at once as there are pairs of rows of which
// no two share one: all are known before the first is done, so that their roots and quotients do not wait in turn.
struct Rotations {
  static constexpr std::int64_t most_pairs = most_sketch_rows / 2;
  std::int64_t n, pairs = n / 2;
  std::int64_t first[most_pairs], second[most_pairs];
  double tangent[most_pairs + 7], cosine[most_pairs + 7], sine[most_pairs + 7];

  explicit Rotations(std::int64_t rows) : n(rows) {
    for (std::int64_t k = 0; k < pairs; ++k) {
      first[k] = k;
      second[k] = n - 1 - k;
    }
  }
  template <class At>
  static REGRETLESS_INLINE Octet gathered(const At& of) {
#if defined(__AVX512F__)
    return {Octet::Register{of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)}};
#else
    return collect<8>(of);
#endif
  }
  // All but one of them move on, so that after n - 1 times each has met all others.
  void pair_anew() {
    const std::int64_t up = first[pairs - 1], down = second[0];
    for (std::int64_t k = pairs - 1; k > 1; --k) first[k] = first[k - 1];
    for (std::int64_t k = 0; k + 1 < pairs; ++k) second[k] = second[k + 1];
    if (pairs == 1) return;
    first[1] = down;
    second[pairs - 1] = up;
  }
  void find(const double* a) {
    const Octet none = eight(0), one = eight(1);
    for (std::int64_t k = 0; k < pairs; k += 8) {
      const auto place = [&](int l) REGRETLESS_LAMBDA { return std::min(k + l, pairs - 1); };
      const Octet b =
          gathered([&](int l) REGRETLESS_LAMBDA { return a[first[place(l)] * n + second[place(l)]]; });
      const Octet apart = gathered([&](int l) REGRETLESS_LAMBDA {
        return a[second[place(l)] * (n + 1)] - a[first[place(l)] * (n + 1)];
      });
      const Octet ratio = apart / (b + b);
      const Octet size = upper(ratio, none - ratio), up = one / (size + root(size * size + one));
      const Octet t = where_positive(b * b, where_positive(none - ratio, none - up, up), none);
      const Octet c = one / root(t * t + one);
      put(tangent + k, t);
      put(cosine + k, c);
      put(sine + k, t * c);
    }
  }
  // On both sides, so that the rows of each pair become orthogonal.
  void turn(double* a) const {
    for (std::int64_t k = 0; k < pairs; ++k) {
      const std::int64_t p = first[k], q = second[k];
      double *const row_p = a + p * n, *const row_q = a + q * n;
      const double c = cosine[k], s = sine[k], by = tangent[k] * row_p[q];
      for (std::int64_t l = k + 1; l < pairs; ++l) {  // what two pairs have in common
        const std::int64_t u = first[l], v = second[l];
        double *const row_u = a + u * n, *const row_v = a + v * n;
        const double d = cosine[l], e = sine[l];
        const double pu = c * row_p[u] - s * row_q[u], qu = s * row_p[u] + c * row_q[u];
        const double pv = c * row_p[v] - s * row_q[v], qv = s * row_p[v] + c * row_q[v];
        row_p[u] = row_u[p] = d * pu - e * pv;
        row_p[v] = row_v[p] = e * pu + d * pv;
        row_q[u] = row_u[q] = d * qu - e * qv;
        row_q[v] = row_v[q] = e * qu + d * qv;
      }
      row_p[p] -= by;
      row_q[q] += by;
      row_p[q] = row_q[p] = 0;
    }
  }
  template <int count>
  static REGRETLESS_INLINE void turn_some(double* x, double* y, double c, double s) {
    const auto old = load<count>(x), other = load<count>(y);
    store(x, spread<count>(c) * old - spread<count>(s) * other);
    store(y, spread<count>(s) * old + spread<count>(c) * other);
  }
  void turn_rows(double* vectors) const {
    for (std::int64_t k = 0; k < pairs; ++k) {
      double* const __restrict x = vectors + first[k] * n, * const __restrict y = vectors + second[k] * n;
      const double c = cosine[k], s = sine[k];
      std::int64_t i = 0;
      for (; i + 8 <= n; i += 8) turn_some<8>(x + i, y + i, c, s);
      for (; i < n; i += 2) turn_some<2>(x + i, y + i, c, s);
    }
  }
};

// In place: the diagonal is then the eigenvalues, and the rows of `vectors` are where they belong. All in one order, of
// Brent and Luk (1985).
REGRETLESS_APART static void diagonalise(double* a, double* vectors, std::int64_t n) {
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) most = std::max(most, a[i * n + i]);
  for (std::int64_t i = 0; i < n * n && most > 0; ++i) a[i] /= most;
  std::memset(vectors, 0, std::size_t(n * n) * sizeof(double));
  for (std::int64_t i = 0; i < n; ++i) vectors[i * (n + 1)] = 1;
  Rotations rotations(n);
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) off += a[p * n + q] * a[p * n + q];
    if (!(off > 1e-26)) break;
    for (std::int64_t round = 1; round < n; ++round) {
      rotations.find(a);
      rotations.turn(a);
      rotations.turn_rows(vectors);
      rotations.pair_anew();
    }
  }
}

// Products of `count` rows, one every n numbers, with a vector: a sum waits for itself, and the others fill the wait.
template <int count>
REGRETLESS_INLINE void products_of_rows(const double* rows, const double* by, std::int64_t n, double* out) {
  Octet sum[count]{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Octet factor = at(by, i);
    for (int r = 0; r < count; ++r) sum[r] = sum[r] + at(rows + r * n, i) * factor;
  }
  if (i < n)
    for (int r = 0; r < count; ++r) sum[r] = sum[r] + some_of(rows + r * n + i, n - i, 0) * some_of(by + i, n - i, 0);
  for (int r = 0; r < count; ++r) out[r] = in_all(sum[r]);
}
// The same bits as `product` of each.
REGRETLESS_APART static void products(const double* rows, std::int64_t count, const double* by, std::int64_t n,
                                      double* out) {
  std::int64_t r = 0;
  for (; r + 4 <= count; r += 4) products_of_rows<4>(rows + r * n, by, n, out + r);
  if (r + 2 <= count) {
    products_of_rows<2>(rows + r * n, by, n, out + r);
    r += 2;
  }
  if (r < count) products_of_rows<1>(rows + r * n, by, n, out + r);
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
    products(rows, used, scaled, n, part);
    double doubt = diagonal;
    for (std::int64_t r = 0; r < used; ++r) {
      double z = part[r];
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
    std::int64_t i = 0;
    for (; i + 32 <= n; i += 32) move_eights<4>(x, step, i);
    for (; i + 8 <= n; i += 8) move_eights<1>(x, step, i);
    for (; i < n; ++i) {
      double left = x[i];
      for (std::int64_t r = 0; r < used; ++r) left = left - solved[r] * row(r)[i];
      weights[i] = weights[i] + step * (left * inverse[i]);
    }
  }
  template <int eights>
  REGRETLESS_INLINE void move_eights(const double* x, double step, std::int64_t i) const {
    Octet left[eights];
    for (int e = 0; e < eights; ++e) left[e] = at(x + i, 8 * e);
    for (std::int64_t r = 0; r < used; ++r) {
      const Octet by = eight(solved[r]);
      for (int e = 0; e < eights; ++e) left[e] = left[e] - by * at(row(r) + i, 8 * e);
    }
    for (int e = 0; e < eights; ++e)
      put(weights + i + 8 * e, at(weights + i, 8 * e) + eight(step) * (left[e] * at(inverse + i, 8 * e)));
  }

  // Features that are larger than in all updates before raise what D starts with: A grows by their part, and the
  // weights shrink as they would with a prior that had been so large all the time. Whether any weight moved.
  REGRETLESS_APART bool raise(double longer = 1) const {
    bool felt = false, pulled = false;
    double* const pull = strip + n;
    for (std::int64_t i = 0; i < n; i += 8) {
      if (!any_larger(i, longer)) continue;
      for (std::int64_t k = i; k < n && k < i + 8; ++k) {
        const double by = raise_one(k, longer, felt);
        if (by == 0) continue;
        if (!pulled) std::memset(pull, 0, std::size_t(n) * sizeof(double));
        pulled = true;
        pull[k] = by;
      }
    }
    if (felt) factor(0);
    if (!pulled) return false;
    double diagonal;
    look(pull, diagonal);
    move(pull, -1);
    return true;
  }
  // Among eight features.
  REGRETLESS_INLINE bool any_larger(std::int64_t i, double longer) const {
    const Octet size = eight_of(x, i, n, 0) * eight(longer);
    return largest_of(size * size - eight_of(sizes, i, n, 0)) > 0;
  }
  // One feature, if it is larger; how much of its weight is in the way.
  REGRETLESS_INLINE double raise_one(std::int64_t i, double longer, bool& felt) const {
    const double size = x[i] * longer, square = size * size;
    if (!(square > sizes[i])) return 0;
    const double before = start(sizes[i]), after = start(square), next = 1 / (shed[i] + after);
    sizes[i] = square;
    for (std::int64_t r = 0; r < used; ++r)
      if (const double b = row(r)[i] * (next - inverse[i]); b != 0) {
        felt = true;
        for (std::int64_t q = 0; q < used; ++q) gram[r * room + q] += b * row(q)[i];
      }
    inverse[i] = next;
    return weights[i] == 0 ? 0 : (after - before) * weights[i];
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
      products(rows, r + 1, strip, n, gram + r * room);
      for (std::int64_t q = 0; q < r; ++q) gram[q * room + r] = gram[r * room + q];
    }
    factor(0);
  }

  static constexpr std::int64_t strip_width = 64, rows_at_once = 5;
  void shed_row(std::int64_t from, std::int64_t width, const double* row) const {
    double* const __restrict into = shed + from;
    for (std::int64_t i = 0; i < width; ++i) into[i] += row[i] * row[i];
    if (!drawn) return;
    double* const __restrict once = drawn + from, * const __restrict twice = drawn_squares + from;
    const double* const __restrict w = weights + from;
    for (std::int64_t i = 0; i < width; ++i) {
      const double square = row[i] * row[i];
      once[i] += square * w[i];
      twice[i] += square * (w[i] * w[i]);
    }
  }
  void turn_strip(std::int64_t from, std::int64_t width, std::int64_t rank, const std::int64_t* order) const {
    // Many rows go to where the eigenvalues were, which are not needed any more: stacks of threads may be small.
    double few[strip_width * strip_width], turned[rows_at_once * strip_width];
    double* const old = room > strip_width ? vectors + room * room : few;
    for (std::int64_t r = 0; r < room; ++r) {
      std::memcpy(old + r * strip_width, row(r) + from, std::size_t(width) * sizeof(double));
      for (std::int64_t i = width; i % 8 != 0; ++i) old[r * strip_width + i] = 0;
    }
    for (std::int64_t e = 0; e < room; e += rows_at_once) {
      const std::int64_t count = std::min(rows_at_once, room - e);
      for (std::int64_t i = 0; i < width; i += 8) turn_eight(old + i, order + e, count, turned + i);
      for (std::int64_t k = 0; k < count; ++k)
        if (e + k < rank)
          std::memcpy(rows + (e + k) * n + from, turned + k * strip_width, std::size_t(width) * sizeof(double));
        else shed_row(from, width, turned + k * strip_width);
    }
  }
  // Eight numbers of several turned rows; where there are fewer, the last one again.
  REGRETLESS_INLINE void turn_eight(const double* old, const std::int64_t* order, std::int64_t count,
                                    double* turned) const {
    const double* by[rows_at_once];
    for (std::int64_t k = 0; k < rows_at_once; ++k) by[k] = vectors + order[k < count ? k : count - 1] * room;
    Octet sum[rows_at_once]{};
    for (std::int64_t r = 0; r < room; ++r) {
      const Octet of = at(old, r * strip_width);
      for (int k = 0; k < rows_at_once; ++k) sum[k] = sum[k] + eight(by[k][r]) * of;
    }
    for (std::int64_t k = 0; k < count; ++k) put(turned + k * strip_width, sum[k]);
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
