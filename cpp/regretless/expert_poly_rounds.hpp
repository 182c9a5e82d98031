// Usual rounds by ML-Poly, to the same bits as the plain loop: the experts are read once to weigh them and once to
// move.
#pragma once
#include "expert_blocks.hpp"

namespace regretless::REGRETLESS_ISA {

// What experts are charged: what a table says, their losses, or the slope of the learner's.
enum class PolyCharge { table, loss, slope };

template <PolyCharge kind>
struct PolyRound {
  static constexpr bool forecasts = kind != PolyCharge::table, sloped = kind == PolyCharge::slope;
  static constexpr Rows rows = forecasts ? Rows::forecasts : Rows::losses;
  Account account{};
  double prediction, drag;
  Usual usual;

  // Weighs, charges, and adds up.
  template <class Loss>
  REGRETLESS_INLINE void weigh(const ExpertWorkspace& d, const double* row, const Loss& loss, double largest) {
    Folded<Adding> total, charge, said;
    Folded<Least> lowest, least_said;
    Folded<Most> highest, most_said;
    const auto weigh_part = [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
      const P a = part_of<P>(row, i, d.n), c = values(loss, a), slack = everywhere<P>(largest) + read<P>(d.row[1] + i);
      const P rate = read<P>(d.prior + i) / where_positive(slack, slack, everywhere<P>(1));
      const P w = rate * upper(read<P>(d.row[0] + i), everywhere<P>(0));
      put(d.aux + i, rate);
      put(d.weights + i, w);
      put(d.own + i, c);
      total.take(w);
      charge.take(w * c);
      lowest.take(c);
      highest.take(c);
      if constexpr (forecasts) {
        said.take(w * a);
        least_said.take(a);
        most_said.take(a);
      }
    };
    by_parts(d.n, weigh_part);
    usual = {sum_of(total), sum_of(charge), 0, 0, folded<Least>(lowest.four()), folded<Most>(highest.four()), 0, 0};
    if constexpr (forecasts) {
      usual.said = sum_of(said);
      usual.least_said = folded<Least>(least_said.four());
      usual.most_said = folded<Most>(most_said.four());
    }
    settle(loss);
  }
  REGRETLESS_INLINE static double sum_of(const Folded<Adding>& all) { return folded<Adding>(all.four()); }

  template <class Loss>
  REGRETLESS_INLINE void settle(const Loss& loss) {
    const double raw = usual.charge / usual.total;
    account.lowest = usual.lowest;
    account.highest = usual.highest;
    account.mix = {between(raw, usual.lowest, usual.highest), usual.total, usual.lowest, usual.highest};
    account.expected = sloped ? raw : account.mix.charge;
    prediction = forecasts ? usual.said / usual.total : raw;
    account.loss = usual.paid = forecasts ? loss.value(prediction) : account.mix.charge;
  }
  // Charges the slope of the loss of the prediction instead.
  template <class Loss>
  REGRETLESS_INLINE void charge_slopes(const ExpertWorkspace& d, const double* row, const Loss& loss) {
    const double slope = loss.slope(prediction);
    Folded<Adding> charge;
    Folded<Least> lowest;
    Folded<Most> highest;
    by_parts(d.n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
      const P c = everywhere<P>(slope) * (part_of<P>(row, i, d.n) - everywhere<P>(prediction));
      put(d.linear + i, c);
      charge.take(read<P>(d.weights + i) * c);
      lowest.take(c);
      highest.take(c);
    });
    const double least = folded<Least>(lowest.four()), most = folded<Most>(highest.four());
    account.mix = {between(sum_of(charge) / usual.total, least, most), usual.total, least, most};
  }
  // Whether the round is like others; nothing has moved yet.
  REGRETLESS_INLINE bool holds(const Combination& s, double largest) const {
    const double reach = account.mix.reach();
    return usual.template holds<rows>(s.low, s.high) & (account.mix.lowest > -tame) & (account.mix.highest < tame) &
           (account.mix.charge - account.mix.charge == 0) & (reach * reach <= largest * steepest);
  }
  REGRETLESS_INLINE void move(const ExpertWorkspace& d) {
    const double* const charges = sloped ? d.linear : d.own;
    Folded<Adding> sum;
    by_parts(d.n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
      const P r = everywhere<P>(account.mix.charge) - read<P>(charges + i), r2 = r * r;
      sum.take(read<P>(d.aux + i) * r2);
      put(d.row[0] + i, read<P>(d.row[0] + i) + r);
      put(d.row[1] + i, read<P>(d.row[1] + i) + r2);
    });
    drag = sum_of(sum);
  }
};

// Up to the first round that is not usual, among them all in which nobody has regret.
template <PolyCharge kind, class LossOf>
static std::int64_t poly_rows(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                              std::int64_t t, std::int64_t end, LossOf loss_of) {
  using Round = PolyRound<kind>;
  ExpertBook book = d.book;
  CombinerMemory memory = d.memory;
  d.erred = false;
  for (; t < end; ++t) {
    const double* y = outcomes ? outcomes + t : nullptr;
    if (Round::forecasts && outcome_fault(d.setting, y)) break;
    const double* row = table + t * d.n;
    const auto loss = loss_of(Round::forecasts ? *y : 0);
    const double largest = Poly::largest(d, memory);
    Round round;
    round.weigh(d, row, loss, largest);
    if constexpr (Round::sloped) round.charge_slopes(d, row, loss);
    if (!round.holds(d.setting, largest)) [[unlikely]]
      break;
    round.move(d);
    if (to.predictions) to.predictions[t] = round.prediction;
    if (to.losses) to.losses[t] = round.account.loss;
    write_usual(book, memory, round.account, 0);
    if (Round::forecasts) book.max_outcome2 = at_least(*y * *y, book.max_outcome2);
    const double reach = round.account.mix.reach();
    memory.largest = at_least(reach * reach, memory.largest);
    book.drag += round.drag;
    if constexpr (Round::sloped)
      for (std::int64_t i = 0; i < d.n; ++i) d.setting.tallies[own_losses * d.n + i] += d.own[i];
  }
  d.book = book;
  d.memory = memory;
  return t;
}

}  // namespace regretless::REGRETLESS_ISA
