// Searches for a set of points that a class shatters: depth first, point by point. What is added to a set must cut each
// cell of hypotheses so that both sides are as large as all labels of the points still missing. Subsets of shattered
// sets are shattered, so that a point that fails here fails below. Leaving cells out makes no set fail that would not;
// what is found is verified on the whole class.
#pragma once
#include <cstdlib>
#include <cstring>

#include "shatter_tail.hpp"

namespace regretless::REGRETLESS_ISA {

constexpr std::int64_t first_room = 32;      // cells of a level
constexpr std::int64_t work_of_a_word = 32;  // when a set is verified
constexpr std::int64_t largest_sorted = 65;  // cells of more hypotheses than a word count as of one size

inline std::int64_t words_for(std::int64_t bits) { return (bits + 63) / 64; }
REGRETLESS_INLINE std::int64_t bits_of(Word word) { return std::popcount(word); }

template <class T>
bool grow(T*& room, std::int64_t& bytes, std::int64_t count) {
  const std::int64_t wanted = (count > 0 ? count : 1) * std::int64_t(sizeof(T));
  if (wanted <= bytes) return true;
  std::free(room);
  room = static_cast<T*>(std::malloc(std::size_t(wanted)));
  bytes = room != nullptr ? wanted : 0;
  return room != nullptr;
}

inline bool room_for_cells(ShatterLevel& l) {
  return grow(l.begins, l.rooms[0], l.cells + 1) && grow(l.sizes, l.rooms[1], l.cells);
}
inline bool room_for_candidates(ShatterLevel& l, std::int64_t most) {
  return grow(l.candidates, l.rooms[4], most) && grow(l.least, l.rooms[5], most) && grow(l.ranks, l.rooms[6], most);
}
inline bool room_for_columns(ShatterLevel& l) {
  return grow(l.present, l.rooms[2], l.stride) && grow(l.columns, l.rooms[3], l.count * l.stride);
}

// The hypotheses that each side of a cut has at least, when so many points are missing after it.
inline std::int64_t needed(int missing) { return std::int64_t(1) << missing; }

// The smaller side of a cell cut by a point; where a candidate fails is known at the first cell whose sides are too
// small.
REGRETLESS_INLINE std::int64_t smaller_side(std::int64_t ones, std::int64_t size) {
  return ones < size - ones ? ones : size - ones;
}

// The whole class as one cell, and the points that cut it well.
inline bool load(ShatterSearch& s, std::int64_t side) {
  ShatterLevel& l = s.levels[0];
  const std::int64_t words = words_for(s.hypotheses);
  l.cells = 1;
  l.words = words;
  l.stride = (words + 7) / 8 * 8;
  l.singles = words == 1;
  if (!room_for_cells(l) || !room_for_candidates(l, s.points)) return false;
  l.begins[0] = 0;
  l.begins[1] = words;
  l.sizes[0] = s.hypotheses;
  l.count = l.next = 0;
  for (std::int64_t x = 0; x < s.points; ++x) {
    std::int64_t ones = 0;
    for (std::int64_t w = 0; w < words; ++w) ones += bits_of(s.class_columns[x * words + w]);
    const std::int64_t least = smaller_side(ones, s.hypotheses);
    if (least < side) continue;
    l.candidates[l.count] = x;
    l.least[l.count++] = least;
  }
  s.steps += s.points;
  if (!room_for_columns(l)) return false;
  for (std::int64_t w = 0; w < l.stride; ++w)
    l.present[w] = w < s.hypotheses / 64 ? ~Word(0) : w == s.hypotheses / 64 ? (Word(1) << s.hypotheses % 64) - 1 : 0;
  for (std::int64_t i = 0; i < l.count; ++i)
    for (std::int64_t w = 0; w < l.stride; ++w)
      l.columns[i * l.stride + w] = w < words ? s.class_columns[l.candidates[i] * words + w] : 0;
  s.depth = 0;
  s.begun = true;
  return true;
}

// Counts how one candidate cuts what another leaves of each cell; -1 if a side is too small.
REGRETLESS_APART inline std::int64_t worst_cut(const ShatterLevel& l, const std::int64_t* sides, const Word* chosen,
                                               const Word* said, std::int64_t side) {
  std::int64_t worst = std::int64_t(1) << largest_set;
  for (std::int64_t cell = 0; cell < l.cells; ++cell) {
    std::int64_t of_ones = 0, all = 0;
    for (std::int64_t w = l.begins[cell]; w < l.begins[cell + 1]; ++w) {
      of_ones += bits_of(said[w] & chosen[w]);
      all += bits_of(said[w]);
    }
    const std::int64_t one = smaller_side(of_ones, sides[cell]);
    const std::int64_t zero = smaller_side(all - of_ones, l.sizes[cell] - sides[cell]);
    const std::int64_t least = one < zero ? one : zero;
    if (least < side) return -1;
    if (least < worst) worst = least;
  }
  return worst;
}

// How many of each cell's hypotheses say 1 of a point.
inline bool count_sides(ShatterSearch& s, const ShatterLevel& l, const Word* by) {
  if (!grow(s.sides, s.more_rooms[0], l.cells)) return false;
  for (std::int64_t cell = 0; cell < l.cells; ++cell) {
    s.sides[cell] = 0;
    for (std::int64_t w = l.begins[cell]; w < l.begins[cell + 1]; ++w) s.sides[cell] += bits_of(by[w]);
  }
  return true;
}

// Those of the candidates from `from` to `to`, as `pass_on` does.
inline void pass_some(ShatterSearch& s, std::int64_t chosen, std::int64_t from, std::int64_t to, std::int64_t side) {
  const ShatterLevel& l = s.levels[s.depth];
  ShatterLevel& below = s.levels[s.depth + 1];
  for (std::int64_t i = from; i < to; ++i) {
    if (i == chosen) continue;
    const std::int64_t worst = side == 0 ? 0 : worst_cut(l, s.sides, column_of(l, chosen), column_of(l, i), side);
    if (worst < 0) continue;
    below.ranks[below.count] = i;
    below.least[below.count++] = worst;
  }
  if (side > 0) s.steps += to - from;
}

// Those of the candidates from `from` on, but for the chosen one, that also cut both of its sides of all cells well
// enough: their ranks and worst cuts go to the level below. All of them, with no side asked for.
inline bool pass_on(ShatterSearch& s, std::int64_t chosen, std::int64_t from, std::int64_t side) {
  const ShatterLevel& l = s.levels[s.depth];
  ShatterLevel& below = s.levels[s.depth + 1];
  if (!room_for_candidates(below, l.count)) return false;
  below.count = below.next = 0;
  pass_some(s, chosen, from, l.count, side);
  return true;
}

// The points that cut worst first (Shell's sort): their subtrees are small, and later ones are without them.
inline void sort_ranks(ShatterLevel& l) {
  std::int64_t gap = 1;
  while (gap < l.count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (std::int64_t i = gap; i < l.count; ++i) {
      const std::int64_t rank = l.ranks[i], least = l.least[i];
      std::int64_t j = i;
      for (; j >= gap && (l.least[j - gap] > least || (l.least[j - gap] == least && l.ranks[j - gap] > rank));
           j -= gap) {
        l.ranks[j] = l.ranks[j - gap];
        l.least[j] = l.least[j - gap];
      }
      l.ranks[j] = rank;
      l.least[j] = least;
    }
}

// Where the sides of each cell go, the smallest ones first; ones of cell c at places[2 c], zeros at places[2 c + 1], -1
// for those that are not kept.
inline bool place_sides(ShatterSearch& s, const ShatterLevel& l, ShatterLevel& below) {
  const std::int64_t sides = 2 * l.cells;
  below.cells = sides < s.room ? sides : s.room;
  if (!room_for_cells(below) || !grow(s.places, s.more_rooms[1], sides)) return false;
  std::int64_t of_size[largest_sorted + 2] = {};
  const auto size_of = [&](std::int64_t child) {
    const std::int64_t ones = s.sides[child / 2];
    return child % 2 == 0 ? ones : l.sizes[child / 2] - ones;
  };
  const auto sorted = [&](std::int64_t size) { return size < largest_sorted ? size : largest_sorted; };
  for (std::int64_t child = 0; child < sides; ++child) ++of_size[sorted(size_of(child)) + 1];
  for (std::int64_t size = 0; size <= largest_sorted; ++size) of_size[size + 1] += of_size[size];
  below.singles = of_size[largest_sorted] < below.cells ? of_size[largest_sorted] : below.cells;
  for (std::int64_t child = 0; child < sides; ++child) {
    const std::int64_t size = size_of(child), place = of_size[sorted(size)]++;
    s.places[child] = place < below.cells ? place : -1;
    if (place < below.cells) below.sizes[place] = size;
  }
  std::int64_t words = 0;
  for (std::int64_t cell = 0; cell < below.cells; ++cell) {
    below.begins[cell] = words;
    words += words_for(below.sizes[cell]);
  }
  below.begins[below.cells] = below.words = words;
  below.stride = (words + 7) / 8 * 8;
  for (std::int64_t child = 0; child < sides; ++child)
    if (s.places[child] >= 0) s.places[child] = below.begins[s.places[child]];
  return true;
}

// Bits appended to words.
struct Appended {
  Word* next;
  Word gathered = 0;
  std::int64_t held = 0;
  REGRETLESS_INLINE void operator()(Word bits, std::int64_t count) {
    gathered |= bits << held;
    held += count;
    if (held < 64) return;
    *next++ = gathered;
    held -= 64;
    gathered = held > 0 ? bits >> (count - held) : 0;
  }
  REGRETLESS_INLINE void end() {
    if (held > 0) *next = gathered;
  }
};

// The hypotheses of a cell that are marked go to a place below, with what they say of each candidate.
template <class Marked>
REGRETLESS_INLINE void move_side(const ShatterLevel& l, ShatterLevel& below, std::int64_t cell, std::int64_t place,
                                 Marked marked, std::int64_t from_candidate, std::int64_t to_candidate) {
  const std::int64_t begin = l.begins[cell], end = l.begins[cell + 1];
  if (place < 0) return;
  if (end - begin == 1) {
    const Sift sift(marked(begin));
    below.present[place] = sift(l.present[begin]);
    for (std::int64_t i = from_candidate; i < to_candidate; ++i)
      below.columns[i * below.stride + place] = sift(column_of(l, below.ranks[i])[begin]);
    return;
  }
  for (std::int64_t i = from_candidate > 0 ? from_candidate : -1; i < to_candidate; ++i) {
    const Word* from = i < 0 ? l.present : column_of(l, below.ranks[i]);
    Appended to{(i < 0 ? below.present : below.columns + i * below.stride) + place};
    for (std::int64_t w = begin; w < end; ++w) to(Sift(marked(w))(from[w]), bits_of(marked(w)));
    to.end();
  }
}

// What the level below one more point says of some of its candidates; the cells themselves with the first of them.
inline void cut_some(ShatterSearch& s, std::int64_t chosen, std::int64_t from, std::int64_t to) {
  const ShatterLevel& l = s.levels[s.depth];
  ShatterLevel& below = s.levels[s.depth + 1];
  const Word* by = column_of(l, chosen);
  for (std::int64_t cell = 0; cell < l.cells; ++cell) {
    move_side(l, below, cell, s.places[2 * cell], [&](std::int64_t w) { return by[w]; }, from, to);
    move_side(l, below, cell, s.places[2 * cell + 1], [&](std::int64_t w) { return l.present[w] & ~by[w]; }, from, to);
  }
  for (std::int64_t w = below.words; w < below.stride; ++w) {
    below.present[w] = 0;
    for (std::int64_t i = from; i < to; ++i) below.columns[i * below.stride + w] = 0;
  }
  for (std::int64_t i = from; i < to; ++i) below.candidates[i] = l.candidates[below.ranks[i]];
}

// The level below one more point, for the candidates that were passed on.
inline bool cut(ShatterSearch& s, std::int64_t chosen) {
  ShatterLevel& below = s.levels[s.depth + 1];
  if (!room_for_columns(below)) return false;
  cut_some(s, chosen, 0, below.count);
  ++s.depth;
  return true;
}

// Whether the class has all labels of the chosen points; the search has looked at some cells alone.
REGRETLESS_APART inline bool verified(ShatterSearch& s, std::int64_t& work) {
  const std::int64_t words = words_for(s.hypotheses);
  std::memset(s.seen, 0, std::size_t(1) << s.target);
  for (std::int64_t w = 0; w < words; ++w) {
    Word labels[64] = {};
    for (int i = 0; i < s.target; ++i) {
      const Word said = s.class_columns[s.chosen[i] * words + w];
      for (int bit = 0; bit < 64; ++bit) labels[bit] |= (said >> bit & 1) << i;
    }
    const std::int64_t count = s.hypotheses - 64 * w < 64 ? s.hypotheses - 64 * w : 64;
    for (std::int64_t bit = 0; bit < count; ++bit) s.seen[labels[bit]] = 1;
  }
  if (std::memchr(s.seen, 0, std::size_t(1) << s.target) == nullptr) return true;
  const std::int64_t spent = work_of_a_word * words;
  work -= spent;
  s.verifying += spent;
  if (2 * s.verifying > s.searching && s.room < s.hypotheses) {
    s.room *= 2;
    s.verifying = s.searching = 0;
  }
  return false;
}

inline void choose(ShatterSearch& s, std::int64_t candidate) {
  s.chosen[s.depth] = s.levels[s.depth].candidates[candidate];
}

// Few points are missing, and there are cells so small that they tell most sets apart from shattered ones.
inline bool tells(const ShatterLevel& l, int missing) {
  return missing >= 2 && missing <= largest_tail && l.singles >= (l.cells < 8 ? l.cells : 8);
}

// Those of the candidates that cut all cells of a word well enough.
inline void sieve(ShatterLevel& l, std::int64_t side) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < l.count; ++i) {
    Word* said = l.columns + i * l.stride;
    bool cuts = true;
    for (std::int64_t cell = 0; cell < l.singles && cuts; ++cell)
      cuts = smaller_side(bits_of(said[cell]), l.sizes[cell]) >= side;
    if (!cuts) continue;
    if (count < i) {
      l.candidates[count] = l.candidates[i];
      for (std::int64_t w = 0; w < l.stride; ++w) l.columns[count * l.stride + w] = said[w];
    }
    ++count;
  }
  l.count = count;
}

