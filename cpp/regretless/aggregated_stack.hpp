// The stacked member: a full member whose features are what the other members say, so that it competes with every
// combination of their scores and a constant.
#pragma once
#include "aggregated_full.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double stack_most = 4;  // scores count as no larger than that, so that a wild member does no harm

// One round of it, kept until the next one of its target.
struct StackRound : FullRound {
  double features[aggregated_lanes], numbers[4][aggregated_lanes + 4];
};

// What it says of a row.
struct StackScore {
  double variance = 0, plain = 0;
};

REGRETLESS_INLINE FullMember stack_of(AggregatedMemory& m, const AggregatedRules& rules) {
  return {aggregated_lanes, m.stack_weights, m.stack_scales, m.stack_factor, 0, rules.stack_curvature};
}

// Writes its score beside those of the others, which it is made of.
REGRETLESS_APART static StackScore stack_score(AggregatedMemory& m, const AggregatedRules& rules, StackRound& round,
                                               double* scores) {
  alignas(64) double gain[aggregated_lanes];
  const FullMember member = stack_of(m, rules);
  round.projected = round.numbers[0];
  round.more = round.numbers[1];
  round.before = round.numbers[2];
  round.by = round.numbers[3];
  put(round.features, lower(upper(at(scores, 0), eight(-stack_most)), eight(stack_most)));
  round.features[stack_lane] = rules.intercept > 0;
  member.project(round.features, round, gain);
  const double variance = member.variance(round), plain = product(m.stack_weights, round.features, aggregated_lanes);
  scores[stack_lane] = shrunk(plain, variance);
  return {variance, plain};
}

// As a full member learns; returned is B.
REGRETLESS_INLINE double learn_stack(AggregatedMemory& m, const AggregatedRules& rules, StackRound& round,
                                     const StackScore& said, const double* scores, const double* slope, double weight) {
  return stack_of(m, rules).learn(round, said.variance, said.plain, scores[stack_lane], slope[stack_lane], weight);
}

REGRETLESS_INLINE void settle_stack(AggregatedMemory& m, StackRound& round) {
  alignas(64) double gain[aggregated_lanes];
  stack_of(m, {}).settle(round, gain);
}

}  // namespace regretless::REGRETLESS_ISA
