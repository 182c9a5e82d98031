// THE loop over rounds with expert advice: hear, weigh, predict, be told the outcome, charge, move; write it down.
#pragma once
#include "charges.hpp"
#include "simplex.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double largest_double = std::numeric_limits<double>::max();
inline constexpr double vast = 1e307;
inline constexpr double largest_root = 1e150;  // rules that square regrets refuse larger ones

REGRETLESS_INLINE bool is_finite(double x) { return x <= largest_double && x >= -largest_double; }
REGRETLESS_INLINE double at_least(double x, double bound) { return x > bound ? x : bound; }
REGRETLESS_INLINE double at_most(double x, double bound) { return x < bound ? x : bound; }

// Rounding must not lead a mix out of what it mixes: experts that are charged the same are to stay level.
REGRETLESS_INLINE double between(double x, double low, double high) { return at_least(at_most(x, high), low); }

struct Found {
  Refusal refusal = Refusal::none;
  std::int64_t column = -1;
  explicit operator bool() const { return refusal != Refusal::none; }
};

// What is wrong with one number of advice or of an outcome.
static Refusal fault(const Combination& s, double x) {
  if (!is_finite(x)) return Refusal::not_finite;
  if (s.rule == RuleKind::majority && x != 0 && x != 1) return Refusal::not_binary;
  return x < s.low || x > s.high || (s.charge == ChargeKind::wealth && x <= 0) ? Refusal::out_of_range : Refusal::none;
}

template <class V>
static Found first_fault(const Desk& d, const V* row) {
  const std::int64_t width = d.s.width;
  for (std::int64_t i = 0; i < d.n; ++i) {
    bool silent = false;
    for (std::int64_t k = 0; k < width; ++k) silent |= row[i * width + k] != row[i * width + k];
    for (std::int64_t k = 0; k < width && !silent; ++k)
      if (const Refusal bad = fault(d.s, double(row[i * width + k])); bad != Refusal::none) return {bad, i};
  }
  return {};
}

// Who speaks, and whether all that is said may be said. d.a has the advice, or for vectors zeros, and nan for who is silent.
template <class V>
REGRETLESS_APART static Found hear(Desk& d, const V* row) {
  const Combination& s = d.s;
  const bool in_place = sizeof(V) == 8 && s.width == 1 && d.n == d.padded_n;
  Octet silent{}, wrong{};
  if (s.width > 1) {
    for (std::int64_t i = 0; i < d.padded_n; ++i) {
      d.advice[i] = i < d.n ? 0 : missing;
      for (std::int64_t k = 0; k < s.width && i < d.n; ++k)
        if (row[i * s.width + k] != row[i * s.width + k]) d.advice[i] = missing;
    }
    if (const Found bad = first_fault(d, row)) return bad;
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      silent = silent + where_known(at(d.advice, i), eight(0), eight(1));
  } else {
    const double low = at_least(s.low, -largest_double), high = at_most(s.high, largest_double);
    const bool binary = s.rule == RuleKind::majority, positive = s.charge == ChargeKind::wealth;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet x = heard(row, i, d.n);
      if (!in_place) put(d.advice + i, x);
      silent = silent + where_known(x, eight(0), eight(1));
      wrong = apply(
          [&](auto a, auto before, auto one) REGRETLESS_LAMBDA {
            const auto back = a < decltype(a){} + low ? one : before;
            return a > decltype(a){} + high ? one : back;
          },
          x, wrong, eight(1));
      if (positive) {
        const auto none = [](auto a, auto before, auto one) REGRETLESS_LAMBDA { return a <= decltype(a){} ? one : before; };
        wrong = apply(none, x, wrong, eight(1));
      }
      if (binary) {
        const auto neither = [](auto a, auto before, auto one) REGRETLESS_LAMBDA {
          const auto product = a * (a - one);  // nan stays nan
          const auto above = product > decltype(a){} ? one : before;
          return product < decltype(a){} ? one : above;
        };
        wrong = apply(neither, x, wrong, eight(1));
      }
    }
    if (in_all(wrong) > 0) return first_fault(d, row);
  }
  d.a = in_place ? reinterpret_cast<const double*>(row) : d.advice;
  d.silent = std::int64_t(in_all(silent)) - (d.padded_n - d.n);
  return d.silent == d.n ? Found{Refusal::asleep, -1} : Found{};
}

