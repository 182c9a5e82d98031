// K between the rows of a block and the support, many at once. A lane is a row of the block; products and squared
// lengths are summed column by column, in one order for every layout, tile and instruction set.
#pragma once
#include <algorithm>

#include "any_rows.hpp"
#include "simd_math.hpp"
#include "kernel_types.hpp"

namespace regretless::REGRETLESS_ISA {

// From products to values of the kernel: for eight rows and one of the support, or for one pair.
struct KernelFunction {
  KernelRules rules;

  REGRETLESS_INLINE Octet operator()(const Octet& product, const Octet& norm2, double support_norm2) const {
    if (rules.kind == KernelKind::rbf) {
      const Octet distance2 = (norm2 + eight(support_norm2)) - (product + product);
      return exp_of(eight(-rules.gamma) * upper(distance2, eight(0))) + eight(rules.offset);
    }
    if (rules.kind == KernelKind::linear) return product + eight(rules.offset);
    const Octet base = eight(rules.gamma) * product + eight(rules.coef0);
    Octet power = base;
    for (std::int64_t k = 1; k < rules.degree; ++k) power = power * base;
    return power + eight(rules.offset);
  }
  // K(x, x).
  double self(double norm2) const {
    if (rules.kind == KernelKind::rbf) return 1 + rules.offset;
    if (rules.kind == KernelKind::linear) return norm2 + rules.offset;
    const double base = rules.gamma * norm2 + rules.coef0;
    double power = base;
    for (std::int64_t k = 1; k < rules.degree; ++k) power = power * base;
    return power + rules.offset;
  }
};

template <class Row>
inline double squared_length(const Row& row) {
  double sum = 0;
  for (std::int64_t k = 0; k < row.n; ++k) sum += double(row.x[k]) * double(row.x[k]);
  return sum;
}

// What all kinds of blocks have: which rows, their squared lengths and their K(x, x).
template <std::int64_t lanes>
struct BlockOf {
  static constexpr std::int64_t width = lanes;
  std::int64_t first = 0, n = 0;
  double norm2[lanes] = {}, self[lanes] = {};

  REGRETLESS_INLINE std::int64_t panels() const { return (n + 7) / 8; }
};

// Rows are laid out eight by eight, column by column, and met by as many rows of a dense support at a time as the
// registers hold. Once laid out all rows are alike, so the loops over the support are compiled once for rows of any
// type.
struct DenseValues : BlockOf<dense_lanes> {
  AnyRows rows;
  Support& support;
  KernelFunction kernel;
  double* panel;  // (panels, columns, 8)

#if defined(__AVX512F__)
  static constexpr int tall = 8;
#elif defined(__AVX2__)
  static constexpr int tall = 5;
#else
  static constexpr int tall = 2;
#endif

  DenseValues(const AnyRows& x, const KernelRules& rules, KernelState& s)
      : rows(x), support(s.support), kernel{rules}, panel(s.scratch + kernel_scratch(0, s.support.targets)) {}

  // Takes the rows t, t + 1, ... that are fit to be read, at most `wanted`; returns what is wrong with the next.
  LinearRefusal open(std::int64_t t, std::int64_t wanted) {
    return std::visit([&](const auto& typed) { return place_rows(typed, t, wanted); }, rows);
  }
  template <Rows X>
  LinearRefusal place_rows(const X& x, std::int64_t t, std::int64_t wanted) {
    first = t;
    n = 0;
    const std::int64_t columns = support.columns;
    for (std::int64_t k = 0; k < (wanted + 7) / 8 * 8 * columns; ++k) panel[k] = 0;
    for (; n < wanted; ++n) {
      if (const LinearRefusal c = x.check(t + n, columns); c != LinearRefusal::none) return c;
      const auto row = x[t + n];
      norm2[n] = squared_length(row);
      self[n] = kernel.self(norm2[n]);
      if (!(norm2[n] < infinity && self[n] < infinity)) return LinearRefusal::not_finite;
      double* lane = panel + n / 8 * columns * 8 + n % 8;
      for (std::int64_t k = 0; k < row.n; ++k) lane[row.column(k) * 8] = row.x[k];
    }
    return LinearRefusal::none;
  }
  bool fits() const { return true; }
  void close() {}

