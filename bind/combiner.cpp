// A combiner of experts: a rule and borrowed state, checked once, then fed rounds.
#include "combiner.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>

#include "names.hpp"
#include "regretless/expert_types.hpp"
#include "compiled.hpp"
#include "room.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Places = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Outcomes = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // of one dimension or two
using Why = std::optional<std::string>;

template <class K, std::size_t N>
K known(const std::pair<std::string_view, K> (&kinds)[N], const std::string& name, const char* what) {
  for (const auto& [known_name, kind] : kinds)
    if (name == known_name) return kind;
  throw std::invalid_argument("no " + std::string(what) + " is called " + name);
}

const Combiners& combiners() { return REGRETLESS_COMPILED(combiners); }

// What Python is to know of each rule, by its name.
nb::dict facts_of_rules() {
  nb::dict all;
  for (const CombinerRule& rule : combiners().rules) {
    nb::dict facts;
    facts["exponential"] = rule.exponential;
    facts["one_rate"] = rule.one_rate;
    facts["own_rates"] = rule.own_rates;
    facts["by_regret"] = rule.by_regret;
    facts["drags"] = rule.drags;
    facts["shares"] = rule.shares;
    facts["counts"] = rule.counts;
    all[rule.name] = facts;
  }
  return all;
}

Why words(ExpertRefusal refusal) {
  switch (refusal) {
    case ExpertRefusal::none: return std::nullopt;
    case ExpertRefusal::asleep: return "asleep";
    case ExpertRefusal::not_finite: return "not finite";
    case ExpertRefusal::outcome: return "outcome";
    case ExpertRefusal::out_of_range: return "out of range";
    case ExpertRefusal::infinite_loss: return "infinite loss";
    case ExpertRefusal::not_binary: return "not binary";
  }
  return std::nullopt;
}

template <class A>
double* data_of(const std::optional<A>& array) {
  return array ? array->data() : nullptr;
}

// The numbers of an array in double precision, copied where they are float32.
class Doubles {
 public:
  explicit Doubles(const Any& a) : values_(static_cast<const double*>(a.data())) {
    if (!is_single(a)) return;
    const float* const singles = static_cast<const float*>(a.data());
    copy_.assign(singles, singles + a.size());
    values_ = copy_.data();
  }
  Doubles(const Doubles&) = delete;
  const double* data() const { return values_; }

 private:
  std::vector<double> copy_;
  const double* values_;
};

// The same places for results from round t on.
template <class T>
T* from(T* results, std::int64_t t) {
  return results ? results + t : nullptr;
}

class Combiner {
 public:
  using Verdict = std::tuple<std::int64_t, Why, std::int64_t>;

