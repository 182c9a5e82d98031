// The catalogue of bandits' rules, made by docs/rule_lists.py: all types in pull_*.hpp that say their facts. What
// stands here has a name in the binding and in Python, and is fuzzed.
#pragma once
#include <tuple>

#include "pull_exp3_p.hpp"
#include "pull_exp3_s.hpp"
#include "pull_exp4.hpp"
#include "pull_hedge.hpp"
#include "pull_index.hpp"
#include "pull_thompson.hpp"
#include "pull_tree.hpp"
#include "pull_tsallis.hpp"

namespace regretless::REGRETLESS_ISA {

using PullRules =
    std::tuple<Exp3, Exp3IX, Exp3P, TsallisInf, Exp3S, Hedge, Exp4, Ucb1, Moss, KlUcb, ThompsonBeta, ThompsonGaussian>;

}  // namespace regretless::REGRETLESS_ISA
