// A bandit that draws by features: the regressions of its arms, a rule and borrowed sums, checked once, then fed
// rounds.
#include "explorer.hpp"

#include <nanobind/stl/tuple.h>

#include <cmath>
#include <deque>
#include <memory>
#include <vector>

#include "handed_over.hpp"
#include "names.hpp"
#include "regression_player.hpp"
#include "regretless/explore_types.hpp"
#include "room.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Models = nb::typed<nb::list, RegressionPlayer>;
using Why = std::optional<std::string>;

const ExploreKernels& explorers() { return REGRETLESS_COMPILED(explore); }

constexpr std::int64_t most_arms = std::int64_t(1) << 24;
constexpr double most_rounds = 9007199254740992.0;

class Explorer {
 public:
  using Drawn = std::tuple<std::int64_t, double, double>;  // the arm, its probability and its forecast
  using Played = std::tuple<std::int64_t, Why, std::int64_t>;

  Explorer(const std::string& rule, Models models, State1 book, State2 tallies, State2 estimates, double amount,
           bool tuned, double confidence, double norm, double low, double high, bool rewards, std::uint64_t seed)
      : book_(book), tallies_(tallies), estimates_(estimates) {
    s_.rule = place_of(explorers().rules, rule, "rule");
    s_.arms = std::int64_t(tallies.shape(1));
    s_.count = std::int64_t(nb::len(models));
    demand(s_.arms > 0 && s_.arms <= most_arms, "there are no arms, or too many");
    demand(book.size() == explore_book_size && tallies.shape(0) == explore_tallies &&
               estimates.shape(0) == explore_implicit && std::int64_t(estimates.shape(1)) == s_.arms,
           "the sums have the wrong shape");
    demand(s_.count == 0 || s_.count == 1 || s_.count == s_.arms, "one model an arm, or one for all, or none");
    demand(std::isfinite(amount) && amount >= 0 && confidence >= 0 && std::isfinite(confidence) && norm >= 0 &&
               std::isfinite(norm),
           "a parameter is out of its range");
    demand(std::isfinite(low) && std::isfinite(high) && low < high && std::isfinite(high - low),
           "the range of losses is none");
    take(models);
    demand(s_.count > 0 || !explorers().rules[std::size_t(s_.rule)].intervals, "intervals need models");
    s_.amount = amount;
    s_.tuned = tuned;
    s_.confidence = confidence;
    s_.norm = norm;
    s_.low = low;
    s_.high = high;
    s_.rewards = rewards;
    s_.seed = seed;
    s_.book = reinterpret_cast<ExploreBook*>(book.data());
    s_.tallies = tallies.data();
    s_.estimates = estimates.data();
    prospects_.resize(2 * std::size_t(s_.arms));
    places_.resize(std::size_t(s_.arms));
    awake_.resize(std::size_t(s_.arms));
    room_ = room_for(explore_room(s_.arms));
    s_.prospects = prospects_.data();
    s_.among = prospects_.data() + s_.arms;
    s_.places = places_.data();
    s_.awake = awake_.data();
    s_.room = room_.get();
  }
  Explorer(const Explorer&) = delete;

  Array1<double> forecasts(const Any& x) const {
    const Turn turn(busy_);
    foresee(x);
    std::vector<double> all;
    for (std::int64_t arm = 0; arm < s_.arms; ++arm) all.push_back(s_.prospects[arm].forecast);
    return handed_over(std::move(all));
  }

  Array1<double> probabilities(const Any& x, const std::optional<Mask>& mask) const {
    const unsigned char* const awake = awake_of(mask);
    const Turn turn(busy_);
    foresee(x);
    std::vector<double> shares(std::size_t(s_.arms));
    decide(awake, shares.data());
    return handed_over(std::move(shares));
  }

  Drawn act(const Any& x, const std::optional<Mask>& mask) const {
    const unsigned char* const awake = awake_of(mask);
    const Turn turn(busy_);
    const double most = foresee(x);
    const Decision d = decide(awake, room_.get() + explore_room(s_.arms) - s_.arms);
    if (most > s_.book->most) s_.book->most = most;
    explorers().note(s_, d, awake);
    return {d.arm, d.probability, d.forecast};
  }

