#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_aggregated(nanobind::module_& m);

}  // namespace regretless
