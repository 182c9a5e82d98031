// Four vectors of four numbers become those of their first, second, third and fourth numbers.
#pragma once
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

template <int N>
REGRETLESS_INLINE void transpose(Pack<double, N> (&m)[4]) {
  const auto a = m[0], b = m[1], c = m[2], d = m[3];
  if constexpr (Halved<Pack<double, N>>) {
    const auto first = [](auto x, auto y) REGRETLESS_LAMBDA { return __builtin_shufflevector(x, y, 0, 2); };
    const auto second = [](auto x, auto y) REGRETLESS_LAMBDA { return __builtin_shufflevector(x, y, 1, 3); };
    m[0] = {{first(a.low.all, b.low.all)}, {first(c.low.all, d.low.all)}};
    m[1] = {{second(a.low.all, b.low.all)}, {second(c.low.all, d.low.all)}};
    m[2] = {{first(a.high.all, b.high.all)}, {first(c.high.all, d.high.all)}};
    m[3] = {{second(a.high.all, b.high.all)}, {second(c.high.all, d.high.all)}};
  } else {
    const auto even = __builtin_shufflevector(a.all, b.all, 0, 4, 2, 6),
               odd = __builtin_shufflevector(a.all, b.all, 1, 5, 3, 7);
    const auto even_too = __builtin_shufflevector(c.all, d.all, 0, 4, 2, 6),
               odd_too = __builtin_shufflevector(c.all, d.all, 1, 5, 3, 7);
    m[0] = {__builtin_shufflevector(even, even_too, 0, 1, 4, 5)};
    m[1] = {__builtin_shufflevector(odd, odd_too, 0, 1, 4, 5)};
    m[2] = {__builtin_shufflevector(even, even_too, 2, 3, 6, 7)};
    m[3] = {__builtin_shufflevector(odd, odd_too, 2, 3, 6, 7)};
  }
}

}  // namespace regretless::REGRETLESS_ISA
