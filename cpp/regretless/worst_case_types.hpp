// What a search for the worst case of a learner of a finite class is told, and what it tells.
#pragma once
#include <cstdint>

namespace regretless {

struct Forced {
  const std::uint64_t* columns = nullptr;  // (points, words): which hypotheses say 1 of a point
  std::int64_t points = 0, words = 0, hypotheses = 0;
  bool first = false;       // whether the learner follows the first hypothesis that is left, else their majority
  bool tie = true;          // what an even majority predicts
  bool lazy = false;        // whether hypotheses leave after mistakes alone
  std::int64_t memory = 0;  // bytes that what was found out may take
};

// The most mistakes lie within lower ... upper.
struct Forcing {
  std::int64_t lower = 0, upper = 0, steps = 0;
  bool full = false;  // whether memory ran out
};

struct ForcingKernels {
  void* (*open)(const Forced&);  // nothing if there is no memory
  void (*close)(void*);
  Forcing (*run)(void*, std::int64_t words);  // until so many words were looked at
  // Rounds that force `lower` mistakes, and who is left after them; how many rounds. There is room for one for each
  // point.
  std::int64_t (*trace)(void*, std::int64_t* points, std::uint8_t* labels, std::uint64_t* left);
};

extern const ForcingKernels forcing_v1, forcing_v3, forcing_v4, forcing_generic;

}  // namespace regretless