// The rule's weights of those who speak.
template <class R>
REGRETLESS_INLINE Found weigh(Desk& d) {
  d.total = R::weigh(d);
  d.fell_back = !(d.total > 0);
  if (d.fell_back) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = where_known(at(d.a, i), at(d.prior, i), eight(0));
      put(d.w + i, w);
      total = total + w;
    }
    d.total = in_all(total);
  }
  return d.total > 0 ? Found{} : Found{Refusal::asleep, -1};
}

// The value that has most weight behind it; the larger one of two that have as much.
static double vote(const Desk& d) {
  const bool powerless = d.fell_back && d.s.rule == RuleKind::majority;
  const auto if_equal = [](auto a, auto w, auto value) REGRETLESS_LAMBDA { return a == value ? w : decltype(w){}; };
  Octet ones{}, zeros{}, others{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet w = at(d.w, i);
    const auto neither = [](auto a, auto one) REGRETLESS_LAMBDA {
      const auto unlike = a != decltype(a){} ? one : decltype(a){};
      const auto both = a != one ? unlike : decltype(a){};
      return a == a ? both : decltype(a){};
    };
    ones = ones + apply(if_equal, at(d.a, i), w, eight(1));
    zeros = zeros + apply(if_equal, at(d.a, i), w, eight(0));
    others = others + apply(neither, at(d.a, i), eight(1));
  }
  if (!(in_all(others) > 0)) return powerless || in_all(ones) >= in_all(zeros) ? 1 : 0;
  double best = 0, most_weight = -1, value = -infinite;
  while (true) {
    double next = infinite;
    for (std::int64_t i = 0; i < d.n; ++i)
      if (d.a[i] > value && d.a[i] < next) next = d.a[i];
    if (next == infinite) return best;
    value = next;
    Octet weight{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      weight = weight + apply(if_equal, at(d.a, i), at(d.w, i), eight(value));
    if (in_all(weight) >= most_weight) best = value, most_weight = in_all(weight);
  }
}

// -ln(sum p exp(-eta (a - end)^2)) / eta: what the experts' square losses mix to if the outcome is `end`.
static double mix_at(const Desk& d, double eta, double end) {
  const Square loss{end};
  Octet smallest_yet = eight(infinite), sum{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8)
    smallest_yet = lower(where_positive(at(d.w, i), values(loss, at(d.a, i)), smallest_yet), smallest_yet);
  const double base = smallest_of(smallest_yet);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet part = at(d.w, i) * exp_of(eight(-eta) * (values(loss, at(d.a, i)) - eight(base)));
    sum = sum + where_positive(at(d.w, i), part, eight(0));
  }
  return base - log_of(in_all(sum) / d.total) / eta;
}

// The mix of the advice, or what the charge asks for in its place.
template <class V>
REGRETLESS_APART static void predict_from(const Desk& d, const V* row, double* prediction) {
  const Combination& s = d.s;
  if (s.charge == ChargeKind::zero_one) {
    prediction[0] = vote(d);
    return;
  }
  if (s.substitute && s.charge == ChargeKind::square) {
    const double down = mix_at(d, s.rate, s.low), up = mix_at(d, s.rate, s.high);
    prediction[0] = (s.low + s.high) / 2 + (down - up) / (2 * (s.high - s.low));
    return;
  }
  for (std::int64_t k = 0; k < s.width; ++k) {
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      double column[8];
      for (std::int64_t l = 0; l < 8 && s.width > 1; ++l) column[l] = i + l < d.n ? double(row[(i + l) * s.width + k]) : 0;
      const Octet a = s.width > 1 ? at(column, 0) : at(d.a, i);
      sum = sum + where_known(at(d.a, i), at(d.w, i) * a, eight(0));
    }
    prediction[k] = in_all(sum) / d.total;
    if (s.charge == ChargeKind::log) prediction[k] = at_most(prediction[k], 1);  // rounding may lead past certainty
  }
}

// The outcome, as far as it can be wrong by itself.
static Found outcome_fault(const Combination& s, const double* y) {
  if (s.charge == ChargeKind::table || s.charge == ChargeKind::wealth) return {};
  for (std::int64_t k = 0; k < s.width; ++k) {
    if (y[k] != y[k]) return {Refusal::outcome, -1};
    if (const Refusal bad = fault(s, y[k]); bad != Refusal::none) return {bad, -1};
    if (s.charge == ChargeKind::percentage && y[k] == 0) return {Refusal::out_of_range, -1};
  }
  return {};
}

