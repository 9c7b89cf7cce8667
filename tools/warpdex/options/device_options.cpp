// Lets the GPU work, and the CPU in its place where the user left the choice.
#include "options/device_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <system_error>
#include <typeinfo>

namespace warpdex::tools {
namespace {

/// The numbers of a list such as "0,1".
std::vector<int> parse_devices(const std::string& text, bool may_repeat) {
  std::vector<int> devices;
  for (const std::string& part : split_list(text)) {
    int device = -1;
    const char* const end = part.data() + part.size();
    const std::from_chars_result read = std::from_chars(part.data(), end, device);
    const bool is_known = std::find(devices.begin(), devices.end(), device) != devices.end();
    if (read.ec != std::errc() || read.ptr != end || device < 0 || (is_known && !may_repeat)) {
      throw UsageError(std::string("--devices takes ") + (may_repeat ? "" : "different ") +
                       "numbers of GPUs, such as 0,1, not '" + text + "'");
    }
    devices.push_back(device);
  }
  if (devices.empty()) throw UsageError("--devices names no GPU; give numbers such as 0,1");
  return devices;
}

}  // namespace

std::vector<Gpu> open_gpus(std::span<const GpuChoice> choice) {
  std::map<int, Gpu> by_number;
  std::vector<Gpu> gpus;
  for (const GpuChoice& one : choice) {
    gpus.push_back(by_number.try_emplace(one.device, one.device, one.memory).first->second);
  }
  return gpus;
}

void DeviceOptions::add_to(CommandLine& command, const std::string& memory, GpuCount count) {
  count_ = count;
  po::options_description group = option_group("Device");
  const std::string help =
      "GPU memory to take at most, as 20G or 500M. " + memory + ". Default: 90 % of what is free";
  const std::string devices = std::string("cpu, gpu, or auto: ") + what_auto_does_;
  group.add_options()("device", po::value(&device_)->value_name("WHICH")->default_value(device_),
                      devices.c_str())("gpu-memory", po::value(&gpu_memory_)->value_name("SIZE"),
                                       help.c_str());
  if (count != GpuCount::kOne) {
    group.add_options()("devices", po::value(&devices_)->value_name("LIST"),
                        "numbers of the GPUs that share the work, as 0,1. Default: 0");
  }
  if (count == GpuCount::kShards) {
    group.add_options()("shards", po::value(&shards_)->value_name("S"),
                        "cut the index into S parts, each on a GPU of its own. Default: as many as "
                        "--replicas leaves GPUs for, or 1")(
        "replicas", po::value(&replicas_)->value_name("R"),
        "hold all of it R times and share out the queries. Default: as often as --shards leaves "
        "GPUs for");
  }
  command.add(group);
}

void DeviceOptions::check(const CommandLine& command,
                          std::initializer_list<const char*> gpu_options) {
  if (command.given("devices") && !command.given("device")) device_ = "gpu";
  if (device_ != "cpu") return;
  std::vector<const char*> options(gpu_options);
  options.insert(options.end(), {"gpu-memory", "devices", "shards", "replicas"});
  for (const char* option : options) {
    if (command.given(option)) {
      throw UsageError("--" + std::string(option) +
                       " is for the GPU; add --device gpu, or leave it out");
    }
  }
}

std::size_t DeviceOptions::shards() const {
  const std::size_t gpus = parse_devices(devices_, count_ == GpuCount::kShards).size();
  const auto most = static_cast<std::int64_t>(gpus);
  std::size_t shards = 1;
  if (shards_ != kNotGiven) shards = checked_number("--shards", shards_, 1, most);
  std::size_t replicas = gpus / shards;
  if (replicas_ != kNotGiven) {
    replicas = checked_number("--replicas", replicas_, 1, most);
    if (shards_ == kNotGiven) shards = gpus / replicas;
  }
  if (shards * replicas == gpus) return shards;
  throw UsageError("--shards times --replicas is not the number of GPUs that --devices names, " +
                   std::to_string(gpus) + "; name as many as that");
}

bool DeviceOptions::start_gpu(const std::function<void(const GpuChoice&)>& start) const {
  return start_gpus([&](std::span<const GpuChoice> gpus) {
    for (const GpuChoice& gpu : gpus) start(gpu);
  });
}

bool DeviceOptions::start_gpus(const std::function<void(std::span<const GpuChoice>)>& start) const {
  if (device_ == "cpu") return false;
  if (device_ != "gpu" && device_ != "auto") {
    throw UsageError("--device takes cpu, gpu or auto, not '" + device_ + "'");
  }
  const std::size_t memory = gpu_memory_.empty() ? 0 : parse_size("--gpu-memory", gpu_memory_);
  std::vector<GpuChoice> gpus;
  for (const int device : parse_devices(devices_, count_ == GpuCount::kShards)) {
    gpus.push_back({.device = device, .memory = memory});
  }
  try {
    for (const GpuChoice& gpu : gpus) check_gpu(gpu.device);
    say_code(gpus);
    start(gpus);
    return true;
  } catch (const UsageError& error) {
    if (device_ == "gpu") throw;
    say_cpu(error);
  } catch (const Error& error) {
    take_cpu(error);
  }
  return false;
}

void DeviceOptions::say_code(std::span<const GpuChoice> gpus) {
  if (isatty(STDERR_FILENO) == 0) return;
  for (const GpuChoice& gpu : gpus) {
    if (!gpu_facts(gpu.device).code_by_driver) continue;
    std::cerr << "warpdex: note: the driver compiles the code for this GPU when it is first used, "
                 "once; 'warpdex devices --help' says how to avoid it\n";
    return;
  }
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
