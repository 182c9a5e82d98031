// What is written down of a round: its books, and its results.
#pragma once
#include "expert_round.hpp"

namespace regretless::REGRETLESS_ISA {

// The usual round of a sweep: every number is finite and small, and in its range.
struct Usual {
  double total, charge, said, paid, lowest, highest, least_said, most_said;
  template <Rows rows>
  REGRETLESS_INLINE bool holds(double low, double high) const {
    constexpr bool forecasts = rows == Rows::forecasts;
    // Sums that are numbers mean that all numbers are; the mix lies between the least and the largest charge.
    const double sums = forecasts ? (charge + said) + paid : charge;
    return (sums - sums == 0) & (lowest >= -tame) & (highest <= tame) & ((forecasts ? least_said : lowest) >= low) &
           ((forecasts ? most_said : highest) <= high) & (total > scant);
  }
};

// The part of the books that a round changes in which all speak and the outcome is known at once.
REGRETLESS_INLINE void write_usual(ExpertBook& b, CombinerMemory& m, const Account& account, double rate) {
  const double spread = account.mix.highest - account.mix.lowest;
  if (b.rounds == 0) {
    b.first_rate = rate;
    b.lowest = infinity;
    b.highest = -infinity;
  }
  b.last_rate = rate;
  b.rounds += 1;
  b.loss += account.loss;
  b.expected += account.expected;
  b.charge += account.mix.charge;
  b.spread = at_least(spread, b.spread);
  b.spread2 += spread * spread;
  b.lowest = at_most(account.lowest, b.lowest);
  b.highest = at_least(account.highest, b.highest);
  m.rounds += 1;
  m.charge += account.mix.charge;
  m.spread = at_least(spread, m.spread);
}

static void write_down(const ExpertWorkspace& d, const Account& account, const double* y) {
  ExpertBook& b = d.book;
  write_usual(b, d.memory, account, d.setting.rule.one_rate ? d.eta : 0);
  b.delay += account.delay;
  b.sensitivity += account.sensitivity;
  d.memory.apart += account.apart;
  b.absent += double(d.silent);
  b.mistakes += d.erred;
  if (!y) return;
  double square = 0;
  for (std::int64_t k = 0; k < d.setting.width; ++k) square += y[k] * y[k];
  b.max_outcome2 = at_least(square, b.max_outcome2);
}

// The books of single experts: own losses where the state does not tell them, and the rounds that each missed.
static void write_tallies(const ExpertWorkspace& d, const Account& account) {
  double* const own = d.setting.tallies + own_losses * d.n;
  if (d.setting.linear || d.setting.rule.counts)
    for (std::int64_t i = 0; i < d.n; ++i) own[i] += d.losses[i] == d.losses[i] ? d.losses[i] : 0;
  if (!d.silent) return;
  const auto add = [&](Tally which, double more) {
    double* const tally = d.setting.tallies + which * d.n;
    for (std::int64_t i = 0; i < d.n; ++i) tally[i] += d.advised[i] == d.advised[i] ? 0 : more;
  };
  add(absences, 1);
  add(missed_core, account.mix.charge);
  add(missed_mix, account.mix.charge + account.delay);
  add(missed_loss, account.loss);
}

static void share_out(const ExpertWorkspace& d, double* out) {
  const Shares shares(d.total);
  for (std::int64_t i = 0; i < d.n; ++i) out[i] = shares.of(d.weights[i]);
}

// The expert whom a number in [0, 1) draws.
static std::int64_t drawn(const ExpertWorkspace& d, double uniform) {
  const Shares shares(d.total);
  double all = 0, sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) all += shares.of(d.weights[i]);
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    if (!(d.weights[i] > 0)) continue;
    last = i;
    sum += shares.of(d.weights[i]);
    if (sum > uniform * all) break;
  }
  return last;
}

static void give_out(const ExpertWorkspace& d, const Account& account, const Results& to, std::int64_t t) {
  if (to.losses) to.losses[t] = account.loss;
  if (to.weights) share_out(d, to.weights + t * d.n);
  if (!to.uniforms) return;
  const std::int64_t place = drawn(d, to.uniforms[t]);
  if (to.chosen) to.chosen[t] = place;
  d.book.sampled += d.losses[place];
}

}  // namespace regretless::REGRETLESS_ISA
