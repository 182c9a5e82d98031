// What crosses the border between the binding and the search for Littlestone dimensions: plain borrowed data, no
// templates.
#pragma once
#include "bit_class.hpp"

namespace regretless {

struct LittlestoneStanding {
  int lower, upper;
  std::int64_t steps;  // of this run
};

// Whole numbers of 2^-58. The upper one is rounded up where fractions finer than that were met.
struct RandomizedStanding {
  std::uint64_t lower, upper;
  bool rounded;
  std::int64_t steps;
};

enum class LittlestoneStatus { done, open, no_memory, no_version_space, not_shattered };

struct LittlestoneKernels {
  void* (*make)(const BitClass&, std::int64_t bytes);  // null: no memory
  void (*end)(void*);
  // Until so many words more of the hypotheses that live have been looked at, the last step being finished. A tree of
  // `least` levels is known from elsewhere.
  LittlestoneStatus (*run)(void*, const std::uint64_t* live, std::int64_t words, int least, LittlestoneStanding&);
  // The same for a tree of this depth, of points (2^depth - 1) and hypotheses (2^depth), which are the same room each
  // time.
  LittlestoneStatus (*tree)(void*, const std::uint64_t* live, int depth, std::int64_t words, std::int64_t* points,
                            std::int64_t* leaves);
  std::int64_t (*words)(const void*);  // that were looked at
  std::int64_t (*known)(const void*);  // how many version spaces something is known of
  bool (*full)(const void*);           // whether some of it had to be forgotten
};

struct RandomizedKernels {
  void* (*make)(const BitClass&, std::int64_t bytes);
  void (*end)(void*);
  LittlestoneStatus (*run)(void*, const std::uint64_t* live, std::int64_t words, RandomizedStanding&);
  std::int64_t (*words)(const void*);
  std::int64_t (*known)(const void*);
  bool (*full)(const void*);
};

#if defined(__x86_64__)
extern const LittlestoneKernels littlestone_kernels_v1, littlestone_kernels_v3, littlestone_kernels_v4;
extern const RandomizedKernels randomized_kernels_v1, randomized_kernels_v3, randomized_kernels_v4;
#else
extern const LittlestoneKernels littlestone_kernels_generic;
extern const RandomizedKernels randomized_kernels_generic;
#endif

}  // namespace regretless
