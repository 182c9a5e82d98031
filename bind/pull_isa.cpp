// The kernels of bandits for one instruction set: compiled once for each, REGRETLESS_ISA being its name.
#include "regretless/catalogue.hpp"
#include "regretless/pull.hpp"
#include "regretless/pull_rules.hpp"
#include "regretless/table_name.hpp"

namespace regretless::REGRETLESS_ISA {

static constexpr auto rules = facts_of(std::type_identity<PullRules>{});

// A rule's place in the catalogue becomes its type; f is a template over the rule.
template <class F>
static auto with_rule(const Pulling& s, F f) {
  return with_type<PullRules>(s.place, f);
}

static PullVerdict play_table(const Pulling& s, const PullTable& table, const PullAdvice& advice, const PullResults& to,
                              std::int64_t begin, std::int64_t end) {
  return with_rule(s, [&]<class R>() {
    return table.single ? play_rounds<R>(s, TableWorld<float>(s, table), advice, to, begin, end)
                        : play_rounds<R>(s, TableWorld<double>(s, table), advice, to, begin, end);
  });
}

static PullVerdict play_noise(const Pulling& s, const PullNoise& noise, const PullAdvice& advice, const PullResults& to,
                              std::int64_t begin, std::int64_t end) {
  return with_rule(s, [&]<class R>() { return play_rounds<R>(s, NoiseWorld(s, noise), advice, to, begin, end); });
}

static PullVerdict open(const Pulling& s, const unsigned char* awake, const PullAdvice& advice, Drawn& d) {
  return with_rule(s, [&]<class R>() { return open_draw<R>(s, awake, advice, d); });
}

static PullVerdict settle(const Pulling& s, const PullSettlement& settlement) {
  return with_rule(s, [&]<class R>() { return settle_draw<R>(s, settlement); });
}

static std::int64_t draw(const Pulling& s) {
  Drawn d{};
  open(s, nullptr, {}, d);
  PullMemory& m = *s.memory;
  m.open = 1;
  m.open_arm = double(d.arm);
  m.open_p = d.p;
  m.open_gamma = d.gamma;
  return d.arm;
}

static bool update(const Pulling& s, double loss) {
  PullMemory& m = *s.memory;
  const Drawn d{std::int64_t(m.open_arm), m.open_p, m.open_gamma};
  if (settle(s, {d, s.book->rounds, loss, nullptr, nullptr, {}}).refusal != PullRefusal::none) return false;
  m.open = 0;
  return true;
}

static PullVerdict probabilities(const Pulling& s, const unsigned char* awake, const PullAdvice& advice, double* out) {
  return with_rule(s, [&]<class R>() { return probabilities_of<R>(s, awake, advice, out); });
}

static void rates(const Pulling& s, double& rate, double& gamma) {
  with_rule(s, [&]<class R>() { preview<R>(s, {}, [&](R&) { rate = s.memory->rate, gamma = s.memory->gamma; }); });
}

static void rebuild(const Pulling& s) {
  with_rule(s, [&]<class R>() { R(s).rebuild(); });
}

static void uniforms(std::uint64_t key0, std::uint64_t key1, std::uint64_t position, std::int64_t count, double* out) {
  Uniforms numbers(key0, key1, position);
  for (std::int64_t i = 0; i < count; ++i) out[i] = numbers.next();
}

// What a sum tree of these masses finds; nodes has room for it. False if it is asked for what no rule asks for.
static bool find(const double* masses, std::int64_t n, double* nodes, const double* uniforms, std::int64_t count,
                 std::int64_t* out) {
  SumTree tree(nodes, n);
  for (std::int64_t i = 0; i < tree.leaves_room(); ++i) {
    tree.leaves()[i] = i < n ? masses[i] : 0;
    if (!(tree.leaves()[i] >= 0)) return false;
  }
  tree.build();
  if (!(tree.total() > 1e-270 && tree.total() < infinity)) return false;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!(uniforms[k] >= 0 && uniforms[k] < 1)) return false;
    out[k] = tree.find(uniforms[k] * tree.total());
  }
  return true;
}

// The first row that cannot be played, as if it were the number of rows played; and whether any before it has a gap.
template <class V>
static PullVerdict inspect_rows(const V* values, double low, double high, std::int64_t rows, std::int64_t arms,
                                bool& gaps) {
  for (std::int64_t t = 0; t < rows; ++t) {
    const V* row = values + t * arms;
    const Oddities odd = oddities(row, arms, low, high);
    if (!odd.outside && !odd.gaps) continue;
    std::int64_t asleep = 0;
    for (std::int64_t i = 0; i < arms; ++i) {
      asleep += row[i] != row[i];
      if (double(row[i]) < low || double(row[i]) > high) return {t, PullRefusal::out_of_range, i};
    }
    if (asleep == arms) return {t, PullRefusal::asleep, -1};
    gaps |= asleep > 0;
  }
  return {rows};
}

static PullVerdict inspect(const PullTable& table, double low, double high, std::int64_t rows, std::int64_t arms,
                           bool& gaps) {
  if (table.single) return inspect_rows(static_cast<const float*>(table.values), low, high, rows, arms, gaps);
  return inspect_rows(static_cast<const double*>(table.values), low, high, rows, arms, gaps);
}

}  // namespace regretless::REGRETLESS_ISA

namespace regretless {
const Pullers REGRETLESS_TABLE(pullers_) = {
    REGRETLESS_ISA::rules,  REGRETLESS_ISA::play_table, REGRETLESS_ISA::play_noise, REGRETLESS_ISA::open,
    REGRETLESS_ISA::settle, REGRETLESS_ISA::draw,       REGRETLESS_ISA::update,     REGRETLESS_ISA::probabilities,
    REGRETLESS_ISA::rates,  REGRETLESS_ISA::rebuild,    REGRETLESS_ISA::uniforms,   REGRETLESS_ISA::find,
    REGRETLESS_ISA::inspect};
}  // namespace regretless
