// Exponential weights of summed charges, with the sweep that does a whole round in one reading.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

// c of those whose sums exceed the least one by nothing.
template <Lanes P>
REGRETLESS_INLINE P charge_of_leader(const P& excess, const P& c) {
  return where_positive(excess, everywhere<P>(-infinity), c);
}

// The charge of the mix less the mix loss, from `more`, the sum of w (exp(eta (leader - charge)) - 1). With x = more /
// total, ln(1 + x) is 2 artanh(x / (2 + x)), by its series up to the 13th power. It does not fit where an exponent is
// too large for it or the logarithm is far from 0.
struct QuickGap {
  double gap;
  bool fits;
};
REGRETLESS_INLINE QuickGap quick_gap(const Mix& mix, double leader, double eta, double more) {
  const double z = more / ((mix.total + mix.total) + more), q = z * z, q2 = q * q;
  const double p3 = (q * (1.0 / 5) + 1.0 / 3) + q2 * (q * (1.0 / 9) + 1.0 / 7), p11 = q * (1.0 / 13) + 1.0 / 11;
  const double first = z * (2 / eta), gap = ((mix.charge - leader) + first) + (first * q) * (p3 + (q2 * q2) * p11);
  const bool fits = (eta * (leader - mix.lowest) <= 600) & (z <= 0.0625) & (z >= -0.0625);
  return {gap, fits};
}

struct HedgeSweep;

