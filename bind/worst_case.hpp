#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_worst_case(nanobind::module_& m);

}  // namespace regretless
