// The searcher that suits the index.
#include "search/vector_search.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "output/text.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/graph/row_search.hpp"

namespace warpdex::tools {

void set_binary_depth(const CommandLine& command, const SearchDepth& depth,
                      vector::ProbeSettings& settings) {
  if (command.given("query-bits")) {
    settings.query_bits = checked_number("--query-bits", depth.query_bits, 1,
                                         static_cast<std::int64_t>(vector::kMaxXfbqBits));
  }
  if (!command.given("extra")) return;
  if (!command.given("refine")) {
    throw UsageError("--extra adds to what --refine ranks anew; add --refine, or leave it out");
  }
  settings.extra = checked_number("--extra", depth.extra, 0, vector::kMaxRows);
}

void check_depth_options(const vector::VectorIndex& index, const CommandLine& command) {
  const vector::VectorIndexSettings& settings = index.settings();
  const std::string name = "'" + index.folder().string() + "'";
  if (!vector::has_lists(settings.index) && command.given("probes")) {
    throw UsageError(name + " has no lists to probe: it was built with --index " +
                     std::string(vector::index_kind_name(settings.index)) + "; leave --probes out");
  }
  if (command.given("query-bits") && !vector::has_binary_codes(settings.index)) {
    throw UsageError(name +
                     " has no binary codes: --query-bits is for --index xfbq and ivf-xfbq; leave "
                     "it out");
  }
  if (command.given("extra") && settings.index != vector::IndexKind::kXfbq) {
    throw UsageError(name +
                     " has no binary codes of all vectors without lists: --extra is for --index "
                     "xfbq; leave it out");
  }
  if (!command.given("refine")) return;
  if (!vector::has_codes(settings.index)) {
    throw UsageError(
        name +
        " has exact distances already: --refine is for --index ivf-pq, xfbq and ivf-xfbq; "
        "leave it out");
  }
  if (!settings.pq.keeps_vectors) {
    throw UsageError(name +
                     " keeps no vectors to refine answers by: it was built with --no-vectors; "
                     "leave --refine out, or build it again");
  }
}

Supply lists_of(const vector::VectorIndex& index) {
  const std::size_t lists = index.settings().ivf.lists;
  return {lists, "the index '" + index.folder().string() + "' has " + counted(lists, "list"),
          "all are probed"};
}

Supply vectors_of(const vector::VectorIndex& index, const std::string& effect) {
  const std::size_t vectors = index.live_rows();
  return {vectors, "the index '" + index.folder().string() + "' has " + counted(vectors, "vector"),
          effect};
}

Supply refined_of(const vector::VectorIndex& index) {
  return vectors_of(index, "all that codes find are ranked anew");
}

vector::ProbeSettings checked_depth(const vector::VectorIndex& index, const CommandLine& command,
                                    SearchDepth depth) {
  check_depth_options(index, command);
  vector::ProbeSettings settings;
  if (vector::has_lists(index.settings().index)) {
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
      "ivf-flat, ivf-pq, ivf-xfbq: lists that a query probes, the nearest ones; more find more and "
      "take "
      "longer. At most as many as there are")("refine", po::value(&depth.refine)->value_name("N"),
                                              "ivf-pq, xfbq, ivf-xfbq: rank the N best, or -k if "
                                              "that is more, anew by their exact distances");
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

void add_search_device_options(CommandLine& command, DeviceOptions& device, GpuLayout& layout) {
  device.add_to(command,
                "It holds for each GPU. What one does not hold of the index is read in the host's "
                "memory",
                GpuCount::kRepeated);
  po::options_description group = option_group("Several GPUs (--devices)");
  group.add_options()("shards", po::value(&layout.shards)->value_name("S"),
                      "cut the vectors into S parts, each on a GPU of its own. Default: as many as "
                      "--replicas leaves GPUs for, or 1")(
      "replicas", po::value(&layout.replicas)->value_name("R"),
      "hold all vectors R times and share out the queries. Default: as often as --shards leaves "
      "GPUs for");
  command.add(group);
}

void check_search_device_options(const CommandLine& command, DeviceOptions& device) {
  device.check(command, {"shards", "replicas"});
}

namespace {

/// Into how many shards `gpus` GPUs cut the index. Throws UsageError where they cannot.
std::size_t count_shards(const CommandLine& command, const GpuLayout& layout, std::size_t gpus) {
  const auto most = static_cast<std::int64_t>(gpus);
  std::size_t shards = 1;
  if (command.given("shards")) shards = checked_number("--shards", layout.shards, 1, most);
  std::size_t replicas = gpus / shards;
  if (command.given("replicas")) {
    replicas = checked_number("--replicas", layout.replicas, 1, most);
    if (!command.given("shards")) shards = gpus / replicas;
  }
  if (shards * replicas == gpus) return shards;
  throw UsageError("--shards times --replicas is not the number of GPUs that --devices names, " +
                   std::to_string(gpus) + "; name as many as that");
}

}  // namespace

VectorSearch::VectorSearch(const vector::VectorIndex& index, const CommandLine& command,
                           const vector::ProbeSettings& depth, std::size_t threads,
                           const DeviceOptions& device, const GpuLayout& layout, SearchFor what)
    : index_(index),
      metric_(index.settings().metric),
      settings_(depth),
      threads_(threads),
      device_(device) {
  if (what == SearchFor::kStoredRows) {
    const vector::RowSearchMethod method = vector::row_search_method(index, settings_);
    metric_ = method.metric;
    settings_ = method.depth;
  }
  const std::size_t shards = count_shards(command, layout, device_.gpu_count());
  device_.start_gpus([&](std::span<const ResourceSettings> gpus) {
    vector::check_before_upload(index);
    start_gpus(shards, gpus);
  });
  cpu_ = vector::search_index_on_cpu(index, settings_, threads, metric_);
}

void VectorSearch::set_depth(const vector::ProbeSettings& depth) {
  settings_ = depth;
  cpu_ = vector::search_index_on_cpu(index_, settings_, threads_, metric_);
  if (!gpu_) return;
  try {
    gpu_->searcher.reset();  // two do not fit
    upload(*gpu_);
  } catch (const Error& error) {
    device_.take_cpu(error);
    gpu_.reset();
  }
}

void VectorSearch::start_gpus(std::size_t shards, std::span<const ResourceSettings> gpus) {
  auto started = std::make_unique<Gpu>();
  started->shards = shards;
  started->replicas = gpus.size() / shards;
  std::map<int, Resources*> of_device;
  for (const ResourceSettings& gpu : gpus) {
    Resources*& one = of_device[gpu.device];
    if (one == nullptr) {
      one = started->resources.emplace_back(std::make_unique<Resources>(gpu)).get();
    }
    started->order.push_back(one);
  }
  upload(*started);
  gpu_ = std::move(started);
}

void VectorSearch::upload(Gpu& gpu) const {
  gpu.searcher = vector::search_index_on_gpus(index_, settings_, gpu.order, gpu.shards, metric_);
}

std::string VectorSearch::gpu_name() const {
  std::string names;
  if (!gpu_) return names;
  for (const std::unique_ptr<Resources>& gpu : gpu_->resources) {
    names += (names.empty() ? "" : ", ") + device_info(gpu->device()).name;
  }
  return names;
}

/// What the GPUs answer, or nothing if the CPU is to.
template <class Answers, class Search>
std::optional<Answers> VectorSearch::try_gpu(const Search& search) {
  if (!gpu_) return std::nullopt;
  try {
    return search(*gpu_->searcher);
  } catch (const Error& error) {
    device_.take_cpu(error);
    gpu_.reset();
    return std::nullopt;
  }
}

vector::Neighbors VectorSearch::nearest(std::span<const float> queries, std::size_t k,
                                        const vector::RowFilter* filter) {
  const auto search = [&](const vector::VectorSearcher& searcher) {
    return searcher.nearest(queries, k, filter);
  };
  if (auto found = try_gpu<vector::Neighbors>(search)) return std::move(*found);
  return search(*cpu_);
}

vector::RangeNeighbors VectorSearch::within(std::span<const float> queries, float radius,
                                            const vector::RowFilter* filter) {
  const auto search = [&](const vector::VectorSearcher& searcher) {
    return searcher.within(queries, radius, filter);
  };
  if (auto found = try_gpu<vector::RangeNeighbors>(search)) return std::move(*found);
  return search(*cpu_);
}

}  // namespace warpdex::tools
