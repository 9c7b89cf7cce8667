// warpdex devices: the GPUs that there are, and whether they can search.
#include <iostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "options/options.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/text.hpp"
#include "warpdex/gpu.hpp"

namespace warpdex::tools {
namespace {

constexpr const char* kAbout =
    "Lists the GPUs that this process can see, and says of each whether it can search, and if "
    "not,\n"
    "why. CUDA_VISIBLE_DEVICES hides GPUs, and gives the others their numbers.";

constexpr const char* kNotes =
    "Code 'native' was compiled for the GPU. Other code the driver compiles when it is first "
    "used,\n"
    "which takes a while once; the driver keeps what it made (~/.nv/ComputeCache, or\n"
    "CUDA_CACHE_PATH; CUDA_CACHE_MAXSIZE may have to be raised). To avoid it, build with\n"
    "-DCMAKE_CUDA_ARCHITECTURES=native.\n"
    "\n"
    "example:\n"
    "  warpdex devices";

std::string version(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string code_of(const GpuFacts& gpu) {
  if (gpu.code == 0) return "none";
  return gpu.code_by_driver ? "by the driver, from " + version(gpu.code) : "native";
}

void show(const std::vector<GpuFacts>& gpus) {
  if (gpus.empty()) {
    std::cout << why_no_gpu() << "\n";
    return;
  }
  constexpr Table::Align kLeft = Table::Align::kLeft;
  Table table({{"GPU"},
               {"name", kLeft},
               {"capability"},
               {"SMs"},
               {"memory"},
               {"free"},
               {"shared"},
               {"code", kLeft},
               {"searches", kLeft}});
  for (const GpuFacts& gpu : gpus) {
    table.add({std::to_string(gpu.device), gpu.name, version(gpu.capability),
               std::to_string(gpu.multiprocessors), bytes_text(gpu.memory),
               bytes_text(gpu.free_memory), bytes_text(gpu.shared_memory), code_of(gpu),
               gpu.why_unfit.empty() ? "yes" : "no"});
  }
  table.print(std::cout);
  for (const GpuFacts& gpu : gpus) {
    if (!gpu.why_unfit.empty()) std::cout << gpu.device << ": " << gpu.why_unfit << "\n";
  }
}

void write(const std::vector<GpuFacts>& gpus, const std::string& file) {
  JsonWriter json;
  json.begin_object();
  json.begin_array("devices");
  for (const GpuFacts& gpu : gpus) {
    json.begin_object();
    json.member("device", static_cast<std::uint64_t>(gpu.device));
    json.member("name", gpu.name);
    json.member("capability", version(gpu.capability));
    json.member("multiprocessors", static_cast<std::uint64_t>(gpu.multiprocessors));
    json.member("memory", gpu.memory);
    json.member("free_memory", gpu.free_memory);
    json.member("shared_memory_per_block", gpu.shared_memory);
    json.member("code", gpu.code == 0 ? std::string() : version(gpu.code));
    json.member("code_by_driver", gpu.code_by_driver);
    json.member("searches", gpu.why_unfit.empty());
    json.member("why", gpu.why_unfit);
    json.end_object();
  }
  json.end_array();
  json.member("why", why_no_gpu());
  json.end_object();
  write_output(file, json.take() + "\n");
}

}  // namespace

int run_devices(const std::vector<std::string>& arguments) {
  std::string file;
  CommandLine command("devices", "[options]", kAbout, kNotes);
  po::options_description options = option_group("Options");
  add_json_option(options, "list", &file);
  command.add(options);
  if (!command.parse(arguments)) return 0;
  const std::vector<GpuFacts> gpus = list_gpus();
  if (file != "-") show(gpus);
  if (!file.empty()) write(gpus, file);
  return 0;
}

}  // namespace warpdex::tools
