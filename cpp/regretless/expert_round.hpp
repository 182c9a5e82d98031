// One round of expert advice: who speaks, how they weigh, what is predicted, and what it costs once the outcome is
// known. Nothing is learned here and no book is kept.
#pragma once
#include "expert_losses.hpp"
#include "expert_rules.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double largest_double = std::numeric_limits<double>::max();
// A round is refused whose losses and charges are larger than the first, or whose charges differ, or whose outcome is,
// by more than the second: sums of these and of their squares stay floats for as long as rounds can be counted. What is
// below the third is not looked at any closer.
inline constexpr double most_summed = 1e290, most_squared = 1e145, tame = 1e144;
// Smaller numbers lose digits by weights that sum to less than `scant`, so that their shares are taken. Percentages of
// smaller outcomes are refused.
inline constexpr double least_size = 1e-290, scant = 1e-15;

REGRETLESS_INLINE bool is_finite(double x) { return x <= largest_double && x >= -largest_double; }
REGRETLESS_INLINE bool may_be_summed(double x) { return x < most_summed && x > -most_summed; }
REGRETLESS_INLINE double at_least(double x, double bound) { return x > bound ? x : bound; }
REGRETLESS_INLINE double at_most(double x, double bound) { return x < bound ? x : bound; }

// Rounding must not lead a mix out of what it mixes: experts that are charged the same are to stay level.
REGRETLESS_INLINE double between(double x, double low, double high) { return at_least(at_most(x, high), low); }

struct Fault {
  ExpertRefusal refusal = ExpertRefusal::none;
  std::int64_t column = -1;
  explicit operator bool() const { return refusal != ExpertRefusal::none; }
};

// What is wrong with one number of advice or of an outcome.
static ExpertRefusal fault(const Combination& s, double x) {
  if (!is_finite(x)) return ExpertRefusal::not_finite;
  if (s.rule.counts && x != 0 && x != 1) return ExpertRefusal::not_binary;
  return x < s.low || x > s.high || (s.charge == ChargeKind::wealth && x <= 0) ? ExpertRefusal::out_of_range
                                                                               : ExpertRefusal::none;
}

static Fault first_fault(const ExpertWorkspace& d, const double* row) {
  const std::int64_t width = d.setting.width;
  for (std::int64_t i = 0; i < d.n; ++i) {
    bool silent = false;
    for (std::int64_t k = 0; k < width; ++k) silent |= row[i * width + k] != row[i * width + k];
    for (std::int64_t k = 0; k < width && !silent; ++k)
      if (const ExpertRefusal bad = fault(d.setting, row[i * width + k]); bad != ExpertRefusal::none) return {bad, i};
  }
  return {};
}

