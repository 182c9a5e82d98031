// The loop of several linear learners of numbers: each forecasts, their mean by weight is the forecast, each learns
// from its own loss. Outcomes are measured from the first one, which is charged to nobody, and forecasts are kept
// within the range of those so far.
#pragma once
#include <cmath>

#include "aggregated_full.hpp"
#include "any_rows.hpp"
#include "catalogue.hpp"
#include "regression_loss.hpp"
#include "regression_mix.hpp"

namespace regretless::REGRETLESS_ISA {

// Feature i of a full matrix whose largest square grew from `before` to `after`.
struct RegressionGrowth {
  std::int64_t i;
  double before, after;
};

// What one call needs besides the state; others may score meanwhile.
struct RegressionBench {
  Buffer<double> x;  // the entries of a row that are not zero, the constant feature first
  Buffer<RegressionCell*> cells;
  Buffer<RegressionCell> copies;  // of cells, where nothing is to be learned
  Buffer<RegressionGrowth> grown;
  Buffer<std::int64_t> places;              // of features that grow, where nothing is to be learned
  Buffer<double> numbers, twin;             // twin: of a full member, where nothing is to be learned
  Buffer<FullRound> rounds;                 // of each full member
  double *full = nullptr, *gain = nullptr;  // a row as the full members see it; A^-1 x of one of them
  std::int64_t n = 0, growths = 0;

