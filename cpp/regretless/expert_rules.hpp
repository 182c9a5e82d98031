// Rules for weights. A rule has two verbs. `weigh` writes the weights of those who speak, up to a common factor, and
// returns their sum; if that is zero the prior weights are taken in their place. `move` learns from charges and their
// mix; whoever is silent is charged as much as the mix.
#pragma once
#include <tuple>

#include "expert_losses.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t grid_points = 30;  // of Squint: rates that halve
inline constexpr std::int64_t small = 4096;      // the state of so few experts is copied, to lie well
inline constexpr double smallest_scale = 1e-145;
inline constexpr double steepest = 1e290;  // squared regrets of a round over those before it that still are summed

// The arrays of one play, each padded to whole eights: the state itself where it is so already and long, else a copy
// that begins a cache line and is written back at the end. Padding: advice NaN, prior 0, cumulative loss +inf, so that
// it affects neither sums nor minima.
struct ExpertWorkspace {
  const Combination& setting;
  CombinerMemory& memory;
  ExpertBook& book;
  const std::int64_t n, padded_n;
  double log_n;
  double* row[3];
  double* next;  // where a hedge writes its next state before it is known whether the round may be played
  const double* prior;
  double *weights, *advice, *own, *linear, *aux, *aux2, *vectors;

  const double* advised = nullptr;  // the round's advice, nan where an expert is silent
  const double* losses = nullptr;   // own losses
  const double* charges = nullptr;  // charges
  std::int64_t silent = 0;          // how many experts are
  double total = 0;                 // sum of `weights`
  double eta = 0;                   // the rate of the weights in `weights`
  double base = 0;                  // the sum of charges from which their exponents are counted
  bool fell_back = false;           // whether `weights` are prior weights, because the rule's were all zero
  bool erred = false;               // whether the prediction was wrong

  explicit ExpertWorkspace(const Combination& all)
      : setting(all), memory(*all.memory), book(*all.book), n(all.experts), padded_n(padded(n)),
        log_n(log_of(double(n))) {
    double* free = setting.scratch;
    const auto take = [&](std::int64_t size) { return (free += size) - size; };
    weights = take(padded_n);
    advice = take(padded_n);
    own = take(padded_n);
    linear = take(padded_n);
    aux = take(padded_n);
    aux2 = take(padded_n);
    next = take(padded_n);
    vectors = take(padded(3 * setting.width));
    double* const room = take(4 * padded_n);
    const int rows = setting.rule.rows;
    if (n == padded_n && n > small) {
      prior = setting.prior;
      for (int r = 0; r < rows; ++r) row[r] = setting.state + r * n;
      return;
    }
    prior = pad(setting.prior, room, 0);
    for (std::int64_t i = n; i < padded_n; ++i) {
      next[i] = infinity;
      weights[i] = 0;
      own[i] = missing;
    }
    for (int r = 0; r < rows; ++r)
      row[r] = pad(setting.state + r * n, room + (r + 1) * padded_n, setting.rule.exponential ? infinity : 0);
  }
  ~ExpertWorkspace() {
    for (int r = 0; r < setting.rule.rows; ++r)
      for (std::int64_t i = 0; i < n && row[r] != setting.state + r * n; ++i) setting.state[r * n + i] = row[r][i];
  }
  ExpertWorkspace(const ExpertWorkspace&) = delete;

  double* pad(const double* from, double* to, double with) const {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
    for (std::int64_t i = n; i < padded_n; ++i) to[i] = with;
    return to;
  }
  double span(double learnt) const { return setting.span > learnt ? setting.span : learnt; }
};

// How the charges of a round mix under the rule's weights, of which `total` is the sum. Where the outcome came late,
// other weights were played, and their mix was charged `delay` more. Rules that live by the regret take that of what
// was played.
struct Mix {
  double charge, total, lowest, highest;
  double delay = 0;
  double played() const { return charge + delay; }
  double reach() const {  // the largest |charge of what was played - charge of an expert|
    const double above = played() - lowest, below = highest - played();
    return above > below ? above : below;
  }
};

REGRETLESS_INLINE Octet charged(const ExpertWorkspace& d, std::int64_t i, double mix) {
  const Octet c = at(d.charges, i);
  return where_known(c, c, eight(mix));
}

