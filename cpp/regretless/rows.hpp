// What a learner may see of the data: rows, each a list of (column, value), dense or compressed.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "linear_types.hpp"
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// A row hands out the weights of eight of its entries at a time, and takes eight additions to them.
template <class V>
struct DenseRow {
  using Value = V;
  const V* x;
  std::int64_t n;
  REGRETLESS_INLINE std::int64_t column(std::int64_t k) const { return k; }
  REGRETLESS_INLINE Eight pick8(const double* w, std::int64_t k) const { return load<8>(w + k); }
  REGRETLESS_INLINE Eight pick_some(const double* w, std::int64_t k) const { return load_some(w + k, n - k); }
  REGRETLESS_INLINE void add8(double* w, std::int64_t k, const Eight& step) const {
    store(w + k, load<8>(w + k) + step);
  }
};

template <class V, class I>
struct SparseRow {
  using Value = V;
  const V* x;
  const I* j;
  std::int64_t n;
  REGRETLESS_INLINE std::int64_t column(std::int64_t k) const { return j[k]; }
  REGRETLESS_INLINE Eight pick8(const double* w, std::int64_t k) const { return gather8(w, j + k); }
  REGRETLESS_INLINE Eight pick_some(const double* w, std::int64_t k) const { return gather_some(w, j + k, n - k); }
  REGRETLESS_INLINE void add8(double* w, std::int64_t k, const Eight& step) const {
    double one[8];
    store(one, step);
    for (int l = 0; l < 8; ++l) w[j[k + l]] += one[l];
  }
};

// Fetching far ahead of what is read never faults; the addresses need not even exist. What has not been checked yet may
// claim any length, so no row has more fetched of it than a page.
REGRETLESS_INLINE void fetch(const void* base, std::int64_t offset, std::int64_t bytes) {
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(base) + std::uintptr_t(offset);
  if (bytes > 4096) bytes = 4096;
  for (std::int64_t b = 0; b < bytes; b += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(from + std::uintptr_t(b)));
}

inline constexpr std::int64_t entries_ahead = 256;  // are fetched of rows in order

// Copies the columns of a row, which another thread may write to meanwhile; whether those of the copy ascend. Columns
// and values ahead are fetched along with it: where rows differ in length, the end of a loop is guessed wrong, and this
// one saves two others. For the same reason the last columns are copied with some that were copied before.
template <class V, class I>
REGRETLESS_APART static bool copies_ascending(const V* values, const I* from, I* to, std::int64_t n) {
  constexpr int N = breadth<I>;
  using Columns = typename Pack<I, N>::Loose;
  const auto fetch_with = [&](std::int64_t k) {
    fetch(from, (k + entries_ahead) * std::int64_t(sizeof(I)), 1);
    fetch(values, (k + entries_ahead) * std::int64_t(sizeof(V)), 1);
  };
  const auto all = [](I column) { return typename Pack<I, N>::Register{} + column; };
  auto before = all(std::numeric_limits<I>::min());
  auto fell = before > before;
  const auto copy = [&](std::int64_t k) {
    fetch_with(k);
    const typename Pack<I, N>::Register here = *reinterpret_cast<const Columns*>(from + k);
    *reinterpret_cast<Columns*>(to + k) = here;
    fell |= here <= moved_on(before, here);
    before = here;
  };
  if (n < N) {
    fetch_with(0);
    I last = before[0];
    bool any = false;
    for (std::int64_t k = 0; k < n; ++k) {
      to[k] = from[k];
      any |= to[k] <= last;
      last = to[k];
    }
    return !any;
  }
  std::int64_t k = 0;
  for (; k + N <= n; k += N) copy(k);
  if (k < n) {
    before = all(to[n - N - 1]);
    copy(n - N);
  }
  return !any_bit(fell);
}

template <class V>
struct Dense {
  using Row = DenseRow<V>;
  const V* x;
  std::int64_t rows, columns;
  const std::int64_t* order;

  explicit Dense(const Block& b)
      : x(static_cast<const V*>(b.values)), rows(b.rows), columns(b.columns), order(b.order) {}

  REGRETLESS_INLINE std::int64_t at(std::int64_t t) const { return order ? order[t] : t; }
  REGRETLESS_INLINE LinearRefusal check(std::int64_t, std::int64_t limit) const {
    return columns <= limit ? LinearRefusal::none : LinearRefusal::out_of_range;
  }
  REGRETLESS_INLINE Row operator[](std::int64_t t) const { return {x + at(t) * columns, columns}; }
  REGRETLESS_INLINE void prefetch(std::int64_t t, std::int64_t end) const {
    constexpr std::int64_t size = sizeof(V);
    if (order && t + 4 < end) fetch(x, order[t + 4] * columns * size, columns * size);
  }
  REGRETLESS_INLINE void prefetch_weights(std::int64_t, const double*, std::int64_t) const {}  // they are read in a row
};