  REGRETLESS_APART explicit RegressionBench(const Regression& s) {
    if (!s.factor) return;
    const std::int64_t room = (1 + s.columns + 7) & ~std::int64_t(3), all = (2 + 4 * regression_fulls) * room;
    rounds.make(regression_fulls);
    numbers.make(all);
    for (std::int64_t i = 0; i < all; ++i) numbers.at[i] = 0;
    full = numbers.at;
    gain = full + room;
    double* at = gain + room;
    for (int lane = 0; lane < regression_fulls; ++lane, at += 4 * room)
      rounds.at[lane] = {at, at + room, at + 2 * room, at + 3 * room};
  }
  void reserve(std::int64_t room) {
    if (room <= cells.room) return;
    x.make(room);
    cells.make(room);
    copies.make(room);
    grown.make(room);
    places.make(room);
  }
};

// The squared length of a row, lanes taking the entries that are not zero in turn; and whether its numbers are fit.
template <class Row>
REGRETLESS_INLINE LinearRefusal size_up(const Row& row, double intercept, double& norm2) {
  double lanes[8] = {}, most = intercept, least = 1;
  std::int64_t place = 0;
  for (std::int64_t k = 0; k < row.n; ++k) {
    const double x = row.x[k], size = std::fabs(x);
    if (x == 0) continue;
    lanes[place++ & 7] += x * x;
    most = size > most ? size : most;
    least = size < least ? size : least;
  }
  norm2 = tree(load<8>(lanes)) + intercept * intercept;
  if (!(norm2 < no_loss)) return LinearRefusal::not_finite;
  return most <= most_entry && least >= least_entry ? LinearRefusal::none : LinearRefusal::diverged;
}

// The size of a feature takes in one more value.
REGRETLESS_INLINE void take_size(RegressionCell& f, double x) {
  const double size = std::fabs(x);
  f.most = size > f.most ? size : f.most;
  f.squares += x * x;
  f.count += 1;
  if (f.squares > f.root * f.root * f.count) [[unlikely]]
    f.root = __builtin_sqrt(f.squares / f.count);
}

// Takes the entries of a row for the full members, and which of them are larger than before.
template <class Row>
REGRETLESS_INLINE void take_entries(const Row& row, const RegressionRules& rules, const Regression& s,
                                    RegressionBench& bench) {
  const RegressionCell* const cells = reinterpret_cast<const RegressionCell*>(s.cells);
  bench.reserve(row.n + 1);
  bench.growths = 0;
  double* const full = bench.full;
  for (std::int64_t i = 0; i <= s.columns; ++i) full[i] = 0;
  const auto take = [&](const RegressionCell& f, std::int64_t place, double x) REGRETLESS_LAMBDA {
    full[place] = x;
    bench.grown.at[bench.growths] = {place, f.most * f.most, x * x};  // overwritten, if not larger: no branch to guess
    bench.growths += std::fabs(x) > f.most;
  };
  if (rules.intercept > 0) take(s.memory->constant, 0, rules.intercept);
  for (std::int64_t k = 0; k < row.n; ++k) take(cells[row.column(k)], 1 + row.column(k), row.x[k]);
}

// Takes the entries of a row that are not zero, and measures them: copies of the cells, where nothing is to be learned.
template <class Row>
REGRETLESS_INLINE void take_row(const Row& row, const RegressionRules& rules, const Regression& s, bool learning,
                                RegressionBench& bench) {
  RegressionCell* const cells = reinterpret_cast<RegressionCell*>(s.cells);
  bench.reserve(row.n + 1);
  bench.n = bench.growths = 0;
  double* const full = bench.full;
  if (s.factor)
    for (std::int64_t i = 0; i <= s.columns; ++i) full[i] = 0;
  const auto take = [&](RegressionCell* f, std::int64_t place, double x) REGRETLESS_LAMBDA {
    if (!learning) f = &(bench.copies.at[bench.n] = *f);
    if (s.factor) {
      full[place] = x;
      if (std::fabs(x) > f->most) bench.grown.at[bench.growths++] = {place, f->most * f->most, x * x};
    }
    take_size(*f, x);
    bench.cells.at[bench.n] = f;
    bench.x.at[bench.n++] = x;
  };
  if (rules.intercept > 0) take(&s.memory->constant, 0, rules.intercept);
  for (std::int64_t k = 0; k < row.n; ++k)
    if (row.x[k] != 0) take(cells + row.column(k), 1 + row.column(k), row.x[k]);
}

REGRETLESS_INLINE double within(double p, double low, double high) {
  return p > low ? (p < high ? p : high) : low;  // low, where p is not a number
}

// The scores of the rates: w = rate B G / (N sqrt(S + (g M)^2)), B the width of the outcomes' range and g the steepest
// slope in it.
REGRETLESS_INLINE void score_rates(const RegressionRules& rules, double width, double steepest,
                                   const RegressionBench& bench, double* score) {
  Quartet sum{};
  if (width > 0 && rules.rates[0] > 0) {
    RegressionCell* const* const __restrict cells = bench.cells.at;
    const double* const __restrict x = bench.x.at;
    for (std::int64_t k = 0; k < bench.n; ++k) {
      const RegressionCell& f = *cells[k];
      const double size = steepest * f.most;
      const Quartet metric = spread<4>(f.root) * root(load<4>(f.square) + spread<4>(size * size));
      sum = sum + where_positive(metric, load<4>(f.sum) * spread<4>(x[k]) / metric, spread<4>(0));
    }
  }
  store(score, sum * load<4>(rules.rates) * spread<4>(width));
}

REGRETLESS_INLINE void learn_rates(const RegressionBench& bench, const double* slope) {
  const Quartet slopes = load<4>(slope);
  RegressionCell* const* const __restrict cells = bench.cells.at;
  const double* const __restrict x = bench.x.at;
  for (std::int64_t k = 0; k < bench.n; ++k) {
    RegressionCell& f = *cells[k];
    const Quartet gradient = slopes * spread<4>(x[k]);
    store(f.sum, load<4>(f.sum) - gradient);
    store(f.square, load<4>(f.square) + gradient * gradient);
  }
}

// What a matrix of its own thinks of a row, before shrinking: <w, x> and x' A^-1 x.
struct View {
  double plain = 0, variance = 0;
};

// Vovk, Azoury and Warmuth's forecaster with the diagonal alone of its matrix, whose weights stand in the first place
// of the squares. A cell has taken in its x^2 already, which is not part of the matrix yet.
REGRETLESS_INLINE double precision(const RegressionRules& rules, const RegressionCell& f, double x) {
  return rules.priors[0] * (f.most * f.most) + (f.squares - x * x);
}
REGRETLESS_INLINE View view_diagonal(const RegressionRules& rules, const RegressionBench& bench) {
  double scores[8] = {}, variances[8] = {};
  for (std::int64_t k = 0; k < bench.n; ++k) {
    const RegressionCell& f = *bench.cells.at[k];
    const double x = bench.x.at[k];
    scores[k & 7] += f.square[0] * x;
    variances[k & 7] += x * x / precision(rules, f, x);
  }
  return {tree(load<8>(scores)), tree(load<8>(variances))};
}
REGRETLESS_INLINE void learn_diagonal(const RegressionRules& rules, const RegressionBench& bench, const View& seen,
                                      double slope, double z) {
  const double step = (z - seen.plain) / (1 + seen.variance);
  for (std::int64_t k = 0; k < bench.n; ++k) {
    RegressionCell& f = *bench.cells.at[k];
    const double x = bench.x.at[k];
    f.sum[0] -= slope * x;
    f.square[0] += step * (x / precision(rules, f, x));
  }
}

// Gradient descent, whose weights stand in the first place of the squares.
REGRETLESS_INLINE double score_descent(const RegressionBench& bench) {
  double lanes[8] = {};
  for (std::int64_t k = 0; k < bench.n; ++k) lanes[k & 7] += bench.cells.at[k]->square[0] * bench.x.at[k];
  return tree(load<8>(lanes));
}

// A step along the gradient; its rate, `width` being that of the outcomes up to this one: as said, over the root of the
// rounds, or in units of the outcomes and of the longest row over the root of all squared gradients.
REGRETLESS_INLINE void descend(const RegressionRules& rules, const RegressionBench& bench, double slope, double width,
                               double norm2, double round, Ledger& book) {
  if (norm2 > book.max_norm2) book.max_norm2 = norm2;
  book.slope2 += slope * slope * norm2;
  if (slope == 0 || !(book.slope2 > 0)) return;
  double rate = rules.step;
  if (same_name(rules.schedule, "inverse-sqrt")) rate /= __builtin_sqrt(round);
  if (same_name(rules.schedule, "scale-free"))
    rate *= width / (__builtin_sqrt(book.max_norm2) * __builtin_sqrt(book.slope2));
  if (book.first_rate == 0) book.first_rate = rate;
  book.last_rate = rate;
  for (std::int64_t k = 0; k < bench.n; ++k) {
    RegressionCell& f = *bench.cells.at[k];
    const double gradient = slope * bench.x.at[k];
    f.sum[0] -= gradient;
    f.square[0] -= rate * gradient;
  }
}

// A full member (Vovk 2001, Azoury & Warmuth 2001): its matrix is that of the full members of `aggregated_full.hpp`.
struct FullForecaster {
  FullMember member;
  double prior;