// The rate of the anytime schedule in a round with this number.
REGRETLESS_INLINE double anytime_rate(double log_n, double number, double span) {
  return 2 * __builtin_sqrt(log_n / number) / span;
}
REGRETLESS_INLINE Octet anytime_rate(double log_n, const Octet& number, const Octet& span) {
  return eight(2) * root(eight(log_n) / number) / span;
}

// The rate of the next round, for rules that have one for all experts.
REGRETLESS_INLINE double common_rate(const ExpertWorkspace& d, const CombinerMemory& memory) {
  if (d.n == 1) return 1;
  double eta = d.setting.rate;
  if (d.setting.schedule == ScheduleKind::anytime) {
    const double span = d.setting.span > 0 ? d.setting.span : memory.spread;
    eta = span > 0 ? anytime_rate(d.log_n, memory.rounds + 1, span) : infinity;
  } else if (d.setting.schedule == ScheduleKind::leader) {
    eta = infinity;
  } else if (d.setting.schedule == ScheduleKind::self_tuned) {
    const double numerator = d.setting.rule.shares ? log_of(double(d.n) / d.setting.alpha) : d.log_n;
    eta = memory.gaps > 0 ? numerator / memory.gaps : infinity;
  }
  return eta > std::numeric_limits<double>::min() ? eta : std::numeric_limits<double>::min();
}
static double common_rate(const ExpertWorkspace& d) { return common_rate(d, d.memory); }

// Whether exponents may be counted from the charge of the mix, so that small gaps keep their digits: if none is too
// large.
static bool gentle(const ExpertWorkspace& d, const Mix& mix) {
  return d.eta < infinity && d.eta * (mix.charge - mix.lowest) <= 600;
}

// What a sweep over the experts leaves behind: sums alone, or what each expert has too.
enum class Leaves { sums, experts };
// What the numbers of a row are.
enum class Rows { losses, forecasts };

// The sum of u (exp(eta (charge of the mix - charge)) - 1) for weights u; with `experts`, u times that exponential is
// written.
template <Leaves leaves>
static double surplus(const ExpertWorkspace& d, const double* u, double h, double* out) {
  Octet sum{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet v = at(u, i), more = v * exp_less_one(eight(-d.eta) * (charged(d, i, h) - eight(h)));
    if constexpr (leaves == Leaves::experts) put(out + i, v + more);
    sum = sum + more;
  }
  return in_all(sum);
}

// The charge of the mix less the mix loss is written down.
static void note_gap(const ExpertWorkspace& d, double gap) {
  if (gap > 0) {
    d.memory.gaps += gap;
    d.book.gap += gap;
  }
}

// c of those whose sums exceed the least one by nothing.
template <Lanes P>
REGRETLESS_INLINE P charge_of_leader(const P& excess, const P& c) {
  return where_positive(excess, everywhere<P>(-infinity), c);
}

// ln(1 + x) for |x| <= 1/8, by its series up to x^18: there is no division to wait for.
REGRETLESS_INLINE double log_near_one(double x) {
  const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  const double p2 = (x * (1.0 / 3) - 1.0 / 2) + x2 * (x * (1.0 / 5) - 1.0 / 4);
  const double p6 = (x * (1.0 / 7) - 1.0 / 6) + x2 * (x * (1.0 / 9) - 1.0 / 8);
  const double p10 = (x * (1.0 / 11) - 1.0 / 10) + x2 * (x * (1.0 / 13) - 1.0 / 12);
  const double p14 = (x * (1.0 / 15) - 1.0 / 14) + x2 * (x * (1.0 / 17) - 1.0 / 16);
  return x + x2 * ((p2 + x4 * p6) + x8 * ((p10 + x4 * p14) - x8 * (1.0 / 18)));
}

// The charge of the mix less the mix loss, from `more`, the sum of w (exp(eta (leader - charge)) - 1): nan where an
// exponent is too large for it or the logarithm is far from 0.
REGRETLESS_INLINE double quick_gap(const Mix& mix, double leader, double eta, double more) {
  const double x = more / mix.total, gap = (mix.charge - leader) + log_near_one(x) * (1 / eta);
  const bool fit = (eta * (leader - mix.lowest) <= 600) & (x <= 0.125) & (x >= -0.125);
  return fit ? gap : missing;
}

// Sums charges and returns the least sum.
static double add_charges(const ExpertWorkspace& d, double* sums, double h) {
  Octet smallest_yet = eight(infinity);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet sum = at(sums, i) + charged(d, i, h);
    put(sums + i, sum);
    smallest_yet = lower(sum, smallest_yet);
  }
  return smallest_of(smallest_yet);
}