  Combiner(State2 state, State1 memory, State1 book, State2 tallies, Reals prior, const std::string& rule,
           const std::string& charge, const std::string& schedule, double rate, double span, double alpha, double tau,
           double low, double high, bool linear, bool substitute, std::optional<Reals> powers, bool always,
           std::int64_t width)
      : state_(state), memory_(memory), book_(book), tallies_(tallies), prior_(prior), powers_(powers) {
    const std::int64_t experts = std::int64_t(prior.size());
    s_.place = place_of(combiners().rules, rule, "rule");
    s_.rule = combiners().rules[std::size_t(s_.place)];
    s_.charge = known(charge_names, charge, "charge");
    s_.schedule = known(schedule_names, schedule, "schedule");
    demand(experts > 0, "at least one expert");
    demand(width > 0 && experts <= most_numbers / width, "a row of advice has from one number to 2**40");
    demand(std::int64_t(state.shape(0)) == s_.rule.rows && std::int64_t(state.shape(1)) == experts,
           "state has the wrong shape");
    demand(memory.size() == combiner_memory_size, "memory has the wrong shape");
    demand(book.size() == expert_book_size, "book has the wrong shape");
    demand(tallies.shape(0) == tally_rows && std::int64_t(tallies.shape(1)) == experts, "tallies have the wrong shape");
    demand(rate > 0 && span >= 0 && alpha >= 0 && alpha < 1 && tau > 0 && tau < 1 && low <= high,
           "a parameter is out of its range");
    demand(
        width == 1 || s_.charge == ChargeKind::square || s_.charge == ChargeKind::log || s_.charge == ChargeKind::table,
        "forecasts of several numbers go with square and log");
    demand(!s_.rule.counts || (s_.charge == ChargeKind::zero_one && powers && powers->size() > 1),
           "a majority needs zero-one charges and powers");
    demand(!s_.rule.shares || s_.schedule != ScheduleKind::self_tuned || alpha > 0, "alpha must be above 0");
    const bool bounded =
        s_.charge == ChargeKind::square && width == 1 && low > -infinite_ && high < infinite_ && low < high;
    demand(!substitute || (s_.rule.exponential && s_.schedule == ScheduleKind::constant && !linear &&
                           (s_.charge == ChargeKind::log || bounded)),
           "only a hedge of constant rate, of log or of bounded square losses, has another prediction");
    demand(!linear || s_.charge != ChargeKind::zero_one, "zero-one has no slope");
    s_.linear = linear || s_.charge == ChargeKind::wealth;
    s_.rate = rate;
    s_.span = span;
    s_.alpha = alpha;
    s_.tau = tau;
    s_.low = s_.charge == ChargeKind::log || s_.charge == ChargeKind::wealth ? std::max(low, 0.0) : low;
    s_.high = s_.charge == ChargeKind::log ? std::min(high, 1.0) : high;
    s_.substitute = substitute;
    s_.always = always;
    s_.powers = powers ? powers->data() : nullptr;
    s_.power_count = powers ? std::int64_t(powers->size()) : 0;
    s_.experts = experts;
    s_.width = width;
    s_.state = state.data();
    s_.memory = reinterpret_cast<CombinerMemory*>(memory.data());
    s_.book = reinterpret_cast<ExpertBook*>(book.data());
    s_.tallies = tallies.data();
    s_.prior = prior.data();
    scratch_ = room_for(scratch_size(experts, width));
    s_.scratch = scratch_.get();
  }

  Verdict play(const Any& advice, const std::optional<Outcomes>& outcomes, std::optional<State2> predictions,
               std::optional<State1> losses, std::optional<State2> weights, std::optional<Reals> uniforms,
               std::optional<Places> chosen, std::int64_t begin, std::int64_t end) const {
    std::int64_t rounds = 0;
    const Advice rows = rows_of(advice, outcomes, rounds);
    const Results to = results_of(predictions, losses, weights, rounds);
    demand(!uniforms || std::int64_t(uniforms->size()) == rounds, "one draw per round");
    demand(!chosen || (uniforms && std::int64_t(chosen->size()) == rounds), "room for one draw per round");
    if (end < 0) end = rounds;
    demand(begin >= 0 && begin <= end && end <= rounds, "no such rounds");
    Results all = to;
    all.uniforms = uniforms ? uniforms->data() : nullptr;
    all.chosen = chosen ? chosen->data() : nullptr;
    const Turn turn(busy_);
    nb::gil_scoped_release unlocked;
    if (is_single(advice))
      return in_words(play_singles(static_cast<const float*>(advice.data()), rows.outcomes, all, begin, end));
    return in_words(combiners().play(s_, rows, all, begin, end));
  }

  Verdict play_delayed(const Any& advice, const std::optional<Outcomes>& outcomes, const Order& settle,
                       const Order& starts, const Order& slots, State2 pool, State2 predictions,
                       std::optional<State1> losses, std::optional<State2> weights) const {
    std::int64_t rounds = 0;
    const Advice rows = rows_of(advice, outcomes, rounds);
    const Results to = results_of(predictions, losses, weights, rounds);
    check_schedule(settle, starts, slots, rounds, pool);
    const bool single = is_single(advice);
    std::vector<double> line(single ? std::size_t(s_.experts * s_.width) : 0);
    const Lateness late{settle.data(),
                        starts.data(),
                        slots.data(),
                        pool.data(),
                        single ? static_cast<const float*>(advice.data()) : nullptr,
                        line.data()};
    const Turn turn(busy_);
    nb::gil_scoped_release unlocked;
    return in_words(combiners().play_delayed(s_, rows, to, late, rounds));
  }