// Who speaks, and whether all that is said may be said. d.advised has the advice, or for vectors zeros, and nan for who
// is silent.
REGRETLESS_APART static Fault read_advice(ExpertWorkspace& d, const double* row) {
  const Combination& s = d.setting;
  const bool in_place = s.width == 1 && d.n == d.padded_n;
  Octet silent{}, wrong{};
  if (s.width > 1) {
    for (std::int64_t i = 0; i < d.padded_n; ++i) {
      d.advice[i] = i < d.n ? 0 : missing;
      for (std::int64_t k = 0; k < s.width && i < d.n; ++k)
        if (row[i * s.width + k] != row[i * s.width + k]) d.advice[i] = missing;
    }
    if (const Fault bad = first_fault(d, row)) return bad;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) silent = silent + where_known(at(d.advice, i), eight(0), eight(1));
  } else {
    const double low = at_least(s.low, -largest_double), high = at_most(s.high, largest_double);
    const bool binary = s.rule.counts, positive = s.charge == ChargeKind::wealth;
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet x = eight_of(row, i, d.n);
      if (!in_place) put(d.advice + i, x);
      silent = silent + where_known(x, eight(0), eight(1));
      wrong = apply(
          [&](auto a, auto before, auto one) REGRETLESS_LAMBDA {
            const auto back = a < decltype(a){} + low ? one : before;
            return a > decltype(a){} + high ? one : back;
          },
          x, wrong, eight(1));
      if (positive) {
        const auto none = [](auto a, auto before, auto one)
                              REGRETLESS_LAMBDA { return a <= decltype(a){} ? one : before; };
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
  d.advised = in_place ? row : d.advice;
  d.silent = std::int64_t(in_all(silent)) - (d.padded_n - d.n);
  return d.silent == d.n ? Fault{ExpertRefusal::asleep, -1} : Fault{};
}

// Shares of the total of all weights, whose inverse is no number where only experts speak who hardly weigh anything.
struct Shares {
  double total, inverse;
  explicit Shares(double all) : total(all), inverse(1 / all) {}
  bool plain() const { return inverse < infinity; }
  double of(double w) const { return plain() ? w * inverse : w / total; }
  REGRETLESS_INLINE Octet of(const Octet& w) const { return plain() ? w * eight(inverse) : w / eight(total); }
};

// The rule's weights of those who speak.
template <class R>
REGRETLESS_INLINE Fault weigh(ExpertWorkspace& d) {
  d.total = R::weigh(d);
  d.fell_back = !(d.total > 0);
  if (d.fell_back) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet w = where_known(at(d.advised, i), at(d.prior, i), eight(0));
      put(d.weights + i, w);
      total = total + w;
    }
    d.total = in_all(total);
  }
  return d.total > 0 ? Fault{} : Fault{ExpertRefusal::asleep, -1};
}

// The value that has most weight behind it; the larger one of two that have as much.
static double vote(const ExpertWorkspace& d) {
  const bool powerless = d.fell_back && d.setting.rule.counts;
  const auto if_equal = [](auto a, auto w, auto value) REGRETLESS_LAMBDA { return a == value ? w : decltype(w){}; };
  Octet ones{}, zeros{}, others{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet w = at(d.weights, i);
    const auto neither = [](auto a, auto one) REGRETLESS_LAMBDA {
      const auto unlike = a != decltype(a){} ? one : decltype(a){};
      const auto both = a != one ? unlike : decltype(a){};
      return a == a ? both : decltype(a){};
    };
    ones = ones + apply(if_equal, at(d.advised, i), w, eight(1));
    zeros = zeros + apply(if_equal, at(d.advised, i), w, eight(0));
    others = others + apply(neither, at(d.advised, i), eight(1));
  }
  if (!(in_all(others) > 0)) return powerless || in_all(ones) >= in_all(zeros) ? 1 : 0;
  double best = 0, most_weight = -1, value = -infinity;
  while (true) {
    double next = infinity;
    for (std::int64_t i = 0; i < d.n; ++i)
      if (d.advised[i] > value && d.advised[i] < next) next = d.advised[i];
    if (next == infinity) return best;
    value = next;
    Octet weight{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      weight = weight + apply(if_equal, at(d.advised, i), at(d.weights, i), eight(value));
    if (in_all(weight) >= most_weight) {
      best = value;
      most_weight = in_all(weight);
    }
  }
}

// -ln(sum p exp(-eta (a - end)^2)) / eta: what the experts' square losses mix to if the outcome is `end`.
static double mix_at(const ExpertWorkspace& d, double eta, double end) {
  const Square loss{end};
  Octet smallest_yet = eight(infinity), sum{};
  for (std::int64_t i = 0; i < d.padded_n; i += 8)
    smallest_yet = lower(where_positive(at(d.weights, i), values(loss, at(d.advised, i)), smallest_yet), smallest_yet);
  const double base = smallest_of(smallest_yet);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet part = at(d.weights, i) * exp_of(eight(-eta) * (values(loss, at(d.advised, i)) - eight(base)));
    sum = sum + where_positive(at(d.weights, i), part, eight(0));
  }
  return base - log_of(in_all(sum) / d.total) / eta;
}