  void settle(const std::optional<Any>& x, std::int64_t arm, double probability, double forecast, double loss,
              bool late, const std::optional<Mask>& mask) const {
    demand(arm >= 0 && arm < s_.arms && probability > 0 && probability <= 1 && std::isfinite(forecast),
           "no such decision");
    demand(loss >= 0 && loss <= 1, "the loss is out of its range");
    demand(!x || s_.count > 0, "there is no model to learn");
    const unsigned char* const awake = awake_of(mask);
    const Turn turn(busy_);
    check_rounds();
    if (!x) {
      explorers().settle(s_, Block{}, {arm, probability, forecast, loss, late, false, awake});
      return;
    }
    const Block block = row_of(*x, 1);
    const Turn model(players_[s_.shared() ? 0 : std::size_t(arm)]->busy());
    const LinearRefusal refusal = explorers().settle(s_, block, {arm, probability, forecast, loss, late, true, awake});
    if (refusal != LinearRefusal::none) throw std::invalid_argument(words(refusal));
  }

  void teach(const Any& x, std::int64_t arm, double loss) const {
    demand(arm >= 0 && arm < s_.arms && loss >= 0 && loss <= 1 && s_.count > 0, "no such arm, or no such loss");
    const Turn turn(busy_);
    check_rounds();
    const Block block = row_of(x, 1);
    const Turn model(players_[s_.shared() ? 0 : std::size_t(arm)]->busy());
    const LinearRefusal refusal = explorers().teach(s_, block, arm, loss);
    if (refusal != LinearRefusal::none) throw std::invalid_argument(words(refusal));
  }

