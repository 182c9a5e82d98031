// Rounds of learners of rows, sound or hostile: what the binding has seen to is kept here, too (sizes that fit each
// other, an order and labels that exist), nothing else is. So starts, indices, values and weights of rounds may be
// anything.
#pragma once
#include <algorithm>

#include "input.hpp"
#include "regretless/linear_types.hpp"

namespace fuzz {

struct Rounds {
  std::vector<double> doubles, weights;
  std::vector<float> floats;
  std::vector<std::int32_t> indices, starts32, labels, copies;
  std::vector<std::int64_t> starts64, order;
  regretless::Block block;
  regretless::Labels of;
  std::int64_t count = 0, begin = 0, end = 0;

  Rounds() = default;
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;
};

inline void fill_values(Input& in, Rounds& r, std::int64_t n) {
  regretless::Block& b = r.block;
  b.entries = n;
  b.single = in.flag();
  if (b.single)
    r.floats = array<float>(n, [&] {
      const double x = in.any();
      return std::fabs(x) < 3e38 || x - x != 0 ? x : 3e38;
    });
  else r.doubles = array<double>(n, [&] { return in.any(); });
  b.values = b.single ? static_cast<const void*>(at(r.floats)) : at(r.doubles);
}

// Sound starts and columns, a few of them broken.
inline void fill_sparse(Input& in, Rounds& r, std::int64_t columns) {
  regretless::Block& b = r.block;
  const bool broken = in.byte() >= 192;
  std::vector<std::int64_t> starts{0}, indices;
  for (std::int64_t t = 0; t < b.rows; ++t) {
    for (std::int64_t j = in.below(4); j < columns; j += 1 + in.below(4)) indices.push_back(j);
    starts.push_back(std::int64_t(indices.size()));
  }
  if (broken)
    for (std::int64_t k = in.within(1, 3); k > 0; --k) {
      std::vector<std::int64_t>& of = in.flag() && !indices.empty() ? indices : starts;
      of[std::size_t(in.below(std::int64_t(of.size())))] = in.hostile();
    }
  fill_values(in, r, std::int64_t(indices.size()));
  b.wide_starts = in.flag();
  std::size_t i = 0, s = 0;
  const auto next_index = [&] { return indices[i++]; };
  const auto next_start = [&] { return starts[s++]; };
  const std::int64_t entries = std::int64_t(indices.size()), bounds = b.rows + 1;
  r.indices = array<std::int32_t>(entries, next_index);
  b.indices = at(r.indices);
  if (b.wide_starts) {
    r.starts64 = array<std::int64_t>(bounds, next_start);
    b.starts = at(r.starts64);
  } else {
    r.starts32 = array<std::int32_t>(bounds, next_start);
    b.starts = at(r.starts32);
  }
}

inline void fill_labels(Input& in, Rounds& r, std::int64_t targets, bool sound) {
  const std::int64_t rows = r.block.rows;
  r.labels = array<std::int32_t>(rows, [&] { return targets == 1 ? (in.flag() ? 1 : -1) : in.below(targets); });
  r.of.label = at(r.labels);
  if (in.byte() < 64) {
    r.weights = array<double>(rows, [&] { return sound ? std::fabs(in.finite()) : in.any(); });
    r.of.weight = r.weights.data();
  }
  r.count = rows;
  if (rows && in.byte() < 64) {
    r.order = array<std::int64_t>(in.below(12), [&] { return in.below(rows); });
    r.block.order = at(r.order);
    r.count = std::int64_t(r.order.size());
  }
  r.end = r.count ? in.within(0, r.count) : 0;
  if (in.byte() < 192) r.end = r.count;
  r.begin = in.byte() < 64 && r.end ? in.below(r.end + 1) : 0;
}

// Rows for a learner of so many columns; not all of as many.
inline void fill(Input& in, Rounds& r, std::int64_t columns, std::int64_t targets, bool sound) {
  r.block.rows = in.below(10);
  if (in.flag()) {
    fill_sparse(in, r, columns);
  } else {
    r.block.columns = in.byte() < 224 ? columns : in.below(2 * columns + 2);
    fill_values(in, r, r.block.rows * r.block.columns);
  }
  fill_labels(in, r, targets, sound);
}

// Has the columns of sparse rows copied row by row, into room that holds the longest row, as the binding does where
// rows are in order.
inline void copy_by_rows(Rounds& r) {
  regretless::Block& b = r.block;
  if (!b.starts || b.order) return;
  const auto start = [&](std::int64_t t) {
    return b.wide_starts ? r.starts64[std::size_t(t)] : std::int64_t(r.starts32[std::size_t(t)]);
  };
  std::int64_t longest = 0;
  for (std::int64_t t = 0; t < b.rows; ++t)
    if (start(t) >= 0 && start(t + 1) <= b.entries) longest = std::max(longest, start(t + 1) - start(t));
  r.copies = std::vector<std::int32_t>(std::size_t(longest));
  b.copies = at(r.copies);
}

// Of dense rows in doubles the same without their zeros.
inline void thin(const Rounds& r, Rounds& sparse) {
  const std::int64_t rows = r.block.rows, columns = r.block.columns;
  sparse.starts32.push_back(0);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const double x = r.doubles[std::size_t(t * columns + j)];
      if (x != 0) {
        sparse.doubles.push_back(x);
        sparse.indices.push_back(std::int32_t(j));
      }
    }
    sparse.starts32.push_back(std::int32_t(sparse.doubles.size()));
  }
  sparse.doubles.shrink_to_fit();
  sparse.indices.shrink_to_fit();
  sparse.starts32.shrink_to_fit();
  sparse.block.rows = rows;
  sparse.block.entries = std::int64_t(sparse.doubles.size());
  sparse.block.values = at(sparse.doubles);
  sparse.block.indices = at(sparse.indices);
  sparse.block.starts = at(sparse.starts32);
  sparse.block.order = r.block.order;
  sparse.of = r.of;
  sparse.count = r.count;
  sparse.begin = r.begin;
  sparse.end = r.end;
}
inline bool can_be_thinned(const Rounds& r, std::int64_t columns) {
  return !r.block.starts && !r.block.single && r.block.columns <= columns;
}

// What books say of so many rounds from their start. Where there are several targets, the last one is of the whole.
inline void check_books(const std::vector<double>& books, std::int64_t targets, std::int64_t played) {
  const auto* book = reinterpret_cast<const regretless::Ledger*>(books.data());
  const std::int64_t count = targets + (targets > 1);
  for (std::int64_t c = 0; c < count; ++c) {
    MUST(book[c].rounds == double(played));
    MUST(is_count(book[c].mistakes, book[c].rounds) && is_count(book[c].weighted, book[c].rounds));
    MUST(is_count(book[c].updates, book[c].rounds * double(c < targets ? 1 : targets)));
    MUST(book[c].max_norm2 >= 0 && book[c].total_norm2 >= book[c].max_norm2);
    MUST(book[c].total_norm2 >= book[c].update_norm2);
  }
}

}  // namespace fuzz
