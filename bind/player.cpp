// A player: rules and borrowed state, checked once, then fed rounds.
#include "round_player.hpp"

#include <algorithm>
#include <map>

#include "names.hpp"
#include <nanobind/stl/map.h>

using namespace nb::literals;

namespace regretless {

namespace {

std::string_view known(Names names, const std::string& name, const char* what) {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) throw std::invalid_argument("no " + std::string(what) + " is called " + name);
  return *place;
}

const RateFacts& rate_called(const std::string& name) {
  return kernels().rates[std::size_t(place_of(kernels().rates, name, "rate"))];
}

struct PlayerKind {
  using State = regretless::State;
  using Rules = regretless::Rules;
  static const Kernels& kernels() { return regretless::kernels(); }
  static void check(const State&) {}
  static State from(State state, std::int64_t first) {
    if (state.moves) state.moves += first * state.targets;
    return scores_from(state, first);
  }
};

class Player : public RoundPlayer<PlayerKind> {
 public:
  Player(State2 weights, State2 memory, State2 books, State1 scratch, std::optional<State2> lag,
         const std::string& geometry, const std::string& loss, const std::string& rate, double radius, double eta,
         double tie, double intercept, double limit, double margin, std::optional<State2> asking, double b,
         double share, double most, std::uint64_t key)
      : weights_(weights), memory_(memory), books_(books), scratch_(scratch), lag_(lag), asking_(asking) {
    const std::size_t targets = weights.shape(1);
    check_column_count(weights.shape(0));
    if (targets == 0) throw std::invalid_argument("at least one target");
    if (memory.shape(0) != targets || memory.shape(1) != memory_size)
      throw std::invalid_argument("memory has the wrong shape");
    if (books.shape(0) != targets + (targets > 1) || books.shape(1) != ledger_size)
      throw std::invalid_argument("books have the wrong shape");
    if (scratch.size() < 4 * targets) throw std::invalid_argument("scratch is too small");
    if (lag && (lag->shape(0) != weights.shape(0) || lag->shape(1) != targets))
      throw std::invalid_argument("lag must have the shape of the weights");
    rules_.geometry = known(kernels().geometries, geometry, "geometry");
    rules_.loss = known(kernels().losses, loss, "loss");
    rules_.rate = rate_called(rate).name;
    rules_.radius = radius;
    rules_.eta = eta;
    rules_.tie = tie;
    rules_.intercept = intercept;
    rules_.limit = limit;
    rules_.margin = margin;
    rules_.sampling = {b, share, most, key};
    check_rules(targets, rate_called(rate));
    state_.asking = asking ? reinterpret_cast<Asking*>(asking->data()) : nullptr;
    state_.weights = weights.data();
    state_.lag = lag ? lag->data() : nullptr;
    state_.memory = reinterpret_cast<Memory*>(memory.data());
    state_.book = reinterpret_cast<Ledger*>(books.data());
    state_.scratch = scratch.data();
    state_.columns = std::int64_t(weights.shape(0));
    state_.targets = std::int64_t(targets);
  }

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, const std::optional<Reals>& sample_weight, const std::optional<Order>& order,
              std::int64_t begin, std::int64_t end, const std::optional<State2>& moves) const {
    const Rounds r = rounds_of(values, indices, starts, labels, sample_weight, order, begin, end, state_.targets,
                               state_.asking != nullptr);
    const Turn turn(busy_);
    State state = state_;
    if (moves) {
      if (std::int64_t(moves->shape(0)) != r.count || std::int64_t(moves->shape(1)) != state_.targets)
        throw std::invalid_argument("room for one move per round and target");
      state.moves = moves->data();
    }
    return play_from(r, state);
  }

  void watch(std::optional<State2> scores, bool averages, double ahead) {
    const Turn turn(busy_);
    watched_ = scores;
    state_.averages = averages;
    state_.ahead = ahead;
  }

  Report one(const Reals& x, std::int32_t label, double weight) const {
    const Rounds r = one_round(x, label, weight, state_.targets, state_.asking != nullptr);
    const Turn turn(busy_);
    return report(kernels().play(r.block, r.of, rules_, state_, r.begin, r.end));
  }

 private:
  void check_rules(std::size_t targets, const RateFacts& rate) const {
    if (rate.towards_no_loss && rules_.loss != "hinge")
      throw std::invalid_argument("passive-aggressive rates go with the hinge loss");
    if (rules_.loss == direct && (targets < 2 || rules_.geometry != "euclidean"))
      throw std::invalid_argument("the direct loss takes two targets or more, without a ball");
    if ((rules_.loss == selective) != asking_.has_value())
      throw std::invalid_argument("the selective loss, and no other, writes down what was asked");
    if (asking_ && (asking_->shape(0) != targets || asking_->shape(1) != asking_size))
      throw std::invalid_argument("what was asked has the wrong shape");
    if (rules_.loss == selective && (rules_.geometry != "euclidean" || rules_.rate != "constant"))
      throw std::invalid_argument("the selective loss goes with a constant rate, without a ball");
  }

  State2 weights_, memory_, books_;
  State1 scratch_;
  std::optional<State2> lag_, asking_;
};

// Vectors of several targets: each knows whose it is, and how often a round counts for it.
FixedVectors fixed_vectors(const State2& vectors, std::size_t count, const Reals& biases, const Signs& whose,
                           const Reals& times, const State1& norms, std::vector<double>& scratch) {
  if (count == 0 || biases.size() != count || whose.size() != count || times.size() != count)
    throw std::invalid_argument("a bias, a label and a number of times for each vector");
  scratch.resize(vectors.shape(1));
  return {vectors.data(),
          biases.data(),
          whose.data(),
          times.data(),
          norms.data(),
          scratch.data(),
          std::int64_t(vectors.shape(0)),
          std::int64_t(vectors.shape(1)),
          std::int64_t(count)};
}

