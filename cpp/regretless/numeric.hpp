// exp and its kin in plain arithmetic: a C library may use fused multiply-adds on one machine and not on another.
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
  const double r = (x - k * ln2_high) - k * ln2_low;
  double p = 1.0 / 6227020800.0;
  constexpr double factorial[] = {479001600.0, 39916800.0, 3628800.0, 362880.0, 40320.0, 5040.0,
                                  720.0,       120.0,      24.0,      6.0,      2.0,     1.0,    1.0};
  for (double f : factorial) p = p * r + 1.0 / f;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

// ln(1 + e) for 0 <= e <= 1 by 2 artanh(e / (2 + e)), whose argument is at most 1/3.
REGRETLESS_INLINE double log_one_plus(double e) {
  const double z = e / (2 + e), q = z * z;
  double sum = 0;
  for (int odd = 35; odd >= 1; odd -= 2) sum = sum * q + 1.0 / odd;
  return 2 * z * sum;
}

REGRETLESS_INLINE double log_one_plus_exp(double a) {
  return a > 0 ? a + log_one_plus(exp_of_negative(-a)) : log_one_plus(exp_of_negative(a));
}

// 1 / (1 + exp(-a)).
REGRETLESS_INLINE double logistic(double a) {
  if (a >= 0) return 1 / (1 + exp_of_negative(-a));
  const double e = exp_of_negative(a);
  return e / (1 + e);
}

}  // namespace regretless::REGRETLESS_ISA
