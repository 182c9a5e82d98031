// A bandit's rule and borrowed state, checked once, then fed rounds.
#include "pull.hpp"

#include <nanobind/stl/tuple.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "compiled.hpp"
#include "handed_over.hpp"
#include "names.hpp"
#include "player.hpp"
#include "regretless/bandit_types.hpp"
#include "room.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Arms = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OwnArray = Array1<double>;
using Why = std::optional<std::string>;

PullSchedule schedule_named(const std::string& name) {
  if (name == "constant") return PullSchedule::constant;
  if (name == "anytime") return PullSchedule::anytime;
  if (name == "every-round") return PullSchedule::every_round;
  throw std::invalid_argument("no schedule is called " + name);
}

const Pullers& pullers() { return REGRETLESS_COMPILED(pullers); }

// What Python is to know of each rule, by its name.
nb::dict facts_of_rules() {
  nb::dict all;
  for (const PullRule& rule : pullers().rules) {
    nb::dict facts;
    facts["weighs"] = rule.weighs;
    facts["lends"] = rule.lends;
    facts["counts"] = rule.counts;
    facts["exact"] = rule.exact;
    all[rule.name] = facts;
  }
  return all;
}

Why words(PullRefusal refusal) {
  switch (refusal) {
    case PullRefusal::none: return std::nullopt;
    case PullRefusal::out_of_range: return "out of range";
    case PullRefusal::asleep: return "asleep";
    case PullRefusal::advice: return "advice";
  }
  return std::nullopt;
}

void accept(const PullVerdict& verdict) {
  switch (verdict.refusal) {
    case PullRefusal::none: return;
    case PullRefusal::out_of_range:
      throw std::invalid_argument("out of range: the loss of arm " + std::to_string(verdict.column));
    case PullRefusal::asleep: throw std::invalid_argument("asleep: no arm is awake");
    case PullRefusal::advice: throw std::invalid_argument("advice: that of expert " + std::to_string(verdict.column));
  }
}

constexpr std::int64_t most_arms = std::int64_t(1) << 31;  // arms are told as int32
constexpr std::int64_t few_numbers = 4096;                 // a call on fewer keeps the interpreter's lock
constexpr double most_rounds = 9007199254740992.0;
constexpr double least_share = 1e-290;  // masses of less do not stay what they are when they are scaled

class Puller {
 public:
  using Verdict = std::tuple<std::int64_t, Why, std::int64_t>;
  using Ticket = std::tuple<std::int64_t, double, double, std::int64_t>;

  Puller(const std::string& rule, const std::string& schedule, State2 state, State1 memory, State1 book, State2 tallies,
         double rate, double gamma, double beta, double explore, double share, bool reduced, double low, double high,
         bool rewards, std::int64_t arms, std::uint64_t seed, std::uint64_t run, std::int64_t first_arms,
         double horizon)
      : state_(state), memory_(memory), book_(book), tallies_(tallies) {
    s_.place = place_of(pullers().rules, rule, "rule");
    s_.rule = pullers().rules[std::size_t(s_.place)];
    s_.schedule = schedule_named(schedule);
    const std::int64_t experts = std::int64_t(state.shape(1));
    demand(arms > 0 && arms < most_arms && experts > 0 && experts < most_arms, "from one arm to 2**31");
    demand(std::int64_t(state.shape(0)) == s_.rule.rows() && (advised() || experts == arms),
           "state has the wrong shape");
    demand(memory.size() == pull_memory_size, "memory has the wrong shape");
    demand(book.size() == pull_book_size, "book has the wrong shape");
    demand(tallies.shape(0) == pull_tally_rows && std::int64_t(tallies.shape(1)) == arms,
           "tallies have the wrong shape");
    demand(s_.schedule != PullSchedule::constant || (rate > 0 && rate <= 1e300 && gamma >= 0 && gamma <= 1e300),
           "a constant schedule needs a rate above 0 and a gamma");
    demand(beta >= 0 && beta <= 1 && (explore == 0 || explore >= least_share) && explore <= 1 &&
               (share == 0 || share >= least_share) && share < 1,
           "a parameter is out of its range");
    demand(horizon >= 0 && horizon <= most_rounds, "the horizon is no number of rounds");
    demand(std::isfinite(low) && std::isfinite(high) && low < high && std::isfinite(high - low),
           "the range of losses is none");
    s_.rate = rate;
    s_.gamma = gamma;
    s_.beta = beta;
    s_.explore = explore;
    s_.share = share;
    s_.horizon = horizon;
    s_.reduced = reduced;
    s_.low = low;
    s_.high = high;
    s_.rewards = rewards;
    demand(first_arms >= 0 && first_arms <= arms, "the arms of the first draw are among those of now");
    s_.arms = arms;
    s_.first_arms = first_arms ? first_arms : arms;
    s_.experts = experts;
    s_.key0 = seed;
    s_.key1 = run;
    s_.state = state.data();
    s_.memory = reinterpret_cast<PullMemory*>(memory.data());
    s_.book = reinterpret_cast<PullBook*>(book.data());
    s_.tallies = tallies.data();
    const std::int64_t nodes = std::int64_t(pull_nodes(s_.rule.cache, arms, experts));
    scratch_ = zeros_for(nodes + std::int64_t(pull_room(arms)));
    s_.nodes = scratch_.get();
    s_.room = scratch_.get() + padded_arms(nodes);
    rebuild();
  }

