// THE loop over rounds with expert advice: read advice, weigh, predict, read the outcome, charge, move; write it down.
#pragma once
#include "expert_sweeps.hpp"

namespace regretless::REGRETLESS_ISA {

template <class R>
static void learn(ExpertWorkspace& d, const Account& account, const double* y) {
  write_down(d, account, y);
  write_tallies(d, account);
  Mix mix = account.mix;
  mix.delay = account.delay;
  R::move(d, mix);
}

template <class R>
ExpertVerdict play_rows(const Combination& s, const double* table, const double* outcomes, const Results& to,
                        std::int64_t begin, std::int64_t end) {
  ExpertWorkspace d(s);
  Account account;
  [[maybe_unused]] const std::int64_t step = equal_priors(d) ? 0 : -1;
  // Where unusual rounds abound, a sweep is not tried at every one of them.
  [[maybe_unused]] std::int64_t wait = 0, patience = 0;
  for (std::int64_t t = begin; t < end; ++t) {
    if constexpr (Swept<R>) {
      if (wait-- == 0) {
        const std::int64_t from = t;
        t = R::Sweep::play(d, table, outcomes, to, t, end, step);
        if (t == end) break;
        wait = patience = t > from ? 0 : patience < 63 ? 2 * patience + 1 : 63;
      }
    }
    const double* row = table + t * s.experts * s.width;
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
template <class R>
Fault predict_row(ExpertWorkspace& d, const double* row, double* weights, double* prediction) {
  Fault bad = read_advice(d, row);
  if (!bad) bad = weigh<R>(d);
  if (bad) return bad;
  predict_from(d, row, prediction);
  if (weights) share_out(d, weights);
  return {};
}

// Settles a row that was predicted earlier, with other weights perhaps.
template <class R>
Fault settle_row(ExpertWorkspace& d, const double* row, const double* y, const double* weights,
                 const double* prediction, double& loss) {
  Fault bad = read_advice(d, row);
  if (!bad) bad = weigh<R>(d);
  Account account;
  if (!bad) bad = judge(d, row, prediction, y, weights, account);
  if (bad) return bad;
  learn<R>(d, account, y);
  loss = account.loss;
  return {};
}

template <class R>
ExpertVerdict play_late_rows(const Combination& s, const double* table, const double* outcomes, const Results& to,
                             const Lateness& late, std::int64_t rounds) {
  ExpertWorkspace d(s);
  const std::int64_t numbers = s.experts * s.width;
  const auto row = [&](std::int64_t t) -> const double* {
    if (!late.singles) return table + t * numbers;
    for (std::int64_t i = 0; i < numbers; ++i) late.line[i] = double(late.singles[t * numbers + i]);
    return late.line;
  };
  for (std::int64_t t = 0; t <= rounds; ++t) {
    for (std::int64_t e = late.starts[t]; e < late.starts[t + 1]; ++e) {
      const std::int64_t old = late.settle[e];
      double loss = 0;
      const Fault bad = settle_row<R>(d, row(old), outcomes ? outcomes + old * s.width : nullptr,
                                      late.pool + late.slots[old] * s.experts, to.predictions + old * s.width, loss);
      if (bad) return {old, bad.refusal, bad.column};
      if (to.losses) to.losses[old] = loss;
    }
    if (t == rounds) break;
    double* const weights = late.pool + late.slots[t] * s.experts;
    const Fault bad = predict_row<R>(d, row(t), weights, to.predictions + t * s.width);
    if (bad) return {t, bad.refusal, bad.column};
    if (to.weights)
      for (std::int64_t i = 0; i < s.experts; ++i) to.weights[t * s.experts + i] = weights[i];
  }
  return {rounds};
}

// Charges that were made elsewhere.
template <class R>
Fault settle_charged(ExpertWorkspace& d, const Charged& charged) {
  d.silent = 0;
  for (std::int64_t i = 0; i < d.padded_n; ++i) {
    d.linear[i] = i < d.n ? charged.charges[i] : missing;
    d.own[i] = i < d.n && charged.charges[i] == charged.charges[i] ? charged.own[i] : missing;
    if (i < d.n) d.silent += charged.charges[i] != charged.charges[i];
  }
  d.advised = d.charges = d.linear;
  d.losses = d.own;
  if (d.silent == d.n) return {ExpertRefusal::asleep, -1};
  if (const Fault bad = weigh<R>(d)) return bad;
  Account account = audit(d, charged.weights);
  account.loss = charged.loss;
  account.expected = charged.expected;
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