// Memory of one call alone: the state's own is that of the thread that learns, while others score.
template <class T>
struct Buffer {
  T* at = nullptr;
  std::int64_t room = 0;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { delete[] at; }
  REGRETLESS_APART void make(std::int64_t n) {
    T* const more = new T[std::size_t(2 * n)];
    delete[] at;
    at = more;
    room = 2 * n;
  }
};

template <class V, class I>
struct Sparse {
  using Row = SparseRow<V, I>;
  const V* x;
  const I* theirs;  // the caller's columns
  I* copies;  // those of the row that was checked last, if they are copied row by row: always the same cache lines
  const void* starts;
  bool wide;
  std::int64_t rows, entries;
  const std::int64_t* order;
  const void* next;  // read with indices that are here already, to be here in time

  explicit Sparse(const Block& b)
      : x(static_cast<const V*>(b.values)), theirs(static_cast<const I*>(b.indices)), copies(static_cast<I*>(b.copies)),
        starts(b.starts), wide(b.wide_starts), rows(b.rows), entries(b.entries), order(b.order), next(b.copied_next) {}

  REGRETLESS_INLINE std::int64_t start(std::int64_t row) const {
    return wide ? static_cast<const std::int64_t*>(starts)[row] : static_cast<const std::int32_t*>(starts)[row];
  }
  REGRETLESS_INLINE std::int64_t at(std::int64_t t) const { return order ? order[t] : t; }
  REGRETLESS_INLINE bool whole(std::int64_t row) const {
    return start(row) >= 0 && start(row) <= start(row + 1) && start(row + 1) <= entries;
  }

  // Before a row is read: are its bounds sane, do its columns ascend, and do they exist? Of ascending columns only the
  // first and the last need be looked at. Where columns are copied, a row is read before the next one is checked.
  REGRETLESS_INLINE LinearRefusal check(std::int64_t t, std::int64_t limit) const {
    if (!whole(at(t))) return LinearRefusal::broken_starts;
    const std::int64_t begin = start(at(t)), n = start(at(t) + 1) - begin;
    if (n == 0) return LinearRefusal::none;
    const I* const columns = copies ? copies : theirs + begin;
    const bool ascend = copies ? copies_ascending(x + begin, theirs + begin, copies, n) : ascends(columns, n);
    if (!ascend) return LinearRefusal::unsorted;
    return columns[0] >= 0 && columns[n - 1] < limit ? LinearRefusal::none : LinearRefusal::out_of_range;
  }
  REGRETLESS_INLINE Row operator[](std::int64_t t) const {
    const std::int64_t begin = start(at(t));
    return {x + begin, copies ? copies : theirs + begin, start(at(t) + 1) - begin};
  }

  // In order, as much of the two streams as the row holds is fetched ahead, unless it was as columns were copied;
  // shuffled, whole rows are fetched four rounds ahead and their starts eight.
  REGRETLESS_INLINE void prefetch(std::int64_t t, std::int64_t end) const {
    if (order) [[unlikely]]
      prefetch_shuffled(t, end);
    else if (!copies) fetch_in_order(start(t), start(t + 1) - start(t));
  }
  // The weights of round t, which has not been checked yet, each in `bytes` at once: into the second-level cache, for a
  // row's weights may be more than the first holds.
  REGRETLESS_INLINE void prefetch_weights(std::int64_t t, const double* w, std::int64_t bytes) const {
    if (!whole(at(t))) return;
    const Row row = (*this)[t];
    const I* const columns = theirs + start(at(t));
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(w);
    for (std::int64_t k = 0; k < row.n; ++k) {
      const std::uintptr_t at = from + std::uintptr_t(columns[k]) * std::uintptr_t(bytes);
      for (std::int64_t b = 0; b < bytes; b += 64)
        __builtin_prefetch(reinterpret_cast<const void*>(at + std::uintptr_t(b)), 0, 2);
    }
  }

