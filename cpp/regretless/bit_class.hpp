// A finite class of hypotheses as the searches of its dimensions borrow it.
#pragma once
#include <cstdint>

namespace regretless {

// The bits of each point: what the hypotheses say of it.
struct BitClass {
  const std::uint64_t* columns;  // (points, words)
  std::int64_t points, words, hypotheses;
};

}  // namespace regretless