  std::int64_t draw() const {
    const Turn turn(busy_);
    check_bare();
    check_none_open();
    return pullers().draw(s_);
  }

  void update(std::int64_t arm, double loss) const {
    const Turn turn(busy_);
    check_bare();
    demand(s_.memory->open == 1, "no draw is open");
    demand(arm >= 0 && arm < s_.arms && s_.memory->open_arm == double(arm), "another arm was drawn");
    if (!pullers().update(s_, loss)) throw std::invalid_argument("out of range");
  }

  Ticket open(const std::optional<Mask>& mask, const std::optional<Any>& advice) const {
    const unsigned char* awake = awake_of(mask);
    const PullAdvice advisers = advice_of(advice, 0, 0);
    const Turn turn(busy_);
    check_memory();
    check_none_open();
    Drawn d{};
    PullVerdict verdict;
    {
      const Unlocked unlocked = unlock_if_long(awake);
      verdict = pullers().open(s_, awake, advisers, d);
    }
    accept(verdict);
    return {d.arm, d.p, d.gamma, std::int64_t(s_.book->rounds)};
  }

  void settle(std::int64_t arm, double p, double gamma, std::int64_t number, double loss,
              const std::optional<Mask>& mask, const std::optional<Any>& advice,
              const std::optional<Reals>& row) const {
    PullSettlement settlement{};
    settlement.drawn = {arm, p, gamma};
    settlement.number = double(number);
    settlement.loss = loss;
    settlement.awake = awake_of(mask);
    settlement.advice = advice_of(advice, 0, 0);
    demand(arm >= 0 && arm < s_.arms && p > 0 && p <= 1 && gamma >= 0 && std::isfinite(gamma), "no such draw");
    demand(!settlement.awake || settlement.awake[arm], "the arm that was drawn was asleep");
    demand(row.has_value() == sees_all() && (!row || std::int64_t(row->size()) == s_.arms), "one loss per arm");
    settlement.row = row ? row->data() : nullptr;
    const Turn turn(busy_);
    check_memory();
    demand(waits(number) && !is_bare(number), "no such draw");
    PullVerdict verdict;
    {
      const Unlocked unlocked = unlock_if_long(settlement.awake);
      verdict = pullers().settle(s_, settlement);
    }
    accept(verdict);
  }

  void lose(std::int64_t number) const {
    const Turn turn(busy_);
    check_memory();
    demand(is_bare(number) || waits(number), "no such draw");
    if (is_bare(number)) s_.memory->open = 0;
    s_.book->lost += 1;
  }

  OwnArray probabilities(const std::optional<Mask>& mask, const std::optional<Any>& advice) const {
    const unsigned char* awake = awake_of(mask);
    const PullAdvice advisers = advice_of(advice, 0, 0);
    bool any = !awake;
    for (std::int64_t i = 0; i < s_.arms && !any; ++i) any = awake[i] != 0;
    if (!any) accept({0, PullRefusal::asleep, -1});
    std::unique_ptr<double[]> out(new double[std::size_t(s_.arms)]);
    const Turn turn(busy_);
    check_memory();
    PullVerdict verdict;
    {
      const Unlocked unlocked = unlock_if_long(s_.arms);
      verdict = pullers().probabilities(s_, awake, advisers, out.get());
    }
    accept(verdict);
    return handed_over(out, std::size_t(s_.arms));
  }

  double rate() const { return rates().first; }
  double gamma() const { return rates().second; }

  void rebuild() const {
    const Turn turn(busy_);
    check_memory();
    for (std::size_t i = 0; i < state_.size(); ++i) demand(std::isfinite(s_.state[i]), "state is not finite");
    pullers().rebuild(s_);
  }

