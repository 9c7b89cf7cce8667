// Depths that suit the index, and the GPUs that search it.
#include "search/vector_search.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "output/text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

constexpr std::int64_t kMaxQueryBits = 8;

bool has_codes(const NewVectorIndex& settings) { return settings.coding != VectorCoding::kRows; }

}  // namespace

void set_binary_depth(const CommandLine& command, const SearchDepth& depth, VectorDepth& settings) {
  if (command.given("query-bits")) {
    settings.query_bits = checked_number("--query-bits", depth.query_bits, 1, kMaxQueryBits);
  }
  if (!command.given("extra")) return;
  if (!command.given("refine")) {
    throw UsageError("--extra adds to what --refine ranks anew; add --refine, or leave it out");
  }
  settings.extra = checked_number("--extra", depth.extra, 0, vector::kMaxRows);
}

void check_depth_options(const VectorIndex& index, const CommandLine& command) {
  const NewVectorIndex settings = index.settings();
  const std::string name = "'" + index.folder().string() + "'";
  if (settings.lists == 0 && command.given("probes")) {
    throw UsageError(name + " has no lists to probe: it was built with --index " +
                     std::string(vector_kind_name(settings)) + "; leave --probes out");
  }
  if (command.given("query-bits") && settings.coding != VectorCoding::kBinary) {
    throw UsageError(name +
                     " has no binary codes: --query-bits is for --index xfbq and ivf-xfbq; leave "
                     "it out");
  }
  if (command.given("extra") && (settings.coding != VectorCoding::kBinary || settings.lists != 0)) {
    throw UsageError(name +
                     " has no binary codes of all vectors without lists: --extra is for --index "
                     "xfbq; leave it out");
  }
  if (!command.given("refine")) return;
  if (!has_codes(settings)) {
    throw UsageError(
        name +
        " has exact distances already: --refine is for indexes of codes, such as ivf-pq; leave it "
        "out");
  }
  if (!settings.keeps_vectors) {
    throw UsageError(name +
                     " keeps no vectors to refine answers by: it was built with --no-vectors; "
                     "leave --refine out, or build it again");
  }
}

Supply lists_of(const VectorIndex& index) {
  const std::size_t lists = index.lists();
  return {lists, "the index '" + index.folder().string() + "' has " + counted(lists, "list"),
          "all are probed"};
}

Supply vectors_of(const VectorIndex& index, const std::string& effect) {
  const std::size_t vectors = index.live_rows();
  return {vectors, "the index '" + index.folder().string() + "' has " + counted(vectors, "vector"),
          effect};
}

Supply refined_of(const VectorIndex& index) {
  return vectors_of(index, "all that codes find are ranked anew");
}

VectorDepth checked_depth(const VectorIndex& index, const CommandLine& command, SearchDepth depth) {
  check_depth_options(index, command);
  VectorDepth settings;
  if (index.lists() != 0) {
    const Supply lists = lists_of(index);
    if (!command.given("probes")) {
      depth.probes = std::min(depth.probes, static_cast<std::int64_t>(lists.count));
    }
    settings.probes = at_most("--probes", depth.probes, lists);
  }
  if (command.given("refine")) {
    settings.refine =
        std::max<std::size_t>(1, at_most("--refine", depth.refine, refined_of(index)));
  }
  set_binary_depth(command, depth, settings);
  return settings;
}

void add_depth_options(po::options_description& group, SearchDepth& depth) {
  group.add_options()(
      "probes", po::value(&depth.probes)->value_name("N")->default_value(depth.probes),
      "ivf-flat, ivf-pq, ivf-xfbq, ivf-sq8: lists that a query probes, the nearest ones; more find "
      "more and take longer. At most as many as there are")(
      "refine", po::value(&depth.refine)->value_name("N"),
      "codes: rank the N best, or -k if that is more, anew by their exact distances");
  add_binary_depth_options(group, depth);
}

void add_binary_depth_options(po::options_description& group, SearchDepth& depth) {
  group.add_options()("query-bits", po::value(&depth.query_bits)->value_name("N"),
                      "xfbq, ivf-xfbq: bits of a query's component, 1 to 8. Default: those of the "
                      "codes, or 4 if that is "
                      "more")(
      "extra", po::value(&depth.extra)->value_name("N"),
      "xfbq, with --refine: also rank anew what is farther than the last of the best by up "
      "to N steps of the codes' distance");
}

namespace {

VectorIndexOptions options_of(const VectorDepth& depth, std::size_t threads) {
  VectorIndexOptions options;
  options.threads = threads;
  options.depth = depth;
  return options;
}

}  // namespace

VectorIndexOptions search_options(const VectorDepth& depth, std::size_t threads,
                                  const DeviceOptions& device, const UseOptions& use) {
  const std::size_t shards = device.shards();
  VectorIndexOptions options = options_of(depth, threads);
  const auto is_in_use = std::make_shared<bool>(false);
  const bool works = device.start_gpus([&](const auto& gpus) {
    VectorIndexOptions with_gpus = options_of(depth, threads);
    with_gpus.device = device.is_auto() ? Device::kAuto : Device::kGpu;
    with_gpus.gpus = open_gpus(gpus);
    with_gpus.shards = shards;
    with_gpus.on_cpu = [device, is_in_use](const Error& error) {
      if (!*is_in_use) throw;  // start_gpus() says that the CPU works
      device.take_cpu(error);
    };
    if (use) use(with_gpus);
    options = with_gpus;
  });
  if (!works && use) use(options);
  *is_in_use = true;
  return options;
}

void set_search(VectorIndex& index, const VectorDepth& depth, std::size_t threads,
                const DeviceOptions& device) {
  search_options(depth, threads, device,
                 [&](const VectorIndexOptions& options) { index.set_options(options); });
}

std::string gpu_names(const std::vector<Gpu>& gpus) {
  std::set<int> named;
  std::string names;
  for (const Gpu& gpu : gpus) {
    if (!named.insert(gpu.device()).second) continue;
    names += (names.empty() ? "" : ", ") + gpu.name();
  }
  return names;
}

}  // namespace warpdex::tools
