// What a learner may see of the data: rows, each a list of (column, value), dense or compressed.
#pragma once
#include <concepts>
#include <cstddef>

#include "game.hpp"
#include "lanes.hpp"

namespace regretless::REGRETLESS_ISA {

template <class V>
struct DenseRow {
  using Value = V;
  const V* x;
  std::int64_t n;
  REGRETLESS_INLINE std::int64_t column(std::int64_t k) const { return k; }
  REGRETLESS_INLINE Eight pick8(const double* w, std::int64_t k) const { return load8(w + k); }
};

template <class V, class I>
struct SparseRow {
  using Value = V;
  const V* x;
  const I* j;
  std::int64_t n;
  REGRETLESS_INLINE std::int64_t column(std::int64_t k) const { return j[k]; }
  REGRETLESS_INLINE Eight pick8(const double* w, std::int64_t k) const { return gather8(w, j + k); }
};

// Prefetching far ahead of what is read never faults; the addresses need not even exist.
REGRETLESS_INLINE void fetch(const void* from, std::int64_t bytes) {
  const char* p = static_cast<const char*>(from);
  for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(p + b);
}

template <class V>
struct Dense {
  using Row = DenseRow<V>;
  const V* x;
  std::int64_t rows, columns;
  const std::int64_t* order;

  explicit Dense(const Block& b)
      : x(static_cast<const V*>(b.values)), rows(b.rows), columns(b.columns), order(b.order) {}

  std::int64_t at(std::int64_t t) const { return order ? order[t] : t; }
  Complaint check(std::int64_t, std::int64_t limit) const {
    return columns <= limit ? Complaint::none : Complaint::out_of_range;
  }
  REGRETLESS_INLINE Row operator[](std::int64_t t) const { return {x + at(t) * columns, columns}; }
  REGRETLESS_INLINE void prefetch(std::int64_t t, std::int64_t end) const {
    if (order && t + 4 < end) fetch(x + order[t + 4] * columns, columns * std::int64_t(sizeof(V)));
  }
};

template <class V, class I>
struct Sparse {
  using Row = SparseRow<V, I>;
  const V* x;
  const I* j;
  const void* starts;
  bool wide;
  std::int64_t rows, entries;
  const std::int64_t* order;

  explicit Sparse(const Block& b)
      : x(static_cast<const V*>(b.values)), j(static_cast<const I*>(b.indices)), starts(b.starts),
        wide(b.wide_starts), rows(b.rows), entries(b.entries), order(b.order) {}

  REGRETLESS_INLINE std::int64_t start(std::int64_t t) const {
    return wide ? static_cast<const std::int64_t*>(starts)[t] : static_cast<const std::int32_t*>(starts)[t];
  }
  std::int64_t at(std::int64_t t) const { return order ? order[t] : t; }

