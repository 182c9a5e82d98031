// Two learners and their borrowed state, checked once, then sent to play.
#include "duel.hpp"

#include <nanobind/stl/tuple.h>

#include <atomic>
#include <cmath>
#include <exception>

#include "compiled.hpp"
#include "names.hpp"
#include "player.hpp"
#include "regretless/duel_types.hpp"
#include "room.hpp"
#include "rounds.hpp"
#include "turn.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shorts2 = nb::ndarray<std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

constexpr std::int64_t most_strategies = std::int64_t(1) << 31;  // their places are int32

const Duelists& duelists() { return REGRETLESS_COMPILED(duelists); }

// What a player wins against the other's strategies; it keeps its arrays alive.
class Payer {
 public:
  static Payer dense(const Any& values, bool turned, double sign, std::int64_t columns) {
    demand(values.ndim() == 2, "payoffs must have two dimensions");
    Payer p(sign);
    const std::int64_t rows = std::int64_t(values.shape(0)), stride = std::int64_t(values.shape(1));
    if (columns < 0) columns = stride;
    demand(columns < most_strategies, "at most 2**31 strategies");
    const bool shorts = values.dtype() == nb::dtype<std::int16_t>();
    demand(shorts ? columns > 0 && stride == duel_padded(columns) : columns == stride,
           "rows of short numbers are whole sixteens, others have no end to leave out");
    check_aligned(values);
    p.g_.kind = turned ? GainKind::combinations : GainKind::dots;
    p.g_.numbers = shorts ? GainNumbers::shorts : is_single(values) ? GainNumbers::floats : GainNumbers::doubles;
    p.g_.mine = turned ? columns : rows;
    p.g_.others = turned ? rows : columns;
    p.g_.values = values.data();
    p.g_.stride = stride;
    p.values_ = values;
    p.check_sizes();
    return p;
  }

  static Payer sparse(const Any& values, const Indices& indices, const Order& starts, std::int64_t columns,
                      double sign) {
    Payer p(sign);
    const std::int64_t entries = std::int64_t(values.size()), rows = std::int64_t(starts.size()) - 1;
    p.g_.kind = GainKind::sparse;
    p.g_.numbers = is_single(values) ? GainNumbers::floats : GainNumbers::doubles;
    p.g_.mine = rows;
    p.g_.others = columns;
    p.check_sizes();
    check_aligned(values);
    demand(values.ndim() == 1 && std::int64_t(indices.size()) == entries, "one index per value");
    const std::int64_t* const s = starts.data();
    demand(s[0] == 0 && s[rows] == entries, "starts must lead from the first entry to the last");
    for (std::int64_t i = 0; i < rows; ++i) demand(s[i] <= s[i + 1], "starts must not fall");
    bool inside = true;
    for (std::int64_t k = 0; k < entries; ++k) inside &= indices.data()[k] >= 0 && indices.data()[k] < columns;
    demand(inside, "an index is out of range");
    p.g_.values = values.data();
    p.g_.indices = indices.data();
    p.g_.starts = s;
    p.values_ = values;
    p.indices_ = indices;
    p.starts_ = starts;
    return p;
  }

  static Payer calls(nb::callable multiply, std::int64_t mine, std::int64_t others, double sign) {
    Payer p(sign);
    p.g_.kind = GainKind::calls;
    p.g_.mine = mine;
    p.g_.others = others;
    p.check_sizes();
    p.multiply_ = std::move(multiply);
    return p;
  }

  const Gains& gains() const { return g_; }
  bool is_asked() const { return g_.kind == GainKind::calls; }

  // Asks for a product; the interpreter's lock is taken for it.
  void ask(const double* others, double* mine) const {
    const nb::gil_scoped_acquire locked;
    Vector strategy(const_cast<double*>(others), {std::size_t(g_.others)});
    const nb::object answer = multiply_(nb::cast(strategy, nb::rv_policy::copy));
    Reals product;
    demand(nb::try_cast(answer, product) && std::int64_t(product.size()) == g_.mine,
           "a product is no row of the right length");
    bool finite = true;
    for (std::int64_t i = 0; i < g_.mine; ++i) {
      mine[i] = product.data()[i];
      finite &= std::isfinite(mine[i]);
    }
    demand(finite, "a product is not finite");
  }

