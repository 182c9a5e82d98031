#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_triangle(nanobind::module_& m);

}  // namespace regretless
