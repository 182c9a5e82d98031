// exp and its kin in plain arithmetic: a C library may use fused multiply-adds on one machine and not on another. The
// polynomials are summed pairwise rather than by Horner's rule, because the next round waits for them.
#pragma once
#include <bit>
#include <cstdint>

#include "lanes.hpp"

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

// ln(1 + e) for 0 <= e <= 1. Above sqrt(2) - 1 it is ln 2 + ln((1 + e) / 2), so that in 2 artanh(z) = ln((1 + z) / (1 - z))
// the argument is at most 3 - 2 sqrt(2); the series is cut where its remainder is under 2^-56 of the sum.
REGRETLESS_INLINE double log_one_plus(double e) {
  const bool large = e > 0.41421356237309503;
  const double z = large ? (e - 1) / (e + 3) : e / (2 + e), q = z * z, q2 = q * q, q4 = q2 * q2;
  const double p1 = (1.0 / 3 + q * (1.0 / 5)) + q2 * (1.0 / 7 + q * (1.0 / 9));
  const double p5 = (1.0 / 11 + q * (1.0 / 13)) + q2 * (1.0 / 15 + q * (1.0 / 17));
  const double p9 = 1.0 / 19 + q * (1.0 / 21);
  const double small = 2 * z + 2 * z * (q * (p1 + q4 * (p5 + q4 * p9)));
  return large ? 0.69314718055994530942 + small : small;
}

REGRETLESS_INLINE double log_one_plus_exp(double a) {
  return a > 0 ? a + log_one_plus(exp_of_negative(-a)) : log_one_plus(exp_of_negative(a));
}

// 1 / (1 + exp(-a)).
REGRETLESS_INLINE double logistic(double a) {
  const double e = exp_of_negative(a < 0 ? a : -a);
  return (a < 0 ? e : 1) / (1 + e);
}

}  // namespace regretless::REGRETLESS_ISA