// Goes one point down, or on; or up, when too few candidates are left.
inline Shattered step(ShatterSearch& s, std::int64_t& work) {
  ShatterLevel& l = s.levels[s.depth];
  const int missing = s.target - s.depth;
  if (l.count - l.next < missing) return s.depth-- == 0 ? Shattered::none : Shattered::open;
  const std::int64_t chosen = l.next++;
  choose(s, chosen);
  if (missing == 1) return verified(s, work) ? Shattered::exists : Shattered::open;
  ShatterLevel& below = s.levels[s.depth + 1];
  if (!count_sides(s, l, column_of(l, chosen))) return Shattered::no_memory;
  const std::int64_t side = needed(missing - 2), left = l.count - l.next;
  const bool early = s.dropping;
  if (early && !pass_on(s, chosen, l.next, side)) return Shattered::no_memory;
  work -= (left + 1) * l.words + 1;
  if (early && below.count < missing - 1) return Shattered::open;
  if (!place_sides(s, l, below)) return Shattered::no_memory;
  const bool to_tail = tells(below, missing - 1);
  if (!early && !pass_on(s, chosen, l.next, to_tail ? 0 : side)) return Shattered::no_memory;
  if (below.count < missing - 1) return Shattered::open;
  if (!to_tail) sort_ranks(below);
  work -= below.count * l.words;
  if (!cut(s, chosen)) return Shattered::no_memory;
  if (!to_tail) return Shattered::open;
  sieve(below, side);
  s.dropping = 4 * (left - below.count) > left;
  begin_tail(s, below);
  return Shattered::open;
}