  std::tuple<Why, std::int64_t> predict(const Any& advice, State1 p, State1 prediction) const {
    check_row(advice);
    const Doubles row(advice);
    demand(std::int64_t(p.size()) == s_.experts && std::int64_t(prediction.size()) == s_.width,
           "p or yhat has the wrong shape");
    const Turn turn(busy_);
    const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long();
    const ExpertVerdict verdict = combiners().predict(s_, row.data(), p.data(), prediction.data());
    return {words(verdict.refusal), verdict.column};
  }

  // The same for one row at a time, with all that waits for its outcome in one array: the advice, the weights, the
  // prediction.
  nb::object open(const Any& advice, State1 waiting) const {
    check_row(advice);
    demand(std::int64_t(waiting.size()) == room(), "the room to wait has the wrong shape");
    double* const cells = waiting.data();
    const std::int64_t numbers = s_.experts * s_.width;
    if (is_single(advice)) std::copy_n(static_cast<const float*>(advice.data()), numbers, cells);
    else std::copy_n(static_cast<const double*>(advice.data()), numbers, cells);
    ExpertVerdict verdict;
    {
      const Turn turn(busy_);
      const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long();
      verdict = combiners().predict(s_, cells, cells + numbers, cells + numbers + s_.experts);
    }
    if (verdict.refusal != ExpertRefusal::none) return nb::make_tuple(words(verdict.refusal), verdict.column);
    return nb::float_(cells[numbers + s_.experts]);
  }
  nb::object close_one(const Reals& waiting, double outcome) const {
    demand(s_.width == 1, "one outcome for each number of a forecast");
    return close(waiting, &outcome);
  }
  nb::object close_many(const Reals& waiting, const Reals& outcome) const {
    demand(std::int64_t(outcome.size()) == s_.width, "one outcome for each number of a forecast");
    return close(waiting, outcome.data());
  }
  std::int64_t room() const { return s_.experts * s_.width + s_.experts + s_.width; }

  std::tuple<double, Why, std::int64_t> settle_one(const Any& advice, const Reals& p, const Reals& prediction,
                                                   double outcome) const {
    demand(s_.width == 1, "one outcome for each number of a forecast");
    return settle_any(advice, p, prediction, &outcome);
  }
  std::tuple<double, Why, std::int64_t> settle_many(const Any& advice, const Reals& p, const Reals& prediction,
                                                    const Reals& outcome) const {
    demand(std::int64_t(outcome.size()) == s_.width, "one outcome for each number of a forecast");
    return settle_any(advice, p, prediction, outcome.data());
  }

  Why settle_charges(const Reals& own, const Reals& charges, const Reals& p, double loss, double mix) const {
    const std::size_t experts = std::size_t(s_.experts);
    demand(own.size() == experts && charges.size() == experts && p.size() == experts, "one number per expert");
    const Turn turn(busy_);
    return words(combiners().settle_charges(s_, {own.data(), charges.data(), p.data(), loss, mix}).refusal);
  }

  void weights(State1 out) const {
    demand(std::int64_t(out.size()) == s_.experts, "one number per expert");
    const Turn turn(busy_);
    combiners().weights(s_, out.data());
  }
  void rates(State1 out) const {
    demand(std::int64_t(out.size()) == s_.experts, "one number per expert");
    const Turn turn(busy_);
    combiners().rates(s_, out.data());
  }
  double rate() const { return alone(combiners().rate); }
  double log_potential() const { return alone(combiners().log_potential); }
  double gap() const { return alone(combiners().gap); }

 private:
  static constexpr double infinite_ = std::numeric_limits<double>::infinity();
  static constexpr std::int64_t long_row = 4096;
  static constexpr std::int64_t most_numbers = std::int64_t(1) << 40;  // what is computed from it overflows nowhere

