// A player of mirror steps: rules and borrowed state, checked once, then fed rounds.
#include "winnow.hpp"

#include "compiled.hpp"
#include "pieces.hpp"
#include "turn.hpp"
#include "regretless/mirror.hpp"

using namespace nb::literals;

namespace regretless {

namespace {

const MirrorKernels& mirrors() { return REGRETLESS_COMPILED(mirrors); }

Link link_named(const std::string& name) {
  if (name == "simplex") return Link::simplex;
  if (name == "balanced") return Link::balanced;
  if (name == "power") return Link::power;
  throw std::invalid_argument("no link is called " + name);
}

class MirrorPlayer {
 public:
  MirrorPlayer(State2 pairs, State2 memory, State2 books, State1 scratch, const std::string& link, double rate,
               double tie, double intercept)
      : pairs_(pairs), memory_(memory), books_(books), scratch_(scratch) {
    const std::size_t targets = memory.shape(0);
    check_column_count(pairs.shape(0));
    if (targets == 0) throw std::invalid_argument("at least one target");
    if (pairs.shape(1) != 2 * targets) throw std::invalid_argument("two numbers a feature and target");
    if (memory.shape(1) != mirror_memory_size) throw std::invalid_argument("memory has the wrong shape");
    if (books.shape(0) != targets + (targets > 1) || books.shape(1) != ledger_size)
      throw std::invalid_argument("books have the wrong shape");
    if (scratch.size() < 2 * targets) throw std::invalid_argument("scratch is too small");
    rules_ = {link_named(link), rate, tie, intercept};
    state_ = {pairs.data(),
              reinterpret_cast<MirrorMemory*>(memory.data()),
              reinterpret_cast<Ledger*>(books.data()),
              scratch.data(),
              nullptr,
              std::int64_t(pairs.shape(0)),
              std::int64_t(targets)};
  }

  Report play(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
              const Signs& labels, const std::optional<Reals>& sample_weight, const std::optional<Order>& order,
              std::int64_t begin, std::int64_t end) const {
    const Rounds r = rounds_of(values, indices, starts, labels, sample_weight, order, begin, end, state_.targets);
    const Turn turn(busy_);
    check_columns();
    MirrorState state = state_;
    state.scores = room_for_scores(watched_, r, state_.targets);
    nb::gil_scoped_release unlocked;
    return report(in_pieces(
        r, [&](const Block& block, const Labels& of, std::int64_t begin, std::int64_t end, std::int64_t first) {
          MirrorState here = state;
          if (here.scores) here.scores += first * here.targets;
          return mirrors().play(block, of, rules_, here, begin, end);
        }));
  }

  void watch(std::optional<State2> scores) {
    const Turn turn(busy_);
    watched_ = scores;
  }

  Report one(const Reals& x, std::int32_t label, double weight) const {
    const Rounds r = one_round(x, label, weight, state_.targets);
    const Turn turn(busy_);
    check_columns();
    return report(mirrors().play(r.block, r.of, rules_, state_, r.begin, r.end));
  }

  Report score(const Any& values, const std::optional<Any>& indices, const std::optional<Any>& starts,
               State2 out) const {
    const Block block = rows_to_score(values, indices, starts, out, state_.targets);
    check_columns();
    const std::optional<nb::gil_scoped_release> unlocked = unlock_if_long(block, state_.targets);
    return report(in_pieces(block, [&](const Block& rows, std::int64_t first) {
      return mirrors().score(rows, rules_, state_, out.data() + first * state_.targets);
    }));
  }

  void refresh() const {
    const Turn turn(busy_);
    check_columns();
    nb::gil_scoped_release unlocked;
    mirrors().refresh(rules_, state_);
  }

 private:
  // Memory is the caller's, and loops run as far as it says.
  void check_columns() const {
    for (std::int64_t c = 0; c < state_.targets; ++c)
      if (!(state_.memory[c].columns >= 0 && state_.memory[c].columns <= double(state_.columns)))
        throw std::invalid_argument("memory counts more columns than there are");
  }

  State2 pairs_, memory_, books_;
  State1 scratch_;
  std::optional<State2> watched_;
  MirrorRules rules_;
  MirrorState state_;
  mutable std::atomic_flag busy_;  // learning: any number of threads may score
};

}  // namespace

void bind_winnow(nb::module_& m) {
  nb::class_<MirrorPlayer>(m, "MirrorPlayer", "Mirror steps by a link: rules and borrowed state; feed it rounds.")
      .def(nb::init<State2, State2, State2, State1, const std::string&, double, double, double>(),
           "pairs"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(), nb::kw_only(),
           "link"_a, "rate"_a = 1.0, "tie"_a = 0.0, "intercept"_a = 0.0)
      .def("play", &MirrorPlayer::play, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "labels"_a.noconvert(), "sample_weight"_a.noconvert().none() = nb::none(),
           "order"_a.noconvert().none() = nb::none(), "begin"_a = 0, "end"_a = -1,
           "Play the rounds begin <= t < end; how many were played, and what stopped them.")
      .def("one", &MirrorPlayer::one, "x"_a.noconvert(), "label"_a, "weight"_a = 1.0, "Play one dense round.")
      .def("score", &MirrorPlayer::score, "values"_a.noconvert(), "indices"_a.noconvert().none(),
           "starts"_a.noconvert().none(), "out"_a.noconvert(), "Scores of all rows under the normalised weights.")
      .def("watch", &MirrorPlayer::watch, "scores"_a.noconvert().none(), watch_words)
      .def("refresh", &MirrorPlayer::refresh,
           "Compute all that follows from the dual coordinates, as they were put there.");
  m.attr("MIRROR_MEMORY_SIZE") = mirror_memory_size;
}

}  // namespace regretless
