// What every rule for weights works on: the arrays of one play, how the charges of a round mix, and the rate that all
// experts share. A rule has two verbs. `weigh` writes the weights of those who speak, up to a common factor, and
// returns their sum; if that is zero the prior weights are taken in their place. `move` learns from charges and their
// mix; an expert that is silent is charged as much as the mix.
#pragma once
#include "expert_losses.hpp"
#include "powers_of_two.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t small = 4096;  // the state of so few experts is copied, to lie well
inline constexpr double smallest_scale = 1e-145;

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
  double power = 0;                 // exp(-eta x) is 2^(power x)
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

// exp(-eta x) is 2^(power x). Where gaps tune eta, it does not wait for eta.
REGRETLESS_INLINE double bounded_power(double power) {
  return power > -std::numeric_limits<double>::max() ? power : -std::numeric_limits<double>::max();
}
REGRETLESS_INLINE double tuned_power(const ExpertWorkspace& d, double gaps) { return d.log_n * -log2_e / gaps; }
REGRETLESS_INLINE double power_of(const ExpertWorkspace& d, const CombinerMemory& memory, double eta) {
  const bool tuned = d.setting.schedule == ScheduleKind::self_tuned && d.n > 1;
  return bounded_power(tuned ? tuned_power(d, memory.gaps) : eta * -log2_e);
}

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

// The books of single experts are told by their regrets, even where there is no scale yet to learn by.
REGRETLESS_APART static void add_regrets(const ExpertWorkspace& d, const Mix& mix) {
  for (std::int64_t i = 0; i < d.padded_n; i += 8)
    put(d.row[0] + i, at(d.row[0], i) + (eight(mix.played()) - charged(d, i, mix.played())));
}

}  // namespace regretless::REGRETLESS_ISA
