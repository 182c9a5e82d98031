// What players over rows share: rounds are checked and played in pieces, and rows are scored. A kind of player says
//   Kind::State, Kind::Rules     what it works on; `state.scores` is where the scores of rounds are to be written
//   Kind::kernels()              play(block, labels, rules, state, begin, end) and score(block, rules, state, out)
//   Kind::check(state)           refuses what the caller has written into memory that loops rely on
//   Kind::from(state, first)     the state whose scores are written from that round on
#pragma once
#include "pieces.hpp"
#include "turn.hpp"

namespace regretless {

template <class State>
State scores_from(State state, std::int64_t first) {
  if (state.scores) state.scores += first * state.targets;
  return state;
}

template <class Kind>
class RoundPlayer {
 public:
  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, const std::optional<Reals>& sample_weight, const std::optional<Order>& order,
              std::int64_t begin, std::int64_t end) const {
    const Rounds r = rounds_of(values, indices, starts, labels, sample_weight, order, begin, end, state_.targets);
    const Turn turn(busy_);
    return play_from(r, state_);
  }

  void watch(std::optional<State2> scores) {
    const Turn turn(busy_);
    watched_ = scores;
  }

  Report one(const Reals& x, std::int32_t label, double weight) const {
    const Rounds r = one_round(x, label, weight, state_.targets);
    const Turn turn(busy_);
    Kind::check(state_);
    return report(Kind::kernels().play(r.block, r.of, rules_, state_, r.begin, r.end));
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
               State2 out) const {
    return score_from(rows_to_score(values, indices, starts, out, state_.targets), state_, out);
  }

 protected:
  using State = typename Kind::State;

  Report play_from(const Rounds& r, State state) const {
    Kind::check(state);
    state.scores = room_for_scores(watched_, r, state.targets);
    nb::gil_scoped_release unlocked;
    return report(in_pieces(
        r, [&](const Block& block, const Labels& of, std::int64_t begin, std::int64_t end, std::int64_t first) {
          return Kind::kernels().play(block, of, rules_, Kind::from(state, first), begin, end);
        }));
  }

  Report score_from(const Block& block, const State& state, State2& out) const {
    Kind::check(state);
    const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long(block, state.targets);
    return report(in_pieces(block, [&](const Block& rows, std::int64_t first) {
      return Kind::kernels().score(rows, rules_, Kind::from(state, first), out.data() + first * state.targets);
    }));
  }

  std::optional<State2> watched_;
  typename Kind::Rules rules_;
  State state_;
  mutable std::atomic_flag busy_;  // learning: any number of threads may score
};

// The methods that are the same for all of them, or nearly: `more` are arguments behind the last one.
template <class P, class... More>
void bind_play(nb::class_<P>& player, const char* words, const More&... more) {
  using namespace nb::literals;
  player.def("play", &P::play, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
             "labels"_a.noconvert(), "sample_weight"_a.noconvert().none() = nb::none(),
             "order"_a.noconvert().none() = nb::none(), "begin"_a = 0, "end"_a = -1, more..., words);
  player.def("one", &P::one, "x"_a.noconvert(), "label"_a, "weight"_a = 1.0, "Play one dense round.");
}
template <class P, class... More>
void bind_score(nb::class_<P>& player, const char* words, const More&... more) {
  using namespace nb::literals;
  player.def("score", &P::score, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
             "out"_a.noconvert(), more..., words);
}

inline constexpr const char* play_words =
    "Play the rounds begin <= t < end; how many were played, and what stopped them.";
inline constexpr const char* score_words = "Scores of all rows, the same bits that play sees.";

}  // namespace regretless