  Played play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Reals2& losses, Longs arms, State1 probabilities, std::int64_t begin, std::int64_t end) const {
    demand(s_.count > 0, "there are no models");
    Rounds r;
    r.block = block_of(values, indices, starts);
    const std::int64_t step = s_.shared() ? s_.arms : 1, rounds = std::int64_t(losses.shape(0));
    demand(step == 1 || !starts, "rows of arms must be dense");
    demand(std::int64_t(losses.shape(1)) == s_.arms && r.block.rows % step == 0 && r.block.rows / step == rounds,
           "one loss per round and arm");
    demand(std::int64_t(arms.size()) == rounds && std::int64_t(probabilities.size()) == rounds, "room for every round");
    demand(begin >= 0 && begin <= end && end <= rounds, "no such rounds");
    r.count = rounds;
    r.begin = begin;
    r.end = end;
    const Turn turn(busy_);
    std::deque<Turn> turns;
    for (const RegressionPlayer* one : players_) turns.emplace_back(one->busy());
    check_rounds();
    ExploreVerdict verdict{begin, -1, ExploreRefusal::none, LinearRefusal::none};
    nb::gil_scoped_release unlocked;
    const LinearVerdict stopped =
        in_pieces(r, [&](const Block& block, const Labels&, std::int64_t from, std::int64_t to, std::int64_t first) {
          const Trial trial{losses.data() + first * s_.arms, arms.data() + first, probabilities.data() + first};
          verdict = explorers().play(s_, block, trial, from, to);
          return LinearVerdict{verdict.played, verdict.row};
        });
    if (stopped.refusal == LinearRefusal::broken_starts) return {stopped.played, "broken starts", -1};
    return {stopped.played, why_of(verdict), verdict.column};
  }

 private:
  static Why why_of(const ExploreVerdict& verdict) {
    switch (verdict.refusal) {
      case ExploreRefusal::none: return std::nullopt;
      case ExploreRefusal::loss: return "loss";
      case ExploreRefusal::asleep: return "asleep";
      case ExploreRefusal::row: break;
    }
    return words(verdict.row);
  }

  // All models are alike but for what they have learned.
  void take(const Models& models) {
    for (nb::handle one : models) {
      const RegressionPlayer* const player = nb::cast<RegressionPlayer*>(one);
      demand(player, "a model is none");
      const Regression& state = player->state();
      if (states_.empty()) s_.rules = player->rules();
      const Regression& first = states_.empty() ? state : states_[0];
      demand(s_.rules.alike(player->rules()) && first.columns == state.columns && !first.factor == !state.factor,
             "the models differ");
      states_.push_back(state);
      players_.push_back(player);
      models_.append(one);
    }
    const bool logarithmic = explorers().rules[std::size_t(s_.rule)].logarithmic;
    demand(states_.empty() || s_.rules.loss == (logarithmic ? "logistic" : "square"), "the models are of another loss");
    const bool full = !states_.empty() && states_[0].factor && s_.rules.fulls == 1 && s_.rules.rates[0] == 0 &&
                      !s_.rules.newton() && s_.rules.schedule.empty();
    demand(full || !explorers().rules[std::size_t(s_.rule)].intervals, "intervals need one full matrix a model");
    s_.models = states_.data();
  }

  Block row_of(const Any& x, std::int64_t rows) const {
    Block block;
    block.values = x.data();
    block.single = is_single(x);
    check_aligned(x);
    demand(x.ndim() == (rows == 1 ? 1 : 2) && (rows == 1 || std::int64_t(x.shape(0)) == rows), "not so many rows");
    block.rows = rows;
    block.columns = std::int64_t(x.shape(x.ndim() - 1));
    block.entries = std::int64_t(x.size());
    return block;
  }

  // What is thought of the arms: from their models by a row, or as it is told. Returned is the largest feature.
  double foresee(const Any& x) const {
    check_rounds();
    if (s_.count > 0) {
      const Block block = row_of(x, s_.shared() ? s_.arms : 1);
      const LinearVerdict verdict = explorers().foresee(s_, block);
      if (verdict.refusal != LinearRefusal::none) throw std::invalid_argument(words(verdict.refusal));
      return largest_of(block);
    }
    demand(x.ndim() == 1 && std::int64_t(x.size()) == s_.arms && !is_single(x), "one forecast an arm");
    check_aligned(x);
    for (std::int64_t arm = 0; arm < s_.arms; ++arm) {
      const double forecast = static_cast<const double*>(x.data())[arm];
      demand(forecast >= 0 && forecast <= 1, "a forecast is out of the range");
      s_.prospects[arm] = {forecast, forecast, 0, 0};
    }
    return 0;
  }
  static double largest_of(const Block& block) {
    double most = 0;
    for (std::int64_t k = 0; k < block.entries; ++k) {
      const double x = block.single ? double(static_cast<const float*>(block.values)[k])
                                    : static_cast<const double*>(block.values)[k];
      most = std::fabs(x) > most ? std::fabs(x) : most;
    }
    return most;
  }

  Decision decide(const unsigned char* awake, double* shares) const {
    const Decision d = explorers().choose(s_, awake, shares);
    demand(d.arm >= 0, "asleep: no arm is awake");
    return d;
  }

  // The book is the caller's, and the kernels make a whole number of it.
  void check_rounds() const { demand(s_.book->rounds >= 0 && s_.book->rounds <= most_rounds, "the book is damaged"); }

  const unsigned char* awake_of(const std::optional<Mask>& mask) const {
    if (!mask) return nullptr;
    demand(std::int64_t(mask->size()) == s_.arms, "one entry per arm");
    return reinterpret_cast<const unsigned char*>(mask->data());
  }

  State1 book_;
  State2 tallies_, estimates_;
  nb::list models_;
  std::vector<const RegressionPlayer*> players_;
  std::vector<Regression> states_;
  std::vector<Prospect> prospects_;
  std::vector<std::int64_t> places_;
  std::vector<unsigned char> awake_;
  Room room_;
  Explore s_;
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_explorer(nb::module_& m) {
  nb::class_<Explorer>(m, "Explorer", "A rule that draws arms by features, their models, and borrowed sums.")
      .def(nb::init<const std::string&, Models, State1, State2, State2, double, bool, double, double, double, double,
                    bool, std::uint64_t>(),
           "rule"_a, "models"_a, "book"_a.noconvert(), "tallies"_a.noconvert(), "estimates"_a.noconvert(),
           nb::kw_only(), "amount"_a, "tuned"_a, "confidence"_a, "norm"_a, "low"_a, "high"_a, "rewards"_a, "seed"_a)
      .def("forecasts", &Explorer::forecasts, "x"_a.noconvert(),
           "What each arm is expected to lose, by a row; by a row an arm, where they share a model.")
      .def("probabilities", &Explorer::probabilities, "x"_a.noconvert(), "awake"_a.noconvert().none() = nb::none(),
           "The probabilities of the next draw; `x` holds forecasts, where there are no models.")
      .def("act", &Explorer::act, "x"_a.noconvert(), "awake"_a.noconvert().none() = nb::none(),
           "Draw: the arm, its probability and its forecast.")
      .def("settle", &Explorer::settle, "x"_a.noconvert().none(), "arm"_a, "probability"_a, "forecast"_a, "loss"_a,
           "late"_a, "awake"_a.noconvert().none() = nb::none(),
           "Take in the loss of a decision, in units; the row of its arm is learned, unless it is None.")
      .def("teach", &Explorer::teach, "x"_a.noconvert(), "arm"_a, "loss"_a,
           "Learn from a decision that is none of its own.")
      .def("play", &Explorer::play, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "losses"_a.noconvert(), "arms"_a.noconvert(), "probabilities"_a.noconvert(),
           "begin"_a, "end"_a, "Play the rounds begin <= t < end; how many were played, and what stopped them where.");
  std::vector<std::string> fields(std::begin(explore_fields), std::end(explore_fields));
  m.attr("EXPLORE_FIELDS") = fields;
  m.attr("LOGISTIC_LIMIT") = logistic_limit;
  m.attr("EXPLORE_TALLIES") = int(explore_tallies);
  m.attr("EXPLORE_IMPLICIT") = explore_implicit;
}

}  // namespace regretless
