// How U of an inverse U D U' lies in memory, U being unit upper triangular.
#pragma once
#include <cstdint>

namespace regretless {

// U above its diagonal, for n features: columns by fours, and of each four columns the rows by fours, of which those of
// the first column come first. On the diagonal and below it there are zeros. What belongs to the first columns does not
// depend on how many follow.
inline constexpr std::int64_t factor_size(std::int64_t n) { return 8 * ((n + 3) / 4) * ((n + 3) / 4 + 1); }

}  // namespace regretless
