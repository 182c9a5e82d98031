// Sparse rows, a piece at a time, with their starts and columns copied.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>

#include "rounds.hpp"

namespace regretless {

// Columns decide where a kernel reads and writes. It checks those of a row before it uses them; in between, another
// thread may write to the caller's arrays. So kernels are given copies, in pieces that stay in the cache.
class Pieces {
 public:
  Pieces(const Block& block, std::int64_t begin, std::int64_t end)
      : block_(block), at_(begin), end_(end), index_size_(block.wide_indices ? 8 : 4),
        value_size_(block.single ? 4 : 8) {}

  bool over() const { return at_ == end_; }

  // The next piece; false if the bounds of the row that comes next are broken.
  bool next() {
    first_ = at_;
    take_starts();
    if (at_ == first_) return false;
    const std::int64_t entries = starts_[at_ - first_];
    reserve(entries);
    if (entries > 0) std::memcpy(indices_.get(), indices(origin_), std::size_t(entries * index_size_));
    piece_ = block_;
    piece_.values = static_cast<const char*>(block_.values) + origin_ * value_size_;
    piece_.indices = indices_.get();
    piece_.copied_next = indices(origin_ + entries);
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

  std::int64_t start(std::int64_t row) const {
    return block_.wide_starts ? static_cast<const std::int64_t*>(block_.starts)[row]
                              : static_cast<const std::int32_t*>(block_.starts)[row];
  }
  const char* indices(std::int64_t entry) const {
    return static_cast<const char*>(block_.indices) + entry * index_size_;
  }

  // Each start is read once. The first row of a piece may have any length.
  void take_starts() {
    origin_ = start(at_);
    if (origin_ < 0) return;
    const std::int64_t last = std::min(end_, at_ + most_rows);
    std::int64_t* to = starts_;
    for (*to = 0; at_ < last; ++at_) {
      const std::int64_t stop = start(at_ + 1);
      if (stop < origin_ + *to || stop > block_.entries) return;
      const std::int64_t n = stop - origin_;
      if (n > most_entries && at_ > first_) return;
      *++to = n;
    }
  }

  void reserve(std::int64_t entries) {
    if (entries <= room_) return;
    room_ = std::max(entries, std::min(2 * room_, most_entries));
    indices_.reset(new char[std::size_t(room_ * index_size_)]);
  }

  const Block& block_;
  std::int64_t at_, end_, first_ = 0, origin_ = 0, room_ = 0;
  const std::int64_t index_size_, value_size_;  // bytes
  std::int64_t starts_[most_rows + 1];
  std::unique_ptr<char[]> indices_;
  Block piece_;
};

// play(block, labels, begin, end, first) for rounds begin <= t < end: for each piece of them, whose rounds count from
// `first`. Dense rows have no columns to copy. Of rounds in another order any row may be next: whoever gives an order
// gives arrays of its own.
template <class F>
LinearVerdict in_pieces(const Rounds& r, const F& play) {
  if (!r.block.starts || r.block.order) return play(r.block, r.of, r.begin, r.end, std::int64_t(0));
  Pieces pieces(r.block, r.begin, r.end);
  while (!pieces.over()) {
    if (!pieces.next()) return {pieces.first(), LinearRefusal::broken_starts};
    const std::int64_t first = pieces.first();
    const Labels of{r.of.label ? r.of.label + first : nullptr, r.of.weight ? r.of.weight + first : nullptr};
    const LinearVerdict outcome = play(pieces.block(), of, std::int64_t(0), pieces.block().rows, first);
    if (outcome.refusal != LinearRefusal::none) return {first + outcome.played, outcome.refusal};
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

}  // namespace regretless
