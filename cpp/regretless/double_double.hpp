// Arithmetic of sums of two floats: about twice the digits.
#pragma once
#include "error_free.hpp"

namespace regretless::REGRETLESS_ISA {

// The second part is at most half a unit of the first. An operation is off by less than 2^-100 of its result (Joldes,
// Muller and Popescu 2017) unless it underflows.
struct Twofold {
  double high = 0, low = 0;
};

REGRETLESS_INLINE Twofold exact_sum(double a, double b) {
  const double s = a + b;
  return {s, sum_error(a, b, s)};
}
REGRETLESS_INLINE Twofold exact_product(double a, double b) {
  const double p = a * b;
  return {p, product_error(halves(a), halves(b), p)};
}
REGRETLESS_INLINE Twofold normal(double a, double b) {  // |a| >= |b|
  const double s = a + b;
  return {s, b - (s - a)};
}
REGRETLESS_INLINE Twofold operator+(const Twofold& a, const Twofold& b) {
  const Twofold s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
  const Twofold u = normal(s.high, s.low + t.high);
  return normal(u.high, u.low + t.low);
}
REGRETLESS_INLINE Twofold operator*(const Twofold& a, double b) {
  const Twofold p = exact_product(a.high, b);
  return normal(p.high, p.low + a.low * b);
}
REGRETLESS_INLINE Twofold operator*(const Twofold& a, const Twofold& b) {
  const Twofold p = exact_product(a.high, b.high);
  return normal(p.high, p.low + (a.high * b.low + a.low * b.high));
}
REGRETLESS_INLINE Twofold operator-(const Twofold& a) { return {-a.high, -a.low}; }
REGRETLESS_INLINE Twofold operator/(const Twofold& a, const Twofold& b) {
  const double q = a.high / b.high;
  const Twofold rest = a + -(b * q);
  const double r = rest.high / b.high;
  const Twofold more = rest + -(b * r);
  const Twofold quotient = normal(q, r);
  return quotient + Twofold{more.high / b.high, 0};
}
REGRETLESS_INLINE bool operator<(const Twofold& a, const Twofold& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

}  // namespace regretless::REGRETLESS_ISA
