// A player of learners of numbers: rules and borrowed state, checked once, then fed rounds. A bandit that draws by
// features has one an arm.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compiled.hpp"
#include "pieces.hpp"
#include "turn.hpp"
#include "regretless/aggregated_types.hpp"
#include "regretless/regression_types.hpp"

namespace regretless {

inline const RegressionKernels& regression_kernels() { return REGRETLESS_COMPILED(regression); }

template <std::size_t N>
void copy_numbers(double (&to)[N], const std::vector<double>& from, const char* otherwise) {
  demand(from.size() <= N, otherwise);
  std::copy(from.begin(), from.end(), to);
}

inline bool among(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class RegressionPlayer {
 public:
  RegressionPlayer(State2 cells, State2 memory, State2 books, std::optional<State2> weights,
                   std::optional<State2> scales, std::optional<State2> factor, const std::string& loss, double tau,
                   const std::string& schedule, const std::string& matrix, double step,
                   const std::vector<double>& rates, const std::vector<double>& priors, double intercept, bool share)
      : cells_(cells), memory_(memory), books_(books), weights_(weights), scales_(scales), factor_(factor), loss_(loss),
        schedule_(schedule), matrix_(matrix) {
    demand(shaped(memory, 1, regression_memory_size), "memory has the wrong shape");
    demand(cells.shape(1) == regression_cell_size, "the cells have the wrong shape");
    demand(shaped(books, 1, ledger_size), "books have the wrong shape");
    demand(among(regression_kernels().losses, loss), "no such loss");
    demand(schedule.empty() || among(descent_schedules, schedule), "no such schedule");
    demand(among(regression_matrices, matrix), "no such matrix");
    state_.cells = cells.data();
    state_.memory = reinterpret_cast<RegressionMemory*>(memory.data());
    state_.book = reinterpret_cast<Ledger*>(books.data());
    state_.columns = std::int64_t(cells.shape(0));
    if (factor) {
      demand(weights && scales, "full members need weights and scales");
      const std::size_t fulls = priors.size(), n = fulls ? weights->shape(1) / fulls : 0;
      demand(n > 0 && shaped(*weights, 1, fulls * n) && shaped(*scales, 1, fulls * n) &&
                 shaped(*factor, 1, fulls * std::size_t(factor_size(std::int64_t(n)))) && n - 1 <= cells.shape(0),
             "the weights, the scales and the factor do not fit each other");
      state_.columns = std::int64_t(n - 1);
      state_.weights = weights_->data();
      state_.scales = scales_->data();
      state_.factor = factor_->data();
    }
    copy_numbers(rules_.rates, rates, "too many rates");
    copy_numbers(rules_.priors, priors, "too many full members");
    rules_.fulls = factor ? int(priors.size()) : 0;
    rules_.loss = loss_;
    rules_.tau = tau;
    rules_.schedule = schedule_;
    rules_.matrix = matrix_;
    rules_.step = step;
    rules_.intercept = intercept;
    rules_.share = share;
  }
  RegressionPlayer(const RegressionPlayer&) = delete;

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Reals& outcomes, std::int64_t begin, std::int64_t end, std::optional<State1> forecasts) const {
    Rounds r;
    r.block = block_of(values, indices, starts);
    demand(std::int64_t(outcomes.size()) == r.block.rows, "one outcome per row");
    r.count = r.block.rows;
    r.begin = begin;
    r.end = end < 0 ? r.count : end;
    demand(begin >= 0 && begin <= r.end && r.end <= r.count, "no such rounds");
    if (forecasts) demand(std::int64_t(forecasts->shape(0)) == r.count, "room for one forecast per round");
    const Turn turn(busy_);
    nb::gil_scoped_release unlocked;
    return report(
        in_pieces(r, [&](const Block& block, const Labels&, std::int64_t from, std::int64_t to, std::int64_t first) {
          Regression state = state_;
          state.forecasts = forecasts ? forecasts->data() + first : nullptr;
          return regression_kernels().play(block, outcomes.data() + first, rules_, state, from, to);
        }));
  }

  Report one(const Reals& x, double outcome) const {
    Block block;
    block.values = x.data();
    block.rows = 1;
    block.columns = block.entries = std::int64_t(x.size());
    const Turn turn(busy_);
    return report(regression_kernels().play(block, &outcome, rules_, state_, 0, 1));
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, State2 out,
               std::optional<State2> members) const {
    const Block block = rows_to_score(values, indices, starts, out, 1);
    if (members)
      demand(shaped(*members, std::size_t(block.rows), regression_lanes), "room for one forecast per row and member");
    const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long(block, 1);
    return report(in_pieces(block, [&](const Block& rows, std::int64_t first) {
      return regression_kernels().score(rows, rules_, state_, out.data() + first,
                                        members ? members->data() + first * regression_lanes : nullptr);
    }));
  }

  const Regression& state() const { return state_; }
  const RegressionRules& rules() const { return rules_; }
  std::atomic_flag& busy() const { return busy_; }

 private:
  static bool shaped(const State2& array, std::size_t rows, std::size_t columns) {
    return array.shape(0) == rows && array.shape(1) == columns;
  }

  State2 cells_, memory_, books_;
  std::optional<State2> weights_, scales_, factor_;
  std::string loss_, schedule_, matrix_;
  RegressionRules rules_;
  Regression state_;
  mutable std::atomic_flag busy_;  // learning: any number of threads may score
};

}  // namespace regretless
