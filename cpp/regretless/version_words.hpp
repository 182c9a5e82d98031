// Words of bits, and raw memory for them.
#pragma once
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace regretless::REGRETLESS_ISA::littlestone {

using Word = std::uint64_t;

// Raw memory that grows and never throws.
template <class T>
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { std::free(data_); }
  bool reach(std::int64_t size) {
    if (size <= size_) return true;
    void* more = std::realloc(data_, std::size_t(size) * sizeof(T));
    if (!more) return false;
    data_ = static_cast<T*>(more);
    size_ = size;
    return true;
  }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

// The chosen bits of a word, moved together.
inline Word gathered(Word word, Word chosen) {
#if defined(__BMI2__)
  return _pext_u64(word, chosen);
#else
  Word bits = 0;
  for (int place = 0; chosen; chosen &= chosen - 1, ++place) bits |= ((word >> std::countr_zero(chosen)) & 1) << place;
  return bits;
#endif
}

inline void gather(const Word* from, const Word* chosen, std::int64_t words, Word* to) {
  Word held = 0;
  int filled = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    const Word bits = gathered(from[i], chosen[i]);
    const int count = std::popcount(chosen[i]);
    held |= bits << filled;
    if (filled + count >= 64) {
      *to++ = held;
      held = filled ? bits >> (64 - filled) : 0;
    }
    filled = (filled + count) & 63;
  }
  if (filled) *to = held;
}

inline std::int64_t counted(const Word* words, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::popcount(words[i]);
  return sum;
}

inline void sort_words(Word* words, std::int64_t count) {
  std::int64_t gap = 1;
  while (gap < count / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (std::int64_t i = gap; i < count; ++i) {
      const Word moved = words[i];
      std::int64_t place = i;
      for (; place >= gap && words[place - gap] > moved; place -= gap) words[place] = words[place - gap];
      words[place] = moved;
    }
}

}  // namespace regretless::REGRETLESS_ISA::littlestone
