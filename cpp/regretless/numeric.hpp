// exp and its kin in plain arithmetic: a C library may use fused multiply-adds on one machine and not on another. The
// polynomials are summed pairwise rather than by Horner's rule, because the next round waits for them.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

#include "simd_sum.hpp"

namespace regretless::REGRETLESS_ISA {

// exp(x) for x <= 0, relative error below 4e-16; 0 below -708. x = k ln 2 + r with |r| <= ln 2 / 2, then a Taylor
// polynomial of degree 13 in r, whose remainder is under 2^-55.
REGRETLESS_INLINE double exp_of_negative(double x) {
  if (x < -708) return 0;
  constexpr double log2e = 1.4426950408889634074, shifter = 6755399441055744.0;
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  const double shifted = x * log2e + shifter, k = shifted - shifter;
  const double r = (x - k * ln2_high) - k * ln2_low, r2 = r * r, r4 = r2 * r2;
  const double p2 = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
  const double p6 = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
  const double p10 = (1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600 + r * (1.0 / 6227020800));
  const double p = 1 + (r + r2 * (p2 + r4 * (p6 + r4 * p10)));
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

// ln(1 + e) for 0 <= e <= 1, lane by lane or of one number. Above sqrt(2) - 1 it is ln 2 + ln((1 + e) / 2), so that in
// 2 artanh(z) = ln((1 + z) / (1 - z)) the argument is at most 3 - 2 sqrt(2); the series is cut where its remainder is
// under 2^-56 of the sum.
template <class V>
REGRETLESS_INLINE V log_of_one_plus_to_one(V e) {
  const auto large = e > V{} + 0.41421356237309503;
  const V z = (large ? e - 1.0 : e) / (large ? e + 3.0 : e + 2.0), q = z * z, q2 = q * q, q4 = q2 * q2;
  const V p1 = (q * (1.0 / 5) + 1.0 / 3) + q2 * (q * (1.0 / 9) + 1.0 / 7);
  const V p5 = (q * (1.0 / 13) + 1.0 / 11) + q2 * (q * (1.0 / 17) + 1.0 / 15);
  const V p9 = q * (1.0 / 21) + 1.0 / 19;
  const V sum = z + z, small = sum + sum * (q * (p1 + q4 * (p5 + q4 * p9)));
  return large ? small + 0.69314718055994530942 : small;
}
REGRETLESS_INLINE double log_one_plus(double e) { return log_of_one_plus_to_one(e); }

REGRETLESS_INLINE double log_one_plus_exp(double a) {
  return a > 0 ? a + log_one_plus(exp_of_negative(-a)) : log_one_plus(exp_of_negative(a));
}

// 1 / (1 + exp(-a)).
REGRETLESS_INLINE double logistic(double a) {
  const double e = exp_of_negative(a < 0 ? a : -a);
  return (a < 0 ? e : 1) / (1 + e);
}

// ln(1 + x) for |x| <= 1/2, lane by lane or of one number. Below 1/sqrt(2) - 1 it is ln(2 + 2 x) - ln 2, so that the
// argument of the artanh stays within 1/5.
template <class V>
REGRETLESS_INLINE V log_of_one_plus(V x) {
  const auto low = x < V{} - 0.29289321881345245;
  const V e = low ? x + x + 1.0 : x;
  const V z = e / (e + 2.0), q = z * z, q2 = q * q, q4 = q2 * q2;
  const V p1 = (q * (1.0 / 5) + 1.0 / 3) + q2 * (q * (1.0 / 9) + 1.0 / 7);
  const V p5 = (q * (1.0 / 13) + 1.0 / 11) + q2 * (q * (1.0 / 17) + 1.0 / 15);
  const V p9 = (q * (1.0 / 21) + 1.0 / 19) + q2 * (1.0 / 23);
  const V sum = z + z, whole = sum + sum * (q * (p1 + q4 * (p5 + q4 * p9)));
  return low ? whole - 0.69314718055994530942 : whole;
}

// ln(x) for x >= 0, as k ln 2 + ln(m) with m between 1/sqrt(2) and sqrt(2).
REGRETLESS_INLINE double log_of(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x == std::numeric_limits<double>::infinity()) return x;
  double k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 18014398509481984.0;
    k = -54;
  }
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  k += double(std::int64_t(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  return (k * 1.90821492927058770002e-10 + log_of_one_plus(m - 1)) + k * 6.93147180369123816490e-01;
}

// ln(1 + x) for x > -1.
REGRETLESS_INLINE double log_past_one(double x) { return x >= -0.5 && x <= 0.5 ? log_of_one_plus(x) : log_of(1 + x); }

// exp(x) = 2^k (1 + rest), lane by lane: 2^k as the bits that it adds to those of a number. Taken apart like this,
// exp(x) - 1 keeps its digits near zero. The polynomial of degree 11 is off by less than 2^-55.
template <class V>
struct Exponential {
  typedef std::uint64_t Bits __attribute__((vector_size(sizeof(V))));
  Bits power;
  V rest;
};
template <class V>
REGRETLESS_INLINE Exponential<V> exponential(V x) {
  constexpr double log2e = 1.4426950408889634074, shifter = 6755399441055744.0;
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  const V shifted = x * log2e + shifter, k = shifted - shifter;
  const V r = (x - k * ln2_high) - k * ln2_low, r2 = r * r;
  const V r4 = r2 * r2;
  const V even = (r2 * 0x1.5555555553d68p-5 + 0.5) +
                 r4 * ((r2 * 0x1.a019b9149a3cep-16 + 0x1.6c16c17889ef1p-10) + r4 * 0x1.28917c89aa05dp-22);
  const V odd = (r2 * 0x1.11111111109b5p-7 + 0x1.5555555555556p-3) +
                r4 * ((r2 * 0x1.71de0db2f6ae9p-19 + 0x1.a01a01a7c2efep-13) + r4 * 0x1.af389ecfcbdafp-26);
  typedef typename Exponential<V>::Bits Bits;
  return {Bits(shifted) << 52, r + r2 * (even + r * odd)};
}

// What the parts stand for, and the same less 1.
template <class V>
REGRETLESS_INLINE V value_of(const Exponential<V>& e) {
  return V(typename Exponential<V>::Bits(e.rest + 1.0) + e.power);
}
template <class V>
REGRETLESS_INLINE V value_less_one(const Exponential<V>& e) {
  const V power = V(e.power + 0x3ff0000000000000ull);
  return V(power * e.rest + (power - 1.0));
}

}  // namespace regretless::REGRETLESS_ISA