  double alone(double (*what)(const Combination&)) const {
    const Turn turn(busy_);
    return what(s_);
  }

  static Verdict in_words(const ExpertVerdict& verdict) {
    return {verdict.row, words(verdict.refusal), verdict.column};
  }

  bool wants_outcome() const { return s_.charge != ChargeKind::table && s_.charge != ChargeKind::wealth; }

  std::optional<nb::gil_scoped_release> unlock_if_long() const {
    return s_.experts * s_.width < long_row ? std::nullopt : std::optional<nb::gil_scoped_release>(std::in_place);
  }

  void check_charge() const {
    demand(s_.charge != ChargeKind::table || (!s_.linear && s_.width == 1), "losses that are given have no slope");
  }

  void check_width(const Any& advice, std::size_t first) const {
    const std::size_t dimensions = advice.ndim() - first;
    demand(dimensions >= 1 && std::int64_t(advice.shape(first)) == s_.experts &&
               (dimensions == 2 ? std::int64_t(advice.shape(first + 1)) == s_.width : dimensions == 1 && s_.width == 1),
           "advice has the wrong shape");
  }

  Advice rows_of(const Any& advice, const std::optional<Outcomes>& outcomes, std::int64_t& rounds) const {
    check_charge();
    demand(advice.ndim() >= 2, "advice has the wrong shape");
    check_width(advice, 1);
    check_aligned(advice);
    rounds = std::int64_t(advice.shape(0));
    demand(outcomes || !wants_outcome(), "outcomes are missing");
    if (outcomes)
      demand(outcomes->ndim() >= 1 && std::int64_t(outcomes->shape(0)) == rounds &&
                 std::int64_t(outcomes->size()) == rounds * s_.width && outcomes->ndim() <= 2,
             "one outcome per round");
    return {is_single(advice) ? nullptr : static_cast<const double*>(advice.data()),
            outcomes && wants_outcome() ? outcomes->data() : nullptr};
  }

  void check_row(const Any& advice) const {
    demand(advice.ndim() >= 1, "advice has the wrong shape");
    check_width(advice, 0);
    check_aligned(advice);
  }

  // Rows of float32, so many at a time in double precision, and whole blocks of a sweep: the kernels would take twice
  // as long to compile for both.
  ExpertVerdict play_singles(const float* singles, const double* outcomes, const Results& to, std::int64_t begin,
                             std::int64_t end) const {
    const std::int64_t numbers = s_.experts * s_.width,
                       some = std::max<std::int64_t>(1, 2 * long_row / numbers / 64) * 64;
    std::vector<double> rows(std::size_t(std::min(some, end - begin) * numbers));
    for (std::int64_t t = begin; t < end; t += some) {
      const std::int64_t count = std::min(some, end - t);
      combiners().widen(singles + t * numbers, count * numbers, rows.data());
      const Results here{from(to.predictions, t * s_.width), from(to.losses, t), from(to.weights, t * s_.experts),
                         from(to.uniforms, t), from(to.chosen, t)};
      ExpertVerdict verdict = combiners().play(s_, {rows.data(), from(outcomes, t * s_.width)}, here, 0, count);
      verdict.row += t;
      if (verdict.row < t + count) return verdict;
    }
    return {end};
  }

  Results results_of(const std::optional<State2>& predictions, const std::optional<State1>& losses,
                     const std::optional<State2>& weights, std::int64_t rounds) const {
    const auto fits = [&](const State2& a, std::int64_t columns) {
      return std::int64_t(a.shape(0)) == rounds && std::int64_t(a.shape(1)) == columns;
    };
    demand(!predictions || fits(*predictions, s_.width), "room for one prediction per round");
    demand(!losses || std::int64_t(losses->size()) == rounds, "room for one loss per round");
    demand(!weights || fits(*weights, s_.experts), "room for the weights of each round");
    return {data_of(predictions), data_of(losses), data_of(weights), nullptr, nullptr};
  }

