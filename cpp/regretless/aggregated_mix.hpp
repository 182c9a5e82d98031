// The mixture of members by their weights, on the log loss itself: Bayes' rule, and then a share of the weight that
// goes round.
#pragma once
#include "aggregated_types.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

// What the members think of a row whose score is s: their probabilities are `more` / (1 + e) for the label of the
// score's sign, and `less` / (1 + e) for the other.
struct Probabilities {
  Octet score, e, probable;  // e = exp(-|s|); probable = 1 / (1 + e)

  explicit Probabilities(const double* scores) : score(at(scores, 0)) {
    e = exp_of(lower(score, eight(0) - score));
    probable = eight(1) / (eight(1) + e);
  }
  // Probability of the label y, whose sign is given.
  Octet of(double y) const { return where_positive(score * eight(y), probable, e * probable); }
  // ln(1 + exp(-y s)).
  Octet loss(double y) const { return log_one_plus_of(e) + upper(eight(0), eight(-y) * score); }
};

inline constexpr double scarcely = 1e-280;  // a probability below it is computed by its logarithm

// ln of the weighted mean of exp(-loss).
REGRETLESS_APART static double log_mean(const double* weight, const Octet& loss) {
  double losses[aggregated_lanes], best = infinity, sum = 0;
  put(losses, loss);
  for (int k = 0; k < aggregated_lanes; ++k)
    if (weight[k] > 0 && losses[k] - log_of(weight[k]) < best) best = losses[k] - log_of(weight[k]);
  for (int k = 0; k < aggregated_lanes; ++k)
    if (weight[k] > 0) sum += exp_of_negative(-(losses[k] - log_of(weight[k]) - best));
  return log_of(sum) - best;
}

// ln(p / (1 - p)), p the mixture's probability of +1.
REGRETLESS_INLINE double log_odds(const double* weight, const Probabilities& o) {
  const Octet w = at(weight, 0);
  const double above = in_all(w * o.of(1)), below = in_all(w * o.of(-1));
  if (above > scarcely && below > scarcely) [[likely]]
    return log_of(above / below);
  return log_mean(weight, o.loss(1)) - log_mean(weight, o.loss(-1));
}

// -ln of the probability of a class, where the odds of several targets are divided by their sum.
inline double surprise(const double* log_odds, std::int64_t targets, std::int64_t label) {
  double most = -infinity, sum = 0;
  for (std::int64_t c = 0; c < targets; ++c) most = log_odds[c] > most ? log_odds[c] : most;
  for (std::int64_t c = 0; c < targets; ++c) sum += exp_of_negative(log_odds[c] - most);
  return log_of(sum) + (most - log_odds[label]);
}

// The part of the weight that goes round after a round, of which `round` have been: what stays, ln(t + e - 1) / ln(t +
// e), has a product of 1 / ln(T + e - 1) over the rounds before T.
inline double share_after(double round) {
  constexpr double e = 2.718281828459045;
  return 1 - log_of(round + (e - 1)) / log_of(round + e);
}

// The slope of each member's loss at its own score.
REGRETLESS_INLINE void slopes(const Probabilities& o, double y, double weight, double* to) {
  put(to, o.of(-y) * eight(-y * weight));
}

// The weights after a round, of which `round` have been.
REGRETLESS_INLINE void reweigh(AggregatedMemory& m, const Octet& loss, bool share, double round) {
  const Octet prior = at(m.prior, 0);
  if (!share) {  // the losses say all
    double losses[aggregated_lanes], least = infinity;
    put(losses, at(m.loss, 0));
    for (int k = 0; k < aggregated_lanes; ++k)
      if (m.prior[k] > 0 && losses[k] < least) least = losses[k];
    const Octet w = where_positive(prior, exp_of(lower(eight(least) - at(m.loss, 0), eight(0))), eight(0));
    put(m.weight, w * eight(1 / in_all(w)));
    return;
  }
  Octet w = at(m.weight, 0) * exp_of(eight(0) - loss);
  double all = in_all(w);
  if (!(all > scarcely)) [[unlikely]] {
    double losses[aggregated_lanes], least = infinity;
    put(losses, loss);
    for (int k = 0; k < aggregated_lanes; ++k)
      if (m.prior[k] > 0 && losses[k] < least) least = losses[k];
    w = at(m.weight, 0) * exp_of(lower(eight(least) - loss, eight(0)));
    all = in_all(w);
  }
  const double part = share_after(round);
  put(m.weight, w * eight((1 - part) / all) + prior * eight(part));
}

}  // namespace regretless::REGRETLESS_ISA
