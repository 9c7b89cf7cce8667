// Sets the limits of the accounts: as asked for, or by what is free.
#include "warpdex/core/cuda/resources.hpp"

#include "warpdex/core/available_memory.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

std::size_t memory_limit(const ResourceSettings& settings) {
  const DeviceInfo gpu = device_info(settings.device);  // throws where there is none
  return settings.memory != 0 ? settings.memory : gpu.free_memory / 10 * 9;
}

}  // namespace

Resources::Resources(const ResourceSettings& settings)
    : device_(settings.device),
      memory_(memory_limit(settings)),
      host_memory_(settings.host_memory != 0 ? settings.host_memory : available_memory() / 2) {}

}  // namespace warpdex
