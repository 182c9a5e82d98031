// What sums and products of floats are short of, without any error: Knuth's sum; Dekker's product (1971), whose factors
// are split into halves of 26 digits as Veltkamp did. No fused multiply-add, so that every machine gives the same bits.
#pragma once
#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

template <class P>
struct Halves {
  P all, high, low;
};
REGRETLESS_INLINE Halves<double> halves(double a) {
  const double t = a * 134217729.0, high = t - (t - a);
  return {a, high, a - high};
}

// What a * b is short of its product h.
template <class P>
REGRETLESS_INLINE P product_error(const Halves<P>& a, const Halves<P>& b, const P& h) {
  return a.low * b.low - (((h - a.high * b.high) - a.low * b.high) - a.high * b.low);
}
template <class P>
REGRETLESS_INLINE P sum_error(const P& a, const P& b, const P& s) {
  const P z = s - a;
  return (a - (s - z)) + (b - z);
}

}  // namespace regretless::REGRETLESS_ISA
