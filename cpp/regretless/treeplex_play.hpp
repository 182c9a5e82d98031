// Counterfactual regret minimisation on sequence forms: regret matching (cfr), its truncated kin (cfr+) and the one
// that predicts that the next regrets will be the last ones (Farina, Kroer and Sandholm 2021), moving at once or in
// turn. All sums are taken in one order, number by number.
#pragma once
#include "simd_sum.hpp"
#include "treeplex.hpp"

namespace regretless::REGRETLESS_ISA {

struct TreeSide {
  TreeSide(const Treeplex& tree, const TreePayoffs& payoffs, double* state, double sign)
      : tree(tree), payoffs(payoffs), sign(sign), regrets(state + tree_regrets * tree.sequences),
        last(state + tree_last * tree.sequences), behaviour(state + tree_behaviour * tree.sequences),
        plan(state + tree_plan * tree.sequences), average(state + tree_average * tree.sequences) {}

  Treeplex tree;
  TreePayoffs payoffs;  // one row for each of this player's sequences
  double sign;          // 1 for the player who wants much
  double *regrets, *last, *behaviour, *plan, *average;
};

// Probabilities in the information sets become one plan.
REGRETLESS_INLINE void lay_plan(const TreeSide& p) {
  p.plan[0] = 1;
  for (std::int64_t i = 0; i < p.tree.sets; ++i) {
    const double reach = p.plan[p.tree.parent[i]];
    for (std::int32_t s = p.tree.first[i]; s < p.tree.first[i + 1]; ++s) p.plan[s] = reach * p.behaviour[s];
  }
}

// What each of this player's sequences wins against a plan of the other.
REGRETLESS_INLINE void earn(const TreeSide& p, const double* plan, double* out) {
  const TreePayoffs& a = p.payoffs;
  for (std::int64_t s = 0; s < p.tree.sequences; ++s) {
    double sum = 0;
    for (std::int64_t k = a.starts[s]; k < a.starts[s + 1]; ++k) sum += a.values[k] * plan[a.columns[k]];
    out[s] = p.sign * sum;
  }
}

REGRETLESS_INLINE double product(const TreeSide& p, const double* earned) {
  double sum = 0;
  for (std::int64_t s = 0; s < p.tree.sequences; ++s) sum += p.plan[s] * earned[s];
  return p.sign * sum;
}

// Probabilities in proportion to what of the numbers is above zero; equal ones if nothing is.
template <class At>
REGRETLESS_INLINE void match(double* behaviour, std::int32_t begin, std::int32_t end, const At& at) {
  double total = 0;
  for (std::int32_t s = begin; s < end; ++s) {
    const double regret = at(s);
    behaviour[s] = regret > 0 ? regret : 0;
    total += behaviour[s];
  }
  const bool any = total > 1e-290 && total < 1e290;
  const double share = 1 / (any ? total : double(end - begin));
  for (std::int32_t s = begin; s < end; ++s) behaviour[s] = any ? behaviour[s] * share : share;
}

// One round's regrets, information set by information set from the last; `earned` is used up. How far they were from
// what was predicted is returned, squared and summed. What cfr keeps fades as the rounds gain weight.
template <TreeRule rule>
REGRETLESS_INLINE double learn(const TreeSide& p, double* earned, double fading) {
  double squares = 0;
  for (std::int64_t i = p.tree.sets; i-- > 0;) {
    const std::int32_t begin = p.tree.first[i], end = p.tree.first[i + 1];
    double value = 0;
    for (std::int32_t s = begin; s < end; ++s) value += p.behaviour[s] * earned[s];
    earned[p.tree.parent[i]] += value;
    for (std::int32_t s = begin; s < end; ++s) {
      const double regret = earned[s] - value;
      const double off = rule == TreeRule::predictive ? regret - p.last[s] : regret;
      squares += off * off;
      p.last[s] = regret;
      if constexpr (rule == TreeRule::cfr) {
        p.regrets[s] = fading * p.regrets[s] + regret;
      } else {
        const double sum = p.regrets[s] + regret;
        p.regrets[s] = sum > 0 ? sum : 0;
      }
    }
    match(p.behaviour, begin, end, [&](std::int32_t s) {
      if constexpr (rule == TreeRule::predictive) return p.regrets[s] + p.last[s];
      else return p.regrets[s];
    });
  }
  return squares;
}

REGRETLESS_INLINE void count_in(const TreeSide& p, double weight) {
  for (std::int64_t s = 0; s < p.tree.sequences; ++s) p.average[s] += weight * p.plan[s];
}

// Both plans belong to the probabilities in the information sets, before a round and after it.
template <TreeRule rule>
void play_tree(const TreePlay& g, std::int64_t rounds) {
  const TreeSide row(g.game.row, g.game.by_row, g.row, 1), column(g.game.column, g.game.by_column, g.column, -1);
  double* const earned = g.room;
  double* const other = g.room + (row.tree.sequences > column.tree.sequences ? row.tree : column.tree).sequences;
  GameBook& book = *g.book;
  TreeMemory& memory = *g.memory;
  for (std::int64_t t = 0; t < rounds; ++t) {
    const double number = book.rounds + 1;
    const double weight = g.power == 0 ? 1 : g.power == 1 ? number : number * number;
    const double fading = book.last_weight / weight;
    earn(column, row.plan, earned);
    const double earlier = product(column, earned);
    double met = earlier;
    if (g.alternate) {
      book.column_square += learn<rule>(column, earned, fading);
      lay_plan(column);
      count_in(column, weight);
      earn(row, column.plan, earned);
      met = product(row, earned);
      book.row_square += learn<rule>(row, earned, fading);
    } else {
      count_in(column, weight);
      earn(row, column.plan, other);
      book.column_square += learn<rule>(column, earned, fading);
      lay_plan(column);
      book.row_square += learn<rule>(row, other, fading);
    }
    count_in(row, weight);
    lay_plan(row);
    memory.met += weight * met;
    memory.met_earlier += weight * earlier;
    book.rounds = number;
    book.weight += weight;
    book.last_weight = weight;
  }
}

// What a best answer wins, given what each sequence earns; `earned` is used up.
REGRETLESS_INLINE double best_of(const TreeSide& p, double* earned) {
  for (std::int64_t i = p.tree.sets; i-- > 0;) {
    double best = earned[p.tree.first[i]];
    for (std::int32_t s = p.tree.first[i]; s < p.tree.first[i + 1]; ++s) best = earned[s] > best ? earned[s] : best;
    earned[p.tree.parent[i]] += best;
  }
  return earned[0];
}

// The most that the lengths of what the matchers keep add up to over the information sets that one plan comes to.
REGRETLESS_INLINE double norm_of(const TreeSide& p, double* room) {
  for (std::int64_t s = 0; s < p.tree.sequences; ++s) room[s] = 0;
  for (std::int64_t i = p.tree.sets; i-- > 0;) {
    double square = 0, below = 0;
    for (std::int32_t s = p.tree.first[i]; s < p.tree.first[i + 1]; ++s) {
      square += p.regrets[s] > 0 ? p.regrets[s] * p.regrets[s] : 0;
      below = room[s] > below ? room[s] : below;
    }
    room[p.tree.parent[i]] += __builtin_sqrt(square) + below;
  }
  return room[0];
}

inline void settle_tree(const TreePlay& g) {
  const TreeSide row(g.game.row, g.game.by_row, g.row, 1), column(g.game.column, g.game.by_column, g.column, -1);
  GameBook& book = *g.book;
  earn(row, column.average, g.room);
  const double most = best_of(row, g.room);
  earn(column, row.average, g.room);
  const double least = -best_of(column, g.room);
  book.row_regret = most - g.memory->met;
  book.column_regret = g.memory->met_earlier - least;
  book.turn = g.memory->met - g.memory->met_earlier;
  book.row_norm = norm_of(row, g.room);
  book.column_norm = norm_of(column, g.room);
  book.gap = book.weight > 0 ? (most - least) / book.weight : 0;
}

}  // namespace regretless::REGRETLESS_ISA
