// The bits of a finite class as Python lends them, checked.
#pragma once
#include "player.hpp"
#include "regretless/bit_class.hpp"
#include "rounds.hpp"

namespace regretless {

using ClassColumns = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline std::int64_t words_for_bits(std::int64_t bits) { return (bits + 63) / 64; }

// The bits of a word that stand for a hypothesis.
inline std::uint64_t bits_there(const BitClass& bits, std::int64_t word) {
  return word + 1 == bits.words ? ~std::uint64_t(0) >> (-bits.hypotheses & 63) : ~std::uint64_t(0);
}

// A class of at least one hypothesis. The columns must outlive it.
inline BitClass borrowed_class(const ClassColumns& columns, std::int64_t hypotheses) {
  check_aligned(Any(columns));
  const BitClass bits{columns.data(), std::int64_t(columns.shape(0)), std::int64_t(columns.shape(1)), hypotheses};
  demand(hypotheses > 0 && hypotheses < std::int64_t(1) << 31 && bits.words == words_for_bits(hypotheses),
         "one bit per hypothesis");
  demand(bits.points < std::int64_t(1) << 30, "too many points");
  std::uint64_t beyond = 0;
  for (std::int64_t x = 0; x < bits.points; ++x)
    beyond |= bits.columns[(x + 1) * bits.words - 1] & ~bits_there(bits, bits.words - 1);
  demand(!beyond, "a bit beyond the last hypothesis");
  return bits;
}

// A set of its hypotheses.
inline void check_set(const BitClass& bits, const std::uint64_t* words, std::int64_t count) {
  demand(reinterpret_cast<std::uintptr_t>(words) % alignof(std::uint64_t) == 0, "arrays must be aligned");
  demand(count == bits.words, "a set has as many words as a column");
  demand(!(words[count - 1] & ~bits_there(bits, count - 1)), "a bit beyond the last hypothesis");
}

}  // namespace regretless
