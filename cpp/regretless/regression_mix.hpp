// The mixture of forecasts by AdaHedge (de Rooij et al. 2014) on the loss that the mixture itself suffers, with a share
// of the weight that goes round. Nothing need be known of the range of the losses.
#pragma once
#include "regression_types.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr double no_loss = std::numeric_limits<double>::infinity();

// How many members there are.
REGRETLESS_INLINE int members_of(const RegressionMemory& m) {
  int count = 0;
  for (int k = 0; k < regression_lanes; ++k) count += m.prior[k] > 0;
  return count;
}

// The mean of the members' forecasts by their weights.
REGRETLESS_INLINE double mean_forecast(const RegressionMemory& m, const double* forecast) {
  double mean = 0;
  for (int k = 0; k < regression_lanes; ++k)
    if (m.weight[k] > 0) mean += m.weight[k] * forecast[k];
  return mean;
}

// The least loss of a member, with `more` of each added where it is given.
REGRETLESS_INLINE double least_loss(const RegressionMemory& m, const double* more) {
  double least = no_loss;
  for (int k = 0; k < regression_lanes; ++k) {
    const double loss = m.loss[k] + (more ? more[k] : 0);
    if (m.prior[k] > 0 && loss < least) least = loss;
  }
  return least;
}

// ln of the sum of exp(x) over the members; `share` becomes exp(x) over that sum, 0 in a lane without a member.
REGRETLESS_INLINE double log_of_sum(const RegressionMemory& m, const double* x, double* share) {
  double top = -no_loss;
  for (int k = 0; k < regression_lanes; ++k)
    if (m.prior[k] > 0 && x[k] > top) top = x[k];
  const Octet there = at(m.prior, 0), parts = exp_of(lower(at(x, 0) - eight(top), eight(0)));
  const Octet each = where_positive(there, parts, eight(0));
  const double sum = in_all(each);
  put(share, each / eight(sum));
  return top + log_of(sum);
}

// -ln(sum of weight * exp(-eta loss)) / eta, in logarithms: at a large eta all weights but one are 0 in floating point,
// and the others still count. With no end to eta it is the rise of the least sum of losses: not the least loss among
// the leaders, whom another may overtake.
REGRETLESS_INLINE double mix_loss(RegressionMemory& m, const double* loss, bool share, double round) {
  if (m.eta == 0) return least_loss(m, loss) - least_loss(m, nullptr);
  double x[regression_lanes], weight[regression_lanes];
  for (int k = 0; k < regression_lanes; ++k) x[k] = m.log_weight[k] - m.eta * loss[k];
  const double log_sum = log_of_sum(m, x, weight), part = 1 / (round + 1);
  for (int k = 0; k < regression_lanes; ++k) {
    if (m.prior[k] == 0) continue;
    m.log_weight[k] = share ? log_of((1 - part) * weight[k] + part * m.prior[k]) : x[k] - log_sum;
  }
  return -log_sum / m.eta;
}

// The weights for the next round: equal ones of the leaders while the mixture has lost no more than these; then the
// rate is (ln K + ln t) / gap, unless that is more than before.
REGRETLESS_INLINE void weigh_members(RegressionMemory& m, int members, bool share, double next_round) {
  const double best = least_loss(m, nullptr);
  if (m.gap == 0) {
    int leaders = 0;
    for (int k = 0; k < regression_lanes; ++k) leaders += m.prior[k] > 0 && m.loss[k] == best;
    for (int k = 0; k < regression_lanes; ++k) m.weight[k] = m.prior[k] > 0 && m.loss[k] == best ? 1.0 / leaders : 0;
    return;
  }
  const double eta = (log_of(members) + (share ? log_of(next_round) : 0)) / m.gap;
  if (m.eta == 0) {
    m.eta = eta;
    for (int k = 0; k < regression_lanes; ++k) m.log_weight[k] = m.prior[k] > 0 ? -eta * (m.loss[k] - best) : 0;
  } else if (eta < m.eta) {
    for (int k = 0; k < regression_lanes; ++k) m.log_weight[k] *= eta / m.eta;
    m.eta = eta;
  }
  const double log_sum = log_of_sum(m, m.log_weight, m.weight);
  for (int k = 0; k < regression_lanes; ++k)
    if (m.prior[k] > 0) m.log_weight[k] -= log_sum;
}

REGRETLESS_INLINE void add_losses(RegressionMemory& m, const double* loss) {
  for (int k = 0; k < regression_lanes; ++k)
    if (m.prior[k] > 0) m.loss[k] += loss[k];
}

// Apart, since it is the same for every loss and layout of rows.
REGRETLESS_APART static void reweigh_several(RegressionMemory& m, double own, const double* loss, bool share,
                                             double round) {
  const int members = members_of(m);
  const double mixed = mix_loss(m, loss, share, round);
  add_losses(m, loss);
  if (own > mixed) m.gap += own - mixed;
  weigh_members(m, members, share, round + 1);
}

// A round is over: what the mixture and its members lost in it.
REGRETLESS_INLINE void reweigh_members(RegressionMemory& m, double own, const double* loss, bool share, double round) {
  if (members_of(m) > 1) reweigh_several(m, own, loss, share, round);
  else add_losses(m, loss);
}

}  // namespace regretless::REGRETLESS_ISA