  FullForecaster(const Regression& s, const RegressionRules& rules, int lane)
      : member(1 + s.columns, s.weights, s.scales, s.factor, lane, 0), prior(rules.priors[lane]) {}

  // The penalty of a feature grows with its size; returned is by how much that raises the least penalised loss.
  REGRETLESS_INLINE double raise(const RegressionGrowth& g, FullRound& round, double* gain) const {
    const double before = member.weights[g.i], more = prior * (g.after - g.before);
    member.raise(g.i, prior * g.before / 2, prior * g.after / 2, round, gain);
    return more * before * member.weights[g.i];
  }
};

// Changes of full members that wait are done when a call ends, in whatever way.
struct RegressionSettlement {
  const RegressionRules& rules;
  const Regression& s;
  RegressionBench& bench;
  REGRETLESS_APART ~RegressionSettlement() {
    for (int lane = 0; s.factor && lane < rules.fulls; ++lane)
      FullForecaster(s, rules, lane).member.settle(bench.rounds.at[lane], bench.gain);
  }
};

// What the full members think of a row.
REGRETLESS_APART static void score_full(const RegressionRules& rules, const Regression& s, bool learning,
                                        RegressionBench& bench, double* scores, View* seen) {
  const bool newton = rules.newton();
  for (int lane = 0; lane < rules.fulls; ++lane) {
    const int k = regression_full_lane + lane;
    if (s.memory->prior[k] == 0) continue;
    FullForecaster one(s, rules, lane);
    FullRound& round = bench.rounds.at[lane];
    if (bench.growths > 0) one.member.settle(round, bench.gain);
    if (!learning && bench.growths > 0) one.member.move(bench.twin);
    for (std::int64_t g = 0; g < bench.growths; ++g) {
      const double rise = one.raise(bench.grown.at[g], round, bench.gain);
      if (learning) s.memory->least[k] += rise;
    }
    one.member.project(bench.full, round, bench.gain);
    const double variance = one.member.variance(round);
    seen[lane] = {product(one.member.weights, bench.full, one.member.n), variance};
    scores[k] = newton ? seen[lane].plain : seen[lane].plain / (1 + variance);
  }
}

// A Newton step of the square loss from the clipped forecast p, where `width` is that of the outcomes up to this one:
// added to the matrix is c x x', c = (slope / (2 width))^2, which no loss curves less than in any direction.
REGRETLESS_INLINE void newton_step(const FullForecaster& one, FullRound& round, const View& seen, double p, double z,
                                   double width, double& least, double& energy) {
  const double slope = 2 * (p - z), part = width > 0 ? (p - z) / width : 0, c = part * part;
  const double past = seen.plain - p, h = seen.variance, after = 1 + c * h;
  const double clipped = -(past * (slope + c * past)) / after;
  least -= slope * slope * h / (4 * after) + clipped;
  energy += width * width * log_of(after) + (clipped > 0 ? clipped : 0);
  one.member.plan(round, c > 1e-290 ? 1 / c : 1e290);  // of a curvature of nearly nothing the matrix stays
  round.step = -(slope / 2 + c * past) / after;
  round.waits = true;
}

// The outcome z of a row that all have scored; `forecast` lies within the range of the outcomes so far.
REGRETLESS_APART static void learn_full(const RegressionRules& rules, const Regression& s, const View* seen,
                                        const double* score, const double* forecast, double z, double width,
                                        RegressionBench& bench) {
  const bool newton = rules.newton();
  for (int lane = 0; lane < rules.fulls; ++lane) {
    const int k = regression_full_lane + lane;
    if (s.memory->prior[k] == 0) continue;
    const FullForecaster one(s, rules, lane);
    FullRound& round = bench.rounds.at[lane];
    if (newton) {
      newton_step(one, round, seen[lane], forecast[k], z, width, s.memory->least[k], s.memory->energy[k]);
      continue;
    }
    const double h = seen[lane].variance, missed = z - seen[lane].plain;
    const double clipped = (z - forecast[k]) * (z - forecast[k]) - (z - score[k]) * (z - score[k]);
    s.memory->energy[k] += z * z * (h / (1 + h)) + (clipped > 0 ? clipped : 0);
    s.memory->least[k] += missed * (missed / (1 + h));
    one.member.plan(round, 1);
    round.step = missed / (1 + h);
    round.waits = true;
  }
}

// All members score a row.
template <class Loss>
REGRETLESS_INLINE void score_all(const Loss& loss, const RegressionRules& rules, const Regression& s, bool learning,
                                 RegressionBench& bench, View* seen, double* score, double* forecast) {
  const RegressionMemory& m = *s.memory;
  if (rules.diagonal()) {
    seen[0] = view_diagonal(rules, bench);
    score[0] = seen[0].plain / (1 + seen[0].variance);
  } else if (rules.descends()) score[0] = score_descent(bench);
  else score_rates(rules, m.high - m.low, loss.steepest(m), bench, score);
  if (s.factor) score_full(rules, s, learning, bench, score, seen);
  for (int k = 0; k < regression_lanes; ++k) forecast[k] = m.prior[k] > 0 ? within(score[k], m.low, m.high) : 0;
}

inline constexpr double largest_outcome = 1e70;

template <class Loss>
REGRETLESS_INLINE void play_outcome(const Loss& loss, const RegressionRules& rules, const Regression& s, double y,
                                    double norm2, double round, RegressionBench& bench, double& predicted) {
  RegressionMemory& m = *s.memory;
  double score[regression_lanes] = {}, forecast[regression_lanes], lost[regression_lanes] = {},
         slope[regression_lanes] = {};
  View seen[regression_fulls];
  score_all(loss, rules, s, true, bench, seen, score, forecast);
  const double z = loss.place(y) - m.origin, p = within(mean_forecast(m, forecast), m.low, m.high);
  const auto& charge = loss.of(y, m.origin);
  predicted = p;
  for (int k = 0; k < regression_lanes; ++k) {
    if (m.prior[k] == 0) continue;
    lost[k] = charge.value(forecast[k], z);
    slope[k] = charge.slope(forecast[k], z);
    m.linear[k] += slope[k] * forecast[k];
  }
  const double low = z < m.low ? z : m.low, high = z > m.high ? z : m.high;
  if (rules.diagonal()) learn_diagonal(rules, bench, seen[0], slope[0], z);
  else if (rules.descends()) descend(rules, bench, slope[0], high - low, norm2, round, *s.book);
  else if (rules.rates[0] > 0) learn_rates(bench, slope);
  if (s.factor) learn_full(rules, s, seen, score, forecast, z, high - low, bench);
  const double own = charge.value(p, z);
  s.book->loss += own;
  reweigh_members(m, own, lost, rules.share, round);
  m.low = low;
  m.high = high;
  // Welford's sums. Measured from the very first outcome, which may be far away, the others would lose their digits.
  if (round == 1) m.second = y;
  const double beside = y - m.second, apart = beside - m.mean;
  m.mean += apart / round;
  m.spread += apart * (beside - m.mean);
}

// The round of a row that is fit; returned is its forecast, measured from the first outcome.
template <class Row, class Loss>
REGRETLESS_INLINE double learn_row(const Row& row, const Loss& loss, const RegressionRules& rules, const Regression& s,
                                   double y, double norm2, RegressionBench& bench) {
  Ledger& book = *s.book;
  double predicted = 0;
  if (book.rounds == 0) s.memory->origin = loss.place(y);
  else {
    take_row(row, rules, s, true, bench);
    play_outcome(loss, rules, s, y, norm2, book.rounds, bench, predicted);
    book.updates += 1;
    book.total_norm2 += norm2;
    book.update_norm2 += norm2;
    if (norm2 > book.max_norm2) book.max_norm2 = norm2;
  }
  book.rounds += 1;
  return predicted;
}

// What is forecast of a row that is fit, measured from the first outcome; nothing is learned.
template <class Row, class Loss>
REGRETLESS_INLINE double foretell_row(const Row& row, const Loss& loss, const RegressionRules& rules,
                                      const Regression& s, RegressionBench& bench, View* seen, double* forecast) {
  double score[regression_lanes] = {};
  take_row(row, rules, s, false, bench);
  score_all(loss, rules, s, false, bench, seen, score, forecast);
  return within(mean_forecast(*s.memory, forecast), s.memory->low, s.memory->high);
}

template <Rows X, class Loss>
LinearVerdict play_regression(const X& rows, const Loss& loss, const double* outcomes, const RegressionRules& rules,
                              const Regression& s, std::int64_t begin, std::int64_t end) {
  RegressionBench bench(s);
  const RegressionSettlement settlement{rules, s, bench};
  for (std::int64_t t = begin; t < end; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    double norm2 = 0;
    const auto row = refusal == LinearRefusal::none ? rows[t] : typename X::Row{};
    if (refusal == LinearRefusal::none) refusal = size_up(row, rules.intercept, norm2);
    const double y = outcomes[rows.at(t)];
    if (refusal == LinearRefusal::none && !(std::fabs(y) <= largest_outcome)) refusal = LinearRefusal::diverged;
    if (refusal != LinearRefusal::none) [[unlikely]]
      return {t, refusal};
    rows.prefetch(t, end);
    const double predicted = learn_row(row, loss, rules, s, y, norm2, bench);
    if (s.forecasts) s.forecasts[t] = loss.forecast(predicted + s.memory->origin);
  }
  return {end, LinearRefusal::none};
}

template <Rows X, class Loss>
LinearVerdict score_regression(const X& rows, const Loss& loss, std::int64_t count, const RegressionRules& rules,
                               const Regression& s, double* out, double* members) {
  RegressionBench bench(s);
  for (std::int64_t t = 0; t < count; ++t) {
    LinearRefusal refusal = rows.check(t, s.columns);
    double norm2 = 0;
    if (refusal == LinearRefusal::none) refusal = size_up(rows[t], rules.intercept, norm2);
    if (refusal != LinearRefusal::none) return {t, refusal};
    rows.prefetch(t, count);
    double forecast[regression_lanes];
    View seen[regression_fulls];
    const RegressionMemory& m = *s.memory;
    out[t] = loss.forecast(foretell_row(rows[t], loss, rules, s, bench, seen, forecast) + m.origin);
    if (members)
      for (int k = 0; k < regression_lanes; ++k)
        members[t * regression_lanes + k] = m.prior[k] > 0 ? loss.forecast(forecast[k] + m.origin) : 0;
  }
  return {count, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