// Exponential weights of the summed charges, which are its state.
struct Hedge {
  using Sweep = HedgeSweep;
  static constexpr CombinerRule facts{.name = "hedge", .rows = 1, .exponential = true, .one_rate = true};
  static double weigh(ExpertWorkspace& d) {
    d.eta = common_rate(d);
    d.power = power_of(d, d.memory, d.eta);
    const double* sums = d.row[0];
    double base = d.memory.least;
    if (d.silent) {
      Octet smallest_yet = eight(infinity);
      for (std::int64_t i = 0; i < d.padded_n; i += 8)
        smallest_yet = lower(where_known(at(d.advised, i), at(sums, i), smallest_yet), smallest_yet);
      base = smallest_of(smallest_yet);
    }
    d.base = base;
    if (!(base < infinity)) return 0;
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet excess = at(sums, i) - eight(base);
      const Octet factor =
          d.eta < infinity ? two_to(eight(d.power) * excess) : where_positive(excess, eight(0), eight(1));
      const Octet w = where_known(at(d.advised, i), at(d.prior, i) * factor, eight(0));
      put(d.weights + i, w);
      total = total + w;
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (d.setting.schedule != ScheduleKind::constant) note(d, mix);
    if (d.setting.schedule == ScheduleKind::leader) d.book.changes += leader_falls(d, mix);
    d.memory.least = add_charges(d, d.row[0], mix.charge);
  }
  // Whether an expert with the least sum, be it silent, has it no more after these charges.
  static bool leader_falls(const ExpertWorkspace& d, const Mix& mix) {
    const Octet base = eight(d.memory.least);
    Octet least = eight(infinity), led = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet behind = at(d.row[0], i) - base, sum = behind + charged(d, i, mix.charge);
      least = lower(sum, least);
      led = upper(where_positive(behind, eight(-infinity), sum), led);
    }
    return largest_of(led) > smallest_of(least);
  }
  // The sum of all weights, those of the silent included, in the unit of `weights`.
  static double whole(const ExpertWorkspace& d) {
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet power = lower(eight(-d.eta) * (at(d.row[0], i) - eight(d.base)), eight(700));
      sum = sum + at(d.prior, i) * exp_of(power);
    }
    return in_all(sum);
  }
  // The largest charge of an expert with the least sum, where all speak.
  static double leaders_charge(const ExpertWorkspace& d) {
    Octet led = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      led = upper(charge_of_leader(at(d.row[0], i) - eight(d.memory.least), at(d.charges, i)), led);
    return largest_of(led);
  }
  // The charge of the mix less the mix loss is written down.
  static void note(const ExpertWorkspace& d, const Mix& mix) {
    note_gap(d, d.silent ? gap(d, mix) : gap_of_all(d, mix, leaders_charge(d)));
  }
  // The gap where all speak: counted from the charge of a leader if that will do, for nothing needs to wait for the mix
  // then.
  static double gap_of_all(const ExpertWorkspace& d, const Mix& mix, double leader) {
    const Octet from = eight(leader);
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      sum = sum + at(d.weights, i) * two_to_less_one(eight(d.power) * (charged(d, i, leader) - from));
    const QuickGap quick = quick_gap(mix, leader, d.eta, in_all(sum));
    return quick.fits ? quick.gap : gap(d, mix);
  }
  // The mix loss is that of all weights, of which none counts as zero.
  static double gap(const ExpertWorkspace& d, const Mix& mix) {
    if (gentle(d, mix)) {
      const double more = surplus<Leaves::sums>(d, d.weights, mix.charge, nullptr);
      return log_past_one(more / (d.silent ? whole(d) : mix.total)) / d.eta;
    }
    const Octet base = eight(d.memory.least);
    Octet least_sum = eight(infinity), before{}, after{};
    const auto sum_after = [&](std::int64_t i) REGRETLESS_LAMBDA {
      return (at(d.row[0], i) - base) + charged(d, i, mix.charge);
    };
    for (std::int64_t i = 0; i < d.padded_n; i += 8) least_sum = lower(sum_after(i), least_sum);
    const double least = smallest_of(least_sum);
    if (!(d.eta < infinity)) return mix.charge - least;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      before = before + at(d.prior, i) * exp_of(eight(-d.eta) * (at(d.row[0], i) - base));
      after = after + at(d.prior, i) * exp_of(eight(-d.eta) * (sum_after(i) - eight(least)));
    }
    return (mix.charge - least) + log_of(in_all(after) / in_all(before)) / d.eta;
  }

  // All that a round asks for in one reading, where charges do not depend on the prediction and all speak. The next
  // state is written elsewhere, so that nothing has happened if it turns out that the round must be looked at more
  // closely.
  struct Swept {
    double total, charge, said, lowest, highest, least_said, most_said, least, led;
  };
  // Of eight lanes, or of four at the end of a row.
  template <class P>
  struct Sums {
    P total{}, charge{}, mean{};
    P lowest = everywhere<P>(infinity), least_said = lowest, least = lowest;
    P highest = everywhere<P>(-infinity), most_said = highest, led = highest;
  };
  template <Leaves leaves, Rows rows, class P, class Loss>
  REGRETLESS_INLINE static void add(Sums<P>& s, const ExpertWorkspace& d, const Loss& loss, const P& a, std::int64_t i,
                                    std::int64_t step) {
    const P sum = read<P>(d.row[0] + i), c = values(loss, a), after = sum + c;
    const P excess = sum - everywhere<P>(d.base);
    const P w = read<P>(d.prior + (i & step)) * two_to(everywhere<P>(d.power) * excess);
    put(d.next + i, after);
    if constexpr (leaves == Leaves::experts) {
      put(d.weights + i, w);
      put(d.own + i, c);
      s.led = upper(charge_of_leader(excess, c), s.led);
    }
    s.total = s.total + w;
    s.charge = s.charge + w * c;
    s.lowest = lower(c, s.lowest);
    s.highest = upper(c, s.highest);
    s.least = lower(after, s.least);
    if constexpr (rows == Rows::forecasts) {
      s.mean = s.mean + w * a;
      s.least_said = lower(a, s.least_said);
      s.most_said = upper(a, s.most_said);
    }
  }
  template <Leaves leaves, Rows rows, class Loss>
  REGRETLESS_INLINE static Swept sweep(const ExpertWorkspace& d, const double* row, const Loss& loss,
                                       std::int64_t step) {
    Sums<Octet> s;
    Sums<Quartet> end;
    const std::int64_t rest = d.n & 7, whole = d.n - rest;
    for (std::int64_t i = 0; i < whole; i += 8) add<leaves, rows>(s, d, loss, at(row, i), i, step);
    if (rest) {  // the first number stands in the places behind the end, which have no weight
      const Octet last = some_of(row + whole, rest, row[whole]);
      if (rest > 4) add<leaves, rows>(s, d, loss, last, whole, step);
      else add<leaves, rows>(end, d, loss, low_half(in_halves(last)), whole, step);
    }
    const auto sum = [](const Octet& all, const Quartet& more) REGRETLESS_LAMBDA {
      const Eight halves = in_halves(all);
      return tree((low_half(halves) + more) + high_half(halves));
    };
    const auto least = [](const Octet& all, const Quartet& more) REGRETLESS_LAMBDA {
      const Eight halves = in_halves(all);
      return smallest_lane(lower(lower(low_half(halves), more), high_half(halves)));
    };
    const auto most = [](const Octet& all, const Quartet& more) REGRETLESS_LAMBDA {
      const Eight halves = in_halves(all);
      return largest_lane(upper(upper(low_half(halves), more), high_half(halves)));
    };
    return {sum(s.total, end.total),          sum(s.charge, end.charge),    sum(s.mean, end.mean),
            least(s.lowest, end.lowest),      most(s.highest, end.highest), least(s.least_said, end.least_said),
            most(s.most_said, end.most_said), least(s.least, end.least),    most(s.led, end.led)};
  }
};

}  // namespace regretless::REGRETLESS_ISA