struct Hedge {  // exponential weights of the summed charges, which are its state
  static constexpr CombinerRule facts{.name = "hedge", .rows = 1, .exponential = true, .one_rate = true};
  static double weigh(ExpertWorkspace& d) {
    d.eta = common_rate(d);
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
          d.eta < infinity ? exp_of(eight(-d.eta) * excess) : where_positive(excess, eight(0), eight(1));
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
      sum = sum + at(d.weights, i) * exp_less_one(eight(-d.eta) * (charged(d, i, leader) - from));
    const double quick = quick_gap(mix, leader, d.eta, in_all(sum));
    return quick == quick ? quick : gap(d, mix);
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
    const P w = read<P>(d.prior + (i & step)) * exp_of(everywhere<P>(-d.eta) * excess);
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
  template <Leaves leaves, Rows rows, class Loss, class V>
  REGRETLESS_INLINE static Swept sweep(const ExpertWorkspace& d, const V* row, const Loss& loss, std::int64_t step) {
    Sums<Octet> s;
    Sums<Quartet> end;
    const std::int64_t rest = d.n & 7, whole = d.n - rest;
    for (std::int64_t i = 0; i < whole; i += 8) add<leaves, rows>(s, d, loss, at(row, i), i, step);
    if (rest) {  // the first number stands in the places behind the end, which have no weight
      const Octet last = some_of(row + whole, rest, double(row[whole]));
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

// Exponential weights, of which a part is dealt out again after every round; state: weights, summed charges.
struct Share {
  static constexpr CombinerRule facts{.name = "share", .rows = 2, .one_rate = true, .shares = true};
  static double weigh(ExpertWorkspace& d) {
    d.eta = common_rate(d);
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = where_known(at(d.advised, i), at(d.row[0], i), eight(0));
      put(d.weights + i, w);
      total = total + w;
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) total = total + at(d.row[0], i);
    const double before = in_all(total), sum = gentle(d, mix) ? temper(d, mix, before) : temper_steeply(d, mix, before);
    const double* kept = sum > 0 ? d.aux : d.prior;
    const double alpha = d.setting.alpha, part = (1 - alpha) / (sum > 0 ? sum : 1);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      put(d.row[0] + i, eight(part) * at(kept, i) + eight(alpha) * at(d.prior, i));
    add_charges(d, d.row[1], mix.charge);
  }

  // Writes weights times exp(-eta charge), up to a common factor, and returns their sum.
  static double temper(const ExpertWorkspace& d, const Mix& mix, double total) {
    const double more = surplus<Leaves::experts>(d, d.row[0], mix.charge, d.aux);
    note_gap(d, log_past_one(more / total) / d.eta);
    return total + more;
  }
  static double temper_steeply(const ExpertWorkspace& d, const Mix& mix, double total) {
    Octet smallest_yet = eight(infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      smallest_yet = lower(where_positive(at(d.row[0], i), charged(d, i, mix.charge), smallest_yet), smallest_yet);
    const double least = smallest_of(smallest_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet u = at(d.row[0], i), excess = charged(d, i, mix.charge) - eight(least);
      const Octet factor =
          where_positive(excess, d.eta < infinity ? exp_of(eight(-d.eta) * excess) : eight(0), eight(1));
      const Octet tempered = where_positive(u, u * factor, eight(0));
      put(d.aux + i, tempered);
      sum = sum + tempered;
    }
    note_gap(d, (mix.charge - least) + (d.eta < infinity ? log_of(in_all(sum) / total) / d.eta : 0));
    return in_all(sum);
  }
};

// The books of single experts are told by their regrets, even where there is no scale yet to learn by.
REGRETLESS_APART static void add_regrets(const ExpertWorkspace& d, const Mix& mix) {
  for (std::int64_t i = 0; i < d.padded_n; i += 8)
    put(d.row[0] + i, at(d.row[0], i) + (eight(mix.played()) - charged(d, i, mix.played())));
}

// The positive part of the regret, over a slack of each expert's own; state: regrets, their squares.
struct Poly {
  static constexpr CombinerRule facts{.name = "poly", .rows = 2, .own_rates = true, .by_regret = true};
  static double largest(const ExpertWorkspace& d, const CombinerMemory& memory) {
    const double declared = d.setting.span * d.setting.span,
                 most = declared > memory.largest ? declared : memory.largest;
    return most > smallest_scale * smallest_scale ? most : 0;
  }
  static double largest(const ExpertWorkspace& d) { return largest(d, d.memory); }
  static double weigh(ExpertWorkspace& d) {
    const Octet most_yet = eight(largest(d));
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet slack = most_yet + at(d.row[1], i), rate = at(d.prior, i) / where_positive(slack, slack, eight(1));
      const Octet w = where_known(at(d.advised, i), rate * upper(at(d.row[0], i), eight(0)), eight(0));
      put(d.aux + i, rate);
      put(d.weights + i, w);
      total = total + w;
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    const double reach = mix.reach();
    if (reach * reach > largest(d) * steepest) [[unlikely]] {
      leap(d, mix, reach * reach);
      return;
    }
    if (reach * reach > d.memory.largest) d.memory.largest = reach * reach;
    if (d.fell_back) renew(d);  // nobody has regret to lose, so that the new slack may be used
    Octet drag{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played()), r2 = r * r;
      drag = drag + at(d.aux, i) * r2;
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + r2);
    }
    d.book.drag += in_all(drag) + (d.fell_back ? 0 : 2 * d.total * mix.delay);
  }
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const Octet slack = eight(largest(d)) + at(d.row[1], i);
    return eight(1) / where_positive(slack, slack, eight(1));
  }
  static void renew(const ExpertWorkspace& d) {
    const Octet most_yet = eight(largest(d));
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet slack = most_yet + at(d.row[1], i);
      put(d.aux + i, at(d.prior, i) / where_positive(slack, slack, eight(1)));
    }
  }
  // The first round, or one beside which all regret so far is smallest_scale any: the new slack is used, and the whole
  // potential after the round is counted.
  REGRETLESS_APART static void leap(const ExpertWorkspace& d, const Mix& mix, double square) {
    if (square > d.memory.largest) d.memory.largest = square;
    renew(d);
    const bool scaled = largest(d) > 0;
    Octet potential{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played()), sum = at(d.row[0], i) + r;
      const Octet lost = d.fell_back ? r : upper(sum, eight(0));
      potential = potential + at(d.aux, i) * (lost * lost);
      put(d.row[0] + i, sum);
      if (scaled) put(d.row[1] + i, at(d.row[1], i) + r * r);
    }
    d.book.drag += in_all(potential);
  }
};

