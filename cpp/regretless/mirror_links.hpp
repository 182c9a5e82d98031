// The links of mirror.hpp, eight features at a time: a weight relative to the reference, and its mass in the
// normaliser.
#pragma once
#include "simd_math.hpp"
#include "mirror.hpp"

namespace regretless::REGRETLESS_ISA {

// The reference moves before a cached weight exceeds exp(widest), whose square is still a float, and before the
// normaliser falls below `lightest`.
inline constexpr double widest = 300, lightest = 1e-120;

REGRETLESS_INLINE Octet size_of(const Octet& a) {
  return apply(
      []<class V>(V v) REGRETLESS_LAMBDA {
        typedef std::int64_t Whole __attribute__((vector_size(sizeof(V))));
        return V(Whole(v) & std::numeric_limits<std::int64_t>::max());
      },
      a);
}
// `a`, which is not negative, with the sign of `by`.
REGRETLESS_INLINE Octet with_sign(const Octet& a, const Octet& by) {
  return apply(
      []<class V>(V v, V s) REGRETLESS_LAMBDA {
        typedef std::int64_t Whole __attribute__((vector_size(sizeof(V))));
        return V(Whole(v) | (Whole(s) & std::numeric_limits<std::int64_t>::min()));
      },
      a, by);
}
// `a` where theta is not 0, else `otherwise`.
REGRETLESS_INLINE Octet where_moved(const Octet& theta, const Octet& a, const Octet& otherwise) {
  return apply([](auto t, auto v, auto n) REGRETLESS_LAMBDA { return t != decltype(t){} ? v : n; }, theta,
               a, otherwise);
}
REGRETLESS_INLINE Octet where_moved(const Octet& theta, const Octet& a) { return where_moved(theta, a, eight(0)); }
// exp(x) for x <= 700; 0 below -708.
REGRETLESS_INLINE Octet exp_any(const Octet& x) { return exp_of(x); }

// ln(x) for normal x > 0, and for anything smaller the ln of the smallest normal number.
REGRETLESS_INLINE Octet log_lanes(const Octet& x) {
  return apply(
      [](auto v) REGRETLESS_LAMBDA {
        using V = decltype(v);
        typedef std::int64_t Whole __attribute__((vector_size(sizeof(V))));
        const Whole bits = Whole(larger(v, V{} + std::numeric_limits<double>::min()));
        const Whole up = bits + (0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll);  // at sqrt(1/2) the exponent steps up
        const V k = __builtin_convertvector((up >> 52) - 1023, V);
        const V m = V((up & 0xfffffffffffffll) + 0x3fe6a09e667f3bcdll);
        return V((k * 1.90821492927058770002e-10 + log_of_one_plus(m - 1.0)) + k * 6.93147180369123816490e-01);
      },
      x);
}

// One number through a function of eight.
template <class F>
REGRETLESS_INLINE double one_lane(double a, const F& f) {
  double lanes[8];
  put(lanes, f(eight(a)));
  return lanes[0];
}
inline double exp_one(double x) {
  return one_lane(x, [](const Octet& v) { return exp_any(v); });
}
inline double power_one(double x, double exponent) {
  return exp_one(one_lane(x, [](const Octet& v) { return log_lanes(v); }) * exponent);
}

struct Simplex {
  double reference;
  Simplex(double, double at) : reference(at) {}
  explicit Simplex(const MirrorMemory& m) : reference(m.reference) {}
  // How large a theta is to the link, the largest of them all being the next reference.
  static Octet extent(const Octet& theta) { return theta; }
  static double extent(double theta) { return theta; }
  static double settle(double largest, bool unmoved) {
    return (unmoved && largest < 0) || !(largest > -1e300) ? 0 : largest;
  }
  bool beyond(double largest) const { return largest - reference > widest; }
  // A feature that no round has shown yet may be this much heavier than all others; it is never read before the
  // reference has moved up to it.
  double base() const { return exp_one(reference < -widest ? widest : -reference); }
  REGRETLESS_INLINE Octet weigh(const Octet& theta) const {
    return exp_any(lower(theta - eight(reference), eight(widest)));
  }
  REGRETLESS_INLINE Octet mass(const Octet& theta, const Octet& cached) const { return where_moved(theta, cached); }
  double rescaled(double dot, double from) const { return dot * exp_one(reference - from); }
  bool sinks(double largest, double from) const { return largest - from < -widest; }
  double factor(double total) const { return total > 0 ? 1 / total : 0; }
};

struct Balanced {
  double reference, shrunk;
  Balanced(double, double at) : reference(at), shrunk(exp_one(-at)) {}
  explicit Balanced(const MirrorMemory& m) : reference(m.reference), shrunk(m.base) {}
  static Octet extent(const Octet& theta) { return size_of(theta); }
  static double extent(double theta) { return theta < 0 ? -theta : theta; }
  static double settle(double largest, bool) { return largest > widest / 2 ? largest : 0; }
  bool beyond(double largest) const { return largest - reference > widest; }
  double base() const { return shrunk; }
  REGRETLESS_INLINE Octet weigh(const Octet& theta) const {
    const Octet size = size_of(theta);
    const Octet less = exp_less_one(lower(size, eight(widest)));  // keeps the digits of small weights
    const Octet near = (less + less / (less + eight(1))) * eight(0.5 * shrunk);
    if (reference == 0) return with_sign(near, theta);
    const Octet far = exp_any(size - eight(reference)) * eight(0.5);
    return with_sign(where_positive(size - eight(widest), far, near), theta);
  }
  REGRETLESS_INLINE Octet mass(const Octet& theta, const Octet& cached) const {
    return where_moved(theta, root(cached * cached + eight(shrunk * shrunk)));
  }
  double rescaled(double dot, double from) const { return dot * exp_one(reference - from); }
  bool sinks(double largest, double from) const { return from > 0 && largest > 0 && largest - from < -widest; }
  double factor(double total) const { return total > 0 ? 1 / total : 0; }
};

struct Power {
  double reference, inverse, p;
  Power(double power, double at) : reference(at), inverse(1 / at), p(power) {}
  explicit Power(const MirrorMemory& m) : Power(m.power, m.reference) {}
  static Octet extent(const Octet& theta) { return size_of(theta); }
  static double extent(double theta) { return theta < 0 ? -theta : theta; }
  // A power of two, so that p = 2 gives the very bits of the perceptron.
  static double settle(double largest, bool) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(largest < 1e-300 ? 1e-300 : largest);
    return std::bit_cast<double>(bits & 0x7ff0000000000000ull);
  }
  bool beyond(double largest) const {
    return largest > reference && p * (log_of(largest) - log_of(reference)) > widest;
  }
  double base() const { return 0; }
  REGRETLESS_INLINE Octet weigh(const Octet& theta) const {
    const Octet share = theta * eight(inverse);
    if (p == 2) return share;
    const Octet size = size_of(share);
    const Octet powers = exp_any(log_lanes(size) * eight(p - 1));
    return with_sign(where_positive(size - eight(std::numeric_limits<double>::min()), powers, size * eight(0)), theta);
  }
  REGRETLESS_INLINE Octet mass(const Octet& theta, const Octet& cached) const {
    return size_of(cached * (theta * eight(inverse)));
  }
  double rescaled(double dot, double from) const { return dot * power_one(reference / from, p - 1); }
  bool sinks(double largest, double from) const {
    return largest > 0 && (p - 1) * (log_of(largest) - log_of(from)) < -widest;
  }
  // |theta|_p^(2 - p) turns powers into the gradient of half the squared p-norm.
  double factor(double total) const { return total > 0 ? reference * power_one(total, 2 / p - 1) : 1; }
};

}  // namespace regretless::REGRETLESS_ISA