// All rows, by a kernel that reads vectors.
template <class Vectors>
Report read_rows(const Block& block, const Signs& labels, const Rules& rules, const Vectors& vectors,
                 LinearVerdict (*read)(const Block&, const Labels&, const Rules&, const Vectors&)) {
  const Labels of = labels_of(block, labels, std::nullopt);
  nb::gil_scoped_release unlocked;
  return report(in_pieces(block, [&](const Block& rows, std::int64_t first) {
    return read(rows, {of.label + first, nullptr}, rules, vectors);
  }));
}

Report sight(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
             const Signs& labels, double intercept, const State2& directions, const Reals& biases, const Signs& whose,
             const Reals& times, const State3& bins, const State1& least, const State1& norms) {
  const Block block = block_of(values, indices, starts);
  const std::size_t count = bins.shape(0);
  std::vector<double> scratch;
  const Rays rays{fixed_vectors(directions, count, biases, whose, times, norms, scratch), bins.data(), least.data()};
  if (directions.shape(1) < count || least.size() != count || bins.shape(1) != std::size_t(ray_bins) ||
      bins.shape(2) != 3 || norms.size() != 3)
    throw std::invalid_argument("the rays' arrays do not fit each other");
  Rules rules;
  rules.intercept = intercept;
  return read_rows(block, labels, rules, rays, kernels().sight);
}

Report charge(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, double intercept, const std::string& loss, const State2& vectors,
              const Reals& biases, const Signs& whose, const Reals& times, const State2& sums, const State2& ends,
              const State1& norms) {
  const Block block = block_of(values, indices, starts);
  const std::size_t count = vectors.shape(1);
  std::vector<double> scratch;
  const ChargedVectors v{fixed_vectors(vectors, count, biases, whose, times, norms, scratch), sums.data(), ends.data()};
  if (count % 4 != 0 || sums.shape(0) != 3 || sums.shape(1) != count || ends.shape(0) != 2 || ends.shape(1) != count ||
      norms.size() != 3)
    throw std::invalid_argument("the vectors' arrays do not fit each other, or are not four by four");
  Rules rules;
  rules.intercept = intercept;
  rules.loss = known(kernels().charges, loss, "charge");
  return read_rows(block, labels, rules, v, kernels().charge);
}

}  // namespace

void bind_player(nb::module_& m) {
  nb::class_<Player> player(m, "Player", "Rules and borrowed state; feed it rounds.");
  player.def(nb::init<State2, State2, State2, State1, std::optional<State2>, const std::string&, const std::string&,
                      const std::string&, double, double, double, double, double, double, std::optional<State2>, double,
                      double, double, std::uint64_t>(),
             "weights"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(),
             "lag"_a.noconvert().none() = nb::none(), nb::kw_only(), "geometry"_a, "loss"_a, "rate"_a, "radius"_a = 0.0,
             "eta"_a = 1.0, "tie"_a = 0.0, "intercept"_a = 0.0, "limit"_a = 1.0, "margin"_a = 0.0,
             "asking"_a.noconvert().none() = nb::none(), "b"_a = 1.0, "share"_a = 0.0, "most"_a = 0.0, "key"_a = 0);
  bind_play(player,
            "Play the rounds begin <= t < end; how many were played, and what stopped them. `moves` takes the step of "
            "each round and target.",
            "moves"_a.noconvert().none() = nb::none());
  bind_score(player, score_words);
  player.def("watch", &Player::watch, "scores"_a.noconvert().none(), "averages"_a = false, "ahead"_a = 0.0,
             watch_words);
  m.def("sight", &sight, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
        "labels"_a.noconvert(), "intercept"_a, "directions"_a.noconvert(), "biases"_a.noconvert(),
        "whose"_a.noconvert(), "times"_a.noconvert(), "bins"_a.noconvert(), "least"_a.noconvert(),
        "norms"_a.noconvert(), "Bin the margins of all rows along each direction.");
  m.def("charge", &charge, "values"_a.noconvert(), "indices"_a.noconvert().none(), "starts"_a.noconvert().none(),
        "labels"_a.noconvert(), "intercept"_a, "loss"_a, "vectors"_a.noconvert(), "biases"_a.noconvert(),
        "whose"_a.noconvert(), "times"_a.noconvert(), "sums"_a.noconvert(), "ends"_a.noconvert(), "norms"_a.noconvert(),
        "Add up what vectors are charged in all rows.");
  m.def(
      "ledger_fields", [] { return std::vector<std::string>(std::begin(ledger_fields), std::end(ledger_fields)); },
      "Names of a book's numbers, in order.");
  m.def(
      "rate_clocks",
      [] {
        std::map<std::string, std::vector<std::string>> clocks;
        for (const RateFacts& rate : kernels().rates)
          clocks[std::string(rate.name)].assign(rate.clock.begin(), rate.clock.end());
        return clocks;
      },
      "Of each rate, the numbers of a book that it goes by.");
  m.attr("MEMORY_SIZE") = memory_size;
  m.attr("ASKING_SIZE") = asking_size;
  m.attr("UNKNOWN_LABEL") = unknown_label;
  m.attr("RAY_MANTISSA_BITS") = ray_mantissa_bits;
  m.attr("RAY_LOWEST") = ray_lowest;
  m.attr("RAY_SIDE") = ray_side;
}

}  // namespace regretless
