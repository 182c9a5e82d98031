#pragma once
#include <nanobind/nanobind.h>

namespace regretless {

void bind_vote(nanobind::module_& m);

}  // namespace regretless
