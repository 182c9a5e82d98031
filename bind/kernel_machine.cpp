// A kernel perceptron's borrowed arrays, checked once, then fed rounds.
#include "kernel_machine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "compiled.hpp"
#include "player.hpp"
#include "regretless/kernel_types.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

using Longs = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

const KernelFunctions& kernel_functions() { return REGRETLESS_COMPILED(kernel); }

KernelKind kind_of(const std::string& name) {
  if (name == "linear") return KernelKind::linear;
  if (name == "poly") return KernelKind::poly;
  if (name == "rbf") return KernelKind::rbf;
  throw std::invalid_argument("no kernel is called " + name);
}

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// Rounds played, and why no more: a complaint about the next row, "full" where arrays must grow, "over" after a round
// that filled one slot more than wanted.
Report kernel_report(KernelVerdict outcome) {
  if (outcome.halt == Halt::full) return {outcome.played, "full"};
  if (outcome.halt == Halt::over) return {outcome.played, "over"};
  return report({outcome.played, outcome.refusal});
}

// One call at a time: each lets go of the interpreter's lock, and all of them work on the same arrays and scratch. What
// is checked is checked after the others are done.
struct Working {
  nb::gil_scoped_release unlocked;
  std::lock_guard<std::mutex> alone;
  explicit Working(std::mutex& mutex) : alone(mutex) {}
};

class KernelMachine {
 public:
  KernelMachine(State2 coefficients, State2 lag, State1 norm2, State1 born, Longs counts, State2 books, State1 lengths2,
                State1 scratch, std::int64_t columns, std::int64_t most)
      : keep_{coefficients, lag, books}, rows1_{norm2, born, lengths2, scratch}, counts_(counts) {
    const std::size_t room = coefficients.shape(0), targets = coefficients.shape(1);
    require(targets > 0, "at least one target");
    require(lag.shape(0) == room && lag.shape(1) == targets && norm2.size() == room && born.size() == room,
            "the arrays of the support have different lengths");
    require(counts.size() == 4, "counts are four");
    require(books.shape(0) == targets + (targets > 1) && books.shape(1) == ledger_size, "books have the wrong shape");
    require(lengths2.size() == targets, "one squared length a target");
    require(columns >= 0 && std::int64_t(scratch.size()) >= kernel_scratch(0, std::int64_t(targets)),
            "scratch is too small");
    Support& s = state_.support;
    s.coefficients = coefficients.data();
    s.lag = lag.data();
    s.norm2 = norm2.data();
    s.born = born.data();
    s.columns = columns;
    s.targets = std::int64_t(targets);
    s.room = std::int64_t(room);
    s.count = counts.data();
    s.entries = counts.data() + 1;
    s.places = counts.data() + 2;
    state_.log.count = counts.data() + 3;
    require(*s.count >= 0 && *s.count <= s.room && *s.entries >= 0 && *s.places >= 0 && *state_.log.count >= 0,
            "counts are out of range");
    state_.book = reinterpret_cast<Ledger*>(books.data());
    state_.norm2 = lengths2.data();
    state_.scratch = scratch.data();
    state_.most = most;
  }

  void dense(State2 rows) {
    Support& s = state_.support;
    require(std::int64_t(rows.shape(0)) == s.room && std::int64_t(rows.shape(1)) == s.columns,
            "rows have the wrong shape");
    require(s.columns <= (std::int64_t(rows1_[3].size()) - kernel_scratch(0, s.targets)) / dense_lanes,
            "scratch is too small");
    s.rows = rows.data();
    rows_ = rows;
  }

