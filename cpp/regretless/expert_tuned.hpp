// Rounds of few experts by a hedge that tunes its rate by its gaps, to the same bits as one by one. The rate waits for
// the gap of the round before, and nothing is on the way from one rate to the next that could be done earlier.
#pragma once
#include "expert_blocks.hpp"
#include "joint.hpp"

namespace regretless::REGRETLESS_ISA {

// What a round says before its books are written; `more` is as in `quick_gap`.
struct Tuned {
  double lowest, highest, leader, least, least_said, most_said, total, charge, said, more;
};

// Experts whose numbers lie in memory.
template <Rows rows>
struct ExpertsInMemory {
  ExpertWorkspace& d;
  std::int64_t step;
  alignas(64) double charges[few];

  ExpertsInMemory(ExpertWorkspace& all, std::int64_t priors) : d(all), step(priors) {}
  template <class Loss>
  REGRETLESS_INLINE Tuned play(const double* row, const Loss& loss, double base, double power) {
    constexpr bool said = rows == Rows::forecasts;
    const Reading seen = read_round<rows>(d.n, row, loss, d.row[0], d.next, charges);
    const double leader = folded<Most>(leaders_in(d.n, d.row[0], charges, base));
    const Weighing all = weigh_round(row, base, power, leader);
    return {folded<Least>(seen.lowest),
            folded<Most>(seen.highest),
            leader,
            folded<Least>(seen.least),
            said ? folded<Least>(seen.least_said) : 0,
            said ? folded<Most>(seen.most_said) : 0,
            folded<Adding>(all.total),
            folded<Adding>(all.charge),
            said ? folded<Adding>(all.said) : 0,
            folded<Adding>(all.more)};
  }
  REGRETLESS_INLINE Weighing weigh_round(const double* row, double base, double power, double leader) const {
    Folded<Adding> total, charge, said, more;
    by_parts(d.n, [&]<class P>(std::int64_t i, const P&) REGRETLESS_LAMBDA {
      const P c = read<P>(charges + i), by = everywhere<P>(power);
      const P w = read<P>(d.prior + (i & step)) * two_to(by * (read<P>(d.row[0] + i) - everywhere<P>(base)));
      total.take(w);
      charge.take(w * c);
      if constexpr (rows == Rows::forecasts) said.take(w * part_of<P>(row, i, d.n));
      more.take(w * two_to_less_one(by * (c - everywhere<P>(leader))));
    });
    return {total.four(), charge.four(), said.four(), more.four()};
  }
  REGRETLESS_INLINE void go_on() { std::swap(d.row[0], d.next); }
  REGRETLESS_INLINE void leave() const {}
};

// At most sixteen experts, whose numbers stay in registers.
template <Rows rows, class A, class B>
struct ExpertsInRegisters {
  using Numbers = Joint<A, B>;
  ExpertWorkspace& d;
  Numbers prior, sums, after;