// The mix of the advice where weights times forecasts vanish.
REGRETLESS_APART static double by_shares(const ExpertWorkspace& d, const double* row, std::int64_t k) {
  double sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (d.advised[i] == d.advised[i]) sum += d.weights[i] / d.total * row[i * d.setting.width + k];
  return sum;
}

// The mix of the advice, or what the charge asks for in its place.
REGRETLESS_APART static void predict_from(const ExpertWorkspace& d, const double* row, double* prediction) {
  const Combination& s = d.setting;
  if (s.charge == ChargeKind::zero_one) {
    prediction[0] = vote(d);
    return;
  }
  if (s.substitute && s.charge == ChargeKind::square) {
    const double down = mix_at(d, s.rate, s.low), up = mix_at(d, s.rate, s.high);
    // Of a wide range little is left but rounding; in exact numbers it lies among the forecasts.
    const double value = (s.low + s.high) / 2 + (down - up) / (2 * (s.high - s.low));
    Octet least = eight(infinity), most = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      least = lower(at(d.advised, i), least);
      most = upper(at(d.advised, i), most);
    }
    prediction[0] = between(value, smallest_of(least), largest_of(most));
    return;
  }
  for (std::int64_t k = 0; k < s.width; ++k) {
    Octet sum{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      double column[8];
      for (std::int64_t l = 0; l < 8 && s.width > 1; ++l) column[l] = i + l < d.n ? row[(i + l) * s.width + k] : 0;
      const Octet a = s.width > 1 ? at(column, 0) : at(d.advised, i);
      sum = sum + where_known(at(d.advised, i), at(d.weights, i) * a, eight(0));
    }
    prediction[k] = in_all(sum) / d.total;
    const bool lost = d.total < scant && in_all(sum) < least_size && in_all(sum) > -least_size;
    if (lost) [[unlikely]]
      prediction[k] = by_shares(d, row, k);
    if (s.charge == ChargeKind::log) prediction[k] = at_most(prediction[k], 1);  // rounding may lead past certainty
  }
}

// The outcome, as far as it can be wrong by itself.
static Fault outcome_fault(const Combination& s, const double* y) {
  if (s.charge == ChargeKind::table || s.charge == ChargeKind::wealth) return {};
  for (std::int64_t k = 0; k < s.width; ++k) {
    if (y[k] != y[k]) return {ExpertRefusal::outcome, -1};
    if (const ExpertRefusal bad = fault(s, y[k]); bad != ExpertRefusal::none) return {bad, -1};
    if (s.charge == ChargeKind::percentage && y[k] < least_size && y[k] > -least_size)
      return {ExpertRefusal::out_of_range, -1};
    if (!(y[k] < most_squared && y[k] > -most_squared)) return {ExpertRefusal::infinite_loss, -1};
  }
  return {};
}

// The numbers of a round: the mix of charges, the learner's loss, and what the book wants to know.
struct Account {
  Mix mix;
  double loss, expected, delay, lowest, highest;
  double apart = 0;        // how far the weights that were played are from those of now: L1 distance
  double sensitivity = 0;  // as in the book
};