inline Shattered go_on_in_tail(ShatterSearch& s, std::int64_t& work) {
  ShatterLevel& l = s.levels[s.depth];
  const int missing = s.target - s.depth;
  const Shattered status = search_tail(s, l, missing, work);
  if (status == Shattered::open) return status;
  if (status == Shattered::none) {
    s.in_tail = false;
    l.next = l.count;
    return Shattered::open;
  }
  for (int i = 0; i < missing; ++i) s.chosen[s.depth + i] = l.candidates[s.tail[i]];
  ++s.tail[missing - 1];
  return verified(s, work) ? Shattered::exists : Shattered::open;
}

inline bool begin(ShatterSearch& s) {
  s.room = first_room;
  if (!load(s, needed(s.target - 1)) || !grow(s.seen, s.more_rooms[2], std::int64_t(1) << s.target)) return false;
  if (tells(s.levels[0], s.target)) begin_tail(s, s.levels[0]);
  return true;
}

inline Shattered run_shatter(ShatterSearch& s, std::int64_t work) {
  if (s.target == 0) return Shattered::exists;
  if (s.hypotheses >> s.target == 0) return Shattered::none;
  if (!s.begun && !begin(s)) return Shattered::no_memory;
  while (work > 0) {
    const std::int64_t before = work;
    const Shattered status = s.in_tail ? go_on_in_tail(s, work) : step(s, work);
    s.searching += before - work;
    if (status != Shattered::open) return status;
  }
  return Shattered::open;
}

