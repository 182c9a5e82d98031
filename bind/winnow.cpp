// A player of mirror steps: rules and borrowed state, checked once, then fed rounds.
#include "winnow.hpp"

#include "compiled.hpp"
#include "round_player.hpp"
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

struct MirrorKind {
  using State = MirrorState;
  using Rules = MirrorRules;
  static const MirrorKernels& kernels() { return mirrors(); }
  static State from(const State& state, std::int64_t first) { return scores_from(state, first); }
  // Memory is the caller's, and loops run as far as it says.
  static void check(const State& state) {
    for (std::int64_t c = 0; c < state.targets; ++c)
      if (!(state.memory[c].columns >= 0 && state.memory[c].columns <= double(state.columns)))
        throw std::invalid_argument("memory counts more columns than there are");
  }
};

class MirrorPlayer : public RoundPlayer<MirrorKind> {
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

  void refresh() const {
    const Turn turn(busy_);
    MirrorKind::check(state_);
    nb::gil_scoped_release unlocked;
    mirrors().refresh(rules_, state_);
  }

 private:
  State2 pairs_, memory_, books_;
  State1 scratch_;
};

}  // namespace

void bind_winnow(nb::module_& m) {
  nb::class_<MirrorPlayer> player(m, "MirrorPlayer",
                                  "Mirror steps by a link: rules and borrowed state; feed it rounds.");
  player.def(nb::init<State2, State2, State2, State1, const std::string&, double, double, double>(),
             "pairs"_a.noconvert(), "memory"_a.noconvert(), "books"_a.noconvert(), "scratch"_a.noconvert(),
             nb::kw_only(), "link"_a, "rate"_a = 1.0, "tie"_a = 0.0, "intercept"_a = 0.0);
  bind_play(player, play_words);
  bind_score(player, "Scores of all rows under the normalised weights.");
  player.def("watch", &MirrorPlayer::watch, "scores"_a.noconvert().none(), watch_words);
  player.def("refresh", &MirrorPlayer::refresh,
             "Compute all that follows from the dual coordinates, as they were put there.");
  m.attr("MIRROR_MEMORY_SIZE") = mirror_memory_size;
}

}  // namespace regretless