  // visit(slot, panel, K) for the slots from <= s < to, in their order for each panel.
  template <class Visit>
  REGRETLESS_INLINE void sweep(std::int64_t from, std::int64_t to, std::int64_t first_panel, const Visit& visit) const {
    std::int64_t s = from;
    for (; s + tall <= to; s += tall)
      for (std::int64_t p = first_panel; p < panels(); ++p) tile<tall>(s, p, visit);
    for (; s < to; ++s)
      for (std::int64_t p = first_panel; p < panels(); ++p) tile<1>(s, p, visit);
  }
  template <int S, class Visit>
  REGRETLESS_INLINE void tile(std::int64_t s, std::int64_t p, const Visit& visit) const {
    const std::int64_t columns = support.columns;
    const double *a = support.rows + s * columns, *x = panel + p * columns * 8;
    Octet products[S] = {};
    for (std::int64_t k = 0; k < columns; ++k) {
      const Octet lane = at(x, k * 8);
#pragma GCC unroll 8
      for (int i = 0; i < S; ++i) products[i] = products[i] + eight(a[i * columns + k]) * lane;
    }
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) visit(s + i, p, kernel(products[i], at(norm2, p * 8), support.norm2[s + i]));
  }

  // Row i of the block becomes that slot of the support.
  void append(std::int64_t i, std::int64_t slot) {
    double* to = support.rows + slot * support.columns;
    for (std::int64_t k = 0; k < support.columns; ++k) to[k] = panel[(i / 8 * support.columns + k) * 8 + i % 8];
    support.norm2[slot] = norm2[i];
  }
  template <class Visit>
  void fresh(std::int64_t i, std::int64_t slot, const Visit& visit) const {
    sweep(slot, slot + 1, i / 8, visit);
  }
};

// <x, z> of two rows whose columns ascend.
template <class Row>
inline double product_of(const Row& a, const Row& b) {
  double sum = 0;
  for (std::int64_t i = 0, j = 0; i < a.n && j < b.n;) {
    const std::int64_t left = a.column(i), right = b.column(j);
    if (left == right) sum += double(a.x[i]) * double(b.x[j]);
    i += left <= right;
    j += right <= left;
  }
  return sum;
}

// The rows are laid out side by side over the columns of the support, and each row of the support passes over them.
struct SparseValues : BlockOf<sparse_lanes> {
  static constexpr int all = sparse_lanes / 8;
  AnyRows rows;
  Support& support;
  KernelFunction kernel;
  double* work;

  SparseValues(const AnyRows& x, const KernelRules& rules, KernelState& s)
      : rows(x), support(s.support), kernel{rules}, work(s.work) {}

  // The number of a column, or 0.
  REGRETLESS_INLINE std::int64_t place(std::int64_t column) const {
    return column < support.place_columns ? support.place[column] : 0;
  }

