// The catalogue of rules for weights, made by docs/rule_lists.py: all types in expert_*.hpp that say their facts. What
// stands here has a name in the binding and in Python, and is fuzzed.
#pragma once
#include <tuple>

#include "expert_ada_normal_hedge.hpp"
#include "expert_hedge.hpp"
#include "expert_majority.hpp"
#include "expert_poly.hpp"
#include "expert_second_order.hpp"
#include "expert_share.hpp"
#include "expert_squint.hpp"

namespace regretless::REGRETLESS_ISA {

using CombinerRules = std::tuple<Hedge, Share, Poly, Prod, Boa, Squint, Majority, AdaNormalHedge>;

}  // namespace regretless::REGRETLESS_ISA