// What came of a round: the mix of charges, the learner's loss, and what the book wants to know.
struct Account {
  Mix mix;
  double loss, expected, delay, lowest, highest;
  double apart = 0;  // how far the weights that were played are from those of now: L1 distance
};

// Charges of forecasts of one number.
static void charge_numbers(Desk& d, double prediction, double y) {
  if (d.s.charge == ChargeKind::table) {
    d.l = d.c = d.a;
    return;
  }
  with_loss(d.s, y, [&](const auto& loss) {
    for (std::int64_t i = 0; i < d.padded_n; i += 8) put(d.own + i, values(loss, at(d.a, i)));
    d.l = d.c = d.own;
    if (!d.s.linear) return;
    const double slope = loss.slope(prediction);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) put(d.linear + i, eight(slope) * (at(d.a, i) - eight(prediction)));
    d.c = d.linear;
  });
}

static double wide_loss(const Combination& s, const double* said, const double* y) {
  double sum = 0;
  if (s.charge == ChargeKind::square)
    for (std::int64_t k = 0; k < s.width; ++k) sum += (said[k] - y[k]) * (said[k] - y[k]);
  else
    for (std::int64_t k = 0; k < s.width; ++k) sum += said[k] * y[k];
  return s.charge == ChargeKind::square ? sum : -log_of(sum);
}

// Charges of forecasts of several numbers, square or log; a row is read into scratch first.
template <class V>
static void charge_vectors(Desk& d, const V* row, const double* prediction, const double* y) {
  const Combination& s = d.s;
  double* said = d.vectors;
  double* slope = said + s.width;
  double likely = 0;
  for (std::int64_t k = 0; k < s.width; ++k) likely += prediction[k] * y[k];
  for (std::int64_t k = 0; k < s.width; ++k)
    slope[k] = s.charge == ChargeKind::square ? 2 * (prediction[k] - y[k]) : -y[k] / likely;
  for (std::int64_t i = 0; i < d.padded_n; ++i) {
    d.own[i] = d.linear[i] = missing;
    if (!(d.a[i] == d.a[i])) continue;
    for (std::int64_t k = 0; k < s.width; ++k) said[k] = double(row[i * s.width + k]);
    d.own[i] = wide_loss(s, said, y);
    d.linear[i] = 0;
    for (std::int64_t k = 0; k < s.width; ++k) d.linear[i] += slope[k] * (said[k] - prediction[k]);
  }
  d.l = d.own;
  d.c = s.linear ? d.linear : d.own;
}

static double learners_loss(const Desk& d, const double* prediction, const double* y) {
  if (d.s.width > 1) return wide_loss(d.s, prediction, y);
  double loss = 0;
  with_loss(d.s, y ? *y : 0, [&](const auto& charge) { loss = charge.value(prediction[0]); });
  return loss;
}

// w x where there is weight; no weight on an infinite loss is no loss.
REGRETLESS_INLINE Octet weighted(const Octet& w, const Octet& x) {
  return where_known(x, where_positive(w, w * x, eight(0)), eight(0));
}

// The mix and the extremes of charges and own losses; with `played`, what it cost to have played these weights rather than
// those that the rule has now.
REGRETLESS_APART static Account audit(const Desk& d, const double* played) {
  Octet charge{}, lowest = eight(infinite), highest = eight(-infinite);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet c = at(d.c, i);
    charge = charge + weighted(at(d.w, i), c);
    lowest = lower(c, lowest);
    highest = upper(c, highest);
  }
  Account account{};
  const double least = smallest_of(lowest), most = largest_of(highest);
  account.mix = {between(in_all(charge) / d.total, least, most), d.total, least, most};
  account.expected = account.mix.charge;
  account.lowest = account.mix.lowest, account.highest = account.mix.highest;
  if (d.l != d.c) {
    Octet own{};
    lowest = eight(infinite), highest = eight(-infinite);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet l = at(d.l, i);
      own = own + weighted(at(d.w, i), l);
      lowest = lower(l, lowest);
      highest = upper(l, highest);
    }
    account.expected = in_all(own) / d.total;
    account.lowest = smallest_of(lowest), account.highest = largest_of(highest);
  }
  if (played) {
    Octet charges{}, losses{}, apart{};
    const Octet inverse = eight(1 / d.total);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet more = heard(played, i, d.n) - at(d.w, i) * inverse;
      const Octet known = where_known(more, more, eight(0));
      const auto times = [](auto m, auto c) REGRETLESS_LAMBDA {
        const auto product = m == decltype(m){} ? m : m * c;
        return c == c ? product : decltype(m){};
      };
      apart = apart + upper(known, eight(0) - known);
      charges = charges + apply(times, known, at(d.c, i));
      losses = losses + apply(times, known, at(d.l, i));
    }
    account.apart = in_all(apart);
    account.delay = in_all(charges);
    account.expected += in_all(losses);
  }
  return account;
}

