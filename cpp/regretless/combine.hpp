// THE loop over rounds with expert advice: read advice, weigh, predict, read the outcome, charge, move; write it down.
#pragma once
#include "expert_round.hpp"

namespace regretless::REGRETLESS_ISA {

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

template <class R>
static void learn(ExpertWorkspace& d, const Account& account, const double* y) {
  write_down(d, account, y);
  write_tallies(d, account);
  Mix mix = account.mix;
  mix.delay = account.delay;
  R::move(d, mix);
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

// Whether all places have the same prior weight: then the first eight stand for all, and the cache has room for other
// things.
static bool equal_priors(const ExpertWorkspace& d) {
  bool equal = true;
  for (std::int64_t i = 1; i < d.padded_n && equal; ++i) equal = d.prior[i] == d.prior[0];
  return equal;
}

// Plays rounds by a hedge in one sweep each, up to the first that has anything unusual about it; returns its number.
// The loss of a round is made by `loss_of` from its outcome. A hedge of constant rate needs nothing but its sums from
// round to round, and has its books at hand.
template <Leaves leaves, Rows rows, class V, class LossOf>
static std::int64_t sweep_rows(ExpertWorkspace& d, const V* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  constexpr bool kept = leaves == Leaves::experts, said = rows == Rows::forecasts;
  const Combination& s = d.setting;
  const double low = s.low, high = s.high;
  ExpertBook near_book = d.book;
  CombinerMemory near_memory = d.memory;
  ExpertBook& book = kept ? d.book : near_book;
  CombinerMemory& memory = kept ? d.memory : near_memory;
  d.silent = 0;
  d.erred = false;
  d.losses = d.charges = d.own;
  d.eta = common_rate(d);
  const bool itself = said && charged_itself(s);
  for (; t < end; ++t) {
    const double* y = outcomes ? outcomes + t : nullptr;
    if (said && outcome_fault(s, y)) break;
    if constexpr (kept) d.eta = common_rate(d);
    if (!(d.eta < infinity) || !(memory.least < infinity)) break;
    d.base = memory.least;
    const auto loss = loss_of(said ? *y : 0);
    const Hedge::Swept all = Hedge::sweep<leaves, rows>(d, table + t * d.n, loss, step);
    const double raw = all.charge / all.total, mix = between(raw, all.lowest, all.highest);
    const double prediction = said ? all.said / all.total : raw;
    const double paid = said ? loss.value(prediction) : mix;
    const double charge = itself ? own_charge(s, paid, all.highest) : mix;
    const Account account{{charge, all.total, all.lowest, all.highest}, paid, mix, 0, all.lowest, all.highest};
    // Sums that are numbers mean that all numbers are; the mix lies between the least and the largest charge.
    const double sums = said ? (all.charge + all.said) + paid : all.charge;
    const bool usual = (sums - sums == 0) & (all.lowest >= -tame) & (all.highest <= tame) &
                       ((said ? all.least_said : all.lowest) >= low) & ((said ? all.most_said : all.highest) <= high) &
                       (all.total > scant);
    if (!usual) [[unlikely]]
      break;
    d.total = all.total;
    if (to.predictions) to.predictions[t] = prediction;
    if (to.losses) to.losses[t] = account.loss;
    write_usual(book, memory, account, d.eta);
    if (said) book.max_outcome2 = at_least(*y * *y, book.max_outcome2);
    if constexpr (kept) {
      give_out(d, account, to, t);
      if (s.schedule != ScheduleKind::constant) note_gap(d, Hedge::gap(d, account.mix));
    }
    memory.least = all.least;
    double* const before = d.row[0];
    d.row[0] = d.next;
    d.next = before;
  }
  if constexpr (!kept) {
    d.book = near_book;
    d.memory = near_memory;
  }
  return t;
}

// Sweeping asks that charges do not hang on the prediction, which is the mix.
template <Leaves leaves, class V>
static std::int64_t sweep_all(ExpertWorkspace& d, const V* table, const double* outcomes, const Results& to,
                              std::int64_t t, std::int64_t end, std::int64_t step) {
  const Combination& s = d.setting;
  if (s.width > 1 || s.linear || s.substitute) return t;
  const auto play = [&](auto loss_of) {
    return sweep_rows<leaves, Rows::forecasts>(d, table, outcomes, to, t, end, step, loss_of);
  };
  switch (s.charge) {
    case ChargeKind::table:
      return sweep_rows<leaves, Rows::losses>(d, table, outcomes, to, t, end, step, [](double) { return TableLoss{}; });
    case ChargeKind::absolute: return play([](double y) { return Absolute{y}; });
    case ChargeKind::square: return play([](double y) { return Square{y}; });
    case ChargeKind::pinball: return play([&](double y) { return Pinball{y, s.tau}; });
    case ChargeKind::percentage: return play([](double y) { return Percentage(y); });
    case ChargeKind::log:
    case ChargeKind::zero_one:
    case ChargeKind::wealth: return t;
  }
  return t;
}

template <class R, class V>
ExpertVerdict play_rows(const Combination& s, const V* table, const double* outcomes, const Results& to,
                        std::int64_t begin, std::int64_t end) {
  ExpertWorkspace d(s);
  Account account;
  [[maybe_unused]] const bool kept = s.schedule != ScheduleKind::constant || to.weights || to.uniforms;
  [[maybe_unused]] const std::int64_t step = equal_priors(d) ? 0 : -1;
  // Where unusual rounds abound, a sweep is not tried at every one of them.
  [[maybe_unused]] std::int64_t wait = 0, patience = 0;
  for (std::int64_t t = begin; t < end; ++t) {
    if constexpr (R::facts.exponential) {
      if (wait-- == 0) {
        const std::int64_t from = t;
        t = kept ? sweep_all<Leaves::experts>(d, table, outcomes, to, t, end, step)
                 : sweep_all<Leaves::sums>(d, table, outcomes, to, t, end, step);
        if (t == end) break;
        wait = patience = t > from ? 0 : patience < 63 ? 2 * patience + 1 : 63;
      }
    }
    const V* row = table + t * s.experts * s.width;
    const double* y = outcomes ? outcomes + t * s.width : nullptr;
    double* const prediction = to.predictions ? to.predictions + t * s.width : d.vectors + 2 * s.width;
    Fault bad = read_advice(d, row);
    if (!bad) bad = weigh<R>(d);
    if (!bad) {
      predict_from(d, row, prediction);
      bad = judge(d, row, prediction, y, nullptr, account);
    }
    if (bad) [[unlikely]]
      return {t, bad.refusal, bad.column};
    give_out(d, account, to, t);
    learn<R>(d, account, y);
  }
  return {end};
}

// Predicts one row; the weights, if wanted, go to `weights`.
template <class R, class V>
Fault predict_row(ExpertWorkspace& d, const V* row, double* weights, double* prediction) {
  Fault bad = read_advice(d, row);
  if (!bad) bad = weigh<R>(d);
  if (bad) return bad;
  predict_from(d, row, prediction);
  if (weights) share_out(d, weights);
  return {};
}

// Settles a row that was predicted earlier, with other weights perhaps.
template <class R, class V>
Fault settle_row(ExpertWorkspace& d, const V* row, const double* y, const double* weights, const double* prediction,
                 double& loss) {
  Fault bad = read_advice(d, row);
  if (!bad) bad = weigh<R>(d);
  Account account;
  if (!bad) bad = judge(d, row, prediction, y, weights, account);
  if (bad) return bad;
  learn<R>(d, account, y);
  loss = account.loss;
  return {};
}

template <class R, class V>
ExpertVerdict play_late_rows(const Combination& s, const V* table, const double* outcomes, const Results& to,
                             const Lateness& late, std::int64_t rounds) {
  ExpertWorkspace d(s);
  for (std::int64_t t = 0; t <= rounds; ++t) {
    for (std::int64_t e = late.starts[t]; e < late.starts[t + 1]; ++e) {
      const std::int64_t old = late.settle[e];
      double loss = 0;
      const Fault bad =
          settle_row<R>(d, table + old * s.experts * s.width, outcomes ? outcomes + old * s.width : nullptr,
                        late.pool + late.slots[old] * s.experts, to.predictions + old * s.width, loss);
      if (bad) return {old, bad.refusal, bad.column};
      if (to.losses) to.losses[old] = loss;
    }
    if (t == rounds) break;
    double* const weights = late.pool + late.slots[t] * s.experts;
    const Fault bad = predict_row<R>(d, table + t * s.experts * s.width, weights, to.predictions + t * s.width);
    if (bad) return {t, bad.refusal, bad.column};
    if (to.weights)
      for (std::int64_t i = 0; i < s.experts; ++i) to.weights[t * s.experts + i] = weights[i];
  }
  return {rounds};
}

// Charges that were made elsewhere.
template <class R>
Fault settle_charged(ExpertWorkspace& d, const Charged& given) {
  d.silent = 0;
  for (std::int64_t i = 0; i < d.padded_n; ++i) {
    d.linear[i] = i < d.n ? given.charges[i] : missing;
    d.own[i] = i < d.n && given.charges[i] == given.charges[i] ? given.own[i] : missing;
    if (i < d.n) d.silent += given.charges[i] != given.charges[i];
  }
  d.advised = d.charges = d.linear;
  d.losses = d.own;
  if (d.silent == d.n) return {ExpertRefusal::asleep, -1};
  if (const Fault bad = weigh<R>(d)) return bad;
  Account account = audit(d, given.weights);
  account.loss = given.loss;
  account.expected = given.expected;
  if (const Fault bad = account_fault(d, account)) return bad;
  if (!may_be_summed(account.expected)) return {ExpertRefusal::infinite_loss, -1};
  learn<R>(d, account, nullptr);
  return {};
}

// ln of the potential, of a rule that has one.
template <class R>
static double log_potential_of(ExpertWorkspace& d) {
  if constexpr (requires { R::log_potential(d); }) return R::log_potential(d);
  else return missing;
}

// The sum of the gaps. At a constant rate they telescope: it is the sum of charges less -ln(sum prior exp(-eta L)) /
// eta.
static double gap_of(const ExpertWorkspace& d) {
  if (!d.setting.rule.exponential || d.setting.schedule != ScheduleKind::constant) return d.memory.gaps;
  if (d.memory.rounds == 0) return 0;
  const double eta = common_rate(d), ahead = d.memory.charge - d.memory.least;
  // Counted from the sum of charges, if no exponent is too large then, small gaps of small rates keep their digits.
  const bool gentle = eta * ahead <= 600;
  const Octet base = eight(gentle ? d.memory.charge : d.memory.least);
  Octet sum{}, whole{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet power = eight(-eta) * (at(d.row[0], i) - base);
    sum = sum + at(d.prior, i) * (gentle ? exp_less_one(power) : exp_of(power));
    whole = whole + at(d.prior, i);
  }
  const double part = in_all(sum) / in_all(whole);
  const double gap = gentle ? log_past_one(part) / eta : ahead + log_of(part) / eta;
  return gap > 0 || d.setting.substitute ? gap : 0;
}

// The last rate of each expert.
template <class R>
static void rates_of(const ExpertWorkspace& d, double* out) {
  [[maybe_unused]] const double common = R::facts.one_rate ? common_rate(d) : missing;
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    double eights[8];
    if constexpr (R::facts.own_rates) put(eights, R::own_rates(d, i));
    else put(eights, eight(common));
    for (std::int64_t l = 0; l < 8 && i + l < d.n; ++l) out[i + l] = eights[l];
  }
}

}  // namespace regretless::REGRETLESS_ISA
