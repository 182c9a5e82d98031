// Rules that turn what is thought of the arms that can be drawn into probabilities.
#pragma once
#include <cmath>
#include <tuple>

#include "catalogue.hpp"
#include "explore_types.hpp"
#include "numeric.hpp"
#include "simd_math.hpp"

namespace regretless::REGRETLESS_ISA {

REGRETLESS_INLINE void share_among_least(const double* values, std::int64_t n, double whole, double* shares) {
  double least = values[0], ties = 0;
  for (std::int64_t k = 1; k < n; ++k) least = values[k] < least ? values[k] : least;
  for (std::int64_t k = 0; k < n; ++k) ties += values[k] == least;
  for (std::int64_t k = 0; k < n; ++k) shares[k] = values[k] == least ? whole / ties : 0;
}

// Any arm with probability epsilon, else those that are expected to lose least.
REGRETLESS_INLINE void epsilon_greedy(const Explore& s, const Prospect* arms, std::int64_t n, double* room,
                                      double* shares) {
  for (std::int64_t k = 0; k < n; ++k) room[k] = arms[k].forecast;
  share_among_least(room, n, 1 - s.amount, shares);
  for (std::int64_t k = 0; k < n; ++k) shares[k] += s.amount / double(n);
}

// What the forecasts may have missed by so far, and what luck may add: gamma^2 is to be about K t over it.
inline double missed_so_far(const Explore& s) {
  double least = 0;
  for (std::int64_t m = 0; m < s.count; ++m) least += s.models[m].memory->least[regression_full_lane];
  const double excess = s.book->error - least;
  return (excess > 0 ? excess : 0) + s.book->taught + double(s.arms) + s.confidence;
}

// 1 / (lambda + 2 gamma gap), where lambda, from 1 to n, makes them add up to 1: the sum is convex in lambda and falls,
// so that Newton's steps rise to it from below.
REGRETLESS_INLINE void inverse_gaps(const Explore& s, const Prospect* arms, std::int64_t n, double* room,
                                    double* shares, Decision& d) {
  const double round = s.book->rounds + s.book->taught + 1;
  double gamma = s.amount * __builtin_sqrt(round), best = arms[0].forecast, lambda = 1;
  if (s.tuned) {
    gamma = __builtin_sqrt(double(n - 1) * round / missed_so_far(s));
    gamma = gamma > s.book->gamma ? gamma : s.book->gamma;
  }
  for (std::int64_t k = 1; k < n; ++k) best = arms[k].forecast < best ? arms[k].forecast : best;
  for (std::int64_t k = 0; k < n; ++k) room[k] = 2 * gamma * (arms[k].forecast - best);
  double sum = 0;
  for (int step = 0; step < 100; ++step) {
    double slope = 0;
    sum = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      shares[k] = 1 / (lambda + room[k]);
      sum += shares[k];
      slope += shares[k] * shares[k];
    }
    const double next = lambda + (sum - 1) / slope;
    if (!(next > lambda * (1 + 1e-15))) break;
    lambda = next;
  }
  for (std::int64_t k = 0; k < n; ++k) shares[k] /= sum;
  d.gamma = gamma;
  d.price = gamma > 0 ? (2 * double(n) - 1 - lambda) / (4 * gamma) : 0;
}

// The least forecast of models of the log loss.
inline constexpr double least_share = 3.3535e-4;

// The log loss of a forecast of a share.
REGRETLESS_INLINE double surprise_of(double forecast, double share) {
  const double yes = forecast > least_share ? forecast : least_share;
  const double no = 1 - forecast > least_share ? 1 - forecast : least_share;
  return -share * log_of(yes) - (1 - share) * log_of(no);
}

// The most that sum p (f* - f*_j) can be above gamma sum p (f - f*)^2 / (f + f*), of any f* >= 0 and any j; gamma > 1.
REGRETLESS_INLINE double price_of_triangles(const double* forecasts, const double* shares, std::int64_t n,
                                            double gamma) {
  const double of_others = 1 + 1 / (gamma - 0.5 + __builtin_sqrt(gamma * (gamma - 1)));
  double sum = 0, most = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const double p = shares[j], f = forecasts[j], rest = (1 - p) / p, other = p * f * of_others;
    const double root = __builtin_sqrt(gamma * (gamma + rest));
    const double own = rest > 3 * gamma ? -gamma * p * f : (1 - p) * f * (rest / (gamma + rest / 2 + root) - 1);
    sum += other;
    most = j == 0 || own - other > most ? own - other : most;
  }
  return sum + most;
}