  Verdict play_table(const Any& table, std::int64_t begin, std::int64_t end, const std::optional<Arms>& arms,
                     const std::optional<Any>& advice, const std::optional<Order>& marks,
                     std::optional<State1> loss_curve, std::optional<State1> certificate_curve,
                     std::optional<State2> shares, bool clean) const {
    demand(table.ndim() == 2 && std::int64_t(table.shape(1)) == s_.arms, "one loss per round and arm");
    check_aligned(table);
    const PullTable losses{table.data(), is_single(table), clean};
    const std::int64_t rounds = std::int64_t(table.shape(0));
    demand(end <= rounds, "no such rounds");
    const PullResults to = results_of(arms, marks, loss_curve, certificate_curve, shares, end);
    const PullAdvice advisers = advice_of(advice, 1, end);
    const Turn turn(busy_);
    check_play(begin, end);
    nb::gil_scoped_release unlocked;
    return in_words(pullers().play_table(s_, losses, advisers, to, begin, end));
  }

  Verdict play_bernoulli(const Reals2& means, const Order& starts, std::uint64_t noise_key, std::int64_t begin,
                         std::int64_t end, const std::optional<Arms>& arms, const std::optional<Any>& advice,
                         const std::optional<Order>& marks, std::optional<State1> loss_curve,
                         std::optional<State1> certificate_curve, std::optional<State2> shares) const {
    demand(std::int64_t(means.shape(1)) == s_.arms, "one mean per arm");
    demand(means.shape(0) > 0 && starts.size() == means.shape(0) && starts.data()[0] == 0,
           "one start per row of means, from 0");
    for (std::size_t k = 1; k < starts.size(); ++k) demand(starts.data()[k] > starts.data()[k - 1], "starts must rise");
    const PullNoise noise{means.data(), starts.data(), std::int64_t(starts.size()), noise_key};
    const PullResults to = results_of(arms, marks, loss_curve, certificate_curve, shares, end);
    const PullAdvice advisers = advice_of(advice, 1, end);
    const Turn turn(busy_);
    check_play(begin, end);
    nb::gil_scoped_release unlocked;
    return in_words(pullers().play_noise(s_, noise, advisers, to, begin, end));
  }

 private:
  using Unlocked = std::optional<nb::gil_scoped_release>;

  bool advised() const { return s_.rule.advised; }
  bool sees_all() const { return s_.rule.informed; }

  // A thread that lets go of the lock waits for it afterwards, far longer than a short call takes.
  static Unlocked unlock_if_long(std::int64_t numbers) {
    return numbers < few_numbers ? Unlocked() : Unlocked(std::in_place);
  }
  Unlocked unlock_if_long(const unsigned char* awake) const { return unlock_if_long(numbers_of_round(awake)); }

  // How many numbers a round has to do with, the sum tree's way down aside.
  std::int64_t numbers_of_round(const unsigned char* awake) const {
    if (advised()) return s_.arms * s_.experts;
    return s_.rule.moves_one && !awake && s_.schedule != PullSchedule::every_round ? 0 : s_.arms;
  }

  // A bare draw that is open is the last one made; it alone is not among those with tickets.
  bool is_bare(std::int64_t number) const { return s_.memory->open == 1 && double(number) == s_.book->rounds; }
  bool waits(std::int64_t number) const {
    const PullBook& book = *s_.book;
    return number > 0 && double(number) <= book.rounds && book.settled + book.lost + s_.memory->open < book.rounds;
  }
  void check_none_open() const {
    if (s_.memory->open == 0) return;
    throw std::invalid_argument("a draw is open, of arm " + std::to_string(std::int64_t(s_.memory->open_arm)) +
                                ": report its loss, or that it is lost");
  }

  static Verdict in_words(const PullVerdict& v) { return {v.played, words(v.refusal), v.column}; }

  // Memory and book are the caller's, and the kernels make whole numbers of them.
  void check_memory() const {
    const auto counts = [](double x) { return x >= 0 && x <= most_rounds; };
    const PullMemory& m = *s_.memory;
    demand(counts(m.position) && counts(m.epoch_begin) && m.epoch_end >= 0 && counts(s_.book->rounds) &&
               std::isfinite(m.rate) && std::isfinite(m.offset) &&
               (m.open == 0 || (m.open_arm >= 0 && m.open_arm < double(s_.arms))),
           "memory is damaged");
  }
  void check_bare() const {
    demand(!advised() && !sees_all(), "this rule has no bare draws");
    check_memory();
  }
  void check_play(std::int64_t begin, std::int64_t end) const {
    check_memory();
    check_none_open();
    demand(begin >= 0 && begin <= end, "no such rounds");
  }