struct ProdGain {
  static constexpr const char* name = "prod";
  static Octet of(const Octet& eta, const Octet& r) { return log_plus(eta * r) / eta; }
};
struct BoaGain {
  static constexpr const char* name = "boa";
  static Octet of(const Octet& eta, const Octet& r) { return r - eta * r * r; }
};

// min(1 / (2 largest), sqrt(ln n / (largest^2 + V))) of eight experts.
struct OwnRates {
  double cap, square, k;
  OwnRates(const ExpertWorkspace& d, double largest)
      : cap(largest > smallest_scale ? 1 / (2 * largest) : 1), square(largest * largest),
        k(log_of(double(d.n > 2 ? d.n : 2))) {}
  Octet operator()(const Octet& squares) const { return lower(root(eight(k) / (eight(square) + squares)), eight(cap)); }
};

// Weights eta exp(eta G), with a rate eta of each expert's own; state: regrets, gains G, squared regrets.
template <class Gain>
struct SecondOrder {
  static constexpr CombinerRule facts{
      .name = Gain::name, .rows = 3, .own_rates = true, .by_regret = true, .drags = true};
  static double weigh(ExpertWorkspace& d) {
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) return 0;
    const OwnRates rates(d, largest);
    Octet most_yet = eight(-infinity), total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet eta = rates(at(d.row[2], i)), power = eta * at(d.row[1], i);
      put(d.aux + i, eta);
      put(d.aux2 + i, power);
      most_yet = upper(where_known(at(d.advised, i), power, most_yet), most_yet);
    }
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = at(d.prior, i) * at(d.aux, i) * exp_of(at(d.aux2, i) - eight(base));
      put(d.weights + i, where_known(at(d.advised, i), w, eight(0)));
      total = total + at(d.weights, i);
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) {
      add_regrets(d, mix);
      return;
    }
    const OwnRates rates(d, largest);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + Gain::of(rates(at(d.row[2], i)), r));
      put(d.row[2] + i, at(d.row[2], i) + r * r);
    }
  }
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const double largest = d.span(d.memory.largest);
    return largest > smallest_scale ? OwnRates(d, largest)(at(d.row[2], i)) : eight(1);
  }
  // Of the potential, the sum of prior exp(eta G).
  static double log_potential(const ExpertWorkspace& d) {
    const double largest = d.span(d.memory.largest);
    if (!(largest > smallest_scale)) return 0;
    const OwnRates rates(d, largest);
    Octet most_yet = eight(-infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      most_yet = upper(rates(at(d.row[2], i)) * at(d.row[1], i), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      sum = sum + at(d.prior, i) * exp_of(rates(at(d.row[2], i)) * at(d.row[1], i) - eight(base));
    return base + log_of(in_all(sum));
  }
};
using Prod = SecondOrder<ProdGain>;
using Boa = SecondOrder<BoaGain>;

// Sums of eta exp(eta R - eta^2 V) over a grid of rates, on which there is a prior; state: R, V.
struct Squint {
  static constexpr CombinerRule facts{.name = "squint", .rows = 2, .by_regret = true};
  // The smallest power of two that is no less.
  static double rounded_up(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    return bits & 0xfffffffffffffull ? std::bit_cast<double>(((bits >> 52) + 1) << 52) : x;
  }
  static constexpr double lowest_rung = double(std::int64_t(1) << (grid_points - 1));
  static double top(const ExpertWorkspace& d) { return d.memory.first > 0 ? d.memory.first : d.setting.span; }
  struct Grid {
    std::int64_t begin = grid_points;
    double eta[grid_points], mass[grid_points];
    explicit Grid(const ExpertWorkspace& d) {
      const double first = top(d), largest = d.span(d.memory.largest);
      if (!(first > smallest_scale)) return;
      double part = 1;
      for (std::int64_t j = 0; j < grid_points; ++j, part /= 2) {
        eta[j] = part / (2 * first);
        mass[j] = 1 / double((j + 1) * (j + 2));
        if (begin == grid_points && eta[j] * 2 * largest <= 1) begin = j;
      }
    }
    bool empty() const { return begin == grid_points; }
  };
  static Octet power(double eta, const Octet& regret, const Octet& squares) {
    return eight(eta) * (regret - eight(eta) * squares);
  }
  enum class Scale { one, rate };
  // sum of mass_j scale_j exp(power_j - base) for those who speak, times the prior weights.
  template <Scale scale>
  static double sum(ExpertWorkspace& d, const Grid& grid, double base, double* out) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet regret = at(d.row[0], i), squares = at(d.row[1], i);
      Octet w{};
      for (std::int64_t j = grid.begin; j < grid_points; ++j)
        w = w + eight(grid.mass[j] * (scale == Scale::rate ? grid.eta[j] / grid.eta[0] : 1)) *
                    exp_of(power(grid.eta[j], regret, squares) - eight(base));
      w = at(d.prior, i) * w;
      if (out) {
        w = where_known(at(d.advised, i), w, eight(0));
        put(out + i, w);
      }
      total = total + w;
    }
    return in_all(total);
  }
  static double highest(const ExpertWorkspace& d, const Grid& grid, bool all) {
    Octet most_yet = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet regret = at(d.row[0], i), squares = at(d.row[1], i);
      Octet here = eight(-infinity);
      for (std::int64_t j = grid.begin; j < grid_points; ++j) here = upper(power(grid.eta[j], regret, squares), here);
      const Octet speaks = all ? at(d.prior, i) : at(d.advised, i);
      most_yet = upper(where_known(speaks, here, most_yet), most_yet);
    }
    return largest_of(most_yet);
  }
  static double weigh(ExpertWorkspace& d) {
    const Grid grid(d);
    return grid.empty() ? 0 : sum<Scale::rate>(d, grid, highest(d, grid, false), d.weights);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    const double largest = d.span(d.memory.largest);  // beyond the grid if there is none yet, or no rate of it is left
    if (largest > smallest_scale && largest > top(d) * lowest_rung) d.memory.first = rounded_up(largest);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + r * r);
    }
  }
  static double log_potential(ExpertWorkspace& d) {
    const Grid grid(d);
    if (grid.empty()) return 0;
    const double base = highest(d, grid, true);
    return base + log_of(sum<Scale::one>(d, grid, base, nullptr));
  }
};

