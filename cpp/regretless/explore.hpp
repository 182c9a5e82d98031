// The loop of a bandit that draws by features: each arm's regression forecasts its loss, a rule draws, the arm that was
// drawn learns.
#pragma once
#include "explore_prospect.hpp"
#include "explore_rules.hpp"
#include "random.hpp"

namespace regretless::REGRETLESS_ISA {

// What is thought of each arm: of row t, or where the arms share a model of a row an arm, from row t on.
template <class Loss, Rows X>
LinearRefusal foresee_round(const Loss& loss, const X& rows, std::int64_t t, const Explore& s, RegressionBench& bench) {
  double norm2 = 0;
  for (std::int64_t arm = 0; arm < s.arms; ++arm) {
    const std::int64_t at = s.shared() ? t + arm : t;
    const Regression& model = s.models[s.shared() ? 0 : arm];
    if (arm == 0 || s.shared()) {
      LinearRefusal refusal = rows.check(at, model.columns);
      if (refusal == LinearRefusal::none) refusal = size_up(rows[at], s.rules.intercept, norm2);
      if (refusal != LinearRefusal::none) return refusal;
    }
    s.prospects[arm] = prospect_of(loss, rows[at], s.rules, model, bench);
    s.prospects[arm].growth = s.tallies[grown * s.arms + (s.shared() ? 0 : arm)];
  }
  return LinearRefusal::none;
}

// The largest size of a feature of these rows.
template <Rows X>
REGRETLESS_INLINE double largest_feature(const X& rows, std::int64_t begin, std::int64_t end) {
  double most = 0;
  for (std::int64_t t = begin; t < end; ++t) {
    const auto row = rows[t];
    for (std::int64_t k = 0; k < row.n; ++k) most = std::fabs(row.x[k]) > most ? std::fabs(row.x[k]) : most;
  }
  return most;
}

inline Decision choose_arm(const Explore& s, const unsigned char* awake, double* shares) {
  Decision d{};
  std::int64_t n = 0;
  for (std::int64_t arm = 0; arm < s.arms; ++arm) {
    if (awake && !awake[arm]) continue;
    s.among[n] = s.prospects[arm];
    s.places[n++] = arm;
  }
  if (n == 0) {
    d.arm = -1;
    return d;
  }
  spread_shares(s, s.among, n, shares, d);
  const std::uint64_t position = std::uint64_t(s.book->rounds);
  const double number = Uniforms(s.seed, 0, position).next();
  double end = 0;
  std::int64_t place = n - 1;
  for (std::int64_t k = 0; k < n; ++k) {
    end += shares[k];
    if (number < end) {
      place = k;
      break;
    }
  }
  while (place > 0 && !(shares[place] > 0)) --place;
  d.arm = s.places[place];
  d.probability = shares[place];
  d.forecast = s.among[place].forecast;
  for (std::int64_t k = n, arm = s.arms; arm-- > 0;) shares[arm] = k > 0 && s.places[k - 1] == arm ? shares[--k] : 0;
  return d;
}

inline void note_decision(const Explore& s, const Decision& d, const unsigned char* awake) {
  ExploreBook& book = *s.book;
  book.rounds += 1;
  book.price += d.price;
  book.gamma = d.gamma;
  book.reach += d.reach;
  s.tallies[drawn_often * s.arms + d.arm] += 1;
  if (!awake) return;
  book.restricted += 1;
  for (std::int64_t arm = 0; arm < s.arms; ++arm) s.tallies[was_asleep * s.arms + arm] += !awake[arm];
}

// By how much the logarithm of the determinant of a full matrix has grown, from that of its prior.
inline double growth_of(const Regression& model, const RegressionRules& rules) {
  const RegressionCell* const cells = reinterpret_cast<const RegressionCell*>(model.cells);
  double sum = 0, part = 1;  // a product of some of the quotients, which takes one logarithm
  for (std::int64_t i = 0; i <= model.columns; ++i) {
    const double most = i == 0 ? model.memory->constant.most : cells[i - 1].most;
    if (most > 0 && model.scales[i] > 0) part *= model.scales[i] * (rules.priors[0] * (most * most));
    if (part > 1e-100) continue;
    sum -= log_of(part);
    part = 1;
  }
  return sum - log_of(part);
}

inline void note_loss(const Explore& s, const Settlement& settlement) {
  ExploreBook& book = *s.book;
  const double missed = settlement.forecast - settlement.loss;
  book.settled += 1;
  book.late += settlement.late;
  book.loss += settlement.loss;
  book.error += rule_of(s).logarithmic ? surprise_of(settlement.forecast, settlement.loss) : missed * missed;
  s.tallies[lost_then * s.arms + settlement.arm] += settlement.loss;
  for (std::int64_t arm = 0; settlement.awake && arm < s.arms; ++arm)
    if (!settlement.awake[arm]) s.tallies[missed_then * s.arms + arm] += settlement.loss;
  double gamma = 1;
  for (int place = 0; place < explore_implicit; ++place)
    s.estimates[place * s.arms + settlement.arm] += settlement.loss / (settlement.probability + (gamma /= 2));
}

// The model of an arm learns a loss, in units, of row t.
template <class Loss, Rows X>
LinearRefusal learn_loss(const Loss& charge, const X& rows, std::int64_t t, const Explore& s, std::int64_t arm,
                         double loss, RegressionBench& bench) {
  const std::int64_t place = s.shared() ? 0 : arm;
  const Regression& model = s.models[place];
  double norm2 = 0;
  LinearRefusal refusal = rows.check(t, model.columns);
  if (refusal == LinearRefusal::none) refusal = size_up(rows[t], s.rules.intercept, norm2);
  if (refusal != LinearRefusal::none) return refusal;
  {
    const RegressionSettlement settlement{s.rules, model, bench};
    learn_row(rows[t], charge, s.rules, model, loss, norm2, bench);
  }
  if (rule_of(s).intervals) s.tallies[grown * s.arms + place] = growth_of(model, s.rules);
  return LinearRefusal::none;
}

// Which arms can be drawn, by a row of losses; returned is a column whose loss is out of its range, or -1.
inline std::int64_t awake_by(const Explore& s, const double* losses, bool& all, bool& any) {
  all = true;
  any = false;
  for (std::int64_t arm = 0; arm < s.arms; ++arm) {
    const double loss = losses[arm];
    const bool there = loss == loss;
    s.awake[arm] = there;
    all &= there;
    any |= there;
    if (there && !(s.low <= loss && loss <= s.high)) return arm;
  }
  return -1;
}

template <class Loss, Rows X>
ExploreVerdict play_trial(const Loss& charge, const X& rows, const Explore& s, const Trial& trial, std::int64_t begin,
                          std::int64_t end) {
  RegressionBench bench(s.models[0]);
  const std::int64_t step = s.shared() ? s.arms : 1;
  for (std::int64_t t = begin; t < end; ++t) {
    const double* const losses = trial.losses + t * s.arms;
    bool all, any;
    const std::int64_t column = awake_by(s, losses, all, any);
    if (column >= 0) return {t, column, ExploreRefusal::loss, LinearRefusal::none};
    if (!any) return {t, -1, ExploreRefusal::asleep, LinearRefusal::none};
    const LinearRefusal refusal = foresee_round(charge, rows, t * step, s, bench);
    if (refusal != LinearRefusal::none) return {t, -1, ExploreRefusal::row, refusal};
    const unsigned char* const awake = all ? nullptr : s.awake;
    const double most = largest_feature(rows, t * step, t * step + step);
    double* const shares = s.room + explore_room(s.arms) - s.arms;
    const Decision d = choose_arm(s, awake, shares);
    const double loss = losses[d.arm], width = s.high - s.low;
    const double units = s.rewards ? (s.high - loss) / width : (loss - s.low) / width;
    const std::int64_t at = t * step + (s.shared() ? d.arm : 0);
    const LinearRefusal unlearned = learn_loss(charge, rows, at, s, d.arm, units, bench);
    if (unlearned != LinearRefusal::none) return {t, -1, ExploreRefusal::row, unlearned};
    if (most > s.book->most) s.book->most = most;
    note_decision(s, d, awake);
    note_loss(s, {d.arm, d.probability, d.forecast, units, false, true, awake});
    trial.arms[t] = d.arm;
    trial.probabilities[t] = d.probability;
  }
  return {end, -1, ExploreRefusal::none, LinearRefusal::none};
}

}  // namespace regretless::REGRETLESS_ISA
