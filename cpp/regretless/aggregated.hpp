// The loop of several linear learners that are mixed on the log loss: all predict, the mixture suffers, each learns
// from its own slope.
#pragma once
#include <cmath>
#include <cstring>

#include "aggregated_diagonal.hpp"
#include "aggregated_full.hpp"
#include "aggregated_mix.hpp"
#include "aggregated_sketch.hpp"
#include "aggregated_stack.hpp"
#include "any_rows.hpp"
#include "prediction.hpp"

namespace regretless::REGRETLESS_ISA {

// What one call needs besides the state; others may score meanwhile.
struct AggregatedWorkspace {
  Entries entries;
  Buffer<double> numbers, twin;  // twin: of a full member, where nothing is to be learned
  Buffer<FullRound> rounds;      // of each target and full member
  Buffer<StackRound> stacks;     // of each target
  Buffer<double> scores;
  SketchWorkspace sketches;
  double *x = nullptr, *gain = nullptr;  // a row as the full members see it; A^-1 x of one of them

  explicit AggregatedWorkspace(const Aggregated& s) {
    scores.make(s.targets);
    stacks.make(s.targets);
    for (std::int64_t c = 0; c < s.targets; ++c) stacks.at[c].waits = false;
    if (s.directions) {
      sketches.begin(s);
      numbers.make(1 + s.columns);
      x = numbers.at;
    }
    if (!s.factor) return;
    const std::int64_t n = (1 + s.columns + 7) & ~std::int64_t(3), members = s.targets * full_lanes;
    rounds.make(members);
    numbers.make((2 + 4 * members) * n);
    std::memset(numbers.at, 0, std::size_t((2 + 4 * members) * n) * sizeof(double));
    x = numbers.at;
    gain = x + n;
    double* at = gain + n;
    for (std::int64_t i = 0; i < members; ++i, at += 4 * n) rounds.at[i] = {at, at + n, at + 2 * n, at + 3 * n};
  }
};

// The row as the diagonal members see it, and as the full ones do, if there are any.
template <class Row>
REGRETLESS_INLINE void place_row(const Row& row, const AggregatedRules& rules, const Aggregated& s,
                                 AggregatedWorkspace& work) {
  Entries& e = work.entries;
  e.reserve(row.n + 1);
  e.first = rules.intercept > 0;
  e.n = e.first + row.n;
  e.x[0] = rules.intercept;
  const std::uint32_t bytes = std::uint32_t(s.targets * std::int64_t(sizeof(AggregatedCell)));
  e.bytes = bytes;
  double* const __restrict x = e.x + e.first;
  std::int64_t* const __restrict offsets = e.offsets.at + e.first;
  for (std::int64_t k = 0; k < row.n; ++k) {
    offsets[k] = std::int64_t(std::uint64_t(std::uint32_t(row.column(k))) * bytes);
    x[k] = row.x[k];
  }
  if (!s.factor && !s.directions) return;
  e.watched = true;
  double* const all = work.x;
  for (std::int64_t i = 0; i <= s.columns; ++i) all[i] = 0;
  all[0] = rules.intercept;
  for (std::int64_t k = 0; k < row.n; ++k) all[1 + row.column(k)] = row.x[k];
}

// What is to be known of a row before anything is learned from it: its squared length, and whether its numbers are fit,
// times its weight, or the largest of a class, where that is above 1. Zeros leave it, so that a dense row and its
// sparse twin agree.
REGRETLESS_APART static LinearRefusal inspect_closely(Entries& e, double intercept, double longest, double& norm2) {
  e.leave_out_zeros();
  Eight norm{};
  bool fits = true;
  double* const x = e.x + e.first;
  const std::int64_t n = e.n - e.first;
  for (std::int64_t k = n; k % 8 != 0; ++k) x[k] = 0;
  for (std::int64_t k = 0; k < n; k += 8) norm = norm + load<8>(x + k) * load<8>(x + k);
  for (std::int64_t k = 0; k < n; ++k) fits &= std::fabs(x[k]) <= longest && std::fabs(x[k]) >= least_entry;
  norm2 = tree(norm) + intercept * intercept;
  if (!(norm2 < infinity)) return LinearRefusal::not_finite;
  return fits && intercept <= longest ? LinearRefusal::none : LinearRefusal::diverged;
}
// Most rows have no zeros, and no squares anywhere near the limits.
REGRETLESS_INLINE LinearRefusal inspect(Entries& e, double intercept, double weight, double& norm2) {
  const double longest = most_entry / (weight > 1 ? weight : 1), most = 0.5 * longest * longest;
  double* const x = e.x + e.first;
  const std::int64_t n = e.n - e.first, whole = n & ~std::int64_t(7);
  Eight norm{};
  Octet largest{}, least = eight(1);
  for (std::int64_t k = 0; k < whole; k += 8) {
    const Octet square = at(x, k) * at(x, k);
    norm = norm + in_halves(square);
    largest = upper(square, largest);
    least = lower(square, least);
  }
  if (whole < n) {
    const Octet rest = some_of(x + whole, n - whole, 0), square = rest * rest;
    norm = norm + in_halves(square);
    largest = upper(square, largest);
    least = lower(some_of(x + whole, n - whole, 1) * some_of(x + whole, n - whole, 1), least);
  }
  norm2 = tree(norm) + intercept * intercept;
  const bool tame = largest_of(largest) < most && smallest_of(least) > 2 * least_entry * least_entry &&
                    intercept <= longest && norm2 < infinity;
  return tame ? LinearRefusal::none : inspect_closely(e, intercept, longest, norm2);
}

// A full member of a target.
REGRETLESS_INLINE FullMember full_member(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                         int lane) {
  return {1 + s.columns, s.weights, s.scales, s.factor, target * full_lanes + lane, rules.curvature[lane]};
}

// What the full members say of a row.
struct FullScores {
  double variance[full_lanes] = {}, plain[full_lanes] = {};
};
REGRETLESS_APART static FullScores full_scores(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                               bool learning, AggregatedWorkspace& work, double* scores) {
  FullScores of;
  for (int lane = 0; lane < full_lanes; ++lane) {
    if (s.memory[target].prior[full_lane + lane] == 0) continue;
    FullMember member = full_member(rules, s, target, lane);
    FullRound& round = work.rounds.at[target * full_lanes + lane];
    const std::int64_t growths = work.entries.growths;
    if (growths > 0) member.settle(round, work.gain);
    if (!learning && growths > 0) member.move(work.twin);
    for (std::int64_t k = 0; k < growths; ++k) {
      const Growth& g = work.entries.grown.at[k];
      member.raise(work.entries.feature(g.entry), rules.full_prior * g.before, rules.full_prior * g.after, round,
                   work.gain);
    }
    member.project(work.x, round, work.gain);
    of.variance[lane] = member.variance(round);
    of.plain[lane] = product(member.weights, work.x, member.n);
    scores[full_lane + lane] = shrunk(of.plain[lane], of.variance[lane]);
  }
  return of;
}

// What the members with a sketch say of a row, which raises what their matrices start with.
REGRETLESS_APART static FullScores sketch_scores(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                                 double longer, bool learning, AggregatedWorkspace& work,
                                                 double* scores) {
  FullScores of;
  for (int lane = 0; lane < full_lanes; ++lane) {
    if (s.memory[target].prior[full_lane + lane] == 0) continue;
    const std::int64_t place = target * full_lanes + lane;
    SketchedTarget member = sketched_member(s, 2 * rules.full_prior, place, work.x, work.sketches);
    if (!learning && work.entries.growths > 0) move_sketch(member, work.sketches.twin);
    if (work.entries.growths > 0) member.raise(longer);
    of.variance[lane] = member.look(work.x, work.sketches.rounds.at[place].diagonal);
    of.plain[lane] = product(member.weights, work.x, member.n);
    scores[full_lane + lane] = shrunk(of.plain[lane], of.variance[lane]);
  }
  return of;
}

// The members with all of the matrix, or with a sketch of it.
REGRETLESS_INLINE FullScores matrix_scores(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                           double longer, bool learning, AggregatedWorkspace& work, double* scores) {
  if (s.directions) return sketch_scores(rules, s, target, longer, learning, work, scores);
  return s.factor ? full_scores(rules, s, target, learning, work, scores) : FullScores{};
}

// Both learn from their slopes, and their B are added up.
REGRETLESS_INLINE void learn_matrices(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                      const FullScores& full, const double* scores, const double* slope, double weight,
                                      AggregatedWorkspace& work) {
  AggregatedMemory& m = s.memory[target];
  for (int lane = 0; lane < full_lanes; ++lane) {
    const int k = full_lane + lane;
    const std::int64_t place = target * full_lanes + lane;
    if (m.prior[k] == 0) continue;
    if (s.factor)
      m.energy[k] +=
          full_member(rules, s, target, lane)
              .learn(work.rounds.at[place], full.variance[lane], full.plain[lane], scores[k], slope[k], weight);
    if (!s.directions) continue;
    SketchedTarget member = sketched_member(s, 2 * rules.full_prior, place, work.x, work.sketches);
    m.energy[k] += learn_sketch(member, work.sketches.rounds.at[place], rules.curvature[lane], full.variance[lane],
                                full.plain[lane], scores[k], slope[k], weight);
  }
}

// Changes of full members that wait are done when a call ends, in whatever way.
struct Settlement {
  const AggregatedRules& rules;
  const Aggregated& s;
  AggregatedWorkspace& work;
  ~Settlement() {
    for (std::int64_t c = 0; c < s.targets; ++c) {
      settle_stack(s.memory[c], work.stacks.at[c]);
      for (int lane = 0; s.factor && lane < full_lanes; ++lane)
        full_member(rules, s, c, lane).settle(work.rounds.at[c * full_lanes + lane], work.gain);
    }
  }
};

// One round of one target; the score is what it was predicted by.
REGRETLESS_APART static double play_target(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                           double y, double weight, double norm2, AggregatedWorkspace& work,
                                           double* members) {
  AggregatedMemory& m = s.memory[target];
  Ledger& book = s.book[target];
  AggregatedCell* const cells = reinterpret_cast<AggregatedCell*>(s.cells) + target;
  const double longer = weight > rules.heaviest ? weight : rules.heaviest;
  double scores[aggregated_lanes] = {}, slope[aggregated_lanes];
  work.entries.begin(cells, &m.constant);
  const bool in_single = measure<Learning>(longer, cells, work.entries);
  const RateScores of = rate_scores(cells, work.entries, in_single);
  store(scores, of.score * load<4>(rules.rates));
  const double coin = coin_score(work.entries);
  if (m.prior[coin_lane] > 0) scores[coin_lane] = coin;
  const FullScores full = matrix_scores(rules, s, target, longer, true, work, scores);
  StackScore stack;
  if (m.prior[stack_lane] > 0) stack = stack_score(m, rules, work.stacks.at[target], scores);
  if (members) std::memcpy(members, scores, sizeof scores);

  const Probabilities o(scores);
  slopes(o, y, weight, slope);
  if (m.prior[coin_lane] == 0) slope[coin_lane] = 0;
  put(m.linear, at(m.linear, 0) + at(slope, 0) * at(scores, 0));
  store(m.energy, load<4>(m.energy) + of.energy * load<4>(slope) * load<4>(slope));
  learn_matrices(rules, s, target, full, scores, slope, weight, work);
  if (m.prior[stack_lane] > 0)
    m.energy[stack_lane] += learn_stack(m, rules, work.stacks.at[target], stack, scores, slope, weight);
  learn(cells, work.entries, slope);

  // Long chains of arithmetic, for which learning need not wait.
  const Octet loss = o.loss(y) * eight(weight);
  const double odds = log_odds(m.weight, o), own = weight * log_one_plus_exp(-y * odds);
  put(m.loss, at(m.loss, 0) + loss);
  book.rounds += 1;
  book.updates += 1;
  book.loss += own;
  book.mistakes += positive(odds, rules.tie) != (y > 0);
  book.total_norm2 += norm2;
  book.update_norm2 += norm2;
  if (norm2 > book.max_norm2) book.max_norm2 = norm2;
  if (weight != 1) book.weighted += 1;
  if (weight > m.most_weight) m.most_weight = weight;
  reweigh(m, loss, rules.share, book.rounds);
  return odds;
}

// Cells are fetched a round ahead where they would fill the second-level cache several times over.
inline constexpr std::int64_t many_cells = 1 << 12;

template <Rows X>
LinearVerdict play_aggregated(const X& rows, const Labels& labels, const AggregatedRules& rules, const Aggregated& s,
                              std::int64_t begin, std::int64_t end) {
  AggregatedWorkspace work(s);
  const Settlement settlement{rules, s, work};
  for (std::int64_t t = begin; t < end; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    rows.prefetch(t, end);
    if (s.columns * s.targets > many_cells && t + 1 < end)
      rows.prefetch_weights(t + 1, s.cells, s.targets * std::int64_t(sizeof(AggregatedCell)));
    const std::int64_t place = rows.at(t);
    const double weight = labels.weight ? labels.weight[place] : 1;
    double norm2;
    place_row(rows[t], rules, s, work);
    refusal = inspect(work.entries, rules.intercept, weight > rules.heaviest ? weight : rules.heaviest, norm2);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    for (std::int64_t c = 0; c < s.targets; ++c) {
      const double y = s.targets == 1 ? labels.label[place] : c == labels.label[place] ? 1 : -1;
      double* const members = s.members ? s.members + (t * s.targets + c) * aggregated_lanes : nullptr;
      work.scores.at[c] = play_target(rules, s, c, y, weight, norm2, work, members);
    }
    if (s.scores) [[unlikely]]
      std::memcpy(s.scores + t * s.targets, work.scores.at, std::size_t(s.targets) * sizeof(double));
    if (s.targets > 1) {
      Ledger& whole = s.book[s.targets];
      whole.rounds += 1;
      whole.weighted += weight != 1;
      whole.mistakes += winner(work.scores.at, s.targets) != labels.label[place];
      whole.total_norm2 += norm2;
      if (norm2 > whole.max_norm2) whole.max_norm2 = norm2;
      whole.loss += weight * surprise(work.scores.at, s.targets, labels.label[place]);
    }
  }
  return {end, LinearRefusal::none};
}

template <Rows X>
LinearVerdict score_aggregated(const X& rows, std::int64_t count, const AggregatedRules& rules, const Aggregated& s,
                               double* out) {
  AggregatedWorkspace work(s);
  for (std::int64_t t = 0; t < count; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    if (refusal != LinearRefusal::none) return {t, refusal};
    rows.prefetch(t, count);
    double norm2;
    place_row(rows[t], rules, s, work);
    refusal = inspect(work.entries, rules.intercept, rules.heaviest, norm2);
    if (refusal != LinearRefusal::none) return {t, refusal};
    for (std::int64_t c = 0; c < s.targets; ++c) {
      AggregatedCell* const cells = reinterpret_cast<AggregatedCell*>(s.cells) + c;
      double scores[aggregated_lanes] = {};
      work.entries.begin(cells, &s.memory[c].constant);
      const bool in_single = measure<Scoring>(rules.heaviest, cells, work.entries);
      store(scores, rate_scores(cells, work.entries, in_single).score * load<4>(rules.rates));
      if (s.memory[c].prior[coin_lane] > 0) scores[coin_lane] = coin_score(work.entries);
      matrix_scores(rules, s, c, rules.heaviest, false, work, scores);
      if (s.memory[c].prior[stack_lane] > 0) stack_score(s.memory[c], rules, work.stacks.at[c], scores);
      if (s.members) std::memcpy(s.members + (t * s.targets + c) * aggregated_lanes, scores, sizeof scores);
      out[t * s.targets + c] = log_odds(s.memory[c].weight, Probabilities(scores));
    }
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