  void sparse(Longs begin, Longs length, State1 values, Ints indices, Ints place, State2 work) {
    Support& s = state_.support;
    require(std::int64_t(begin.size()) == s.room && std::int64_t(length.size()) == s.room,
            "one beginning and length a slot");
    require(values.size() == indices.size() && *s.entries <= std::int64_t(values.size()), "one index per value");
    require(std::int64_t(place.size()) <= s.columns, "more places than columns");
    require(work.shape(0) > 0 && work.shape(1) == std::size_t(sparse_lanes), "work has the wrong shape");
    s.begin = begin.data();
    s.length = length.data();
    s.values = values.data();
    s.indices = indices.data();
    s.place = place.data();
    s.entry_room = std::int64_t(values.size());
    s.place_room = std::int64_t(work.shape(0)) - 1;
    s.place_columns = std::int64_t(place.size());
    check_places();
    for (std::int64_t k = 0; k < *s.count; ++k) {
      require(s.begin[k] >= 0 && s.length[k] >= 0 && s.begin[k] <= *s.entries - s.length[k],
              "a row lies outside the entries");
      for (std::int64_t e = s.begin[k]; e < s.begin[k] + s.length[k]; ++e)
        require(s.indices[e] >= 0 && s.indices[e] < s.place_columns && s.place[s.indices[e]] > 0,
                "an entry is in no column");
    }
    state_.work = work.data();
    entries_ = {begin, length};
    pool_ = {values};
    ints_ = {indices, place};
    work_ = work;
  }

  void gram_columns(Longs column) {
    require(std::int64_t(column.size()) == state_.support.room, "one column a slot");
    state_.support.column = column.data();
    column_ = column;
  }

  void sources(Longs source) {
    require(std::int64_t(source.size()) == state_.support.room, "one source a slot");
    state_.support.source = source.data();
    source_ = source;
  }

  void log(Longs slot, State1 round, State2 moves) {
    require(slot.size() == round.size() && moves.shape(0) == slot.size() &&
                std::int64_t(moves.shape(1)) == state_.support.targets &&
                *state_.log.count <= std::int64_t(slot.size()),
            "the log's arrays do not fit each other");
    state_.log.slot = slot.data();
    state_.log.round = round.data();
    state_.log.moves = moves.data();
    state_.log.room = std::int64_t(slot.size());
    logged_ = slot;
    rounds_ = round;
    moves_ = moves;
  }

