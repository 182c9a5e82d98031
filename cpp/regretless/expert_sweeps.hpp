// Rounds that are usual, by rules that have no need to look at them twice: all speak, and charges do not hang on the
// prediction, or hang on it alone. What is unusual about a round is left to the plain loop, which is the one to read
// first.
#pragma once
#include "expert_tuned.hpp"
#include "expert_poly_rounds.hpp"

namespace regretless::REGRETLESS_ISA {

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
template <Leaves leaves, Rows rows, class LossOf>
static std::int64_t sweep_rows(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  constexpr bool of_experts = leaves == Leaves::experts, said = rows == Rows::forecasts;
  const Combination& s = d.setting;
  ExpertBook near_book = d.book;
  CombinerMemory near_memory = d.memory;
  ExpertBook& book = of_experts ? d.book : near_book;
  CombinerMemory& memory = of_experts ? d.memory : near_memory;
  d.silent = 0;
  d.erred = false;
  d.losses = d.charges = d.own;
  d.eta = common_rate(d);
  d.power = power_of(d, d.memory, d.eta);
  const bool itself = said && charged_itself(s);
  for (; t < end; ++t) {
    const double* y = outcomes ? outcomes + t : nullptr;
    if (said && outcome_fault(s, y)) break;
    if constexpr (of_experts) {
      d.eta = common_rate(d);
      d.power = power_of(d, memory, d.eta);
    }
    if (!(d.eta < infinity) || !(memory.least < infinity)) break;
    d.base = memory.least;
    const auto loss = loss_of(said ? *y : 0);
    const Hedge::Swept all = Hedge::sweep<leaves, rows>(d, table + t * d.n, loss, step);
    const double raw = all.charge / all.total, mix = between(raw, all.lowest, all.highest);
    const double prediction = said ? all.said / all.total : raw;
    const double paid = said ? loss.value(prediction) : mix;
    const double charge = itself ? own_charge(s, paid, all.highest) : mix;
    const Account account{{charge, all.total, all.lowest, all.highest}, paid, mix, 0, all.lowest, all.highest};
    const Usual usual{all.total, all.charge, all.said, paid, all.lowest, all.highest, all.least_said, all.most_said};
    if (!usual.holds<rows>(s.low, s.high)) [[unlikely]]
      break;
    d.total = all.total;
    if (to.predictions) to.predictions[t] = prediction;
    if (to.losses) to.losses[t] = account.loss;
    write_usual(book, memory, account, d.eta);
    if (said) book.max_outcome2 = at_least(*y * *y, book.max_outcome2);
    if constexpr (of_experts) {
      give_out(d, account, to, t);
      if (s.schedule != ScheduleKind::constant) note_gap(d, Hedge::gap_of_all(d, account.mix, all.led));
    }
    memory.least = all.least;
    double* const before = d.row[0];
    d.row[0] = d.next;
    d.next = before;
  }
  if constexpr (!of_experts) {
    d.book = near_book;
    d.memory = near_memory;
  }
  return t;
}

// Of few experts, those rounds that can be played at once or with less waiting are; after one that cannot, the next
// ones are swept one by one.
template <Leaves leaves, Rows rows, class LossOf>
static std::int64_t hedge_rows(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  const ScheduleKind schedule = d.setting.schedule;
  if (d.n > few || to.weights || to.uniforms || schedule == ScheduleKind::leader)
    return sweep_rows<leaves, rows>(d, table, outcomes, to, t, end, step, loss_of);
  while (t < end) {
    if constexpr (leaves == Leaves::sums)
      t = block_rows<rows, Gaps::unasked>(d, table, outcomes, to, t, end, step, loss_of);
    else if (schedule == ScheduleKind::anytime)
      t = block_rows<rows, Gaps::noted>(d, table, outcomes, to, t, end, step, loss_of);
    else t = tuned_rows<rows>(d, table, outcomes, to, t, end, step, loss_of);
    const std::int64_t stop = end - t < few ? end : t + few,
                       next = sweep_rows<leaves, rows>(d, table, outcomes, to, t, stop, step, loss_of);
    if (next < stop) return next;
    t = next;
  }
  return t;
}

// play(f), f making a loss from its outcome, for losses that a sweep knows; `given` for a table of losses.
template <class Play, class Table>
static std::int64_t with_sweepable(const Combination& s, std::int64_t t, Table table, Play play) {
  switch (s.charge) {
    case ChargeKind::table: return table([](double) { return TableLoss{}; });
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

// Sweeping asks that charges do not hang on the prediction, which is the mix.
template <Leaves leaves>
static std::int64_t sweep_hedge(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                                std::int64_t t, std::int64_t end, std::int64_t step) {
  const Combination& s = d.setting;
  if (s.width > 1 || s.linear || s.substitute) return t;
  return with_sweepable(
      s, t,
      [&](auto loss_of) { return hedge_rows<leaves, Rows::losses>(d, table, outcomes, to, t, end, step, loss_of); },
      [&](auto loss_of) { return hedge_rows<leaves, Rows::forecasts>(d, table, outcomes, to, t, end, step, loss_of); });
}

// ML-Poly weighs in one reading and moves in another; where charges are linear, they are made in between.
static std::int64_t sweep_poly(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end) {
  const Combination& s = d.setting;
  if (s.width > 1 || to.weights || to.uniforms) return t;
  return with_sweepable(
      s, t, [&](auto loss_of) { return poly_rows<PolyCharge::table>(d, table, outcomes, to, t, end, loss_of); },
      [&](auto loss_of) {
        return s.linear ? poly_rows<PolyCharge::slope>(d, table, outcomes, to, t, end, loss_of)
                        : poly_rows<PolyCharge::loss>(d, table, outcomes, to, t, end, loss_of);
      });
}

// What a rule names as its `Sweep`: plays usual rounds from t on, and returns the first that it leaves to the plain
// loop.
template <class R>
concept Swept = requires { typename R::Sweep; };

struct HedgeSweep {
  static std::int64_t play(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                           std::int64_t t, std::int64_t end, std::int64_t step) {
    if (d.setting.schedule != ScheduleKind::constant || to.weights || to.uniforms)
      return sweep_hedge<Leaves::experts>(d, table, outcomes, to, t, end, step);
    return sweep_hedge<Leaves::sums>(d, table, outcomes, to, t, end, step);
  }
};

struct PolySweep {
  static std::int64_t play(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                           std::int64_t t, std::int64_t end, std::int64_t) {
    return sweep_poly(d, table, outcomes, to, t, end);
  }
};

}  // namespace regretless::REGRETLESS_ISA
