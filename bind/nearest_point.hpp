#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_nearest_point(nanobind::module_& m);

}  // namespace regretless
