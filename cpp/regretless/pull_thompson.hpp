// Thompson sampling: each arm is drawn with the probability that it is best, by the posterior of the means.
#pragma once
#include "pull_known.hpp"
#include "random.hpp"

namespace regretless::REGRETLESS_ISA {

// Numbers by other laws, from a stream of uniform ones.
class Samples {
 public:
  Samples(std::uint64_t key0, std::uint64_t key1, std::uint64_t position) : uniforms_(key0, key1, position) {}

  double normal() {  // Marsaglia's polar method
    for (;;) {
      const double x = 2 * uniforms_.next() - 1, y = 2 * uniforms_.next() - 1, r = x * x + y * y;
      if (r > 0 && r < 1) return x * square_root(-2 * log_of(r) / r);
    }
  }

  double gamma(double asked) {  // of 1 at least: Marsaglia and Tsang 2000
    const double shape = asked >= 1 ? (asked < most_shape ? asked : most_shape) : 1;
    const double d = shape - 1.0 / 3, c = 1 / square_root(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (!(root > 0)) continue;
      const double v = root * root * root, u = 1 - uniforms_.next();
      if (log_of(u) < 0.5 * (x * x) + d * ((1 - v) + log_of(v))) return d * v;
    }
  }

  double beta(double a, double b) {
    const double x = gamma(a), y = gamma(b);
    return x / (x + y);
  }

 private:
  static constexpr double most_shape = 0x1p53;  // as many losses as there can be; no state may make it wait for ever
  Uniforms uniforms_;
};

enum class Posterior { beta, gaussian };

// Before each draw the means are drawn so many times from the posterior. An arm's probability is the share of these in
// which it is best: to draw by the shares is to draw one of the sets, and so the arm that is best in a set.
template <Posterior posterior>
class Thompson : public ByMeans {
 public:
  static constexpr PullRule facts{.name = posterior == Posterior::beta ? "thompson-beta" : "thompson-gaussian",
                                  .cache = PullCache::tree,
                                  .counts = true};
  static constexpr int sets = 32;
  explicit Thompson(const Pulling& s) : ByMeans(s) {}

  Drawn draw(double u) const {
    double* shares = s_.nodes;
    masses(nullptr, shares);
    const double x = u * sets;
    double before = 0;
    std::int64_t arm = 0;
    while (arm + 1 < n_ && !(x < before + shares[arm])) before += shares[arm++];
    return {arm, shares[arm] / sets, memory_.gamma};
  }

  void masses(Awake awake, double* out) const {
    for (std::int64_t i = 0; i < padded_arms(n_); ++i) out[i] = 0;
    // Each draw has a stretch of this stream, which has another key than that of the draws.
    Samples samples(s_.key0 ^ 0x9E3779B97F4A7C15u, s_.key1, std::uint64_t(now_) << 32);
    for (int set = 0; set < sets; ++set) {
      std::int64_t best = -1;
      double least = 0;
      for (std::int64_t i = 0; i < n_; ++i) {
        if (awake && !awake[i]) continue;
        const double mean = sample(samples, estimates_[i], known_[i]);
        if (best < 0 || mean < least) best = i, least = mean;
      }
      out[best] += 1;
    }
  }

 private:
  static double sample(Samples& samples, double lost, double known) {
    if constexpr (posterior == Posterior::beta) return samples.beta(1 + lost, 1 + (known - lost));
    // Of gains, whose mean is shrunk to 0: what is missing from it is a loss.
    else return -((known - lost) / (known + 1) + samples.normal() / square_root(known + 1));
  }
};

using ThompsonBeta = Thompson<Posterior::beta>;
using ThompsonGaussian = Thompson<Posterior::gaussian>;

}  // namespace regretless::REGRETLESS_ISA
