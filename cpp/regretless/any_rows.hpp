// Borrowed rows by the types of their numbers. Columns are int32: the binding, which copies them, narrows wider ones,
// and every loop is compiled for four types of rows and not six.
#pragma once
#include <variant>

#include "rows.hpp"

namespace regretless::REGRETLESS_ISA {

using AnyRows = std::variant<Dense<float>, Dense<double>, Sparse<float, std::int32_t>, Sparse<double, std::int32_t>>;

inline AnyRows rows_of(const Block& b) {
  if (!b.starts) {
    if (b.single) return Dense<float>(b);
    return Dense<double>(b);
  }
  if (b.single) return Sparse<float, std::int32_t>(b);
  return Sparse<double, std::int32_t>(b);
}

}  // namespace regretless::REGRETLESS_ISA