  const unsigned char* awake_of(const std::optional<Mask>& mask) const {
    if (!mask) return nullptr;
    demand(!advised(), "advised draws are never restricted");
    demand(std::int64_t(mask->size()) == s_.arms, "one entry per arm");
    return reinterpret_cast<const unsigned char*>(mask->data());
  }

  // Advice of one round, or, after a dimension of their own, of all rounds.
  PullAdvice advice_of(const std::optional<Any>& advice, std::size_t first, std::int64_t rounds) const {
    demand(advice.has_value() == advised() || (!first && !advice), "exp4 and no other rule takes advice");
    if (!advice) return {};
    demand(advised(), "exp4 and no other rule takes advice");
    check_aligned(*advice);
    demand(advice->ndim() > first && std::int64_t(advice->shape(first)) == s_.experts &&
               (first == 0 || std::int64_t(advice->shape(0)) >= rounds),
           "advice has the wrong shape");
    PullAdvice advisers;
    if (advice->dtype() == nb::dtype<std::int64_t>()) {
      demand(advice->ndim() == first + 1, "advice has the wrong shape");
      advisers.picks = static_cast<const std::int64_t*>(advice->data());
    } else {
      demand(advice->dtype() == nb::dtype<double>(), "advice must be float64 or int64");
      demand(advice->ndim() == first + 2 && std::int64_t(advice->shape(first + 1)) == s_.arms,
             "advice has the wrong shape");
      advisers.shares = static_cast<const double*>(advice->data());
    }
    return advisers;
  }

  PullResults results_of(const std::optional<Arms>& arms, const std::optional<Order>& marks,
                         const std::optional<State1>& loss, const std::optional<State1>& certificate,
                         const std::optional<State2>& shares, std::int64_t rounds) const {
    demand(!arms || std::int64_t(arms->size()) >= rounds, "room for one arm per round");
    PullResults to{};
    to.arms = arms ? arms->data() : nullptr;
    demand(marks.has_value() == loss.has_value() && marks.has_value() == certificate.has_value() && (marks || !shares),
           "curves go with marks");
    if (!marks) return to;
    to.marks = marks->data();
    to.count = std::int64_t(marks->size());
    for (std::int64_t j = 1; j < to.count; ++j) demand(to.marks[j] > to.marks[j - 1], "marks must rise");
    demand(loss->size() == marks->size() && certificate->size() == marks->size(), "one point of a curve per mark");
    demand(!shares || (shares->shape(0) == marks->size() && std::int64_t(shares->shape(1)) == s_.arms),
           "one share per mark and arm");
    to.loss = loss->data();
    to.certificate = certificate->data();
    to.shares = shares ? shares->data() : nullptr;
    return to;
  }

  std::pair<double, double> rates() const {
    const Turn turn(busy_);
    check_memory();
    std::pair<double, double> rates;
    const Unlocked unlocked = unlock_if_long(nullptr);
    pullers().rates(s_, rates.first, rates.second);
    return rates;
  }

  State2 state_;
  State1 memory_, book_;
  State2 tallies_;
  Pulling s_{};
  Room scratch_;
  mutable std::atomic_flag busy_;
};

void uniforms(std::uint64_t seed, std::uint64_t run, std::uint64_t position, State1 out) {
  pullers().uniforms(seed, run, position, std::int64_t(out.size()), out.data());
}

void find_arms(const Reals& masses, const Reals& uniforms, Longs out) {
  const std::int64_t n = std::int64_t(masses.size());
  demand(n > 0 && n < most_arms && out.size() == uniforms.size(), "one arm per number");
  std::vector<double> nodes(std::size_t(tree_size(n)));
  demand(pullers().find(masses.data(), n, nodes.data(), uniforms.data(), std::int64_t(uniforms.size()), out.data()),
         "masses are finite, not negative, and not all zero, and numbers in [0, 1)");
}

// How many rows of a table can be played, what is wrong with the next one, in which column, and whether any arm sleeps.
std::tuple<std::int64_t, Why, std::int64_t, bool> inspect_table(const Any& table, double low, double high) {
  demand(table.ndim() == 2 && table.shape(1) > 0, "one loss per round and arm");
  check_aligned(table);
  const PullTable losses{table.data(), is_single(table), false};
  bool gaps = false;
  PullVerdict verdict;
  {
    nb::gil_scoped_release unlocked;
    verdict = pullers().inspect(losses, low, high, std::int64_t(table.shape(0)), std::int64_t(table.shape(1)), gaps);
  }
  return {verdict.played, words(verdict.refusal), verdict.column, gaps};
}

}  // namespace