  LinearRefusal open(std::int64_t t, std::int64_t wanted) {
    return std::visit([&](const auto& typed) { return place_rows(typed, t, wanted); }, rows);
  }
  template <Rows X>
  LinearRefusal place_rows(const X& x, std::int64_t t, std::int64_t wanted) {
    wipe(x);
    first = t;
    for (; n < wanted; ++n) {
      if (const LinearRefusal c = x.check(t + n, support.columns); c != LinearRefusal::none) return c;
      const auto row = x[t + n];
      norm2[n] = squared_length(row);
      self[n] = kernel.self(norm2[n]);
      if (!(norm2[n] < infinity && self[n] < infinity)) return LinearRefusal::not_finite;
      for (std::int64_t k = 0; k < row.n; ++k)
        if (const std::int64_t at = place(row.column(k))) work[at * sparse_lanes + n] = row.x[k];
    }
    return LinearRefusal::none;
  }
  bool fits() const {
    return std::visit([&](const auto& typed) { return has_room_for(typed); }, rows);
  }
  template <Rows X>
  bool has_room_for(const X& x) const {
    std::int64_t needed = 0, widest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = x[first + i];
      needed += row.n;
      if (row.n) widest = std::max(widest, row.column(row.n - 1) + 1);
    }
    const std::int64_t numbered = std::min(*support.places + needed, support.columns);
    return widest <= support.place_columns && *support.entries + needed <= support.entry_room &&
           numbered <= support.place_room;
  }
  void close() {
    std::visit([&](const auto& typed) { wipe(typed); }, rows);
  }
  // Leaves zeros behind; columns that were numbered since have them already.
  template <Rows X>
  void wipe(const X& x) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = x[first + i];
      for (std::int64_t k = 0; k < row.n; ++k)
        if (const std::int64_t at = place(row.column(k))) work[at * sparse_lanes + i] = 0;
    }
    n = 0;
  }

  template <class Visit>
  REGRETLESS_INLINE void sweep(std::int64_t from, std::int64_t to, std::int64_t, const Visit& visit) const {
    for (std::int64_t s = from; s < to; ++s) {
      const std::int64_t begin = support.begin[s], end = begin + support.length[s];
      Octet products[all] = {};
      for (std::int64_t k = begin; k < end; ++k) {
        const Octet by = eight(support.values[k]);
        const double* lane = work + std::int64_t(support.place[support.indices[k]]) * sparse_lanes;
#pragma GCC unroll 8
        for (int q = 0; q < all; ++q) products[q] = products[q] + by * at(lane, q * 8);
      }
#pragma GCC unroll 8
      for (int q = 0; q < all; ++q) visit(s, q, kernel(products[q], at(norm2, q * 8), support.norm2[s]));
    }
  }

  void append(std::int64_t i, std::int64_t slot) {
    std::visit([&](const auto& typed) { store_row(typed[first + i], slot); }, rows);
    support.norm2[slot] = norm2[i];
  }
  template <class Row>
  void store_row(const Row& row, std::int64_t slot) {
    support.begin[slot] = *support.entries;
    for (std::int64_t k = 0; k < row.n; ++k) {
      if (row.x[k] == 0) continue;
      const std::int64_t column = row.column(k);
      if (!support.place[column]) support.place[column] = std::int32_t(++*support.places);
      support.values[*support.entries] = row.x[k];
      support.indices[*support.entries] = std::int32_t(column);
      ++*support.entries;
    }
    support.length[slot] = *support.entries - support.begin[slot];
  }
  template <class Visit>
  void fresh(std::int64_t i, std::int64_t slot, const Visit& visit) const {
    double products[sparse_lanes] = {};
    std::visit(
        [&](const auto& typed) {
          for (std::int64_t j = i + 1; j < n; ++j) products[j] = product_of(typed[first + i], typed[first + j]);
        },
        rows);
    for (std::int64_t q = i / 8; q < all; ++q)
      visit(slot, q, kernel(at(products, q * 8), at(norm2, q * 8), support.norm2[slot]));
  }
};

// A Gram matrix is merely read.
struct GramValues : BlockOf<gram_lanes> {
  const GramTable& table;
  Support& support;
  const std::int64_t* order;

  GramValues(const GramTable& g, const std::int64_t* o, KernelState& s) : table(g), support(s.support), order(o) {}

  std::int64_t row(std::int64_t t) const { return order ? order[t] : t; }
  double value(std::int64_t i, std::int64_t column) const {
    return table.gram[row(first + i) * table.columns + column];
  }

  LinearRefusal open(std::int64_t t, std::int64_t wanted) {
    first = t;
    for (n = 0; n < wanted; ++n) {
      if (table.self < 0) continue;
      self[n] = table.gram[row(t + n) * table.columns + table.self + row(t + n)];
      if (!(self[n] >= 0 && self[n] < infinity)) return LinearRefusal::not_finite;
    }
    return LinearRefusal::none;
  }
  bool fits() const { return true; }
  void close() {}
  template <class Visit>
  void sweep(std::int64_t from, std::int64_t to, std::int64_t, const Visit& visit) const {
    double lane[gram_lanes] = {};
    for (std::int64_t s = from; s < to; ++s) {
      for (std::int64_t i = 0; i < n; ++i) lane[i] = value(i, support.column[s]);
      for (std::int64_t p = 0; p < panels(); ++p) visit(s, p, at(lane, p * 8));
    }
  }
  void append(std::int64_t i, std::int64_t slot) {
    support.column[slot] = table.self + row(first + i);
    support.norm2[slot] = self[i];
  }
  template <class Visit>
  void fresh(std::int64_t, std::int64_t slot, const Visit& visit) const {
    sweep(slot, slot + 1, 0, visit);
  }
};

}  // namespace regretless::REGRETLESS_ISA
