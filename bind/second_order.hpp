#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_second_order(nanobind::module_& m);

}  // namespace regretless
