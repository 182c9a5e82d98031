// Powers of two: exp(-eta x) is 2^(-eta log2(e) x), which costs less, for the factor is known before x.
#pragma once
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double log2_e = 1.4426950408889634074;

// Added to a number and taken off again, it makes an integer of it, which the last bits of the sum are.
inline constexpr double to_integer = 6755399441055744.0;

// 2^f - 1 for |f| <= 1/2, off by less than 2^-53 of itself.
template <class V>
REGRETLESS_INLINE V two_to_fraction_less_one(const V& f) {
  const V f2 = f * f, f4 = f2 * f2, f8 = f4 * f4;
  const V p2 =
      (f * 0x1.c6b08d704a0c0p-5 + 0x1.ebfbdff82c58fp-3) + f2 * (f * 0x1.5d87fe78a5dc5p-10 + 0x1.3b2ab6fba385fp-7);
  const V p6 =
      (f * 0x1.ffcbfc61f6f47p-17 + 0x1.430913037845fp-13) + f2 * (f * 0x1.b52508787c628p-24 + 0x1.62bfe46117403p-20);
  const V p10 = f * 0x1.e9bbdd8953422p-32 + 0x1.e5e9f548eef0dp-28;
  return f * 0x1.62e42fefa39efp-1 + f2 * ((p2 + f8 * p10) + f4 * p6);
}

// 2^y taken apart like exp(x), for less: to find k nothing is multiplied, and y - k is exact.
template <class V>
REGRETLESS_INLINE Exponential<V> power_of_two(V y) {
  const V shifted = y + to_integer;
  typedef typename Exponential<V>::Bits Bits;
  return {Bits(shifted) << 52, two_to_fraction_less_one(V(y - (shifted - to_integer)))};
}

// 2^y of what `power_of_two` says of it, 0 for y below -1021.
template <class V>
REGRETLESS_INLINE V power_from(V y, const Exponential<V>& e) {
  return y < V{} - 1021.0 ? V{} : value_of(e);
}
// 2^y for y <= 0, 0 below -1021; and 2^y - 1 for y <= 1009.
template <Lanes P>
REGRETLESS_INLINE P two_to(const P& y) {
  return apply([](auto v) REGRETLESS_LAMBDA { return power_from(v, power_of_two(v)); }, y);
}
template <Lanes P>
REGRETLESS_INLINE P two_to_less_one(const P& y) {
  return apply([]<class V>(V v) REGRETLESS_LAMBDA { return value_less_one(power_of_two(larger(v, V{} - 1021.0))); },
               y);
}

}  // namespace regretless::REGRETLESS_ISA
