// UCB1, MOSS and KL-UCB: the arm that may be best of all, by a confidence bound on its mean loss.
#pragma once
#include "pull_known.hpp"

namespace regretless::REGRETLESS_ISA {

// How far below its mean m, of n losses, an arm may be in draw t: each answers with the least that is likely.
struct Ucb1Index {
  static constexpr const char* name = "ucb1";
  double doubled;  // 2 ln(the draws before)
  Ucb1Index(const Pulling&, double t) : doubled(t > 2 ? 2 * log_of(t - 1) : 0) {}
  double least(double m, double n) const { return m - square_root(doubled / n); }
};

struct MossIndex {
  static constexpr const char* name = "moss";
  double rounds_an_arm;
  MossIndex(const Pulling& s, double) : rounds_an_arm(s.horizon / double(s.arms)) {}
  double least(double m, double n) const {
    const double ratio = rounds_an_arm / n;
    return ratio > 1 ? m - square_root(log_of(ratio) / n) : m;
  }
};

struct KlUcbIndex {
  static constexpr const char* name = "kl-ucb";
  static constexpr int halvings = 50;
  double budget;  // ln(1 + t ln(t)^2)
  KlUcbIndex(const Pulling&, double t) : budget(t > 1 ? log_of(1 + t * (log_of(t) * log_of(t))) : 0) {}

  // The least q with n kl(m, q) <= budget, by halving.
  double least(double m, double n) const {
    if (!(m > 0)) return 0;
    double low = 0, high = m < 1 ? m : 1;
    for (int i = 0; i < halvings; ++i) {
      const double q = (low + high) / 2;
      if (n * divergence(high_mean(m), q) > budget) low = q;
      else high = q;
    }
    return high;
  }

 private:
  static double high_mean(double m) { return m < 1 ? m : 1; }
  // Of a coin with mean m from one with mean q <= m, both above 0.
  static double divergence(double m, double q) {
    const double rest = m < 1 ? (1 - m) * log_of((1 - m) / (1 - q)) : 0;
    return m * log_of(m / q) + rest;
  }
};

template <class Index>
class IndexRule : public ByMeans {
 public:
  static constexpr PullRule facts{.name = Index::name, .cache = PullCache::tree, .counts = true};
  explicit IndexRule(const Pulling& s) : ByMeans(s) {}

  Drawn draw(double) const { return {best(nullptr), 1, memory_.gamma}; }

  void masses(Awake awake, double* out) const {
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) out[i] = 0;
    out[best(awake)] = 1;
  }

 private:
  // Of arms whose losses are all unknown the one that was drawn least; the first of those that are alike.
  std::int64_t best(Awake awake) const {
    const double* draws = s_.tallies + arm_draws * s_.arms;
    const Index index(s_, now_);
    std::int64_t arm = -1, unknown = -1;
    double least = infinity;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (awake && !awake[i]) continue;
      if (!(known_[i] > 0)) {
        if (unknown < 0 || draws[i] < draws[unknown]) unknown = i;
        continue;
      }
      const double here = index.least(estimates_[i] / known_[i], known_[i]);
      if (arm < 0 || here < least) arm = i, least = here;
    }
    return unknown >= 0 ? unknown : arm;
  }
};

using Ucb1 = IndexRule<Ucb1Index>;
using Moss = IndexRule<MossIndex>;
using KlUcb = IndexRule<KlUcbIndex>;

}  // namespace regretless::REGRETLESS_ISA
