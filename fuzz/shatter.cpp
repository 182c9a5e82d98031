// Searches for shattered sets, in slices of any size: what is found is shattered, and of small classes nothing is
// missed.
#include "regretless/shatter_search.hpp"

#include "bits.hpp"

namespace {

using namespace fuzz;
using namespace regretless;

void end(ShatterSearch* s) {
  for (ShatterLevel& l : s->levels)
    for (void* room : {static_cast<void*>(l.begins), static_cast<void*>(l.sizes), static_cast<void*>(l.present),
                       static_cast<void*>(l.columns), static_cast<void*>(l.candidates), static_cast<void*>(l.least),
                       static_cast<void*>(l.ranks)})
      std::free(room);
  std::free(s->sides), std::free(s->places), std::free(s->seen);
  delete s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const bool small = in.byte() < 200, dives = in.byte() >= 192;
  const Class c(in, small ? 40 : 300, small ? 10 : 40, 0);
  ShatterSearch* const s = new ShatterSearch{};
  s->points = c.points;
  s->hypotheses = c.hypotheses;
  s->class_columns = c.columns.data();
  s->target = int(in.byte() < 250 ? in.below(6) : in.below(largest_set + 1));
  Shattered state = Shattered::open;
  for (int k = 0; k < 3000 && state == Shattered::open; ++k) {
    const std::int64_t work = k < 50 ? in.within(1, 5000) : 1 << 16;
    state = dives ? KERNELS(shatter_kernels_).dive(*s, work) : KERNELS(shatter_kernels_).run(*s, work);
  }
  MUST(state != Shattered::no_memory && (state != Shattered::open || !small));
  if (state == Shattered::exists || (dives && state != Shattered::open)) {
    const std::vector<std::int64_t> chosen(s->chosen, s->chosen + s->target);
    for (const std::int64_t x : chosen) MUST(x >= 0 && x < c.points);
    MUST(shatters(c, chosen));
  } else if (state == Shattered::none && small) {
    std::vector<std::int64_t> chosen;
    MUST(!has_shattered(c, s->target, 0, chosen));
  }
  end(s);
  return 0;
}
