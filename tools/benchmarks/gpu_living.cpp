// What changes cost a search on the GPU: ten segments and deleted documents against one segment,
// and the time from a commit of 1,000 documents until they are found. Makes its own documents.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSegments = 10;
constexpr std::size_t kQueries = 1'000;
constexpr std::size_t kAdded = 1'000;  // documents of a timed commit
constexpr double kVocabulary = 200'000;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Words whose frequencies are those of Zipf's law.
class Words {
 public:
  std::string any() { return "w" + std::to_string(rank(0, 1)); }
  /// Neither frequent nor rare.
  std::string of_query() { return "w" + std::to_string(rank(0.3, 0.75)); }

  /// Short documents, named from `first` on.
  std::vector<Document> documents(std::size_t count, std::size_t first) {
    std::vector<Document> made;
    for (std::size_t i = 0; i < count; ++i) {
      Document document{"d" + std::to_string(first + i), "", {}};
      for (std::size_t words = 10 + random_() % 40; words > 0; --words)
        document.text += any() + " ";
      made.push_back(std::move(document));
    }
    return made;
  }

 private:
  std::uint64_t rank(double from, double to) {
    const double share = static_cast<double>(random_() % 1'000'000) / 1e6;
    return static_cast<std::uint64_t>(std::pow(kVocabulary, from + (to - from) * share));
  }
  std::mt19937_64 random_{1};
};

void build(const fs::path& folder, std::vector<Document> documents) {
  BuildOptions options;
  options.output = folder;
  options.analyzer = "whitespace";
  options.codec.kind = CodecKind::kBitpack;
  build_index(*documents_from_memory(std::move(documents)), options);
}

void add(const fs::path& folder, std::vector<Document> documents) {
  LivingIndex writer(folder);
  writer.add(*documents_from_memory(std::move(documents)));
  writer.commit();
}

/// Microseconds a query in batches, by the median of some.
double time_batches(const GpuSnapshot& gpu, const std::vector<Query>& queries,
                    const SearchSettings& settings) {
  GpuEngine engine(gpu);
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(gpu.snapshot(), query));
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) {
    const Clock::time_point start = Clock::now();
    engine.run(plans, settings);
    if (i > 1) times.push_back(milliseconds_since(start));
  }
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return times[5] * 1e3 / static_cast<double>(queries.size());
}

/// Where the time of a batch of OR goes, microseconds a query: `build` is the host's, the rest the
/// GPU's. Stages are timed one after the other, so together they take longer than a batch.
void print_stages(const GpuSnapshot& gpu, const std::vector<Query>& queries) {
  GpuEngine engine(gpu, {.ablation = {.time_stages = true}});
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(gpu.snapshot(), query));
  engine.run(plans, SearchSettings{});
  GpuStatistics before = engine.statistics();
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i) engine.run(plans, SearchSettings{});
  GpuStatistics spent = engine.statistics();
  subtract(before, spent);
  std::printf("  stages of or:");
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    const double each = spent.stages[i] * 1e6 / static_cast<double>(kRuns * queries.size());
    if (each > 0) {
      const std::string_view name = gpu_stage_name(static_cast<GpuStage>(i));
      std::printf(" %.*s %.3f", static_cast<int>(name.size()), name.data(), each);
    }
  }
  std::printf("\n");
}

void print_times(const std::string& name, const fs::path& folder,
                 const std::vector<Query>& queries) {
  Resources resources;
  const GpuSnapshot gpu(Snapshot::open(folder), resources);
  std::printf("%-26s", name.c_str());
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
    SearchSettings settings;
    settings.mode = mode;
    std::printf(" %8.2f", time_batches(gpu, queries, settings));
  }
  SearchSettings settings;
  settings.k = 1'000;
  std::printf(" %8.2f", time_batches(gpu, queries, settings));
  settings.k = 10;
  settings.count = true;
  std::printf(" %8.2f\n", time_batches(gpu, queries, settings));
  print_stages(gpu, queries);
}

/// Each line is a commit: in milliseconds, the commit itself, and from there until a query on the
/// GPU was answered over the new snapshot.
void print_commits(const fs::path& folder, Words& words, const Query& query, std::size_t first) {
  Resources resources;
  std::optional<GpuSnapshot> gpu(std::in_place, Snapshot::open(folder), resources);
  std::printf("commit of %zu documents, ms; then until searchable, ms; uploaded, bytes\n", kAdded);
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    add(folder, words.documents(kAdded, first + static_cast<std::size_t>(i) * kAdded));
    const double committed = milliseconds_since(start);
    gpu = gpu->next(Snapshot::open(folder));
    GpuEngine engine(*gpu);
    const PlannedQuery plan = plan_query(gpu->snapshot(), query);
    engine.run({&plan, 1}, SearchSettings{});
    std::printf("%8.1f %8.1f %10zu\n", committed, milliseconds_since(start) - committed,
                gpu->new_memory());
  }
}

void run(const fs::path& place, std::size_t documents) {
  fs::create_directories(place);
  Words words;
  std::vector<Query> queries(kQueries);
  for (Query& query : queries) {
    for (int i = 0; i < 3; ++i) query.terms.push_back({words.of_query()});
  }
  std::vector<Document> all = words.documents(documents, 0);
  const std::size_t part = documents / kSegments;
  build(place / "ten", {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(part)});
  for (std::size_t i = 1; i < kSegments; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * part);
    add(place / "ten", {begin, begin + static_cast<std::ptrdiff_t>(part)});
  }
  all.resize(kSegments * part);
  build(place / "one", std::move(all));
  std::printf("us a query in batches of %zu %8s %8s %8s %8s %8s\n", kQueries, "or", "and", "and-or",
              "k 1000", "count");
  print_times("one segment", place / "one", queries);
  print_times("ten segments", place / "ten", queries);
  {
    LivingIndex writer(place / "one");
    for (std::size_t i = 0; i < kSegments * part; i += 5) writer.remove("d" + std::to_string(i));
    writer.commit();
  }
  print_times("one segment, 20 % deleted", place / "one", queries);
  print_commits(place / "one", words, queries[0], documents);
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  if (count < 2) {
    std::cerr << "warpdex_bench_gpu_living FOLDER [DOCUMENTS]: makes indexes in FOLDER\n";
    return 2;
  }
  try {
    warpdex::run(values[1], count > 2 ? std::stoul(values[2]) : 1'000'000);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_gpu_living: " << error.what() << "\n";
    return 1;
  }
}
