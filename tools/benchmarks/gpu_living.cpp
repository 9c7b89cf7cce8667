// What changes cost a search on the GPU: ten segments and deleted documents against one segment,
// the upload of an index with deleted documents, and the time from a commit of 1,000 documents,
// new or in the place of others, until they are found. Makes its own documents, or takes those of
// an index.
//
// usage: warpdex_bench_gpu_living FOLDER [DOCUMENTS]
//        warpdex_bench_gpu_living FOLDER INDEX QUERIES.tsv
//
// Makes indexes in FOLDER, unless an earlier run has made them there. INDEX is of one segment; its
// documents become bags of words. Of the queries, the first 1,000 are taken whose terms all occur.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/living_collections.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSegments = 10;
constexpr std::size_t kQueries = 1'000;
constexpr std::size_t kAdded = 1'000;  // documents of a timed commit

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::vector<PlannedQuery> plan_all(const Snapshot& snapshot, const std::vector<Query>& queries) {
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(snapshot, query));
  return plans;
}

/// Microseconds a query: of the whole, and of the host's submit() alone.
struct Times {
  double all = 0;
  double submit = 0;
};

/// The times of batches, of which so many are under way, by the median of some turns.
Times time_batches(GpuEngine& engine, const std::vector<PlannedQuery>& plans,
                   const SearchSettings& settings, std::size_t in_flight) {
  constexpr int kBatches = 20;  // of a turn
  constexpr int kTurns = 7;
  const double to_micros = 1e3 / static_cast<double>(kBatches * plans.size());
  std::vector<Times> times;
  for (int turn = 0; turn <= kTurns; ++turn) {
    const Clock::time_point start = Clock::now();
    double submitting = 0;
    std::deque<Ticket> tickets;
    for (int i = 0; i < kBatches; ++i) {
      if (tickets.size() == in_flight) {
        engine.wait(tickets.front());
        tickets.pop_front();
      }
      const Clock::time_point before = Clock::now();
      tickets.push_back(engine.submit(plans, {&settings, 1}));
      submitting += milliseconds_since(before);
    }
    for (const Ticket ticket : tickets) engine.wait(ticket);
    if (turn > 0) times.push_back({milliseconds_since(start) * to_micros, submitting * to_micros});
  }
  const auto median = times.begin() + kTurns / 2;
  std::ranges::nth_element(times, median, {}, &Times::all);
  return *median;
}

/// Where the time of a batch goes, microseconds a query: `build` is the host's, the rest the GPU's.
/// Stages are timed one after the other, so together they take longer than a batch.
void print_stages(const GpuSnapshot& gpu, const std::vector<PlannedQuery>& plans, QueryMode mode,
                  const char* name) {
  GpuEngine engine(gpu, {.ablation = {.time_stages = true}});
  SearchSettings settings;
  settings.mode = mode;
  for (int i = 0; i < 2; ++i) engine.run(plans, settings);  // both images get memory
  GpuStatistics before = engine.statistics();
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i) engine.run(plans, settings);
  GpuStatistics spent = engine.statistics();
  subtract(before, spent);
  std::printf("  stages of %s:", name);
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    const double each = spent.stages[i] * 1e6 / static_cast<double>(kRuns * plans.size());
    if (each > 0) {
      const std::string_view stage = gpu_stage_name(static_cast<GpuStage>(i));
      std::printf(" %.*s %.3f", static_cast<int>(stage.size()), stage.data(), each);
    }
  }
  std::printf("\n");
}

/// One batch at a time, then three under way.
void print_times(const std::string& name, const fs::path& folder,
                 const std::vector<Query>& queries) {
  Resources resources;
  const Clock::time_point start = Clock::now();
  const GpuSnapshot gpu(Snapshot::open(folder), resources);
  std::printf("%s: opened and uploaded in %.1f ms\n", name.c_str(), milliseconds_since(start));
  const std::vector<PlannedQuery> plans = plan_all(gpu.snapshot(), queries);
  std::vector<SearchSettings> all(5);
  all[1].mode = QueryMode::kAnd;
  all[2].mode = QueryMode::kAndOr;
  all[3].k = 1'000;
  all[4].count = true;
  for (const std::size_t in_flight : {1, 3}) {
    GpuEngine engine(gpu, {.max_batches = in_flight});
    std::printf("%-26s %zu", name.c_str(), in_flight);
    std::string submitting;
    for (const SearchSettings& settings : all) {
      const Times times = time_batches(engine, plans, settings, in_flight);
      std::printf(" %8.3f", times.all);
      submitting += " " + std::to_string(times.submit).substr(0, 5);
    }
    std::printf("   of which submit%s\n", submitting.c_str());
  }
  print_stages(gpu, plans, QueryMode::kOr, "or");
  print_stages(gpu, plans, QueryMode::kAnd, "and");
}

/// Each line is a commit of documents named from `first` on: in milliseconds, the commit itself,
/// and from there until a query on the GPU was answered over the new snapshot.
void print_commits(const fs::path& folder, Words& words, const Query& query, std::size_t first) {
  Resources resources;
  std::optional<GpuSnapshot> gpu(std::in_place, Snapshot::open(folder), resources);
  std::printf(
      "commit of %zu documents from %zu on, ms; then until searchable, ms; uploaded, bytes\n",
      kAdded, first);
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

void remove_a_fifth(const fs::path& folder, std::size_t documents) {
  LivingIndex writer(folder);
  for (std::size_t i = 0; i < documents; i += 5) writer.remove("d" + std::to_string(i));
  writer.commit();
}

/// `place` has both indexes.
void run(const fs::path& place, const std::vector<Query>& queries, Words& words) {
  std::printf("us a query in batches of %zu, so many under way %8s %8s %8s %8s %8s\n", kQueries,
              "or", "and", "and-or", "k 1000", "count");
  print_times("one segment", place / "one", queries);
  print_times("ten segments", place / "ten", queries);
  const fs::path changed = place / "changed";
  fs::remove_all(changed);
  fs::copy(place / "one", changed, fs::copy_options::recursive);
  const std::size_t documents = Index::open(changed).counts().documents;
  remove_a_fifth(changed, documents);
  print_times("one segment, 20 % deleted", changed, queries);
  print_commits(changed, words, queries[0], documents);
  print_commits(changed, words, queries[0], 0);  // in the place of others
}

bool has_both(const fs::path& place) {
  return fs::exists(place / "one") && fs::exists(place / "ten");
}

void run(const fs::path& place, std::size_t documents) {
  Words words;
  const std::vector<Query> queries = make_queries(words, kQueries);
  if (!has_both(place)) {
    build_both(place / "one", place / "ten", kSegments, words.documents(documents, 0));
  }
  run(place, queries, words);
}

void run(const fs::path& place, const fs::path& source, const fs::path& file) {
  Words words;
  const Index index = Index::open(source);
  const std::vector<Query> queries = queries_of(index, file, kQueries);
  if (!has_both(place)) build_both(place / "one", place / "ten", kSegments, documents_of(index));
  run(place, queries, words);
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  if (count < 2 || count > 4) {
    std::cerr << "warpdex_bench_gpu_living FOLDER [DOCUMENTS | INDEX QUERIES.tsv]: makes indexes "
                 "in FOLDER\n";
    return 2;
  }
  try {
    std::filesystem::create_directories(values[1]);
    if (count == 4) {
      warpdex::run(values[1], values[2], values[3]);
    } else {
      warpdex::run(values[1], count > 2 ? std::stoul(values[2]) : 1'000'000);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_gpu_living: " << error.what() << "\n";
    return 1;
  }
}
