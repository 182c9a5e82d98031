#pragma once

namespace regretless {

struct Interval {
  double lower, upper;
};

}  // namespace regretless
