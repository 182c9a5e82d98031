// A player of several learners that are mixed: rules and borrowed state, checked once, then fed rounds.
#include "aggregated.hpp"

#include <nanobind/stl/map.h>

#include <cstddef>

#include "compiled.hpp"
#include "round_player.hpp"
#include "regretless/aggregated_types.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const AggregatedKernels& aggregated_kernels() { return REGRETLESS_COMPILED(aggregated); }

using Places = std::map<std::string, std::size_t>;

Places cell_places() {
  using C = AggregatedCell;
  Places bytes = {{"sum", offsetof(C, sum)},           {"square", offsetof(C, square)},
                  {"coin_sum", offsetof(C, coin_sum)}, {"coin_square", offsetof(C, coin_square)},
                  {"squares", offsetof(C, squares)},   {"count", offsetof(C, count)},
                  {"gain", offsetof(C, gain)},         {"most", offsetof(C, most)},
                  {"mean", offsetof(C, mean)},         {"root", offsetof(C, root)}};
  for (auto& [name, place] : bytes) place /= sizeof(double);
  return bytes;
}

Places memory_places() {
  using M = AggregatedMemory;
  Places bytes = {{"constant", offsetof(M, constant)},
                  {"prior", offsetof(M, prior)},
                  {"weight", offsetof(M, weight)},
                  {"loss", offsetof(M, loss)},
                  {"linear", offsetof(M, linear)},
                  {"energy", offsetof(M, energy)},
                  {"most_weight", offsetof(M, most_weight)},
                  {"stack_weights", offsetof(M, stack_weights)},
                  {"stack_scales", offsetof(M, stack_scales)},
                  {"stack_factor", offsetof(M, stack_factor)}};
  for (auto& [name, place] : bytes) place /= sizeof(double);
  return bytes;
}

struct AggregatedKind {
  using State = Aggregated;
  using Rules = AggregatedRules;
  static const AggregatedKernels& kernels() { return aggregated_kernels(); }
  static void check(const State&) {}
  static State from(State state, std::int64_t first) {
    if (state.members) state.members += first * state.targets * aggregated_lanes;
    return scores_from(state, first);
  }
};

class AggregatedPlayer : public RoundPlayer<AggregatedKind> {
 public:
  AggregatedPlayer(State2 cells, State2 memory, State2 books, std::optional<State2> weights,
                   std::optional<State2> scales, std::optional<State2> factor, std::optional<State3> sketch,
                   std::optional<State3> directions, std::optional<State3> small, const std::vector<double>& rates,
                   const std::vector<double>& curvatures, double full_prior, double stack_curvature, double intercept,
                   double tie, double heaviest, bool share)
      : cells_(cells), memory_(memory), books_(books), weights_(weights), scales_(scales), factor_(factor),
        sketch_(sketch), directions_(directions), small_(small) {
    const std::size_t targets = memory.shape(0);
    check_column_count(cells.shape(0));
    demand(targets > 0 && memory.shape(1) == aggregated_memory_size, "memory has the wrong shape");
    demand(cells.shape(1) == targets * aggregated_cell_size, "the cells have the wrong shape");
    demand(shaped(books, targets + (targets > 1), ledger_size), "books have the wrong shape");
    state_.cells = cells.data();
    state_.memory = reinterpret_cast<AggregatedMemory*>(memory.data());
    state_.book = reinterpret_cast<Ledger*>(books.data());
    state_.columns = std::int64_t(cells.shape(0));
    state_.targets = std::int64_t(targets);
    demand(!(factor && directions), "members have all of the matrix, or a sketch of it");
    if (directions) begin_sketches(targets);
    if (factor) {
      demand(weights && scales, "full members need weights and scales");
      const std::size_t n = weights->shape(1) / full_lanes;
      demand(n > 0 && shaped(*weights, targets, full_lanes * n) && shaped(*scales, targets, full_lanes * n) &&
                 shaped(*factor, targets, full_lanes * std::size_t(factor_size(std::int64_t(n)))) &&
                 n - 1 <= cells.shape(0),
             "the weights, the scales and the factor do not fit each other");
      state_.columns = std::int64_t(n - 1);
      state_.weights = weights_->data();
      state_.scales = scales_->data();
      state_.factor = factor_->data();
    }
    demand(rates.size() <= rate_lanes, "too many rates");
    demand(heaviest >= 1 && heaviest < INFINITY, "the largest weight of a class is finite and at least 1");
    demand(curvatures.size() == full_lanes, "one curvature for each full member");
    std::copy(rates.begin(), rates.end(), rules_.rates);
    std::copy(curvatures.begin(), curvatures.end(), rules_.curvature);
    rules_.full_prior = full_prior;
    rules_.stack_curvature = stack_curvature;
    rules_.heaviest = heaviest;
    rules_.intercept = intercept;
    rules_.tie = tie;
    rules_.share = share;
  }

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, const std::optional<Reals>& sample_weight, const std::optional<Order>& order,
              std::int64_t begin, std::int64_t end) const {
    const Rounds r = rounds_of(values, indices, starts, labels, sample_weight, order, begin, end, state_.targets);
    const Turn turn(busy_);
    Aggregated state = state_;
    state.members = members_of(std::size_t(r.count));
    return play_from(r, state);
  }

  void watch_members(std::optional<State2> scores) {
    const Turn turn(busy_);
    watched_members_ = scores;
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, State2 out,
               std::optional<State2> members) const {
    const Block block = rows_to_score(values, indices, starts, out, state_.targets);
    Aggregated state = state_;
    if (members) {
      demand(shaped(*members, std::size_t(block.rows), std::size_t(state_.targets) * aggregated_lanes), no_room);
      state.members = members->data();
    }
    return score_from(block, state, out);
  }

 private:
  // `sketch` has six arrays of each member, side by side; `small` two.
  void begin_sketches(std::size_t targets) {
    demand(sketch_ && small_, "sketches need all of their arrays");
    const std::size_t n = sketch_->shape(2), members = targets * full_lanes, room = small_->shape(2);
    demand(n > 0 && n - 1 <= cells_.shape(0) && room >= 2 && room <= std::size_t(most_sketch_rows) && room % 2 == 0 &&
               shaped(*sketch_, sketch_arrays, members, n) && shaped(*directions_, members, room, n) &&
               shaped(*small_, 2 * members, room, room),
           "the arrays of the sketches do not fit each other");
    state_.columns = std::int64_t(n - 1);
    state_.sketch_rows = std::int64_t(room);
    double** const each[sketch_arrays] = {&state_.weights,       &state_.shed,    &state_.drawn,
                                          &state_.drawn_squares, &state_.largest, &state_.inverse};
    for (std::size_t k = 0; k < sketch_arrays; ++k) *each[k] = sketch_->data() + k * members * n;
    state_.directions = directions_->data();
    state_.gram = small_->data();
    state_.lower = small_->data() + members * room * room;
  }
  static constexpr std::size_t sketch_arrays = 6;

  static bool shaped(const State3& array, std::size_t first, std::size_t rows, std::size_t columns) {
    return array.shape(0) == first && array.shape(1) == rows && array.shape(2) == columns;
  }

  static constexpr const char* no_room = "room for one score per round, target and member";

  static bool shaped(const State2& array, std::size_t rows, std::size_t columns) {
    return array.shape(0) == rows && array.shape(1) == columns;
  }

  double* members_of(std::size_t rounds) const {
    if (!watched_members_) return nullptr;
    demand(shaped(*watched_members_, rounds, std::size_t(state_.targets) * aggregated_lanes), no_room);
    return watched_members_->data();
  }

  State2 cells_, memory_, books_;
  std::optional<State2> weights_, scales_, factor_, watched_members_;
  std::optional<State3> sketch_, directions_, small_;
};

}  // namespace