void bind_pull(nb::module_& m) {
  nb::class_<Puller>(m, "Puller", "A bandit's rule and borrowed state; feed it rounds.")
      .def(nb::init<const std::string&, const std::string&, State2, State1, State1, State2, double, double, double,
                    double, double, bool, double, double, bool, std::int64_t, std::uint64_t, std::uint64_t,
                    std::int64_t, double>(),
           "rule"_a, "schedule"_a, nb::kw_only(), "state"_a.noconvert(), "memory"_a.noconvert(), "book"_a.noconvert(),
           "tallies"_a.noconvert(), "rate"_a, "gamma"_a, "beta"_a = 0.0, "explore"_a = 0.0, "share"_a = 0.0,
           "reduced"_a = false, "low"_a = 0.0, "high"_a = 1.0, "rewards"_a = false, "arms"_a, "seed"_a, "run"_a,
           "first_arms"_a = 0, "horizon"_a = 0.0)
      .def("draw", &Puller::draw, "Draw an arm of all, bare: its loss comes before anything else.")
      .def("update", &Puller::update, "arm"_a, "loss"_a, "The loss of the arm that was just drawn.")
      .def("open", &Puller::open, "mask"_a.noconvert().none() = nb::none(), "advice"_a.noconvert().none() = nb::none(),
           "Draw an arm: the arm, its probability, gamma, and the number of the draw.")
      .def("settle", &Puller::settle, "arm"_a, "p"_a, "gamma"_a, "number"_a, "loss"_a,
           "mask"_a.noconvert().none() = nb::none(), "advice"_a.noconvert().none() = nb::none(),
           "row"_a.noconvert().none() = nb::none(),
           "The loss of such a draw, or of all arms, with the mask or the advice it was drawn under.")
      .def("lose", &Puller::lose, "number"_a,
           "The loss of a draw will never come; that of an open bare draw, if it is the last one.")
      .def("probabilities", &Puller::probabilities, "mask"_a.noconvert().none() = nb::none(),
           "advice"_a.noconvert().none() = nb::none(), "Probabilities of the arms in the next draw.")
      .def("rate", &Puller::rate, "The rate of the next draw.")
      .def("gamma", &Puller::gamma, "The implicit exploration of the next draw.")
      .def("rebuild", &Puller::rebuild, "Make what is cached anew, after somebody else wrote to the arrays.")
      .def("play_table", &Puller::play_table, "table"_a.noconvert(), "begin"_a, "end"_a, nb::kw_only(),
           "arms"_a.noconvert().none() = nb::none(), "advice"_a.noconvert().none() = nb::none(),
           "marks"_a.noconvert().none() = nb::none(), "loss_curve"_a.noconvert().none() = nb::none(),
           "certificate_curve"_a.noconvert().none() = nb::none(), "shares"_a.noconvert().none() = nb::none(),
           "clean"_a = false,
           "Play the rows begin <= t < end, or the first of them: how many were played, why the next was not, and its "
           "column.")
      .def("play_bernoulli", &Puller::play_bernoulli, "means"_a.noconvert(), "starts"_a.noconvert(), "noise_key"_a,
           "begin"_a, "end"_a, nb::kw_only(), "arms"_a.noconvert().none() = nb::none(),
           "advice"_a.noconvert().none() = nb::none(), "marks"_a.noconvert().none() = nb::none(),
           "loss_curve"_a.noconvert().none() = nb::none(), "certificate_curve"_a.noconvert().none() = nb::none(),
           "shares"_a.noconvert().none() = nb::none(),
           "The same with losses that are 1 with the given probabilities, in units, and else 0.");
  m.def(
      "inspect_table", &inspect_table, "table"_a.noconvert(), "low"_a, "high"_a,
      "How many rows of a table can be played, what is wrong with the next one and where, and whether any arm sleeps.");
  m.def("uniforms", &uniforms, "seed"_a, "run"_a, "position"_a, "out"_a.noconvert(),
        "The numbers in [0, 1) that draws number position + 1, position + 2, ... of a run take.");
  m.def("find_arms", &find_arms, "masses"_a.noconvert(), "uniforms"_a.noconvert(), "out"_a.noconvert(),
        "The arms that numbers in [0, 1) draw in proportion to masses, by a sum tree.");
  m.def(
      "puller_rows",
      [](const std::string& rule) {
        return pullers().rules[std::size_t(place_of(pullers().rules, rule, "rule"))].rows();
      },
      "rule"_a, "How many numbers a rule keeps of each arm or expert.");
  m.attr("PULL_MEMORY") = pull_memory_size;
  m.attr("PULL_RULES") = facts_of_rules();
  m.attr("PULL_FIELDS") = nb::tuple(nb::cast(std::vector<std::string>(std::begin(pull_fields), std::end(pull_fields))));
}

}  // namespace regretless