  // Before a row is read: are its bounds sane, do its columns ascend, and do they exist? Ascending columns
  // need only their first and last checked.
  REGRETLESS_INLINE Complaint check(std::int64_t t, std::int64_t limit) const {
    const std::int64_t begin = start(at(t)), end = start(at(t) + 1), n = end - begin;
    if (begin < 0 || n < 0 || end > entries) return Complaint::broken_starts;
    if (n == 0) return Complaint::none;
    const I* c = j + begin;
    int falls = 0;
    for (std::int64_t k = 1; k < n; ++k) falls |= c[k] <= c[k - 1];
    if (falls) return Complaint::unsorted;
    return c[0] >= 0 && c[n - 1] < limit ? Complaint::none : Complaint::out_of_range;
  }
  REGRETLESS_INLINE Row operator[](std::int64_t t) const {
    const std::int64_t begin = start(at(t));
    return {x + begin, j + begin, start(at(t) + 1) - begin};
  }
  // In order, the two streams are fetched 256 entries ahead; shuffled, whole rows are fetched four rounds ahead.
  REGRETLESS_INLINE void prefetch(std::int64_t t, std::int64_t end) const {
    if (!order) {
      const std::int64_t begin = start(t), n = start(t + 1) - begin;
      fetch(j + begin + 256, n * std::int64_t(sizeof(I)));
      fetch(x + begin + 256, n * std::int64_t(sizeof(V)));
    } else {
      if (t + 8 < end) __builtin_prefetch(static_cast<const char*>(starts) + order[t + 8] * (wide ? 8 : 4));
      if (t + 4 < end) {
        const std::int64_t begin = start(order[t + 4]), n = start(order[t + 4] + 1) - begin;
        if (begin >= 0 && n > 0) {
          fetch(j + begin, n * std::int64_t(sizeof(I)));
          fetch(x + begin, n * std::int64_t(sizeof(V)));
        }
      }
    }
  }
};

template <class X>
concept Rows = requires(const X& rows, std::int64_t t) {
  { rows.check(t, t) } -> std::same_as<Complaint>;
  { rows[t] } -> std::same_as<typename X::Row>;
  rows.prefetch(t, t);
};

// What one look at a row tells: its product with the weights and its squared length.
struct Glance {
  double dot, norm2;
};

// A row with stored zeros: they take no place in the order of the sums, so that a dense row and its sparse twin agree.
template <class Row>
REGRETLESS_APART Glance glance_past_zeros(const Row& row, const double* w) {
  double dot[8] = {}, norm[8] = {};
  std::int64_t place = 0;
  for (std::int64_t k = 0; k < row.n; ++k) {
    const double v = row.x[k];
    dot[place & 7] += w[row.column(k)] * v;
    norm[place & 7] += v * v;
    place += v != 0;
  }
  Eight d, q;
  std::memcpy(&d, dot, sizeof d);
  std::memcpy(&q, norm, sizeof q);
  return {tree(d), tree(q)};
}

// Not inlined: one copy for each kind of row serves all compositions of the loop.
template <class Row>
REGRETLESS_APART Glance glance(const Row& row, const double* w) {
  Eight dot{}, norm{};
  EightMasks zero{};
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    const Eight v = load8(row.x + k);
    dot += row.pick8(w, k) * v;
    norm += v * v;
    zero |= v == 0;
  }
  bool zeros = false;
  if (k < row.n) {
    double v[8] = {}, p[8] = {};
    for (std::int64_t l = 0; k + l < row.n; ++l) {
      v[l] = row.x[k + l];
      p[l] = w[row.column(k + l)];
      zeros |= v[l] == 0;
    }
    const Eight tail = load8(v);
    dot += load8(p) * tail;
    norm += tail * tail;
  }
  for (int l = 0; l < 8; ++l) zeros |= zero[l] != 0;
  if (zeros) [[unlikely]] return glance_past_zeros(row, w);
  return {tree(dot), tree(norm)};
}

// The products of one row with several targets' weights, each summed in the order that `glance` uses.
template <class Row>
REGRETLESS_APART double glance_many(const Row& row, const double* w, std::int64_t targets, double* dots) {
  bool zeros = false;
  for (std::int64_t k = 0; k < row.n; ++k) zeros |= row.x[k] == 0;
  const auto value = [&](std::int64_t k) { return double(row.x[k]); };
  std::int64_t c = 0;
  for (; c + 8 <= targets && !zeros; c += 8) {
    Eight lane[8] = {};
    std::int64_t k = 0;
    for (; k + 8 <= row.n; k += 8)
      for (int l = 0; l < 8; ++l) lane[l] += load8(w + row.column(k + l) * targets + c) * value(k + l);
    for (int l = 0; k + l < row.n; ++l) lane[l] += load8(w + row.column(k + l) * targets + c) * value(k + l);
    const Eight sum = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    std::memcpy(dots + c, &sum, sizeof sum);
  }
  for (; c < targets; ++c) {
    double lane[8] = {};
    std::int64_t place = 0;
    for (std::int64_t k = 0; k < row.n; ++k) {
      lane[place & 7] += w[row.column(k) * targets + c] * value(k);
      place += value(k) != 0;
    }
    dots[c] = tree(load8(lane));
  }
  double norm[8] = {};
  std::int64_t place = 0;
  for (std::int64_t k = 0; k < row.n; ++k) {
    norm[place & 7] += value(k) * value(k);
    place += value(k) != 0;
  }
  return tree(load8(norm));
}

}  // namespace regretless::REGRETLESS_ISA