  ExpertsInRegisters(ExpertWorkspace& all, std::int64_t) : d(all), prior(from(all.prior)), sums(from(all.row[0])) {}
  static Numbers from(const double* p) {
    return on_each([&]<class P>(int i, const P&) REGRETLESS_LAMBDA { return read<P>(p + i); }, Numbers{});
  }
  template <class Loss>
  REGRETLESS_INLINE Tuned play(const double* row, const Loss& loss, double base, double power) {
    constexpr bool forecasts = rows == Rows::forecasts;
    const Numbers a =
        on_each([&]<class P>(int i, const P&) REGRETLESS_LAMBDA { return part_of<P>(row, i, d.n); }, sums);
    const Numbers charges =
        on_each([&](int, const auto& x) REGRETLESS_LAMBDA { return values(loss, x); }, a);
    const Numbers excess = sums - base;
    const auto led = [](int, const auto& x, const auto& c) REGRETLESS_LAMBDA { return charge_of_leader(x, c); };
    after = sums + charges;
    Tuned all{};
    all.lowest = one_of<Least>(charges);
    all.highest = one_of<Most>(charges);
    all.leader = one_of<Most>(on_each(led, excess, charges));
    all.least = one_of<Least>(after);
    if constexpr (forecasts) all.least_said = one_of<Least>(a), all.most_said = one_of<Most>(a);
    // Charges that differ by so little ask for no power but 2^0.
    const bool close = power * (all.highest - all.lowest) >= -0.5;
    Numbers growth;
    const Numbers w = weights(excess * power, (charges - all.leader) * power, close, growth);
    // A sum starts at +0, and so becomes no -0.
    all.total = one_of<Adding>(w);
    all.charge = one_of<Adding>(w * charges) + 0.0;
    if constexpr (forecasts) all.said = one_of<Adding>(w * a) + 0.0;
    all.more = one_of<Adding>(w * growth);
    return all;
  }
  // `two_to` of the one and `two_to_less_one` of the other, step by step for both.
  REGRETLESS_INLINE Numbers weights(const Numbers& y, const Numbers& ahead, bool close, Numbers& growth) const {
    const Numbers shifted = y + to_integer, fraction = y - (shifted - to_integer);
    Numbers rest;
    if (close) {
      const auto both = two_to_fraction_less_one(Joint<Numbers, Numbers>{fraction, ahead});
      rest = both.first;
      growth = both.second;
    } else {
      rest = two_to_fraction_less_one(fraction);
      growth = on_each([](int, const auto& x) REGRETLESS_LAMBDA { return two_to_less_one(x); }, ahead);
    }
    const auto weight = [](int, const auto& x, const auto& shift, const auto& r, const auto& p) REGRETLESS_LAMBDA {
                              const auto one = []<class V>(V v, V s, V more) REGRETLESS_LAMBDA {
                                return power_from(v, Exponential<V>{typename Exponential<V>::Bits(s) << 52, more});
                              };
                              return p * apply(one, x, shift, r);
                            };
    return on_each(weight, y, shifted, rest, prior);
  }
  REGRETLESS_INLINE void go_on() { sums = after; }
  REGRETLESS_INLINE void leave() const {
    const auto write = [&](int i, const auto& x) REGRETLESS_LAMBDA {
      put(d.row[0] + i, x);
      return x;
    };
    on_each(write, sums);
  }
  // In the order in which `Folded` makes it.
  template <class By>
  REGRETLESS_INLINE static double one_of(const Numbers& a) {
    if constexpr (std::is_same_v<A, Quartet>) return folded<By>(a.first);
    else if constexpr (std::is_same_v<B, Octet>) return in_halves_of<By>(By::of(a.second, a.first), Nothing{});
    else return in_halves_of<By>(a.first, a.second);
  }
  template <class By, class End>
  REGRETLESS_INLINE static double in_halves_of(const Octet& eights, const End& end) {
    const Eight halves = in_halves(eights);
    if constexpr (std::is_same_v<End, Quartet>)
      return folded<By>(By::of(By::of(low_half(halves), end), high_half(halves)));
    else return folded<By>(By::of(low_half(halves), high_half(halves)));
  }
};

// Up to the first round that is not usual.
template <class Experts, Rows rows, class LossOf>
static std::int64_t tuned_rows_of(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                                  std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  constexpr bool said = rows == Rows::forecasts;
  const Combination& s = d.setting;
  ExpertBook book = d.book;
  CombinerMemory memory = d.memory;
  Experts experts(d, step);
  double gaps = memory.gaps;
  for (; t < end && gaps > 0 && memory.least < infinity; ++t) {
    const double* y = outcomes ? outcomes + t : nullptr;
    if (said && outcome_fault(s, y)) break;
    const double power = tuned_power(d, gaps), eta = at_least(d.log_n / gaps, std::numeric_limits<double>::min());
    const auto loss = loss_of(said ? *y : 0);
    const Tuned all = experts.play(table + t * d.n, loss, memory.least, power);
    const double raw = all.charge / all.total, mix = between(raw, all.lowest, all.highest);
    const double prediction = said ? all.said / all.total : raw, paid = said ? loss.value(prediction) : mix;
    const Mix charged{said ? at_most(paid, all.highest) : mix, all.total, all.lowest, all.highest};
    const QuickGap quick = quick_gap(charged, all.leader, eta, all.more);
    const Usual usual{all.total, all.charge, all.said, paid, all.lowest, all.highest, all.least_said, all.most_said};
    if (!(usual.template holds<rows>(s.low, s.high) & quick.fits & (eta < infinity) & (power > -largest_double)))
        [[unlikely]]
      break;
    if (to.predictions) to.predictions[t] = prediction;
    if (to.losses) to.losses[t] = paid;
    write_usual(book, memory, {charged, paid, mix, 0, all.lowest, all.highest}, eta);
    if (said) book.max_outcome2 = at_least(*y * *y, book.max_outcome2);
    const double gap = at_least(quick.gap, 0);
    gaps += gap;
    book.gap += gap;
    memory.least = all.least;
    experts.go_on();
  }
  experts.leave();
  memory.gaps = gaps;
  d.book = book;
  d.memory = memory;
  return t;
}
template <Rows rows, class LossOf>
static std::int64_t tuned_rows(ExpertWorkspace& d, const double* table, const double* outcomes, const Results& to,
                               std::int64_t t, std::int64_t end, std::int64_t step, LossOf loss_of) {
  const auto with = [&]<class Experts>() {
    return tuned_rows_of<Experts, rows>(d, table, outcomes, to, t, end, step, loss_of);
  };
  if (d.n == 1) return t;
  if (d.n <= 4) return with.template operator()<ExpertsInRegisters<rows, Quartet, Nothing>>();
  if (d.n <= 8) return with.template operator()<ExpertsInRegisters<rows, Octet, Nothing>>();
  if (d.n <= 12) return with.template operator()<ExpertsInRegisters<rows, Octet, Quartet>>();
  if (d.n <= 16) return with.template operator()<ExpertsInRegisters<rows, Octet, Octet>>();
  return with.template operator()<ExpertsInMemory<rows>>();
}

}  // namespace regretless::REGRETLESS_ISA