// f_b / (K f_b + gamma (f_a - f_b)), b the arm that is expected to lose least, which has the rest (Foster &
// Krishnamurthy 2021).
REGRETLESS_INLINE void inverse_gaps_by_ratio(const Explore& s, const Prospect* arms, std::int64_t n, double* room,
                                             double* shares, Decision& d) {
  const double root = s.amount * __builtin_sqrt(s.book->rounds + s.book->taught + 1);
  d.gamma = root > 2 ? root : 2;
  std::int64_t best = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    room[k] = arms[k].forecast > least_share ? arms[k].forecast : least_share;
    if (room[k] < room[best]) best = k;
  }
  double others = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k == best) continue;
    shares[k] = room[best] / (double(n) * room[best] + d.gamma * (room[k] - room[best]));
    others += shares[k];
  }
  shares[best] = 1 - others;
  d.price = price_of_triangles(room, shares, n, d.gamma);
}

// How far the mean loss may be from <w, x>, in units of the root of x' A^-1 x: R sqrt(ln det + 2 ln(K / delta)) + sqrt(
// lambda) |u|, R = 1/2.
inline double doubt_of(const Explore& s) { return 2 * (s.confidence + log_of(double(s.count))); }
REGRETLESS_INLINE double ellipsoid(const Explore& s, const Prospect& arm, double doubt) {
  return 0.5 * __builtin_sqrt(arm.growth + doubt) + __builtin_sqrt(s.rules.priors[0]) * s.norm;
}
REGRETLESS_INLINE double deviation(const Prospect& arm) { return __builtin_sqrt(arm.variance > 0 ? arm.variance : 0); }

REGRETLESS_INLINE void lower_ends(const Explore& s, const Prospect* arms, std::int64_t n, double* room,
                                  double* shares) {
  const double doubt = doubt_of(s);
  for (std::int64_t k = 0; k < n; ++k)
    room[k] = arms[k].plain - (s.amount > 0 ? s.amount : ellipsoid(s, arms[k], doubt)) * deviation(arms[k]);
  share_among_least(room, n, 1, shares);
}

// The probability that a normal number is above z, to eight digits (Abramowitz & Stegun 26.2.17).
REGRETLESS_INLINE Octet above(const Octet& z) {
  const Octet size = upper(z, eight(0) - z), t = eight(1) / (eight(1) + eight(0.2316419) * size), t2 = t * t;
  const Octet odd = t * (eight(0.319381530) + t2 * (eight(1.781477937) + t2 * eight(1.330274429)));
  const Octet even = t2 * (eight(0.356563782) + t2 * eight(1.821255978));
  const Octet tail = eight(0.3989422804014327) * exp_of(size * size * eight(-0.5)) * (odd - even);
  return where_positive(z, tail, eight(1) - tail);
}

// Of one arm and eight parts of the line: what is above their ends; above their middles, the last of which makes room
// for what is above the end of the part before; what it has in each times what the arms before have above; its share.
struct Parts {
  double middles[8], ends[8], inside[8], sum[8];
};
static_assert(sizeof(Parts) <= explore_room(1) * sizeof(double) - 2 * sizeof(double));

