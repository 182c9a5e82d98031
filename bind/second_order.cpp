// A second-order player: rules and borrowed state, checked once, then fed rounds.
#include "second_order.hpp"

#include "compiled.hpp"
#include "round_player.hpp"
#include "regretless/second_order_types.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

constexpr std::string_view on_mistake = "perceptron", below_one = "squared-hinge";

const SecondOrderKernels& second_order_kernels() { return REGRETLESS_COMPILED(second_order); }

bool shaped(const State2& array, std::size_t rows, std::size_t columns) {
  return array.shape(0) == rows && array.shape(1) == columns;
}

bool shaped(const State3& array, std::size_t first, std::size_t rows, std::size_t columns) {
  return array.shape(0) == first && array.shape(1) == rows && array.shape(2) == columns;
}

struct SecondOrderKind {
  using State = SecondOrder;
  using Rules = regretless::Rules;
  static const SecondOrderKernels& kernels() { return second_order_kernels(); }
  static State from(const State& state, std::int64_t first) { return scores_from(state, first); }
  static void check(const State&) {}
};

class SecondOrderPlayer : public RoundPlayer<SecondOrderKind> {
 public:
  // A diagonal matrix: records, as many numbers a feature as the loss asks for.
  SecondOrderPlayer(State2 records, State2 memory, State2 books, State1 scratch, const std::string& loss, double tie,
                    double intercept)
      : memory_(memory), books_(books), scratch_(scratch) {
    const auto targets = std::int64_t(memory.shape(0));
    demand(targets > 0 && memory.shape(1) == second_order_memory_size, "memory has the wrong shape");
    state_.sized = reinterpret_cast<const SecondOrderMemory*>(memory.data())->size >= 0;
    state_.numbers = loss == on_mistake ? numbers_by_sums * targets
                     : targets == 1     ? numbers_by_one_weight
                     : state_.sized     ? numbers_by_sizes * targets
                                        : numbers_by_weights * targets;
    demand(std::int64_t(records.shape(1)) == state_.numbers, "the records have the wrong shape");
    state_.records = hold(0, records);
    check_column_count(records.shape(0));
    state_.columns = std::int64_t(records.shape(0));
    begin(loss, tie, intercept);
  }

  // A full matrix.
  SecondOrderPlayer(State2 sums, State2 weights, State2 scales, State2 factor, State2 memory, State2 books,
                    State1 scratch, const std::string& loss, double tie, double intercept)
      : memory_(memory), books_(books), scratch_(scratch) {
    const std::size_t targets = memory.shape(0), n = sums.shape(1);
    demand(n > 0 && shaped(sums, targets, n) && shaped(weights, targets, n) && shaped(scales, targets, n) &&
               shaped(factor, targets, std::size_t(factor_size(std::int64_t(n)))),
           "the sums, the weights, the scales and the factor do not fit each other");
    state_.sums = hold(0, sums);
    state_.weights = hold(1, weights);
    state_.scales = hold(2, scales);
    state_.factor = hold(3, factor);
    state_.columns = std::int64_t(n - 1);
    begin(loss, tie, intercept);
  }