  // Every row is settled once, after its prediction, and nobody else uses its slot in between.
  void check_schedule(const Order& settle, const Order& starts, const Order& slots, std::int64_t rounds,
                      const State2& pool) const {
    demand(std::int64_t(slots.size()) == rounds && std::int64_t(starts.size()) == rounds + 2 &&
               std::int64_t(pool.shape(1)) == s_.experts,
           "the schedule has the wrong shape");
    const std::int64_t count = std::int64_t(settle.size()), room = std::int64_t(pool.shape(0));
    demand(starts.data()[0] == 0 && starts.data()[rounds + 1] == count, "starts do not span the schedule");
    for (std::int64_t t = 0; t < rounds; ++t) demand(slots.data()[t] >= 0 && slots.data()[t] < room, "no such slot");
    std::vector<std::int64_t> holder(std::size_t(room), -1);
    for (std::int64_t t = 0; t <= rounds; ++t) {
      demand(starts.data()[t] <= starts.data()[t + 1] && starts.data()[t + 1] <= count, "starts must not fall");
      for (std::int64_t e = starts.data()[t]; e < starts.data()[t + 1]; ++e) {
        const std::int64_t row = settle.data()[e];
        demand(row >= 0 && row < t && holder[std::size_t(slots.data()[row])] == row,
               "a row is settled that does not wait");
        holder[std::size_t(slots.data()[row])] = -1;
      }
      if (t < rounds) {
        std::int64_t& held = holder[std::size_t(slots.data()[t])];
        demand(held < 0, "a slot is taken");
        held = t;
      }
    }
  }

  nb::object close(const Reals& waiting, const double* outcome) const {
    check_charge();
    demand(std::int64_t(waiting.size()) == room(), "the room to wait has the wrong shape");
    const double *cells = waiting.data(), *p = cells + s_.experts * s_.width;
    double loss = 0;
    ExpertVerdict verdict;
    {
      const Turn turn(busy_);
      const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long();
      verdict = combiners().settle(s_, {cells, wants_outcome() ? outcome : nullptr}, p, p + s_.experts, &loss);
    }
    if (verdict.refusal != ExpertRefusal::none) return nb::make_tuple(words(verdict.refusal), verdict.column);
    return nb::float_(loss);
  }

  std::tuple<double, Why, std::int64_t> settle_any(const Any& advice, const Reals& p, const Reals& prediction,
                                                   const double* outcome) const {
    check_charge();
    check_row(advice);
    const Doubles row(advice);
    demand(std::int64_t(p.size()) == s_.experts && std::int64_t(prediction.size()) == s_.width,
           "p or yhat has the wrong shape");
    double loss = 0;
    const Turn turn(busy_);
    const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long();
    const ExpertVerdict verdict =
        combiners().settle(s_, {row.data(), wants_outcome() ? outcome : nullptr}, p.data(), prediction.data(), &loss);
    return {loss, words(verdict.refusal), verdict.column};
  }

  State2 state_;
  State1 memory_, book_;
  State2 tallies_;
  Reals prior_;
  std::optional<Reals> powers_;
  Combination s_{};
  Room scratch_;  // what a round works on; nothing is kept there from call to call
  mutable std::atomic_flag busy_;
};

}  // namespace