  void rules(const std::string& kind, double gamma, double coef0, std::int64_t degree, double offset, double tie) {
    rules_.kind = kind_of(kind);
    rules_.gamma = gamma;
    rules_.coef0 = coef0;
    rules_.degree = degree;
    rules_.offset = offset;
    rules_.tie = tie;
  }

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, const std::optional<Reals>& sample_weight, const std::optional<Order>& order,
              std::int64_t begin, std::int64_t end, const std::optional<Longs>& known, std::int64_t offset) {
    const Working working(mutex_);
    Block block = own_block(values, indices, starts);
    check_layout();
    return play_rounds(block, {}, labels_of(block, labels, sample_weight), order, begin, end, known, offset);
  }

  Report play_gram(const Matrix& gram, std::int64_t self, const Signs& labels,
                   const std::optional<Reals>& sample_weight, const std::optional<Order>& order, std::int64_t begin,
                   std::int64_t end, const std::optional<Longs>& known) {
    const Working working(mutex_);
    const GramTable g = gram_of(gram, self);
    require(self >= 0 && self <= g.columns - g.rows, "the rows are not among the columns");
    Block block;
    block.rows = g.rows;
    return play_rounds(block, g, labels_of(block, labels, sample_weight), order, begin, end, known, 0);
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, State2 out) {
    const Working working(mutex_);
    const Block block = own_block(values, indices, starts);
    check_layout();
    check_out(out, block.rows);
    return kernel_report(kernel_functions().score(block, {}, rules_, state_, out.data()));
  }

  void watch(std::optional<State2> scores, bool averages) {
    const Working working(mutex_);
    watched_ = scores;
    state_.averages = averages;
  }

  Report score_gram(const Matrix& gram, State2 out) {
    const Working working(mutex_);
    const GramTable g = gram_of(gram, -1);
    check_out(out, g.rows);
    return kernel_report(kernel_functions().score({}, g, rules_, state_, out.data()));
  }

  Report gram(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts, State2 out,
              State1 self) {
    const Working working(mutex_);
    const Block block = own_block(values, indices, starts);
    check_layout();
    require(std::int64_t(out.shape(0)) == block.rows && std::int64_t(out.shape(1)) == *state_.support.count &&
                std::int64_t(self.size()) == block.rows,
            "room for one value per row and slot");
    return kernel_report(kernel_functions().gram(block, rules_, state_, out.data(), self.data()));
  }

  Report adopt(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts) {
    const Working working(mutex_);
    const Block block = own_block(values, indices, starts);
    check_layout();
    return kernel_report(kernel_functions().adopt(block, rules_, state_));
  }

 private:
  void check_layout() const { require(state_.support.rows || state_.support.begin, "the support has no rows"); }
  void check_out(const State2& out, std::int64_t rows) const {
    require(std::int64_t(out.shape(0)) == rows && std::int64_t(out.shape(1)) == state_.support.targets,
            "room for one score per row and target");
  }
  GramTable gram_of(const Matrix& gram, std::int64_t self) const {
    require(state_.support.column, "the support is not of columns");
    const GramTable g{gram.data(), std::int64_t(gram.shape(0)), std::int64_t(gram.shape(1)), self};
    for (std::int64_t k = 0; k < *state_.support.count; ++k)
      require(state_.support.column[k] >= 0 && state_.support.column[k] < g.columns,
              "a column is not in the Gram matrix");
    return g;
  }
  // As many columns have a number as are counted, so that there is one left for each of the others.
  void check_places() const {
    const Support& s = state_.support;
    std::int64_t numbered = 0;
    bool wrong = *s.places > s.place_room;
    for (std::int64_t k = 0; k < s.place_columns; ++k) {
      wrong |= s.place[k] < 0 || s.place[k] > *s.places;
      numbered += s.place[k] != 0;
    }
    require(!wrong && numbered == *s.places, "the numbers of columns are out of range");
  }
  // Of the rounds that are to be played alone: a machine that is stopped is called for the rest again and again.
  void check_rounds(std::int64_t rows, const Labels& of, const std::int64_t* order, std::int64_t begin,
                    std::int64_t end, const Known& known) const {
    const std::int64_t targets = state_.support.targets, count = *state_.support.count;
    for (std::int64_t t = begin; t < end; ++t) {
      const std::int64_t row = order ? order[t] : t;
      require(row >= 0 && row < rows, "order names a row that is not there");
      const std::int32_t label = of.label[row];
      require(targets == 1 ? label == 1 || label == -1 : label >= 0 && label < targets,
              "a label is no sign and no number of a target");
      if (!known.slots) continue;
      const std::int64_t slot = known.slots[known.offset + row];
      require(slot >= -1 && slot < count, "a row is in no slot");
    }
  }
  // Rows with columns of their own: those that were checked are read again, and others may write to what is borrowed.
  Block own_block(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts) {
    Block block = block_of(values, indices, starts);
    if (block.wide_indices) {  // there are fewer columns than the largest int32, which stands for all that are none
      const std::int64_t* const wide = static_cast<const std::int64_t*>(block.indices);
      using Limits = std::numeric_limits<std::int32_t>;
      columns_.resize(std::size_t(block.entries));
      for (std::size_t k = 0; k < columns_.size(); ++k)
        columns_[k] = std::int32_t(std::clamp<std::int64_t>(wide[k], Limits::min(), Limits::max()));
    } else if (block.indices) {
      const std::int32_t* const columns = static_cast<const std::int32_t*>(block.indices);
      columns_.assign(columns, columns + block.entries);
    }
    if (block.indices) block.indices = columns_.data();
    block.wide_indices = false;
    block.starts = own(starts_, block.starts, (block.rows + 1) * (block.wide_starts ? 8 : 4));
    return block;
  }
  static const void* own(std::vector<std::int64_t>& room, const void* from, std::int64_t bytes) {
    if (!from) return nullptr;
    room.resize(std::size_t(bytes + 7) / 8);
    if (bytes) std::memcpy(room.data(), from, std::size_t(bytes));
    return room.data();
  }
  Report play_rounds(Block& block, const GramTable& gram, const Labels& of, const std::optional<Order>& order,
                     std::int64_t begin, std::int64_t end, const std::optional<Longs>& known, std::int64_t offset) {
    const std::int64_t rounds = order ? std::int64_t(order->size()) : block.rows;
    block.order = order ? order->data() : nullptr;
    if (end < 0) end = rounds;
    require(begin >= 0 && begin <= end && end <= rounds, "no such rounds");
    Known slots;
    if (known) {
      require(offset >= 0 && offset <= std::int64_t(known->size()) - block.rows, "one place a row");
      slots = {known->data(), offset};
    }
    check_rounds(block.rows, of, block.order, begin, end, slots);
    if (watched_)
      require(std::int64_t(watched_->shape(0)) == rounds && std::int64_t(watched_->shape(1)) == state_.support.targets,
              "room for one score per round and target");
    state_.scores = watched_ ? watched_->data() : nullptr;
    return kernel_report(kernel_functions().play(block, gram, of, rules_, state_, slots, begin, end));
  }

  std::vector<State2> keep_;
  std::vector<State1> rows1_, pool_;
  std::vector<Longs> entries_;
  std::vector<Ints> ints_;
  Longs counts_;
  std::optional<State2> rows_, work_, moves_, watched_;
  std::optional<State1> rounds_;
  std::optional<Longs> column_, logged_, source_;
  KernelRules rules_;
  KernelState state_;
  std::vector<std::int32_t> columns_;  // of the rows at hand
  std::vector<std::int64_t> starts_;
  std::mutex mutex_;
};

}  // namespace