static std::int64_t first_infinite(const Desk& d) {
  for (std::int64_t i = 0; i < d.n; ++i)
    if (d.l[i] - d.l[i] != 0 && d.l[i] == d.l[i]) return i;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (d.c[i] - d.c[i] != 0 && d.c[i] == d.c[i]) return i;
  return -1;
}

// Charges that are not finite are refused, but an expert may be certain and wrong where the prediction is the aggregating
// algorithm's, for its weight is gone for good, and where charges are linearised, for only slopes are charged.
static Found account_fault(const Desk& d, const Account& account) {
  const RuleKind rule = d.s.rule;
  const Mix& mix = account.mix;
  bool sound = is_finite(account.loss) && is_finite(mix.charge) && is_finite(account.delay);
  if (!d.s.substitute) sound &= is_finite(mix.lowest) && is_finite(mix.highest);
  if (!d.s.substitute && !d.s.linear) sound &= is_finite(account.lowest) && is_finite(account.highest);
  if (rule != RuleKind::hedge && rule != RuleKind::share && rule != RuleKind::majority) sound &= mix.reach() < largest_root;
  return sound ? Found{} : Found{Refusal::infinite_loss, first_infinite(d)};
}

// The rule of the aggregating algorithm is charged the loss of the prediction that it makes now.
template <class V>
static void charge_prediction(const Desk& d, const V* row, const double* y, const double* played, Account& account) {
  double* const prediction = d.vectors + 2 * d.s.width;
  account.mix.charge = account.loss;
  if (!played) return;
  predict_from(d, row, prediction);
  account.mix.charge = learners_loss(d, prediction, y);
  account.delay = account.loss - account.mix.charge;
}

// Charges everybody and adds it up; nothing is learned yet.
template <class V>
static Found judge(Desk& d, const V* row, const double* prediction, const double* y, const double* played, Account& account) {
  const Combination& s = d.s;
  if (const Found bad = outcome_fault(s, y)) return bad;
  if (s.width > 1) charge_vectors(d, row, prediction, y);
  else charge_numbers(d, prediction[0], y ? *y : 0);
  account = audit(d, played);
  d.erred = s.charge == ChargeKind::zero_one && prediction[0] != *y;
  if (s.rule == RuleKind::majority) account.loss = d.erred;
  else if (s.charge == ChargeKind::table || s.charge == ChargeKind::zero_one) account.loss = account.expected;
  else account.loss = learners_loss(d, prediction, y);
  if (s.substitute) charge_prediction(d, row, y, played, account);
  return account_fault(d, account);
}

