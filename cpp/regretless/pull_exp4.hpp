// Exp4: exponential weights of experts, each of whom advises a distribution over the arms, or one of them.
#pragma once
#include "pull_flat.hpp"

namespace regretless::REGRETLESS_ISA {

class Exp4 : public Flat {
 public:
  static constexpr PullRule facts{.name = "exp4", .cache = PullCache::advised, .advised = true};
  static constexpr bool advised = true;

  explicit Exp4(const Pulling& s)
      : Flat(s), experts_(s.experts), weights_(s.nodes + tree_size(s.arms)), named_(weights_ + padded_arms(experts_)) {}

  // Masses depend on the advice, and are found anew with it.
  void rebuild() {}

  // The expert whose advice is no distribution, or no arm; -1 if there is none.
  static std::int64_t unsound(const Pulling& s, const PullAdvice& a) {
    for (std::int64_t e = 0; e < s.experts; ++e) {
      if (a.picks ? a.picks[e] < 0 || a.picks[e] >= s.arms : !is_distribution(a.shares + e * s.arms, s.arms)) return e;
    }
    return -1;
  }

  REGRETLESS_INLINE void begin(double t) {
    if (!epoch_ends(t)) return;
    const double rate = experts_ == 1 ? 1 : square_root(log_count(experts_) / (double(first_) * t));
    begin_epoch(t, rate, anytime_gamma(t, experts_));
  }

  REGRETLESS_INLINE void begin(double t, const PullAdvice& a) {
    begin(t);
    for (std::int64_t e = 0; e < padded_arms(experts_); ++e) weights_[e] = e < experts_ ? estimates_[e] : infinity;
    weigh(weights_, experts_, -memory_.rate, least_of(weights_, experts_), weights_);
    if (a.picks) gather(a.picks);
    else mix(a.shares);
    build();
  }

  double reach() const { return reach_; }

  void masses(Awake, double* out) const { leaves_of(nullptr, out); }

  REGRETLESS_INLINE void settle(const Drawn& d, double loss, bool, const PullAdvice& a) {
    const double estimate = loss / chance(d), careful = loss / (chance(d) + d.gamma);
    for (std::int64_t e = 0; e < experts_; ++e) {
      const double share = a.picks ? a.picks[e] == d.arm : a.shares[e * n_ + d.arm];
      estimates_[e] += share * estimate;
      implicit_[e] += share * careful;
    }
  }

 private:
  static constexpr double slack = 1e-9;  // by how much shares may miss one

  static bool is_distribution(const double* shares, std::int64_t n) {
    Octet least{}, sum{};
    for (std::int64_t i = 0; i < n; i += 8) {
      const Octet share = eight_of(shares, i, n, 0);
      least = lower(share, least);
      sum = sum + share;
    }
    const double total = in_all(sum);
    return smallest_of(least) >= 0 && total >= 1 - slack && total <= 1 + slack;
  }

  void gather(const std::int64_t* picks) {
    double* leaves = tree_.leaves();
    for (std::int64_t i = 0; i < n_; ++i) leaves[i] = named_[i] = 0;
    for (std::int64_t e = 0; e < experts_; ++e) {
      leaves[picks[e]] += weights_[e];
      named_[picks[e]] = 1;
    }
    reach_ = 0;
    for (std::int64_t i = 0; i < n_; ++i) reach_ += named_[i];
  }

  // Four sums of experts at a time for eight arms, as each has to wait for itself.
  void mix(const double* shares) {
    Octet reach{};
    for (std::int64_t i = 0; i < n_; i += 8) {
      Octet sums[4] = {}, most[4] = {};
      const auto add = [&](int k, std::int64_t e) REGRETLESS_LAMBDA {
        const Octet share = eight_of(shares + e * n_, i, n_, 0);
        sums[k] = sums[k] + eight(weights_[e]) * share;
        most[k] = upper(share, most[k]);
      };
      std::int64_t e = 0;
      for (; e + 4 <= experts_; e += 4) {
        add(0, e);
        add(1, e + 1);
        add(2, e + 2);
        add(3, e + 3);
      }
      if (e < experts_) add(0, e++);
      if (e < experts_) add(1, e++);
      if (e < experts_) add(2, e++);
      put(tree_.leaves() + i, (sums[0] + sums[1]) + (sums[2] + sums[3]));
      reach = reach + upper(upper(most[0], most[1]), upper(most[2], most[3]));
    }
    reach_ = in_all(reach);
  }

  const std::int64_t experts_;
  double* const weights_;
  double* const named_;
  double reach_ = 0;
};

}  // namespace regretless::REGRETLESS_ISA
