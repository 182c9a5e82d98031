#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_duel(nanobind::module_& m);

}  // namespace regretless