void bind_combiner(nb::module_& m) {
  nb::class_<Combiner>(m, "Combiner", "A rule for the weights of experts, and borrowed state; feed it rounds.")
      .def(nb::init<State2, State1, State1, State2, Reals, const std::string&, const std::string&, const std::string&,
                    double, double, double, double, double, double, bool, bool, std::optional<Reals>, bool,
                    std::int64_t>(),
           "state"_a.noconvert(), "memory"_a.noconvert(), "book"_a.noconvert(), "tallies"_a.noconvert(),
           "prior"_a.noconvert(), nb::kw_only(), "rule"_a, "charge"_a, "schedule"_a = "constant", "rate"_a = 1.0,
           "span"_a = 0.0, "alpha"_a = 0.0, "tau"_a = 0.5, "low"_a = -std::numeric_limits<double>::infinity(),
           "high"_a = std::numeric_limits<double>::infinity(), "linear"_a = false, "substitute"_a = false,
           "powers"_a.noconvert().none() = nb::none(), "always"_a = false, "width"_a = 1)
      .def("play", &Combiner::play, "advice"_a.noconvert(), "outcomes"_a.noconvert().none(), nb::kw_only(),
           "predictions"_a.noconvert().none() = nb::none(), "losses"_a.noconvert().none() = nb::none(),
           "weights"_a.noconvert().none() = nb::none(), "uniforms"_a.noconvert().none() = nb::none(),
           "chosen"_a.noconvert().none() = nb::none(), "begin"_a = 0, "end"_a = -1,
           "Play the rounds begin <= t < end: the first that was not played, what stopped it, and whose advice that is "
           "(-1: "
           "the outcome's).")
      .def("play_delayed", &Combiner::play_delayed, "advice"_a.noconvert(), "outcomes"_a.noconvert().none(),
           "settle"_a.noconvert(), "starts"_a.noconvert(), "slots"_a.noconvert(), "pool"_a.noconvert(), nb::kw_only(),
           "predictions"_a.noconvert(), "losses"_a.noconvert().none() = nb::none(),
           "weights"_a.noconvert().none() = nb::none(),
           "Play all rounds, settling the rows settle[starts[t]:starts[t + 1]] before row t is predicted.")
      .def("predict", &Combiner::predict, "advice"_a.noconvert(), "p"_a.noconvert(), "yhat"_a.noconvert(),
           "Weights and prediction of one row; what is wrong with it, and whose advice that is.")
      .def("settle", &Combiner::settle_one, "advice"_a.noconvert(), "p"_a.noconvert(), "yhat"_a.noconvert(),
           "outcome"_a,
           "Learn the outcome of a row that was predicted: the loss, what is wrong, and whose advice that is.")
      .def("settle", &Combiner::settle_many, "advice"_a.noconvert(), "p"_a.noconvert(), "yhat"_a.noconvert(),
           "outcome"_a.noconvert())
      .def("open", &Combiner::open, "advice"_a.noconvert(), "waiting"_a.noconvert(),
           "Predict a row, and keep in one array what its outcome will need: its first number, or what is wrong and "
           "where.")
      .def("close", &Combiner::close_one, "waiting"_a.noconvert(), "outcome"_a,
           "Learn the outcome of such a row: the loss, or what is wrong and where.")
      .def("close", &Combiner::close_many, "waiting"_a.noconvert(), "outcome"_a.noconvert())
      .def_prop_ro("room", &Combiner::room, "How many numbers such an array has.")
      .def("settle_charges", &Combiner::settle_charges, "own"_a.noconvert(), "c"_a.noconvert(), "p"_a.noconvert(),
           "loss"_a, "mix"_a,
           "Learn from losses and charges that were found elsewhere, nan for who is silent; what is wrong.")
      .def("weights", &Combiner::weights, "out"_a.noconvert(), "Weights of the next round, if all speak.")
      .def("rates", &Combiner::rates, "out"_a.noconvert(), "The last rate of each expert.")
      .def("rate", &Combiner::rate, "The rate of the next round; nan for rules that have none in common.")
      .def("log_potential", &Combiner::log_potential, "Logarithm of the potential of a rule that has one, else nan.")
      .def("gap", &Combiner::gap, "Sum of the mixability gaps.");
  m.def(
      "combiner_rows",
      [](const std::string& rule) {
        return combiners().rules[std::size_t(place_of(combiners().rules, rule, "rule"))].rows;
      },
      "rule"_a, "How many numbers a rule keeps of each expert.");
  m.def(
      "expert_fields", [] { return std::vector<std::string>(std::begin(expert_fields), std::end(expert_fields)); },
      "Names of the numbers of an experts' book, in order.");
  m.attr("COMBINER_MEMORY") = combiner_memory_size;
  m.attr("COMBINER_RULES") = facts_of_rules();
}

}  // namespace regretless