// The part of the books that a round changes in which all speak and the outcome is known at once.
REGRETLESS_INLINE void write_usual(ExpertBook& b, CombinerMemory& m, const Account& account, double rate) {
  const double spread = account.mix.highest - account.mix.lowest;
  if (b.rounds == 0) b.first_rate = rate, b.lowest = infinite, b.highest = -infinite;
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

static void write_down(const Desk& d, const Account& account, const double* y) {
  ExpertBook& b = d.book;
  write_usual(b, d.memory, account, d.s.rule == RuleKind::hedge || d.s.rule == RuleKind::share ? d.eta : 0);
  b.delay += account.delay;
  d.memory.apart += account.apart;
  b.absent += double(d.silent);
  b.mistakes += d.erred;
  if (!y) return;
  double square = 0;
  for (std::int64_t k = 0; k < d.s.width; ++k) square += y[k] * y[k];
  b.max_outcome2 = at_least(square, b.max_outcome2);
}

// The books of single experts: own losses where the state does not tell them, and the rounds that each missed.
static void write_tallies(const Desk& d, const Account& account) {
  double* const own = d.s.tallies + own_losses * d.n;
  if (d.s.linear || d.s.rule == RuleKind::majority)
    for (std::int64_t i = 0; i < d.n; ++i) own[i] += d.l[i] == d.l[i] ? d.l[i] : 0;
  if (!d.silent) return;
  const auto add = [&](Tally which, double more) {
    double* const tally = d.s.tallies + which * d.n;
    for (std::int64_t i = 0; i < d.n; ++i) tally[i] += d.a[i] == d.a[i] ? 0 : more;
  };
  add(absences, 1);
  add(missed_core, account.mix.charge);
  add(missed_mix, account.mix.charge + account.delay);
  add(missed_loss, account.loss);
}

template <class R>
static void learn(Desk& d, const Account& account, const double* y) {
  write_down(d, account, y);
  write_tallies(d, account);
  Mix mix = account.mix;
  mix.delay = account.delay;
  R::move(d, mix);
}

static void share_out(const Desk& d, double* out) {
  const double inverse = 1 / d.total;
  for (std::int64_t i = 0; i < d.n; ++i) out[i] = d.w[i] * inverse;
}

// The expert whom a number in [0, 1) draws.
static std::int64_t drawn(const Desk& d, double uniform) {
  const double inverse = 1 / d.total;
  double all = 0, sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) all += d.w[i] * inverse;
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    if (!(d.w[i] > 0)) continue;
    last = i;
    sum += d.w[i] * inverse;
    if (sum > uniform * all) break;
  }
  return last;
}

static void give_out(const Desk& d, const Account& account, const Results& to, std::int64_t t) {
  if (to.losses) to.losses[t] = account.loss;
  if (to.weights) share_out(d, to.weights + t * d.n);
  if (!to.uniforms) return;
  const std::int64_t place = drawn(d, to.uniforms[t]);
  if (to.chosen) to.chosen[t] = place;
  d.book.sampled += d.l[place];
}

// Whether all places have the same prior weight: then the first eight stand for all, and the cache has room for other things.
static bool equal_priors(const Desk& d) {
  bool equal = true;
  for (std::int64_t i = 1; i < d.padded_n && equal; ++i) equal = d.prior[i] == d.prior[0];
  return equal;
}

// Plays rounds by a hedge in one sweep each, up to the first that has anything unusual about it; returns its number. The loss
// of a round is made by `loss_of` from its outcome. A hedge of constant rate needs nothing but its sums from round to round,
// and has its books at hand.
template <bool kept, bool said, class V, class LossOf>
static std::int64_t sweep_rows(Desk& d, const V* table, const double* outcomes, const Results& to, std::int64_t t,
                               std::int64_t end, std::int64_t step, LossOf loss_of) {
  const Combination& s = d.s;
  const double low = s.low, high = s.high;
  ExpertBook near_book = d.book;
  CombinerMemory near_memory = d.memory;
  ExpertBook& book = kept ? d.book : near_book;
  CombinerMemory& memory = kept ? d.memory : near_memory;
  d.silent = 0;
  d.erred = false;
  d.l = d.c = d.own;
  d.eta = common_rate(d);
  for (; t < end; ++t) {
    const double* y = outcomes ? outcomes + t : nullptr;
    if (said && outcome_fault(s, y)) break;
    if constexpr (kept) d.eta = common_rate(d);
    if (!(d.eta < infinite) || !(memory.least < infinite)) break;
    d.base = memory.least;
    const auto loss = loss_of(said ? *y : 0);
    const Hedge::Swept all = Hedge::sweep<kept, said>(d, table + t * d.n, loss, step);
    const double raw = all.charge / all.total, mix = between(raw, all.lowest, all.highest);
    const double prediction = said ? all.said / all.total : raw;
    const double paid = said ? loss.value(prediction) : mix;
    const Account account{{mix, all.total, all.lowest, all.highest}, paid, mix, 0, all.lowest, all.highest};
    // Sums that are numbers mean that all numbers are; the mix lies between the least and the largest charge.
    const double sums = said ? (all.charge + all.said) + paid : all.charge;
    const bool usual = (sums - sums == 0) & (all.lowest >= -vast) & (all.highest <= vast) &
                       ((said ? all.least_said : all.lowest) >= low) & ((said ? all.most_said : all.highest) <= high) &
                       (all.total > 0);
    if (!usual) [[unlikely]] break;
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
    d.row[0] = d.next, d.next = before;
  }
  if constexpr (!kept) d.book = near_book, d.memory = near_memory;
  return t;
}

