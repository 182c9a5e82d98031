#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_detector(nanobind::module_& m);

}  // namespace regretless