  // A sketch.
  SecondOrderPlayer(State2 sums, State2 weights, State2 shed, State2 sizes, State2 inverse, State3 rows, State3 gram,
                    State3 lower, State2 memory, State2 books, State1 scratch, const std::string& loss, double tie,
                    double intercept)
      : memory_(memory), books_(books), scratch_(scratch) {
    const std::size_t targets = memory.shape(0), n = sums.shape(1), room = rows.shape(1);
    demand(n > 0 && room >= 2 && room <= std::size_t(most_sketch_rows) && room % 2 == 0,
           "a sketch has an even number of rows, at most 200");
    demand(shaped(sums, targets, n) && shaped(weights, targets, n) && shaped(shed, targets, n) &&
               shaped(sizes, targets, n) && shaped(inverse, targets, n) && shaped(rows, targets, room, n) &&
               shaped(gram, targets, room, room) && shaped(lower, targets, room, room),
           "the arrays of the sketch do not fit each other");
    demand(loss == below_one, "a sketch goes with the squared hinge alone");
    state_.sized = reinterpret_cast<const SecondOrderMemory*>(memory.data())->size >= 0;
    state_.sums = hold(0, sums);
    state_.weights = hold(1, weights);
    state_.shed = hold(2, shed);
    state_.sizes = hold(3, sizes);
    state_.inverse = hold(4, inverse);
    state_.rows = hold(0, rows);
    state_.gram = hold(1, gram);
    state_.lower = hold(2, lower);
    state_.sketch_rows = std::int64_t(room);
    state_.columns = std::int64_t(n - 1);
    begin(loss, tie, intercept);
  }

 private:
  double* hold(std::size_t place, State2& array) {
    arrays_[place] = array;
    return array.data();
  }
  double* hold(std::size_t place, State3& array) {
    blocks_[place] = array;
    return array.data();
  }

  void begin(const std::string& loss, double tie, double intercept) {
    const std::size_t targets = memory_.shape(0);
    demand(targets > 0 && memory_.shape(1) == second_order_memory_size, "memory has the wrong shape");
    demand(shaped(books_, targets + (targets > 1), ledger_size), "books have the wrong shape");
    const auto scratch = second_order_scratch(std::int64_t(targets), state_.columns, state_.sketch_rows);
    demand(std::int64_t(scratch_.size()) >= scratch, "scratch is too small");
    demand(loss == on_mistake || loss == below_one, "no such loss");
    rules_.loss = loss == on_mistake ? on_mistake : below_one;
    rules_.tie = tie;
    rules_.intercept = intercept;
    state_.memory = reinterpret_cast<SecondOrderMemory*>(memory_.data());
    state_.book = reinterpret_cast<Ledger*>(books_.data());
    state_.scratch = scratch_.data();
    state_.targets = std::int64_t(targets);
  }

  std::optional<State2> arrays_[5];
  std::optional<State3> blocks_[3];
  State2 memory_, books_;
  State1 scratch_;
};

}  // namespace

void bind_second_order(nb::module_& m) {
  nb::class_<SecondOrderPlayer> player(m, "SecondOrderPlayer",
                                       "Rules and borrowed state of a second-order learner; feed it rounds.");
  player
      .def(nb::init<State2, State2, State2, State1, const std::string&, double, double>(), "records"_a.noconvert(),
           "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(), nb::kw_only(), "loss"_a,
           "tie"_a = 0.0, "intercept"_a = 0.0)
      .def(nb::init<State2, State2, State2, State2, State2, State2, State1, const std::string&, double, double>(),
           "sums"_a.noconvert(), "weights"_a.noconvert(), "scales"_a.noconvert(), "factor"_a.noconvert(),
           "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(), nb::kw_only(), "loss"_a,
           "tie"_a = 0.0, "intercept"_a = 0.0)
      .def(nb::init<State2, State2, State2, State2, State2, State3, State3, State3, State2, State2, State1,
                    const std::string&, double, double>(),
           "sums"_a.noconvert(), "weights"_a.noconvert(), "shed"_a.noconvert(), "largest"_a.noconvert(),
           "inverse"_a.noconvert(), "directions"_a.noconvert(), "gram"_a.noconvert(), "lower"_a.noconvert(),
           "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(), nb::kw_only(), "loss"_a,
           "tie"_a = 0.0, "intercept"_a = 0.0);
  bind_play(player, play_words);
  bind_score(player, score_words);
  player.def("watch", &SecondOrderPlayer::watch, "scores"_a.noconvert().none(), watch_words);
  m.attr("SECOND_ORDER_MEMORY_SIZE") = second_order_memory_size;
  m.attr("MOST_SKETCH_ROWS") = most_sketch_rows;
}

}  // namespace regretless
