// The last points of a set that might be shattered, two to four of them. The cells are not sorted by them: each set is
// tried on eight small cells at once, and those that most sets fail on come first.
#pragma once
#include "shatter_search.hpp"
#include "bit_compress.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE const Word* column_of(const ShatterLevel& l, std::int64_t candidate) {
  return l.columns + candidate * l.stride;
}

// Which of eight cells do not have all 2^many labels of some points.
template <int many>
REGRETLESS_INLINE void note_missing(Empty8& empty, const Words8& cell, const Words8* said) {
  if constexpr (many == 0) note_empty(empty, cell);
  else
    note_missing<many - 1>(empty, both(cell, *said), said + 1),
        note_missing<many - 1>(empty, without(cell, *said), said + 1);
}

// Whether each cell but the first eight has all labels of the tail. Of a cell of many words, labels are gathered word
// by word.
template <int many>
REGRETLESS_APART bool whole_tail(const ShatterLevel& l, const Word* const* columns) {
  for (std::int64_t cell = 8; cell < l.singles; cell += 8) {
    Words8 said[many];
    for (int i = 0; i < many; ++i) said[i] = eight_words(columns[i] + cell);
    Empty8 missing = none_empty();
    note_missing<many>(missing, eight_words(l.present + cell), said);
    if (any_empty(missing, l.singles - cell < 8 ? int(l.singles - cell) : 8)) return false;
  }
  for (std::int64_t cell = l.singles; cell < l.cells; ++cell) {
    unsigned seen = 0;
    for (std::int64_t word = l.begins[cell]; word < l.begins[cell + 1] && seen != (1u << (1 << many)) - 1; ++word)
      for (unsigned labels = 0; labels < 1u << many; ++labels) {
        Word bits = l.present[word];
        for (int i = 0; i < many; ++i) bits &= labels >> i & 1 ? columns[i][word] : ~columns[i][word];
        seen |= unsigned(bits != 0) << labels;
      }
    if (seen != (1u << (1 << many)) - 1) return false;
  }
  return true;
}

inline bool whole_tail(const ShatterSearch& s, const ShatterLevel& l, int many) {
  const Word* columns[largest_tail];
  for (int i = 0; i < many; ++i) columns[i] = column_of(l, s.tail[i]);
  switch (many) {
    case 2: return whole_tail<2>(l, columns);
    case 3: return whole_tail<3>(l, columns);
    case 4: return whole_tail<4>(l, columns);
  }
  return false;  // there is no other tail
}

// The eight first cells cut by one more point; false if one of them is not.
inline bool cut_front(ShatterSearch& s, int depth, const Words8& said, int lanes) {
  Empty8 missing = none_empty();
  for (int i = 0; i < 1 << depth; ++i) {
    const Words8 part = eight_words(s.front[depth][i]), one = both(part, said), zero = without(part, said);
    note_empty(missing, one);
    note_empty(missing, zero);
    put_words(s.front[depth + 1][2 * i], one);
    put_words(s.front[depth + 1][2 * i + 1], zero);
  }
  return !any_empty(missing, lanes);
}

// Tries the last point of the tail: the place of the first candidate that cuts the first eight cells as they are, from
// `from` on.
template <int parts>
REGRETLESS_APART std::int64_t cutting(const ShatterSearch& s, const ShatterLevel& l, int depth, std::int64_t from,
                                      int lanes) {
  Words8 front[parts];
  for (int i = 0; i < parts; ++i) front[i] = eight_words(s.front[depth][i]);
  for (; from < l.count; ++from) {
    const Words8 said = eight_words(column_of(l, from));
    Empty8 missing = none_empty();
    for (int i = 0; i < parts; ++i) {
      note_empty(missing, both(front[i], said));
      note_empty(missing, without(front[i], said));
    }
    if (!any_empty(missing, lanes)) break;
  }
  return from;
}
inline std::int64_t cutting(const ShatterSearch& s, const ShatterLevel& l, int depth, std::int64_t from, int lanes) {
  switch (depth) {
    case 1: return cutting<2>(s, l, depth, from, lanes);
    case 2: return cutting<4>(s, l, depth, from, lanes);
    case 3: return cutting<8>(s, l, depth, from, lanes);
  }
  return l.count;  // there is no other front
}

inline void begin_tail(ShatterSearch& s, const ShatterLevel& l) {
  s.in_tail = true;
  s.tail_depth = 0;
  s.tail[0] = 0;
  put_words(s.front[0][0], eight_words(l.present));
}

// Sets of `many` candidates, in their order; `open` when the work is used up.
inline Shattered search_tail(ShatterSearch& s, const ShatterLevel& l, int many, std::int64_t& work) {
  const int lanes = l.singles < 8 ? int(l.singles) : 8;
  while (work > 0) {
    const int depth = s.tail_depth;
    std::int64_t& place = s.tail[depth];
    if (place > l.count - (many - depth)) {
      if (depth == 0) return Shattered::none;
      --s.tail_depth;
      ++s.tail[depth - 1];
    } else if (depth == many - 1) {
      const std::int64_t from = place;
      place = cutting(s, l, depth, from, lanes);
      const std::int64_t tried = (place < l.count ? place + 1 : place) - from;
      s.steps += tried;
      work -= 4 * tried;
      if (place == l.count) continue;
      work -= l.words;
      if (whole_tail(s, l, many)) return Shattered::exists;
      ++place;
    } else {
      work -= 8;
      if (cut_front(s, depth, eight_words(column_of(l, place)), lanes)) {
        s.tail[depth + 1] = place + 1;
        ++s.tail_depth;
      } else {
        ++place;
      }
    }
  }
  return Shattered::open;
}

}  // namespace regretless::REGRETLESS_ISA
