// Checks the settings of the queues.
#include "warpdex/scheduler/placement.hpp"

#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

void require_positive(double value, const char* name) {
  if (value > 0 && std::isfinite(value)) return;
  throw UsageError(std::string("the scheduler's ") + name + " is " + std::to_string(value) +
                   "; give a number above 0");
}

}  // namespace

void PlacementSettings::validate() const {
  if (client_weights.empty())
    throw UsageError("the scheduler has no client; give a weight or more");
  for (const double weight : client_weights) require_positive(weight, "weight of a client");
  require_positive(static_cast<double>(batch_jobs), "batch_jobs");
  require_positive(static_cast<double>(batches), "batches");
  require_positive(static_cast<double>(batch_max_work), "batch_max_work");
  require_positive(static_cast<double>(batch_min_work), "batch_min_work");
  require_positive(static_cast<double>(batch_wait_part), "batch_wait_part");
  require_positive(static_cast<double>(batch_wait), "batch_wait");
  require_positive(static_cast<double>(huge_work), "huge_work");
  require_positive(deadline_slot, "deadline_slot");
}

}  // namespace warpdex
