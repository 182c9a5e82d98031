// Bits picked from words and pushed together, and eight words at once.
#pragma once
#include <bit>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

using Word = std::uint64_t;

// Picks the bits of a word that a mask marks, and pushes them together.
#if defined(__BMI2__)
struct Sift {
  Word mask;
  explicit Sift(Word marked) : mask(marked) {}
  Word operator()(Word bits) const { return _pext_u64(bits, mask); }
};
#else
// Hacker's Delight, 7-4: each bit goes down by as many places as there are unmarked ones below, a binary digit at a
// time.
struct Sift {
  Word mask, moves[6];
  explicit Sift(Word marked) : mask(marked) {
    Word left = ~marked << 1, m = marked;
    for (int digit = 0; digit < 6; ++digit) {
      Word parity = left;
      for (int by = 1; by < 64; by *= 2) parity ^= parity << by;
      moves[digit] = parity & m;
      m = (m ^ moves[digit]) | (moves[digit] >> (1 << digit));
      left &= ~parity;
    }
  }
  Word operator()(Word bits) const {
    bits &= mask;
    for (int digit = 0; digit < 6; ++digit) {
      const Word moving = bits & moves[digit];
      bits = (bits ^ moving) | (moving >> (1 << digit));
    }
    return bits;
  }
};
#endif

// Eight words, one of each cell; and which of eight are empty.
#if defined(__AVX512F__)
struct Words8 {
  __m512i all;
};
using Empty8 = unsigned;
REGRETLESS_INLINE Words8 eight_words(const Word* p) { return {_mm512_loadu_si512(p)}; }
REGRETLESS_INLINE void put_words(Word* p, const Words8& a) { _mm512_storeu_si512(p, a.all); }
REGRETLESS_INLINE Words8 both(const Words8& a, const Words8& b) { return {_mm512_and_si512(a.all, b.all)}; }
REGRETLESS_INLINE Words8 without(const Words8& a, const Words8& b) { return {_mm512_andnot_si512(b.all, a.all)}; }
REGRETLESS_INLINE Empty8 none_empty() { return 0; }
REGRETLESS_INLINE void note_empty(Empty8& empty, const Words8& a) { empty |= _mm512_testn_epi64_mask(a.all, a.all); }
REGRETLESS_INLINE bool any_empty(const Empty8& empty, int lanes) { return (empty & ((1u << lanes) - 1)) != 0; }
#else
struct Words8 {
  static constexpr int parts = 64 / register_bytes, lanes = 8 / parts;
  typedef Word Part __attribute__((vector_size(register_bytes)));
  typedef Word Loose __attribute__((vector_size(register_bytes), aligned(8), may_alias));
  Part part[parts];
};
using Empty8 = Words8;
REGRETLESS_INLINE Words8 eight_words(const Word* p) {
  Words8 a;
  for (int i = 0; i < Words8::parts; ++i) a.part[i] = *reinterpret_cast<const Words8::Loose*>(p + i * Words8::lanes);
  return a;
}
REGRETLESS_INLINE void put_words(Word* p, const Words8& a) {
  for (int i = 0; i < Words8::parts; ++i) *reinterpret_cast<Words8::Loose*>(p + i * Words8::lanes) = a.part[i];
}
REGRETLESS_INLINE Words8 both(const Words8& a, const Words8& b) {
  Words8 c;
  for (int i = 0; i < Words8::parts; ++i) c.part[i] = a.part[i] & b.part[i];
  return c;
}
REGRETLESS_INLINE Words8 without(const Words8& a, const Words8& b) {
  Words8 c;
  for (int i = 0; i < Words8::parts; ++i) c.part[i] = a.part[i] & ~b.part[i];
  return c;
}
REGRETLESS_INLINE Empty8 none_empty() { return Words8{}; }
REGRETLESS_INLINE void note_empty(Empty8& empty, const Words8& a) {
  for (int i = 0; i < Words8::parts; ++i) empty.part[i] |= Words8::Part(a.part[i] == Words8::Part{});
}
REGRETLESS_INLINE bool any_empty(const Empty8& empty, int lanes) {
  Word any = 0;
  for (int lane = 0; lane < lanes; ++lane) any |= empty.part[lane / Words8::lanes][lane % Words8::lanes];
  return any != 0;
}
#endif

}  // namespace regretless::REGRETLESS_ISA
