// Numbers in several registers, with one step of arithmetic taken for all of them before the next one: in a chain of
// steps, none of them waits for the whole chain of another.
#pragma once
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

struct Nothing {};
template <class A, class B>
struct Joint {
  A first;
  B second;
};

// The same number in every lane.
template <class J>
REGRETLESS_INLINE J all_lanes(double a) {
  if constexpr (std::is_same_v<J, Nothing>) return {};
  else if constexpr (Lanes<J>) return everywhere<J>(a);
  else return {all_lanes<decltype(J::first)>(a), all_lanes<decltype(J::second)>(a)};
}

REGRETLESS_INLINE Nothing operator+(const Nothing&, const Nothing&) { return {}; }
REGRETLESS_INLINE Nothing operator-(const Nothing&, const Nothing&) { return {}; }
REGRETLESS_INLINE Nothing operator*(const Nothing&, const Nothing&) { return {}; }
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator+(const Joint<A, B>& a, const Joint<A, B>& b) {
  return {a.first + b.first, a.second + b.second};
}
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator-(const Joint<A, B>& a, const Joint<A, B>& b) {
  return {a.first - b.first, a.second - b.second};
}
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator*(const Joint<A, B>& a, const Joint<A, B>& b) {
  return {a.first * b.first, a.second * b.second};
}
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator+(const Joint<A, B>& a, double b) {
  return a + all_lanes<Joint<A, B>>(b);
}
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator-(const Joint<A, B>& a, double b) {
  return a - all_lanes<Joint<A, B>>(b);
}
template <class A, class B>
REGRETLESS_INLINE Joint<A, B> operator*(const Joint<A, B>& a, double b) {
  return a * all_lanes<Joint<A, B>>(b);
}

// f(place of the first number, register) for each; further arguments are taken apart alike.
template <class F, class A, class... More>
REGRETLESS_INLINE Joint<A, Nothing> on_each(F f, const Joint<A, Nothing>& a, const More&... more) {
  return {f(0, a.first, more.first...), {}};
}
template <class F, class A, class B, class... More>
REGRETLESS_INLINE Joint<A, B> on_each(F f, const Joint<A, B>& a, const More&... more) {
  return {f(0, a.first, more.first...), f(8, a.second, more.second...)};
}

}  // namespace regretless::REGRETLESS_ISA
