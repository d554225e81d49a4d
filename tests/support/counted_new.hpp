#pragma once

namespace quartet::device {

/// How often the program has called operator new so far.
long allocations();

}  // namespace quartet::device