// Sweeping asks that charges do not hang on the prediction, which is the mix.
template <bool kept, class V>
static std::int64_t sweep_all(Desk& d, const V* table, const double* outcomes, const Results& to, std::int64_t t,
                              std::int64_t end, std::int64_t step) {
  const Combination& s = d.s;
  if (s.width > 1 || s.linear || s.substitute) return t;
  const auto play = [&](auto loss_of) { return sweep_rows<kept, true>(d, table, outcomes, to, t, end, step, loss_of); };
  switch (s.charge) {
    case ChargeKind::table:
      return sweep_rows<kept, false>(d, table, outcomes, to, t, end, step, [](double) { return Given{}; });
    case ChargeKind::absolute: return play([](double y) { return Absolute{y}; });
    case ChargeKind::square: return play([](double y) { return Square{y}; });
    case ChargeKind::pinball: return play([&](double y) { return Pinball{y, s.tau}; });
    case ChargeKind::percentage: return play([](double y) { return Percentage(y); });
    default: return t;
  }
}

template <class R, class V>
Verdict play_rows(const Combination& s, const V* table, const double* outcomes, const Results& to, std::int64_t begin,
                  std::int64_t end) {
  Desk d(s);
  Account account;
  [[maybe_unused]] const bool kept = s.schedule != ScheduleKind::constant || to.weights || to.uniforms;
  [[maybe_unused]] const std::int64_t step = equal_priors(d) ? 0 : -1;
  // Where unusual rounds abound, a sweep is not tried at every one of them.
  [[maybe_unused]] std::int64_t wait = 0, patience = 0;
  for (std::int64_t t = begin; t < end; ++t) {
    if constexpr (std::is_same_v<R, Hedge>) {
      if (wait-- == 0) {
        const std::int64_t from = t;
        t = kept ? sweep_all<true>(d, table, outcomes, to, t, end, step)
                 : sweep_all<false>(d, table, outcomes, to, t, end, step);
        if (t == end) break;
        wait = patience = t > from ? 0 : patience < 63 ? 2 * patience + 1 : 63;
      }
    }
    const V* row = table + t * s.experts * s.width;
    const double* y = outcomes ? outcomes + t * s.width : nullptr;
    double* const prediction = to.predictions ? to.predictions + t * s.width : d.vectors + 2 * s.width;
    Found bad = hear(d, row);
    if (!bad) bad = weigh<R>(d);
    if (!bad) {
      predict_from(d, row, prediction);
      bad = judge(d, row, prediction, y, nullptr, account);
    }
    if (bad) [[unlikely]] return {t, bad.refusal, bad.column};
    give_out(d, account, to, t);
    learn<R>(d, account, y);
  }
  return {end};
}

// Predicts one row; the weights, if wanted, go to `weights`.
template <class R, class V>
Found predict_row(Desk& d, const V* row, double* weights, double* prediction) {
  Found bad = hear(d, row);
  if (!bad) bad = weigh<R>(d);
  if (bad) return bad;
  predict_from(d, row, prediction);
  if (weights) share_out(d, weights);
  return {};
}

// Settles a row that was predicted earlier, with other weights perhaps.
template <class R, class V>
Found settle_row(Desk& d, const V* row, const double* y, const double* weights, const double* prediction, double& loss) {
  Found bad = hear(d, row);
  if (!bad) bad = weigh<R>(d);
  Account account;
  if (!bad) bad = judge(d, row, prediction, y, weights, account);
  if (bad) return bad;
  learn<R>(d, account, y);
  loss = account.loss;
  return {};
}

