// Two vectors of numbers become pairs, a number of each, and pairs become vectors.
#pragma once
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// Numbers that come from two vectors, those of each entry side by side: f(which entry, numbers).
template <int N, class F>
REGRETLESS_INLINE void in_twos(const Pack<double, N>& a, const Pack<double, N>& b, int first, const F& f) {
  using Two = Pack<double, 2>;
  if constexpr (Halved<Pack<double, N>>) {
    in_twos(a.low, b.low, first, f);
    in_twos(a.high, b.high, first + N / 2, f);
  } else if constexpr (N == 2) {
    f(first, Two{__builtin_shufflevector(a.all, b.all, 0, 2)});
    f(first + 1, Two{__builtin_shufflevector(a.all, b.all, 1, 3)});
  } else {
    const Pack<double, 4> even{__builtin_shufflevector(a.all, b.all, 0, 4, 2, 6)};
    const Pack<double, 4> odd{__builtin_shufflevector(a.all, b.all, 1, 5, 3, 7)};
    f(first, low_half(even));
    f(first + 1, low_half(odd));
    f(first + 2, high_half(even));
    f(first + 3, high_half(odd));
  }
}

// The way back: pair l, of those from `first` on, lies where at(l) says.
template <int N, class At>
REGRETLESS_INLINE void out_of_twos(const At& at, int first, Pack<double, N>& a, Pack<double, N>& b) {
  const auto two = [&](int l) REGRETLESS_LAMBDA { return load<2>(at(first + l)).all; };
  if constexpr (Halved<Pack<double, N>>) {
    out_of_twos(at, first, a.low, b.low);
    out_of_twos(at, first + N / 2, a.high, b.high);
  } else if constexpr (N == 2) {
    const auto even = two(0), odd = two(1);
    a.all = __builtin_shufflevector(even, odd, 0, 2);
    b.all = __builtin_shufflevector(even, odd, 1, 3);
  } else {
    const auto even = __builtin_shufflevector(two(0), two(2), 0, 1, 2, 3);
    const auto odd = __builtin_shufflevector(two(1), two(3), 0, 1, 2, 3);
    a.all = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    b.all = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
}

}  // namespace regretless::REGRETLESS_ISA