void bind_kernel_machine(nb::module_& m) {
  nb::class_<KernelMachine>(m, "KernelMachine", "A perceptron in the dual over borrowed arrays; feed it rounds.")
      .def(nb::init<State2, State2, State1, State1, Longs, State2, State1, State1, std::int64_t, std::int64_t>(),
           "coefficients"_a.noconvert(), "lag"_a.noconvert(), "norm2"_a.noconvert(), "born"_a.noconvert(),
           "counts"_a.noconvert(), "books"_a.noconvert(), "lengths2"_a.noconvert(), "scratch"_a.noconvert(),
           "columns"_a, "most"_a = 0)
      .def("dense", &KernelMachine::dense, "rows"_a.noconvert(), "The support is kept as dense rows.")
      .def("sparse", &KernelMachine::sparse, "begin"_a.noconvert(), "length"_a.noconvert(), "values"_a.noconvert(),
           "indices"_a.noconvert(), "place"_a.noconvert(), "work"_a.noconvert(), "The support is kept as sparse rows.")
      .def("gram_columns", &KernelMachine::gram_columns, "column"_a.noconvert(),
           "The support is columns of a Gram matrix.")
      .def("sources", &KernelMachine::sources, "source"_a.noconvert(),
           "Note which row fills a slot, where rows come again.")
      .def("log", &KernelMachine::log, "slot"_a.noconvert(), "round"_a.noconvert(), "moves"_a.noconvert(),
           "Write every update down.")
      .def("rules", &KernelMachine::rules, "kind"_a, "gamma"_a = 1.0, "coef0"_a = 0.0, "degree"_a = 1, "offset"_a = 0.0,
           "tie"_a = 0.0, "Which kernel, and what a score of 0 means.")
      .def("play", &KernelMachine::play, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "labels"_a.noconvert(), "sample_weight"_a.noconvert().none() = nb::none(),
           "order"_a.noconvert().none() = nb::none(), "begin"_a = 0, "end"_a = -1,
           "known"_a.noconvert().none() = nb::none(), "offset"_a = 0,
           "Play the rounds begin <= t < end; how many were played, and what stopped them.")
      .def("play_gram", &KernelMachine::play_gram, "gram"_a.noconvert(), "first"_a, "labels"_a.noconvert(),
           "sample_weight"_a.noconvert().none() = nb::none(), "order"_a.noconvert().none() = nb::none(), "begin"_a = 0,
           "end"_a = -1, "known"_a.noconvert().none() = nb::none(), "The same on a Gram matrix.")
      .def("score", &KernelMachine::score, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "out"_a.noconvert(), "Scores of all rows, the same bits that play sees.")
      .def("watch", &KernelMachine::watch, "scores"_a.noconvert().none(), "averages"_a = false, watch_words)
      .def("score_gram", &KernelMachine::score_gram, "gram"_a.noconvert(), "out"_a.noconvert(),
           "The same on a Gram matrix.")
      .def("gram", &KernelMachine::gram, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "out"_a.noconvert(), "own"_a.noconvert(),
           "K(row, slot) of all rows and slots, and K(row, row).")
      .def("adopt", &KernelMachine::adopt, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "Fill slots with rows, without coefficients.");
  m.def("kernel_scratch", &kernel_scratch, "columns"_a, "targets"_a,
        "How many numbers of scratch a KernelMachine needs.");
  m.attr("SPARSE_LANES") = sparse_lanes;
}

}  // namespace regretless
