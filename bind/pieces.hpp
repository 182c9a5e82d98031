// Sparse rows, a piece at a time, with their starts and columns copied or to be copied; columns become int32.
#pragma once
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "room.hpp"
#include "rounds.hpp"

namespace regretless {

// No state has as many columns as the last int32 numbers, which stand for columns that are too large for one.
inline constexpr std::int64_t most_columns = (std::int64_t(1) << 31) - (1 << 21);
inline void check_column_count(std::size_t columns) {
  demand(std::int64_t(columns) <= most_columns, "there are too many columns");
}

// Copies columns as int32. Those of a row that do not fit stay in their order, out of every state's range.
inline void copy_columns(const Block& block, std::int64_t from, std::int64_t n, std::int32_t* to) {
  if (n == 0) return;
  if (!block.wide_indices) {
    std::memcpy(to, static_cast<const std::int32_t*>(block.indices) + from, std::size_t(n) * sizeof *to);
    return;
  }
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(),
                         most = std::numeric_limits<std::int32_t>::max(), several = 1 << 20;
  const std::int64_t* const wide = static_cast<const std::int64_t*>(block.indices) + from;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t column = wide[k];
    if (column < 0) to[k] = std::int32_t(std::max(column, least + k % several));
    else to[k] = std::int32_t(std::min(column, most - several + k % several));
  }
}

// Sparse rows with columns and starts of their own, which no other thread can change once they are checked.
class OwnRows {
 public:
  explicit OwnRows(const Block& block)
      : block_(block), columns_(room_for<std::int32_t>(block.entries)),
        starts_(room_for<std::int64_t>(block.rows + 1)) {
    copy_columns(block, 0, block.entries, columns_.get());
    for (std::int64_t t = 0; t <= block.rows; ++t)
      starts_[std::size_t(t)] = block.wide_starts ? static_cast<const std::int64_t*>(block.starts)[t]
                                                  : static_cast<const std::int32_t*>(block.starts)[t];
    block_.indices = columns_.get();
    block_.starts = starts_.get();
    block_.wide_indices = false;
    block_.wide_starts = true;
  }
  const Block& block() const { return block_; }

 private:
  Block block_;
  RoomOf<std::int32_t> columns_;
  RoomOf<std::int64_t> starts_;
};

// Columns decide where a kernel reads and writes. It checks those of a row before it uses them; in between, another
// thread may write to the caller's arrays. So kernels are given copies, or room for those of a row, in pieces that stay
// in the cache.
class Pieces {
 public:
  Pieces(const Block& block, std::int64_t begin, std::int64_t end)
      : block_(block), at_(begin), end_(end), value_size_(block.single ? 4 : 8) {}

  bool over() const { return at_ == end_; }

  // The next piece; false if the bounds of the row that comes next are broken.
  bool next() {
    first_ = at_;
    take_starts();
    if (at_ == first_) return false;
    const std::int64_t entries = starts_[at_ - first_];
    reserve(block_.wide_indices ? entries : longest_);
    piece_ = block_;
    piece_.values = static_cast<const char*>(block_.values) + origin_ * value_size_;
    take_columns(entries);
    piece_.starts = starts_;
    piece_.wide_starts = true;
    piece_.rows = at_ - first_;
    piece_.entries = entries;
    return true;
  }

  const Block& block() const { return piece_; }
  std::int64_t first() const { return first_; }  // its first round, of all

 private:
  static constexpr std::int64_t most_entries = 1 << 13, most_rows = 1 << 10;

