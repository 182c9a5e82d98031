// The loop of several linear learners that are mixed on the log loss: all predict, the mixture suffers, each learns
// from its own slope.
#pragma once
#include <cmath>
#include <cstring>

#include "aggregated_diagonal.hpp"
#include "aggregated_full.hpp"
#include "aggregated_mix.hpp"
#include "any_rows.hpp"
#include "prediction.hpp"

namespace regretless::REGRETLESS_ISA {

// Numbers whose fourth powers, and sums of them, are floats.
inline constexpr double shortest_entry = 1e-75, longest_entry = 1e75;

// Feature i of a full matrix whose largest square grew from `before` to `after`.
struct Growth {
  std::int64_t i;
  double before, after;
};

// What one call needs besides the state; others may score meanwhile.
struct Bench {
  Entries entries;
  Buffer<Growth> grown;
  Buffer<AggregatedCell> copies;  // of cells, where nothing is to be learned
  Buffer<double> full;            // a row as the full members see it, a unit vector, A^-1 times either, U' x of each
  Buffer<double> twin;            // of a full member, where nothing is to be learned
  Buffer<double> scores;
  std::int64_t growths = 0;

  explicit Bench(const Aggregated& s) {
    scores.make(s.targets);
    if (!s.factor) return;
    const std::int64_t numbers = (3 + full_lanes) * (s.columns + 1);
    full.make(numbers);
    for (std::int64_t i = 0; i < numbers; ++i) full.at[i] = 0;
  }
};

// The squared length of a row some of whose entries may be zero: lanes take those that are not, in turn.
template <class Row>
REGRETLESS_APART static double squared_length(const Row& row) {
  double lanes[8] = {};
  std::int64_t place = 0;
  for (std::int64_t k = 0; k < row.n; ++k) {
    const double x = row.x[k];
    lanes[place & 7] += x * x;
    place += x != 0;
  }
  return tree(load<8>(lanes));
}

// What is to be known of a row before anything is learned from it: its squared length, and whether its numbers are fit,
// times its weight where that is above 1.
template <class Row>
REGRETLESS_INLINE LinearRefusal inspect(const Row& row, double intercept, double weight, double& norm2) {
  Eight norm{};
  Octet longest{}, shortest = eight(1);
  std::int64_t zeros = 0;
  for (std::int64_t k = 0; k < row.n; ++k) zeros += row.x[k] == 0;
  for (std::int64_t k = 0; k < row.n; k += 8) {
    const Octet x = k + 8 <= row.n ? at(row.x, k) : some_of(row.x + k, row.n - k, 0), size = upper(x, eight(0) - x);
    const Eight halves = in_halves(x);
    norm = norm + halves * halves;
    longest = upper(longest, size);
    shortest = lower(shortest, where_positive(size, size, eight(1)));
  }
  norm2 = (zeros > 0 ? squared_length(row) : tree(norm)) + intercept * intercept;
  if (!(norm2 < infinity)) return LinearRefusal::not_finite;
  const double most = longest_entry / (weight > 1 ? weight : 1);
  const bool fits = largest_of(longest) <= most && intercept <= most && smallest_of(shortest) >= shortest_entry;
  return fits ? LinearRefusal::none : LinearRefusal::diverged;
}

// Which features of a full matrix will be larger than before.
REGRETLESS_APART static void note_growth(const Aggregated& s, const AggregatedCell* cells,
                                         const AggregatedCell* constant, double weight, Bench& bench) {
  bench.growths = 0;
  for (std::int64_t k = 0; k < bench.entries.n; ++k) {
    const AggregatedCell* const f = bench.entries.cells.at[k];
    const double size = std::fabs(bench.entries.x[k]) * weight;
    if (size > f->most) {
      const std::int64_t i = f == constant ? 0 : 1 + (f - cells) / s.targets;
      bench.grown.at[bench.growths++] = {i, f->most * f->most, size * size};
    }
  }
}

// Diagonal members look at a row for one target, which changes what is known of the sizes of its features: of copies,
// where nothing is to be learned. Of those that grow the full members are told.
template <class Row>
REGRETLESS_INLINE Outlook look(const Row& row, const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                               bool learning, double weight, Bench& bench) {
  Entries& e = bench.entries;
  AggregatedCell* const cells = reinterpret_cast<AggregatedCell*>(s.cells) + target;
  AggregatedCell* const constant = &s.memory[target].constant;
  gather_entries(row, cells, s.targets, constant, rules.intercept, e);
  if (s.factor) note_growth(s, cells, constant, weight, bench);
  if (!learning)
    for (std::int64_t k = 0; k < e.n; ++k) e.cells.at[k] = &(bench.copies.at[k] = *e.cells.at[k]);
  Outlook of = look_at(weight, e);
  of.score = of.score * load<4>(rules.rates);
  return of;
}

// Room for a row, and the row as full members see it.
template <class Row>
REGRETLESS_INLINE void lay_out(const Row& row, const AggregatedRules& rules, const Aggregated& s, bool learning,
                               Bench& bench) {
  bench.entries.reserve(row.n + 1);
  if (!learning) {
    if (row.n + 1 > bench.copies.room) bench.copies.make(row.n + 1);
  }
  if (!s.factor) return;
  if (row.n + 1 > bench.grown.room) bench.grown.make(row.n + 1);
  double* const x = bench.full.at;
  for (std::int64_t i = 0; i <= s.columns; ++i) x[i] = 0;
  x[0] = rules.intercept;
  for (std::int64_t k = 0; k < row.n; ++k) x[1 + row.column(k)] = row.x[k];
}

// What the full members think of a row.
struct FullLook {
  double variance[full_lanes] = {}, plain[full_lanes] = {};
};
REGRETLESS_APART static FullLook look_fully(const AggregatedRules& rules, const Aggregated& s, std::int64_t target,
                                            bool learning, Bench& bench, double* scores) {
  FullLook seen;
  const std::int64_t n = 1 + s.columns;
  double *x = bench.full.at, *unit = x + n, *gain = unit + n;
  for (int lane = 0; lane < full_lanes; ++lane) {
    if (s.memory[target].prior[full_lane + lane] == 0) continue;
    FullMember member(s, rules, target, lane);
    if (!learning && bench.growths > 0) member.move(bench.twin);
    for (std::int64_t k = 0; k < bench.growths; ++k) {
      const Growth& g = bench.grown.at[k];
      member.raise(g.i, rules.full_prior * g.before, rules.full_prior * g.after, unit, gain);
    }
    seen.variance[lane] = member.variance(x, gain + (1 + lane) * n);
    seen.plain[lane] = product(member.matrix.weights, x, n);
    scores[full_lane + lane] = shrunk(seen.plain[lane], seen.variance[lane]);
  }
  return seen;
}

// One round of one target; the score is what it was predicted by.
template <class Row>
REGRETLESS_INLINE double play_target(const Row& row, const AggregatedRules& rules, const Aggregated& s,
                                     std::int64_t target, double y, double weight, double norm2, Bench& bench,
                                     double* members) {
  AggregatedMemory& m = s.memory[target];
  Ledger& book = s.book[target];
  double scores[aggregated_lanes] = {}, slope[aggregated_lanes];
  const Outlook of = look(row, rules, s, target, true, weight > 1 ? weight : 1, bench);
  store(scores, of.score);
  if (m.prior[coin_lane] > 0) scores[coin_lane] = bets(bench.entries);
  else no_bets(bench.entries);
  FullLook full;
  if (s.factor) full = look_fully(rules, s, target, true, bench, scores);
  if (members) std::memcpy(members, scores, sizeof scores);

  const Opinions o(scores);
  const double odds = log_odds(m.weight, o), own = weight * log_one_plus_exp(-y * odds);
  const Octet loss = o.loss(y) * eight(weight);
  slopes(o, y, weight, slope);
  if (m.prior[coin_lane] == 0) slope[coin_lane] = 0;
  put(m.loss, at(m.loss, 0) + loss);
  put(m.linear, at(m.linear, 0) + at(slope, 0) * at(scores, 0));
  store(m.energy, load<4>(m.energy) + of.energy * load<4>(slope) * load<4>(slope));
  if (s.factor) {
    const std::int64_t n = 1 + s.columns;
    double *const gain = bench.full.at + 2 * n, *const projected = gain + n;
    for (int lane = 0; lane < full_lanes; ++lane)
      if (const int k = full_lane + lane; m.prior[k] > 0)
        m.energy[k] +=
            FullMember(s, rules, target, lane)
                .learn(projected + lane * n, full.variance[lane], full.plain[lane], scores[k], slope[k], weight, gain);
  }
  learn(bench.entries, slope);

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
  Bench bench(s);
  for (std::int64_t t = begin; t < end; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    rows.prefetch(t, end);
    if (s.columns * s.targets > many_cells && t + 1 < end)
      rows.prefetch_weights(t + 1, s.cells, s.targets * std::int64_t(sizeof(AggregatedCell)));
    const auto row = rows[t];
    const std::int64_t place = rows.at(t);
    const double weight = labels.weight ? labels.weight[place] : 1;
    double norm2;
    refusal = inspect(row, rules.intercept, weight, norm2);
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    lay_out(row, rules, s, true, bench);
    for (std::int64_t c = 0; c < s.targets; ++c) {
      const double y = s.targets == 1 ? labels.label[place] : c == labels.label[place] ? 1 : -1;
      double* const members = s.members ? s.members + (t * s.targets + c) * aggregated_lanes : nullptr;
      bench.scores.at[c] = play_target(row, rules, s, c, y, weight, norm2, bench, members);
    }
    if (s.scores) [[unlikely]]
      std::memcpy(s.scores + t * s.targets, bench.scores.at, std::size_t(s.targets) * sizeof(double));
    if (s.targets > 1) {
      Ledger& whole = s.book[s.targets];
      whole.rounds += 1;
      whole.weighted += weight != 1;
      whole.mistakes += winner(bench.scores.at, s.targets) != labels.label[place];
      whole.total_norm2 += norm2;
      if (norm2 > whole.max_norm2) whole.max_norm2 = norm2;
      whole.loss += weight * surprise(bench.scores.at, s.targets, labels.label[place]);
    }
  }
  return {end, LinearRefusal::none};
}

template <Rows X>
LinearVerdict score_aggregated(const X& rows, std::int64_t count, const AggregatedRules& rules, const Aggregated& s,
                               double* out) {
  Bench bench(s);
  for (std::int64_t t = 0; t < count; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    double norm2 = 0;
    if (refusal == LinearRefusal::none) refusal = inspect(rows[t], rules.intercept, 1, norm2);
    if (refusal != LinearRefusal::none) return {t, refusal};
    rows.prefetch(t, count);
    lay_out(rows[t], rules, s, false, bench);
    for (std::int64_t c = 0; c < s.targets; ++c) {
      double scores[aggregated_lanes] = {};
      store(scores, look(rows[t], rules, s, c, false, 1, bench).score);
      if (s.memory[c].prior[coin_lane] > 0) scores[coin_lane] = bets(bench.entries);
      if (s.factor) look_fully(rules, s, c, false, bench, scores);
      if (s.members) std::memcpy(s.members + (t * s.targets + c) * aggregated_lanes, scores, sizeof scores);
      out[t * s.targets + c] = log_odds(s.memory[c].weight, Opinions(scores));
    }
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
