// Lets the GPU work, and the CPU in its place where the user left the choice.
#include "device_options.hpp"

#include <iostream>
#include <typeinfo>
#include <vector>

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex::tools {
namespace {

/// Throws CudaError, which says why, if no GPU can work.
void check_gpu() {
  if (device_count() == 0) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
  const std::string why = why_gpu_unfit(device_info(ResourceSettings{}.device));
  if (!why.empty()) throw CudaError(why, CudaError::kNoCudaInBuild);
}

}  // namespace

void DeviceOptions::add_to(CommandLine& command, const std::string& memory) {
  po::options_description group = option_group("Device");
  const std::string help =
      "GPU memory to take at most, as 20G or 500M. " + memory + ". Default: 90 % of what is free";
  group.add_options()(
      "device", po::value(&device_)->value_name("WHICH")->default_value(device_),
      "cpu, gpu, or auto: the GPU if there is one that is fit and has memory enough, "
      "else the CPU, with a line that says why")(
      "gpu-memory", po::value(&gpu_memory_)->value_name("SIZE"), help.c_str());
  command.add(group);
}

void DeviceOptions::check(const CommandLine& command,
                          std::initializer_list<const char*> gpu_options) const {
  if (device_ != "cpu") return;
  std::vector<const char*> options(gpu_options);
  options.push_back("gpu-memory");
  for (const char* option : options) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) +
                       " is for the GPU; add --device gpu, or leave it out");
    }
  }
}

bool DeviceOptions::start_gpu(const std::function<void(const ResourceSettings&)>& start,
                              const std::string& why_not) const {
  if (device_ == "cpu") return false;
  if (device_ != "gpu" && device_ != "auto") {
    throw UsageError("--device takes cpu, gpu or auto, not '" + device_ + "'");
  }
  ResourceSettings settings;
  if (!gpu_memory_.empty()) settings.memory = parse_size("--gpu-memory", gpu_memory_);
  try {
    if (!why_not.empty()) throw UsageError(why_not);
    check_gpu();
    start(settings);
    return true;
  } catch (const UsageError& error) {
    if (device_ == "gpu") throw;
    say_cpu(error);
  } catch (const Error& error) {
    take_cpu(error);
  }
  return false;
}

void DeviceOptions::take_cpu(const Error& error) const {
  const bool is_of_gpu =
      typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr;
  if (device_ == "gpu" || !is_of_gpu) throw;
  say_cpu(error);
}

void DeviceOptions::say_cpu(const Error& error) {
  std::cerr << "warpdex: working on the CPU: " << error.what() << "\n";
}

}  // namespace warpdex::tools
