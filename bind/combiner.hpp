#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_combiner(nanobind::module_& m);

}  // namespace regretless
