#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_littlestone(nanobind::module_& m);

}  // namespace regretless