 private:
  REGRETLESS_INLINE void prefetch_shuffled(std::int64_t t, std::int64_t end) const {
    if (t + 8 < end) fetch(starts, order[t + 8] * (wide ? 8 : 4), 1);
    if (t + 4 < end && whole(order[t + 4]))
      fetch_entries(start(order[t + 4]), start(order[t + 4] + 1) - start(order[t + 4]));
  }
  REGRETLESS_INLINE void fetch_in_order(std::int64_t begin, std::int64_t n) const {
    constexpr std::int64_t size = sizeof(I);
    if (next) fetch(next, begin * size, n * size);
    else fetch(theirs, (begin + entries_ahead) * size, n * size);
    fetch(x, (begin + entries_ahead) * std::int64_t(sizeof(V)), n * std::int64_t(sizeof(V)));
  }
  REGRETLESS_INLINE void fetch_entries(std::int64_t begin, std::int64_t n) const {
    fetch(theirs, begin * std::int64_t(sizeof(I)), n * std::int64_t(sizeof(I)));
    fetch(x, begin * std::int64_t(sizeof(V)), n * std::int64_t(sizeof(V)));
  }
};

// Beyond so many columns vectors do not stay in the nearest caches.
inline constexpr std::int64_t near_columns = 1 << 14;

template <class X>
concept Rows = requires(const X& rows, std::int64_t t, const double* w) {
  { rows.check(t, t) } -> std::same_as<LinearRefusal>;
  { rows[t] } -> std::same_as<typename X::Row>;
  rows.prefetch(t, t);
  rows.prefetch_weights(t, w, t);
};

// A row with zeros in it: they take no place in the order of the sums, so that a dense row and its sparse twin agree.
// The others are moved together, block by block.
template <class Row>
REGRETLESS_APART static double product_past_zeros(const Row& row, const double* w, double& norm2) {
  constexpr std::int64_t room = 256;
  double value[room], weight[room];
  Eight dot{}, norm{};
  for (std::int64_t k = 0; k < row.n;) {
    std::int64_t count = 0;
    for (; k < row.n && count < room; ++k) {
      value[count] = row.x[k];
      weight[count] = w[row.column(k)];
      count += row.x[k] != 0;
    }
    for (; count % 8 != 0; ++count) value[count] = weight[count] = 0;
    for (std::int64_t i = 0; i < count; i += 8) {
      const Eight v = load<8>(value + i);
      dot = dot + load<8>(weight + i) * v;
      norm = norm + v * v;
    }
  }
  norm2 = tree(norm);
  return tree(dot);
}

// The product of a row with the weights, and the row's squared length. Where no square is zero there is no zero.
template <class Row>
REGRETLESS_INLINE double product_and_norm(const Row& row, const double* w, double& norm2) {
  Eight dot{}, norm{};
  Pack<double, one_register> shortest = spread<one_register>(1);
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    const Eight v = load<8>(row.x + k), square = v * v;
    dot = dot + row.pick8(w, k) * v;
    norm = norm + square;
    shortest = least(narrowed(square), shortest);
  }
  if (k < row.n) {
    const Eight v = load_some(row.x + k, row.n - k), square = v * v;
    dot = dot + row.pick_some(w, k) * v;
    norm = norm + square;
    shortest = least(narrowed(square + load<8>(zeros_then_ones + 8 - (row.n - k))), shortest);
  }
  if (smallest(shortest) == 0) [[unlikely]]
    return product_past_zeros(row, w, norm2);
  norm2 = tree(norm);
  return tree(dot);
}

// The product of two vectors.
REGRETLESS_INLINE double product(const double* a, const double* b, std::int64_t n) {
  Eight sum{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) sum = sum + load<8>(a + i) * load<8>(b + i);
  if (i < n) sum = sum + load_some(a + i, n - i) * load_some(b + i, n - i);
  return tree(sum);
}

// w <- w + a x. The products are made eight at a time; sparse sums are stored one by one, as the next row may read any.
template <class Row>
REGRETLESS_APART static void add(const Row& row, double a, double* w) {
  const Eight by = spread<8>(a);
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) row.add8(w, k, by * load<8>(row.x + k));
  for (; k < row.n; ++k) w[row.column(k)] += a * row.x[k];
}

// The same to two arrays in one reading of the row.
template <class Row>
REGRETLESS_APART static void add_both(const Row& row, double a, double* w, double b, double* u) {
  const Eight first = spread<8>(a), second = spread<8>(b);
  std::int64_t k = 0;
  for (; k + 8 <= row.n; k += 8) {
    const Eight v = load<8>(row.x + k);
    row.add8(w, k, first * v);
    row.add8(u, k, second * v);
  }
  for (; k < row.n; ++k) {
    w[row.column(k)] += a * row.x[k];
    u[row.column(k)] += b * row.x[k];
  }
}

}  // namespace regretless::REGRETLESS_ISA