// Charges of forecasts of one number.
static void charge_numbers(ExpertWorkspace& d, double prediction, double y) {
  if (d.setting.charge == ChargeKind::table) {
    d.losses = d.charges = d.advised;
    return;
  }
  with_loss(d.setting, y, [&](const auto& loss) {
    for (std::int64_t i = 0; i < d.padded_n; i += 8) put(d.own + i, values(loss, at(d.advised, i)));
    d.losses = d.charges = d.own;
    if (!d.setting.linear) return;
    const double slope = loss.slope(prediction);
    for (std::int64_t i = 0; i < d.padded_n; i += 8)
      put(d.linear + i, eight(slope) * (at(d.advised, i) - eight(prediction)));
    d.charges = d.linear;
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
static void charge_vectors(ExpertWorkspace& d, const double* row, const double* prediction, const double* y) {
  const Combination& s = d.setting;
  double* said = d.vectors;
  double* slope = said + s.width;
  double likely = 0;
  for (std::int64_t k = 0; k < s.width; ++k) likely += prediction[k] * y[k];
  for (std::int64_t k = 0; k < s.width; ++k)
    slope[k] = s.charge == ChargeKind::square ? 2 * (prediction[k] - y[k]) : -y[k] / likely;
  for (std::int64_t i = 0; i < d.padded_n; ++i) {
    d.own[i] = d.linear[i] = missing;
    if (!(d.advised[i] == d.advised[i])) continue;
    for (std::int64_t k = 0; k < s.width; ++k) said[k] = row[i * s.width + k];
    d.own[i] = wide_loss(s, said, y);
    d.linear[i] = 0;
    for (std::int64_t k = 0; k < s.width; ++k) d.linear[i] += slope[k] * (said[k] - prediction[k]);
  }
  d.losses = d.own;
  d.charges = s.linear ? d.linear : d.own;
}

static double learners_loss(const ExpertWorkspace& d, const double* prediction, const double* y) {
  if (d.setting.width > 1) return wide_loss(d.setting, prediction, y);
  double loss = 0;
  with_loss(d.setting, y ? *y : 0, [&](const auto& charge) { loss = charge.value(prediction[0]); });
  return loss;
}

// w x where there is weight; no weight on an infinite loss is no loss.
REGRETLESS_INLINE Octet weighted(const Octet& w, const Octet& x) {
  return where_known(x, where_positive(w, w * x, eight(0)), eight(0));
}

// The mix and the extremes of charges and own losses; with `played`, what it cost to have played these weights rather
// than those that the rule has now.
REGRETLESS_APART static Account audit(const ExpertWorkspace& d, const double* played) {
  Octet charge{}, lowest = eight(infinity), highest = eight(-infinity);
  for (std::int64_t i = 0; i < d.padded_n; i += 8) {
    const Octet c = at(d.charges, i);
    charge = charge + weighted(at(d.weights, i), c);
    lowest = lower(c, lowest);
    highest = upper(c, highest);
  }
  Account account{};
  const double least = smallest_of(lowest), most = largest_of(highest);
  account.mix = {between(in_all(charge) / d.total, least, most), d.total, least, most};
  account.expected = account.mix.charge;
  account.lowest = account.mix.lowest;
  account.highest = account.mix.highest;
  if (d.losses != d.charges) {
    Octet own{};
    lowest = eight(infinity);
    highest = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet l = at(d.losses, i);
      own = own + weighted(at(d.weights, i), l);
      lowest = lower(l, lowest);
      highest = upper(l, highest);
    }
    account.expected = in_all(own) / d.total;
    account.lowest = smallest_of(lowest);
    account.highest = largest_of(highest);
  }
  if (played) {
    Octet charges{}, losses{}, apart{};
    const Shares shares(d.total);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet more = eight_of(played, i, d.n) - shares.of(at(d.weights, i));
      const Octet known = where_known(more, more, eight(0));
      const auto times = [](auto m, auto c) REGRETLESS_LAMBDA {
        const auto product = m == decltype(m){} ? m : m * c;
        return c == c ? product : decltype(m){};
      };
      apart = apart + upper(known, eight(0) - known);
      charges = charges + apply(times, known, at(d.charges, i));
      losses = losses + apply(times, known, at(d.losses, i));
    }
    account.apart = in_all(apart);
    account.delay = in_all(charges);
    account.expected += in_all(losses);
  }
  return account;
}

// Whose losses are too large; -1 if nobody's are by themselves.
static std::int64_t first_beyond(const ExpertWorkspace& d) {
  const auto beyond = [](double x) { return x > tame || x < -tame; };
  for (std::int64_t i = 0; i < d.n; ++i)
    if (beyond(d.losses[i])) return i;
  for (std::int64_t i = 0; i < d.n; ++i)
    if (beyond(d.charges[i])) return i;
  return -1;
}

// Losses and charges that are too large are refused, but under the log loss an expert may be certain and wrong where
// the prediction is the aggregating algorithm's, for its weight is gone for good, and where charges are linearised, for
// only slopes are charged.
REGRETLESS_APART static Fault fault_of_untamed(const ExpertWorkspace& d, const Account& account) {
  const Combination& s = d.setting;
  const Mix& mix = account.mix;
  const bool certain = s.charge == ChargeKind::log;
  bool sound = may_be_summed(account.loss) && may_be_summed(mix.charge) && may_be_summed(account.delay);
  if (!certain) sound &= may_be_summed(account.expected);
  if (!(certain && s.substitute))
    sound &= may_be_summed(mix.lowest) && may_be_summed(mix.highest) && mix.highest - mix.lowest < most_squared;
  if (!(certain && (s.substitute || s.linear)))
    sound &= may_be_summed(account.lowest) && may_be_summed(account.highest);
  if (s.rule.by_regret) sound &= mix.reach() < most_squared;
  return sound ? Fault{} : Fault{ExpertRefusal::infinite_loss, first_beyond(d)};
}
REGRETLESS_INLINE Fault account_fault(const ExpertWorkspace& d, const Account& account) {
  const double least = at_most(account.mix.lowest, account.lowest),
               most = at_least(account.mix.highest, account.highest);
  const bool is_tame = (least > -tame) & (most < tame) & (account.loss > -tame) & (account.loss < tame) &
                       (account.delay > -tame) & (account.delay < tame);
  return is_tame ? Fault{} : fault_of_untamed(d, account);
}

// Whether the rule is charged the loss of the prediction, not the mix of the charges: that of the aggregating
// algorithm, and a hedge that tunes its rate by the gaps, for a convex loss of the mean is no larger than the mean of
// the losses.
REGRETLESS_INLINE bool charged_itself(const Combination& s) {
  const bool mean = !s.linear && s.charge != ChargeKind::table && s.charge != ChargeKind::zero_one;
  return s.substitute || (mean && s.rule.exponential && s.schedule == ScheduleKind::self_tuned);
}

// No mean loses more than the worst expert but for rounding.
REGRETLESS_INLINE double own_charge(const Combination& s, double loss, double highest) {
  return s.substitute ? loss : at_most(loss, highest);
}

// Such a rule is charged the loss of the prediction that it makes now.
static void charge_prediction(const ExpertWorkspace& d, const double* row, const double* y, const double* played,
                              Account& account) {
  double* const prediction = d.vectors + 2 * d.setting.width;
  account.mix.charge = own_charge(d.setting, account.loss, account.mix.highest);
  if (!played) return;
  predict_from(d, row, prediction);
  account.mix.charge = own_charge(d.setting, learners_loss(d, prediction, y), account.mix.highest);
  account.delay = account.loss - account.mix.charge;
}

// Charges everybody and adds it up; nothing is learned yet.
static Fault judge(ExpertWorkspace& d, const double* row, const double* prediction, const double* y,
                   const double* played, Account& account) {
  const Combination& s = d.setting;
  if (const Fault bad = outcome_fault(s, y)) return bad;
  if (s.width > 1) charge_vectors(d, row, prediction, y);
  else charge_numbers(d, prediction[0], y ? *y : 0);
  account = audit(d, played);
  d.erred = s.charge == ChargeKind::zero_one && prediction[0] != *y;
  if (s.rule.counts) account.loss = d.erred;
  else if (s.charge == ChargeKind::table || s.charge == ChargeKind::zero_one) account.loss = account.expected;
  else account.loss = learners_loss(d, prediction, y);
  if (s.charge == ChargeKind::log && s.width == 1) {
    const double change = prediction[0] * Log{*y}.slope(prediction[0]);
    account.sensitivity = change < 0 ? -change : change;
  }
  if (charged_itself(s)) charge_prediction(d, row, y, played, account);
  return account_fault(d, account);
}

}  // namespace regretless::REGRETLESS_ISA