  // Each start is read once. The first row of a piece may have any length.
  void take_starts() {
    if (block_.wide_starts) take_starts(static_cast<const std::int64_t*>(block_.starts) + at_);
    else take_starts(static_cast<const std::int32_t*>(block_.starts) + at_);
  }
  template <class Start>
  void take_starts(const Start* from) {
    const std::int64_t origin = *from, most = std::min(end_ - at_, most_rows), entries = block_.entries;
    origin_ = origin;
    if (origin < 0) return;
    std::int64_t rows = 0, before = 0, longest = longest_;  // in registers: a store to starts_ might change members
    for (starts_[0] = 0; rows < most; ++rows) {
      const std::int64_t stop = from[rows + 1];
      if (stop < origin + before || stop > entries) break;
      const std::int64_t n = stop - origin;
      if (n > most_entries && rows > 0) break;
      longest = std::max(longest, n - before);
      starts_[rows + 1] = before = n;
    }
    longest_ = longest;
    at_ += rows;
  }

  // Wide columns are copied at once; the others row by row, as the kernel checks them.
  void take_columns(std::int64_t entries) {
    if (!block_.wide_indices) {
      piece_.indices = static_cast<const std::int32_t*>(block_.indices) + origin_;
      piece_.copies = indices_.get();
      return;
    }
    copy_columns(block_, origin_, entries, indices_.get());
    piece_.indices = indices_.get();
    piece_.wide_indices = false;
    piece_.copied_next = static_cast<const std::int64_t*>(block_.indices) + origin_ + entries;
  }

  void reserve(std::int64_t entries) {
    if (entries <= room_) return;
    room_ = std::max(entries, std::min(2 * room_, most_entries));
    indices_.reset(new std::int32_t[std::size_t(room_)]);
  }

  const Block& block_;
  std::int64_t at_, end_, first_ = 0, origin_ = 0, longest_ = 0, room_ = 0;
  const std::int64_t value_size_;  // bytes
  std::int64_t starts_[most_rows + 1];
  std::unique_ptr<std::int32_t[]> indices_;
  Block piece_;
};

// play(block, labels, begin, end, first) for rounds begin <= t < end: for each piece of them, whose rounds count from
// `first`, until one is not played to its end. Dense rows have no columns to copy. Of rounds in another order any row
// may be next: a caller with an order has arrays of its own, which are only copied where columns are wide.
template <class F>
LinearVerdict in_pieces(const Rounds& r, const F& play) {
  if (r.block.starts && r.block.order && r.block.wide_indices) {
    std::vector<std::int32_t> columns(std::size_t(r.block.entries));
    copy_columns(r.block, 0, r.block.entries, columns.data());
    Block block = r.block;
    block.indices = columns.data();
    block.wide_indices = false;
    return play(block, r.of, r.begin, r.end, std::int64_t(0));
  }
  if (!r.block.starts || r.block.order) return play(r.block, r.of, r.begin, r.end, std::int64_t(0));
  Pieces pieces(r.block, r.begin, r.end);
  while (!pieces.over()) {
    if (!pieces.next()) return {pieces.first(), LinearRefusal::broken_starts};
    const std::int64_t first = pieces.first();
    const Labels of{r.of.label ? r.of.label + first : nullptr, r.of.weight ? r.of.weight + first : nullptr};
    const LinearVerdict outcome = play(pieces.block(), of, std::int64_t(0), pieces.block().rows, first);
    if (outcome.refusal != LinearRefusal::none || outcome.played < pieces.block().rows)
      return {first + outcome.played, outcome.refusal};
  }
  return {r.end, LinearRefusal::none};
}

// The same for rows without labels: score(block, first).
template <class F>
LinearVerdict in_pieces(const Block& block, const F& score) {
  const Rounds r{block, {}, block.rows, 0, block.rows};
  return in_pieces(r, [&](const Block& rows, const Labels&, std::int64_t, std::int64_t, std::int64_t first) {
    return score(rows, first);
  });
}

// A copy, which no other thread writes to between its check and its use.
template <class T>
auto own(const T& numbers) {
  return std::vector(numbers.data(), numbers.data() + numbers.size());
}

template <class T>
void demand_columns(const std::vector<T>& columns, std::size_t count) {
  bool within = true;
  for (const T column : columns) within &= column >= 0 && std::size_t(column) < count;
  demand(within, "a column is out of range");
}

}  // namespace regretless