template <class R, class V>
Verdict play_late_rows(const Combination& s, const V* table, const double* outcomes, const Results& to, const Lateness& late,
                       std::int64_t rounds) {
  Desk d(s);
  for (std::int64_t t = 0; t <= rounds; ++t) {
    for (std::int64_t e = late.starts[t]; e < late.starts[t + 1]; ++e) {
      const std::int64_t old = late.settle[e];
      double loss = 0;
      const Found bad = settle_row<R>(d, table + old * s.experts * s.width, outcomes ? outcomes + old * s.width : nullptr,
                                      late.pool + late.slots[old] * s.experts, to.predictions + old * s.width, loss);
      if (bad) return {old, bad.refusal, bad.column};
      if (to.losses) to.losses[old] = loss;
    }
    if (t == rounds) break;
    double* const weights = late.pool + late.slots[t] * s.experts;
    const Found bad = predict_row<R>(d, table + t * s.experts * s.width, weights, to.predictions + t * s.width);
    if (bad) return {t, bad.refusal, bad.column};
    if (to.weights)
      for (std::int64_t i = 0; i < s.experts; ++i) to.weights[t * s.experts + i] = weights[i];
  }
  return {rounds};
}

// Charges that were made elsewhere.
template <class R>
Found settle_charged(Desk& d, const Charged& given) {
  d.silent = 0;
  for (std::int64_t i = 0; i < d.padded_n; ++i) {
    d.linear[i] = i < d.n ? given.charges[i] : missing;
    d.own[i] = i < d.n && given.charges[i] == given.charges[i] ? given.own[i] : missing;
    if (i < d.n) d.silent += given.charges[i] != given.charges[i];
  }
  d.a = d.c = d.linear;
  d.l = d.own;
  if (d.silent == d.n) return {Refusal::asleep, -1};
  if (const Found bad = weigh<R>(d)) return bad;
  Account account = audit(d, given.weights);
  account.loss = given.loss;
  account.expected = given.expected;
  if (const Found bad = account_fault(d, account)) return bad;
  if (!is_finite(account.expected)) return {Refusal::infinite_loss, -1};
  learn<R>(d, account, nullptr);
  return {};
}

// ln of the potential: sum of prior exp(eta G), or of Squint's sum over its grid.
static double log_potential_of(Desk& d) {
  if (d.s.rule == RuleKind::squint) {
    const Squint::Grid grid(d);
    if (grid.empty()) return 0;
    const double base = Squint::highest(d, grid, true);
    return base + log_of(Squint::sum<false>(d, grid, base, nullptr));
  }
  if (d.s.rule != RuleKind::prod && d.s.rule != RuleKind::boa) return missing;
  const double largest = d.span(d.memory.largest);
  if (!(largest > hardly)) return 0;
  const OwnRates rates(d, largest);
  Octet most_yet = eight(-infinite), sum{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) most_yet = upper(rates(at(d.row[2], i)) * at(d.row[1], i), most_yet);
  const double base = largest_of(most_yet);
  for (std::int64_t i = 0; i < d.padded_n; i += 8)
    sum = sum + at(d.prior, i) * exp_of(rates(at(d.row[2], i)) * at(d.row[1], i) - eight(base));
  return base + log_of(in_all(sum));
}

// The sum of the gaps. At a constant rate they telescope: it is the sum of charges less -ln(sum prior exp(-eta L)) / eta.
static double gap_of(const Desk& d) {
  if (d.s.rule != RuleKind::hedge || d.s.schedule != ScheduleKind::constant) return d.memory.gaps;
  if (d.memory.rounds == 0) return 0;
  const double eta = common_rate(d);
  Octet sum{}, whole{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    sum = sum + at(d.prior, i) * exp_of(eight(-eta) * (at(d.row[0], i) - eight(d.memory.least)));
    whole = whole + at(d.prior, i);
  }
  const double gap = (d.memory.charge - d.memory.least) + log_of(in_all(sum) / in_all(whole)) / eta;
  return gap > 0 || d.s.substitute ? gap : 0;
}

static void rates_of(const Desk& d, double* out) {
  const RuleKind rule = d.s.rule;
  const double common = rule == RuleKind::hedge || rule == RuleKind::share ? common_rate(d) : missing;
  const double largest = d.span(d.memory.largest);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    Octet eta = eight(common);
    if (rule == RuleKind::poly) {
      const Octet slack = eight(Poly::largest(d)) + at(d.row[1], i);
      eta = eight(1) / where_positive(slack, slack, eight(1));
    } else if (rule == RuleKind::prod || rule == RuleKind::boa) {
      eta = largest > hardly ? OwnRates(d, largest)(at(d.row[2], i)) : eight(1);
    }
    double eights[8];
    put(eights, eta);
    for (std::int64_t l = 0; l < 8 && i + l < d.n; ++l) out[i + l] = eights[l];
  }
}

}  // namespace regretless::REGRETLESS_ISA