// Votes that are multiplied by beta for every mistake; state: mistakes that counted.
struct Majority {
  static constexpr CombinerRule facts{.name = "majority", .rows = 1, .counts = true};
  static double weigh(ExpertWorkspace& d) {
    // Votes are counted from the best of those who speak, as only ratios matter; without any mercy all may lose theirs.
    double fewest = infinity, total = 0;
    for (std::int64_t i = 0; i < d.n; ++i)
      if (d.advised[i] == d.advised[i] && d.row[0][i] < fewest) fewest = d.row[0][i];
    if (d.setting.powers[1] == 0) fewest = 0;
    for (std::int64_t i = 0; i < d.padded_n; ++i) {
      const double mistakes = d.row[0][i] - fewest;  // a state from elsewhere may hold anything
      const std::int64_t last = d.setting.power_count - 1;
      const std::int64_t place = mistakes < double(last) ? std::int64_t(mistakes > 0 ? mistakes : 0) : last;
      d.weights[i] = i < d.n && d.advised[i] == d.advised[i] ? d.setting.powers[place] : 0;
    }
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) sum = sum + at(d.weights, i);
    total = in_all(sum);
    return total;
  }
  static void move(ExpertWorkspace& d, const Mix&) {
    if (!d.setting.always && !d.erred) return;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) put(d.row[0] + i, at(d.row[0], i) + charged(d, i, 0));
  }
};

