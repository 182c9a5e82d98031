#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_ascent(nanobind::module_& m);

}  // namespace regretless