void bind_aggregated(nb::module_& m) {
  nb::class_<AggregatedPlayer> player(m, "AggregatedPlayer",
                                      "Rules and borrowed state of linear learners that are mixed; feed it rounds.");
  player.def(nb::init<State2, State2, State2, std::optional<State2>, std::optional<State2>, std::optional<State2>,
                      std::optional<State3>, std::optional<State3>, std::optional<State3>, const std::vector<double>&,
                      const std::vector<double>&, double, double, double, double, double, bool>(),
             "cells"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(),
             "weights"_a.noconvert().none() = nb::none(), "scales"_a.noconvert().none() = nb::none(),
             "factor"_a.noconvert().none() = nb::none(), "sketch"_a.noconvert().none() = nb::none(),
             "directions"_a.noconvert().none() = nb::none(), "small"_a.noconvert().none() = nb::none(), nb::kw_only(),
             "rates"_a, "curvatures"_a, "full_prior"_a, "stack_curvature"_a, "intercept"_a, "tie"_a, "heaviest"_a,
             "share"_a);
  bind_play(player, play_words);
  bind_score(player, "Scores of all rows, the same bits that play sees; and those of the members.",
             "members"_a.noconvert().none() = nb::none());
  player.def("watch", &AggregatedPlayer::watch, "scores"_a.noconvert().none(), watch_words);
  player.def("watch_members", &AggregatedPlayer::watch_members, "scores"_a.noconvert().none(),
             "The same for the scores of all members, (rounds, targets * lanes).");
  m.attr("LEAST_ENTRY") = least_entry;
  m.attr("MOST_ENTRY") = most_entry;
  m.attr("AGGREGATED_LANES") = aggregated_lanes;
  m.attr("AGGREGATED_RATES") = rate_lanes;
  m.attr("AGGREGATED_COIN") = coin_lane;
  m.attr("AGGREGATED_FULL") = full_lane;
  m.attr("AGGREGATED_STACK") = stack_lane;
  m.attr("AGGREGATED_MEMORY_SIZE") = aggregated_memory_size;
  m.attr("AGGREGATED_CELL_SIZE") = aggregated_cell_size;
  m.def("factor_size", &factor_size, "columns"_a,
        "How many numbers the factor of a full member has, the constant feature being one of the columns.");
  m.def("aggregated_cell", &cell_places, "Where the numbers of each name begin in the cell of a feature.");
  m.def("aggregated_memory", &memory_places, "The same of the memory of a target.");
}

}  // namespace regretless