// Differences of exp(max(R, 0)^2 / 3C), of regrets R and their sizes C in units of the span; state: R, R - C, V.
struct AdaNormalHedge {
  static constexpr CombinerRule facts{
      .name = "ada-normal-hedge", .rows = 3, .own_rates = true, .by_regret = true, .drags = true};
  // What a regret and its size would be, in units of the scale, after a round that adds or takes one.
  struct Next {
    Octet regret, size;
    Next(const ExpertWorkspace& d, std::int64_t i, double scale)
        : regret(at(d.row[0], i) / eight(scale)), size((at(d.row[0], i) - at(d.row[1], i)) / eight(scale) + eight(1)) {}
    Octet above() const { return upper(regret + eight(1), eight(0)); }
    Octet below() const { return upper(regret - eight(1), eight(0)); }
    Octet power() const { return above() * (above() / (eight(3) * size)); }
    // By how much the power is more than that after a round that takes one.
    Octet fall() const { return (above() - below()) * ((above() + below()) / (eight(3) * size)); }
  };
  static double weigh(ExpertWorkspace& d) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return 0;
    Octet most_yet = eight(-infinity), total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      most_yet = upper(where_known(at(d.advised, i), Next(d, i, scale).power(), most_yet), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Next next(d, i, scale);
      const Octet w = exp_of(next.power() - eight(base)) * (eight(0) - exp_less_one(eight(0) - next.fall()));
      put(d.weights + i, where_known(at(d.advised, i), at(d.prior, i) * w, eight(0)));
      total = total + at(d.weights, i);
    }
    return in_all(total);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + lower(r + r, eight(0)));
      put(d.row[2] + i, at(d.row[2], i) + r * r);
    }
  }
  // 1 / (3 scale C): what the squared regret is multiplied by in the potential. Where C is 0 so is the regret, and any
  // will do.
  static Octet own_rates(const ExpertWorkspace& d, std::int64_t i) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return eight(1);
    const Octet size = at(d.row[0], i) - at(d.row[1], i);
    return eight(1) / eight(3 * scale) / where_positive(size, size, eight(scale));
  }
  static double log_potential(const ExpertWorkspace& d) {
    const double scale = d.span(d.memory.largest);
    if (!(scale > smallest_scale)) return 0;
    const auto power = [&](std::int64_t i) REGRETLESS_LAMBDA {
      const Octet regret = upper(at(d.row[0], i), eight(0)), size = at(d.row[0], i) - at(d.row[1], i);
      return regret / eight(3 * scale) * (regret / where_positive(size, size, eight(scale)));
    };
    Octet most_yet = eight(-infinity), sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) most_yet = upper(power(i), most_yet);
    const double base = largest_of(most_yet);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) sum = sum + at(d.prior, i) * exp_of(power(i) - eight(base));
    return base + log_of(in_all(sum));
  }
};

// The catalogue of rules. A rule that stands here has a name in the binding and in Python, and is fuzzed.
using CombinerRules = std::tuple<Hedge, Share, Poly, Prod, Boa, Squint, Majority, AdaNormalHedge>;

}  // namespace regretless::REGRETLESS_ISA