 private:
  explicit Payer(double sign) {
    demand(std::isfinite(sign), "the sign is none");
    g_.sign = sign;
  }
  void check_sizes() const {
    demand(g_.mine > 0 && g_.mine < most_strategies && g_.others > 0 && g_.others < most_strategies,
           "from one strategy to 2**31");
  }

  Gains g_{};
  std::optional<Any> values_;
  std::optional<Indices> indices_;
  std::optional<Order> starts_;
  nb::object multiply_;
};

// A payer who is asked by kernels, which know no exceptions.
struct Asked {
  const Payer& payer;
  std::exception_ptr error;

  Gains gains() {
    Gains g = payer.gains();
    if (!payer.is_asked()) return g;
    g.context = this;
    g.call = [](void* context, const double* others, double* mine) {
      Asked& me = *static_cast<Asked*>(context);
      try {
        me.payer.ask(others, mine);
        return true;
      } catch (...) {
        me.error = std::current_exception();
        return false;
      }
    };
    return g;
  }
  void rethrow() const {
    if (error) std::rethrow_exception(error);
  }
};

class Dueler {
 public:
  Dueler(const std::string& method, const Payer& row_payer, const Payer& column_payer, State2 row_state,
         State2 column_state, State1 memory, State1 book, std::optional<State2> joint, bool alternate, bool zero_sum,
         int power, bool falls, double row_rate, double column_rate)
      : row_payer_(row_payer), column_payer_(column_payer), row_state_(row_state), column_state_(column_state),
        memory_(memory), book_(book), joint_(joint) {
    d_.method = place_of(duelists().methods, method, "method");
    const Gains &of_row = row_payer.gains(), &of_column = column_payer.gains();
    demand(of_row.mine == of_column.others && of_row.others == of_column.mine, "the payoffs have different shapes");
    demand(power >= 0 && power <= 2, "weights are powers of the round, 0, 1 or 2");
    demand(row_rate >= 0 && column_rate >= 0 && std::isfinite(row_rate) && std::isfinite(column_rate),
           "a rate is none");
    demand(memory.size() == duel_memory_size, "memory has the wrong shape");
    demand(book.size() == game_book_size, "book has the wrong shape");
    demand(!joint || !alternate, "strategies that meet at different times have no joint distribution");
    demand(!joint || (std::int64_t(joint->shape(0)) == of_row.mine && std::int64_t(joint->shape(1)) == of_column.mine),
           "the joint distribution has the wrong shape");
    d_.alternate = alternate;
    d_.zero_sum = zero_sum;
    d_.power = power;
    d_.falls = falls;
    d_.row = seat(row_state, of_row.mine, row_rate, row_room_);
    d_.column = seat(column_state, of_column.mine, column_rate, column_room_);
    d_.memory = reinterpret_cast<DuelMemory*>(memory.data());
    d_.book = reinterpret_cast<GameBook*>(book.data());
    d_.joint = joint ? joint->data() : nullptr;
    check_state();
  }

  std::pair<std::int64_t, bool> play(std::int64_t rounds, double target) const {
    const Turn turn(busy_);
    demand(rounds >= 0, "no such rounds");
    check_state();
    Asked row{row_payer_, {}}, column{column_payer_, {}};
    Dueling d = d_;
    d.row_gains = row.gains();
    d.column_gains = column.gains();
    DuelVerdict verdict;
    {
      nb::gil_scoped_release unlocked;
      verdict = duelists().play(d, rounds, target);
    }
    row.rethrow();
    column.rethrow();
    return {verdict.played, verdict.reached};
  }

 private:
  static DuelSide seat(const State2& state, std::int64_t count, double rate, Room& room) {
    demand(state.shape(0) == duel_rows && std::int64_t(state.shape(1)) == duel_padded(count),
           "state has the wrong shape");
    room = zeros_for(duel_room(count));
    return {count, rate, state.data(), room.get()};
  }

  // The arrays are the caller's, and whatever plays on reads them.
  void check_state() const {
    demand(d_.memory->broken == 0, "a product failed in the middle of a round: these players cannot go on");
    demand(d_.book->rounds >= 0 && d_.book->rounds < 9007199254740992.0, "the book is damaged");
    for (const DuelSide* side : {&d_.row, &d_.column}) {
      const std::int64_t padded = duel_padded(side->count);
      const double* const play = side->state + duel_play * padded;
      bool sound = true;
      for (std::int64_t i = 0; i < padded; ++i)
        sound &= play[i] >= 0 && play[i] <= 2 && (i < side->count || play[i] == 0);
      demand(sound, "a strategy is none");
    }
  }