// The probability that each arm would be the least of independent normal numbers: within each of so many parts of the
// line, what it has there times what the others have above.
inline constexpr int thompson_parts = 64;
inline constexpr double all_above = -8.5;  // below it `above` is 1 in floating point
REGRETLESS_INLINE void likely_least(const Explore& s, const Prospect* arms, std::int64_t n, double* room,
                                    double* shares) {
  alignas(64) static constexpr double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double* const scale = room;
  Parts* const parts = reinterpret_cast<Parts*>(room + n);
  double low = arms[0].plain, high = low, whole = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const double sd = s.amount * deviation(arms[k]) + 1e-9;
    const double from = arms[k].plain - 5.5 * sd, to = arms[k].plain + 5.5 * sd;
    scale[k] = 1 / sd;
    low = k == 0 || from < low ? from : low;
    high = k == 0 || to < high ? to : high;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    put(parts[k].ends, above(eight((low - arms[k].plain) * scale[k])));
    put(parts[k].sum, eight(0));
  }
  for (int part = 0; part < thompson_parts; part += 8) {
    const Octet places = (eight(part) + at(numbers, 0)) / eight(thompson_parts);
    const Octet ends = eight(low) + eight(high - low) * places;
    const double last = low + (high - low) * (double(part + 8) / thompson_parts);
    for (std::int64_t k = 0; k < n; ++k) {
      parts[k].middles[7] = parts[k].ends[7];
      const bool beyond = (last - arms[k].plain) * scale[k] < all_above;
      put(parts[k].ends, beyond ? eight(1) : above((ends - eight(arms[k].plain)) * eight(scale[k])));
    }
    Octet others = eight(1);
    for (std::int64_t k = 0; k < n; ++k) {
      const Octet before = at(parts[k].middles + 7, 0), after = at(parts[k].ends, 0);
      const Octet middle = (before + after) * eight(0.5);
      put(parts[k].middles, middle);
      put(parts[k].inside, upper(before - after, eight(0)) * others);
      others = others * middle;
    }
    others = eight(1);
    for (std::int64_t k = n; k-- > 0;) {
      put(parts[k].sum, at(parts[k].sum, 0) + at(parts[k].inside, 0) * others);
      others = others * at(parts[k].middles, 0);
    }
  }
  for (std::int64_t k = 0; k < n; ++k) whole += shares[k] = in_all(at(parts[k].sum, 0));
  for (std::int64_t k = 0; k < n; ++k) shares[k] /= whole;
}

// The mean upper end of the interval of what is drawn, less the least lower end.
inline double reach_of(const Explore& s, const Prospect* arms, std::int64_t n, const double* shares) {
  double drawn = 0, least = 1;
  const double doubt = doubt_of(s);
  for (std::int64_t k = 0; k < n; ++k) {
    const double width = ellipsoid(s, arms[k], doubt) * deviation(arms[k]);
    const double upper = arms[k].plain + width, lower = arms[k].plain - width;
    drawn += shares[k] * (upper < 1 ? upper : 1);
    least = lower < least ? lower : least;
  }
  return drawn - (least > 0 ? least : 0);
}

// Each rule says what is to be known of it, and spreads the probabilities.
struct EpsilonGreedyRule {
  static constexpr ExploreRule facts{.name = "epsilon-greedy"};
  static void spread(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision&) {
    epsilon_greedy(s, arms, n, s.room, shares);
  }
};
struct SquareCbRule {
  static constexpr ExploreRule facts{.name = "square-cb"};
  static void spread(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision& d) {
    inverse_gaps(s, arms, n, s.room, shares, d);
  }
};
struct LinUcbRule {
  static constexpr ExploreRule facts{.name = "lin-ucb", .intervals = true};
  static void spread(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision&) {
    lower_ends(s, arms, n, s.room, shares);
  }
};
struct LinThompsonRule {
  static constexpr ExploreRule facts{.name = "lin-thompson", .intervals = true};
  static void spread(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision&) {
    likely_least(s, arms, n, s.room, shares);
  }
};
struct FastCbRule {
  static constexpr ExploreRule facts{.name = "fast-cb", .logarithmic = true};
  static void spread(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision& d) {
    inverse_gaps_by_ratio(s, arms, n, s.room, shares, d);
  }
};

// The catalogue: a rule that stands here has a name in the binding.
using ExploreRules = std::tuple<EpsilonGreedyRule, SquareCbRule, LinUcbRule, LinThompsonRule, FastCbRule>;
static constexpr auto explore_rules = facts_of(std::type_identity<ExploreRules>{});
inline const ExploreRule& rule_of(const Explore& s) { return explore_rules[std::size_t(s.rule)]; }

inline void spread_shares(const Explore& s, const Prospect* arms, std::int64_t n, double* shares, Decision& d) {
  with_type<ExploreRules>(s.rule, [&]<class Rule>() {
    Rule::spread(s, arms, n, shares, d);
    if constexpr (Rule::facts.intervals) d.reach = reach_of(s, arms, n, shares);
  });
}

}  // namespace regretless::REGRETLESS_ISA