// The first of the candidates whose worst cut is the best.
inline std::int64_t best_cut(const ShatterLevel& l) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < l.count; ++i)
    if (l.least[i] > l.least[best]) best = i;
  return best;
}

// Chooses one point more, and makes room for those that may follow it.
inline bool begin_dive_below(ShatterSearch& s, std::int64_t best) {
  const ShatterLevel& l = s.levels[s.depth];
  ShatterLevel& below = s.levels[s.depth + 1];
  choose(s, best);
  s.target = s.depth + 1;
  if (!count_sides(s, l, column_of(l, best)) || !place_sides(s, l, below) || !room_for_candidates(below, l.count))
    return false;
  below.count = below.next = 0;
  s.passing = true;
  s.dived = 0;
  s.copied = -1;
  return true;
}

// Goes on down from a point that was chosen, a few candidates at a time.
inline bool go_on_below(ShatterSearch& s, std::int64_t& work) {
  const ShatterLevel& l = s.levels[s.depth];
  ShatterLevel& below = s.levels[s.depth + 1];
  const std::int64_t chosen = best_cut(l);
  if (s.dived < l.count) {
    const std::int64_t some = 1 + work / (2 * l.words), to = l.count - s.dived < some ? l.count : s.dived + some;
    work -= 2 * (to - s.dived) * l.words + l.count / 8;
    pass_some(s, chosen, s.dived, to, 1);
    s.dived = to;
    return true;
  }
  if (s.copied < 0) {
    if (!room_for_columns(below)) return false;
    s.copied = 0;
  }
  const std::int64_t each = l.words + below.words, some = 1 + work / each;
  const std::int64_t to = below.count - s.copied < some ? below.count : s.copied + some;
  work -= (to - s.copied + 1) * each;
  cut_some(s, chosen, s.copied, to);
  s.copied = to;
  if (to == below.count) {
    ++s.depth;
    s.passing = false;
  }
  return true;
}

// Always the candidate whose worst cut is the best. All cells are kept.
inline Shattered dive(ShatterSearch& s, std::int64_t work) {
  if (!s.begun) {
    s.room = s.hypotheses;
    s.diving = true;
    s.target = 0;
    if (!load(s, 1)) return Shattered::no_memory;
    work -= 2 * s.points * words_for(s.hypotheses);
  }
  while (work > 0) {
    const ShatterLevel& l = s.levels[s.depth];
    if (!s.passing && l.count == 0) return Shattered::exists;
    if (!(s.passing ? go_on_below(s, work) : begin_dive_below(s, best_cut(l)))) return Shattered::no_memory;
  }
  return Shattered::open;
}

}  // namespace regretless::REGRETLESS_ISA
