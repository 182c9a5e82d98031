// Searches for the worst case of learners of finite classes, in slices: the labels that are found force as many
// mistakes as they say on a learner that is played here, and of small classes nothing worse is missed.
#include "bits.hpp"
#include "regretless/worst_case_types.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

struct Learner {
  const Class& c;
  bool first, tie, lazy;

  bool predict(const std::vector<bool>& voters, std::int64_t x) const {
    std::int64_t ones = 0, all = 0;
    for (std::int64_t h = 0; h < c.hypotheses; ++h) {
      if (!voters[std::size_t(h)]) continue;
      if (first) return c.says(h, x);
      ++all;
      ones += c.says(h, x);
    }
    return 2 * ones == all ? tie : 2 * ones > all;
  }
  // The most mistakes from here on; `alive` agree with all labels.
  int worst(const std::vector<bool>& voters, const std::vector<bool>& alive, int depth) const {
    int most = 0;
    for (std::int64_t x = 0; x < c.points && depth > 0; ++x) {
      const bool label = !predict(voters, x);
      std::vector<bool> left = alive, keeps = voters;
      bool any = false;
      for (std::int64_t h = 0; h < c.hypotheses; ++h) {
        const bool agrees = c.says(h, x) == label;
        left[std::size_t(h)] = alive[std::size_t(h)] && agrees;
        keeps[std::size_t(h)] = voters[std::size_t(h)] && agrees;
        any |= left[std::size_t(h)];
      }
      if (any) most = std::max(most, 1 + worst(keeps, left, depth - 1));
    }
    return most;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const bool small = in.byte() < 200;
  const Class c(in, small ? 8 : 100, small ? 5 : 20);
  Forced asked;
  asked.columns = c.columns.data();
  asked.points = c.points;
  asked.words = c.words;
  asked.hypotheses = c.hypotheses;
  asked.first = in.flag();
  asked.tie = in.flag();
  asked.lazy = in.flag();
  asked.memory = std::int64_t(1) << 20;
  if (!c.distinct()) return 0;  // a class has no hypothesis twice
  void* const search = KERNELS(forcing_).open(asked);
  MUST(search);
  Forcing news;
  for (int k = 0; k < 60; ++k) {
    const Forcing next = KERNELS(forcing_).run(search, k < 20 ? in.within(1, 400) : 1 << 14);
    MUST(k == 0 || (next.lower >= news.lower && next.upper <= news.upper));
    news = next;
    MUST(0 <= news.lower && news.lower <= news.upper);
    if (news.lower == news.upper) break;
  }
  std::vector<std::int64_t> points(std::size_t(c.points), -1);
  std::vector<std::uint8_t> labels(std::size_t(c.points), 9);
  std::vector<std::uint64_t> left(std::size_t(c.words), 0);
  const std::int64_t rounds = KERNELS(forcing_).trace(search, points.data(), labels.data(), left.data());
  MUST(rounds >= 0 && rounds <= c.points);
  const Learner learner{c, asked.first, asked.tie, asked.lazy};
  std::vector<bool> voters(std::size_t(c.hypotheses), true), alive = voters;
  std::int64_t mistakes = 0, living = 0;
  for (std::size_t t = 0; t < std::size_t(rounds); ++t) {
    MUST(points[t] >= 0 && points[t] < c.points && labels[t] <= 1);
    const bool wrong = learner.predict(voters, points[t]) != bool(labels[t]);
    mistakes += wrong;
    for (std::int64_t h = 0; h < c.hypotheses; ++h) {
      const bool agrees = c.says(h, points[t]) == bool(labels[t]);
      if (!agrees) alive[std::size_t(h)] = false;
      if (!agrees && (wrong || !asked.lazy)) voters[std::size_t(h)] = false;
    }
  }
  MUST(mistakes >= news.lower);
  for (std::int64_t h = 0; h < c.hypotheses; ++h) {
    const bool says = left[std::size_t(h / 64)] >> (h % 64) & 1;
    MUST(!says || alive[std::size_t(h)]);
    living += says;
  }
  MUST(living > 0);
  if (small && news.lower == news.upper && asked.lazy) {
    const std::vector<bool> all(std::size_t(c.hypotheses), true);
    MUST(learner.worst(all, all, 8) == news.lower);
  }
  KERNELS(forcing_).close(search);
  return 0;
}
