// Squint: exponential weights over a grid of rates.
#pragma once
#include "expert_workspace.hpp"

namespace regretless::REGRETLESS_ISA {

inline constexpr std::int64_t grid_points = 30;  // of Squint: rates that halve

// Sums of eta exp(eta R - eta^2 V) over a grid of rates, on which there is a prior; state: R, V.
struct Squint {
  static constexpr CombinerRule facts{.name = "squint", .rows = 2, .by_regret = true};
  // The smallest power of two that is no less.
  static double rounded_up(double x) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    return bits & 0xfffffffffffffull ? std::bit_cast<double>(((bits >> 52) + 1) << 52) : x;
  }
  static constexpr double lowest_rung = double(std::int64_t(1) << (grid_points - 1));
  static double top(const ExpertWorkspace& d) { return d.memory.first > 0 ? d.memory.first : d.setting.span; }
  struct Grid {
    std::int64_t begin = grid_points;
    double eta[grid_points], mass[grid_points];
    explicit Grid(const ExpertWorkspace& d) {
      const double first = top(d), largest = d.span(d.memory.largest);
      if (!(first > smallest_scale)) return;
      double part = 1;
      for (std::int64_t j = 0; j < grid_points; ++j, part /= 2) {
        eta[j] = part / (2 * first);
        mass[j] = 1 / double((j + 1) * (j + 2));
        if (begin == grid_points && eta[j] * 2 * largest <= 1) begin = j;
      }
    }
    bool empty() const { return begin == grid_points; }
  };
  static Octet power(double eta, const Octet& regret, const Octet& squares) {
    return eight(eta) * (regret - eight(eta) * squares);
  }
  enum class Scale { one, rate };
  // sum of mass_j scale_j exp(power_j - base) for those who speak, times the prior weights.
  template <Scale scale>
  static double sum(ExpertWorkspace& d, const Grid& grid, double base, double* out) {
    Octet total{};
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet regret = at(d.row[0], i), squares = at(d.row[1], i);
      Octet w{};
      for (std::int64_t j = grid.begin; j < grid_points; ++j)
        w = w + eight(grid.mass[j] * (scale == Scale::rate ? grid.eta[j] / grid.eta[0] : 1)) *
                    exp_of(power(grid.eta[j], regret, squares) - eight(base));
      w = at(d.prior, i) * w;
      if (out) {
        w = where_known(at(d.advised, i), w, eight(0));
        put(out + i, w);
      }
      total = total + w;
    }
    return in_all(total);
  }
  static double highest(const ExpertWorkspace& d, const Grid& grid, bool all) {
    Octet most_yet = eight(-infinity);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet regret = at(d.row[0], i), squares = at(d.row[1], i);
      Octet here = eight(-infinity);
      for (std::int64_t j = grid.begin; j < grid_points; ++j) here = upper(power(grid.eta[j], regret, squares), here);
      const Octet speaks = all ? at(d.prior, i) : at(d.advised, i);
      most_yet = upper(where_known(speaks, here, most_yet), most_yet);
    }
    return largest_of(most_yet);
  }
  static double weigh(ExpertWorkspace& d) {
    const Grid grid(d);
    return grid.empty() ? 0 : sum<Scale::rate>(d, grid, highest(d, grid, false), d.weights);
  }
  static void move(ExpertWorkspace& d, const Mix& mix) {
    if (mix.reach() > d.memory.largest) d.memory.largest = mix.reach();
    const double largest = d.span(d.memory.largest);  // beyond the grid if there is none yet, or no rate of it is left
    if (largest > smallest_scale && largest > top(d) * lowest_rung) d.memory.first = rounded_up(largest);
    for (std::int64_t i = 0; i < d.padded_n; i += 8) {
      const Octet r = eight(mix.played()) - charged(d, i, mix.played());
      put(d.row[0] + i, at(d.row[0], i) + r);
      put(d.row[1] + i, at(d.row[1], i) + r * r);
    }
  }
  static double log_potential(ExpertWorkspace& d) {
    const Grid grid(d);
    if (grid.empty()) return 0;
    const double base = highest(d, grid, true);
    return base + log_of(sum<Scale::one>(d, grid, base, nullptr));
  }
};

}  // namespace regretless::REGRETLESS_ISA