  Payer row_payer_, column_payer_;
  State2 row_state_, column_state_;
  State1 memory_, book_;
  std::optional<State2> joint_;
  Dueling d_{};
  Room row_room_, column_room_;
  mutable std::atomic_flag busy_;
};

// What each strategy wins against the other's strategy.
void payer_gains(const Payer& payer, const Reals& others, State1 mine) {
  const Gains& g = payer.gains();
  demand(std::int64_t(others.size()) == g.others && std::int64_t(mine.size()) == g.mine, "one number per strategy");
  const Room room = zeros_for(duel_room(g.others)), out = zeros_for(duel_padded(g.mine));
  Asked asked{payer, {}};
  {
    nb::gil_scoped_release unlocked;
    duelists().gains(asked.gains(), others.data(), room.get(), out.get());
  }
  asked.rethrow();
  std::copy(out.get(), out.get() + g.mine, mine.data());
}

void shorten_payoffs(const Any& values, double centre, double factor, Shorts2 out) {
  demand(values.ndim() == 2, "payoffs must have two dimensions");
  check_aligned(values);
  const bool single = is_single(values);
  const std::int64_t rows = std::int64_t(values.shape(0)), columns = std::int64_t(values.shape(1));
  demand(std::int64_t(out.shape(0)) == rows && std::int64_t(out.shape(1)) == duel_padded(columns),
         "rows of whole sixteens");
  demand(std::isfinite(centre) && std::isfinite(factor), "a centre and a factor are finite numbers");
  nb::gil_scoped_release unlocked;
  duelists().shorten(values.data(), single, rows, columns, centre, factor, out.data());
}

}  // namespace

void bind_duel(nb::module_& m) {
  nb::class_<Payer>(m, "Payer", "What a player wins against the other's strategy: a sign times a product.")
      .def_static("dense", &Payer::dense, "values"_a.noconvert(), nb::kw_only(), "turned"_a = false, "sign"_a = 1.0,
                  "columns"_a = -1, "One row for each strategy of the player; turned, one for each of the other's.")
      .def_static("sparse", &Payer::sparse, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(),
                  "columns"_a, nb::kw_only(), "sign"_a = 1.0, "Compressed rows, one for each strategy of the player.")
      .def_static("calls", &Payer::calls, "multiply"_a, nb::kw_only(), "mine"_a, "others"_a, "sign"_a = 1.0,
                  "A function of the other's strategy.")
      .def("gains", &payer_gains, "others"_a.noconvert(), "mine"_a.noconvert(), "Write what each strategy wins.");
  nb::class_<Dueler>(m, "Dueler", "Two learners and their borrowed state; let them play each other.")
      .def(nb::init<const std::string&, const Payer&, const Payer&, State2, State2, State1, State1,
                    std::optional<State2>, bool, bool, int, bool, double, double>(),
           "method"_a, "row"_a, "column"_a, nb::kw_only(), "row_state"_a.noconvert(), "column_state"_a.noconvert(),
           "memory"_a.noconvert(), "book"_a.noconvert(), "joint"_a.noconvert().none() = nb::none(),
           "alternate"_a = false, "zero_sum"_a = true, "power"_a = 0, "falls"_a = false, "row_rate"_a = 0.0,
           "column_rate"_a = 0.0)
      .def("play", &Dueler::play, "rounds"_a, "target"_a,
           "Play so many rounds, or fewer: how many were played, and whether the gap is at most `target`.");
  m.def("shorten_payoffs", &shorten_payoffs, "values"_a.noconvert(), "centre"_a, "factor"_a, "out"_a.noconvert(),
        "Payoffs less `centre`, times `factor`, as short whole numbers.");
  m.attr("GAME_FIELDS") = nb::tuple(nb::cast(std::vector<std::string>(std::begin(game_fields), std::end(game_fields))));
  m.attr("DUEL_MEMORY") = duel_memory_size;
  m.attr("DUEL_ROWS") = int(duel_rows);
}

}  // namespace regretless
