// What changes cost a search on the GPU: ten segments and deleted documents against one segment,
// and against one without the deleted documents; the upload of an index with deleted documents; and
// the time from a commit of 1,000 documents, new or in the place of others, until they are found.
// Makes its own documents, or takes those of an index.
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

#include "benchmarks/living/living_collections.hpp"
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

/// Ways to search.
struct Way {
  const char* name;
  SearchSettings settings;
};

std::vector<Way> ways() {
  std::vector<Way> all{{"or", {}}, {"and", {}}, {"and-or", {}}, {"k 1000", {}}, {"count", {}}};
  all[1].settings.mode = QueryMode::kAnd;
  all[2].settings.mode = QueryMode::kAndOr;
  all[3].settings.k = 1'000;
  all[4].settings.count = true;
  return all;
}

/// An index on the GPU, with the queries planned.
struct Searched {
  Searched(std::string index, const fs::path& folder, const std::vector<Query>& queries,
           Resources& resources)
      : name(std::move(index)) {
    const Clock::time_point start = Clock::now();
    gpu.emplace(Snapshot::open(folder), resources);
    std::printf("%s: opened and uploaded in %.1f ms\n", name.c_str(), milliseconds_since(start));
    plans = plan_all(gpu->snapshot(), queries);
  }

  std::string name;
  std::optional<GpuSnapshot> gpu;
  std::vector<PlannedQuery> plans;
};

/// Microseconds a query: of the whole, and of the host's submit() alone.
struct Times {
  double all = 0;
  double submit = 0;
};

/// The time of some batches, of which so many are under way.
Times time_batches(GpuEngine& engine, const std::vector<PlannedQuery>& plans,
                   const SearchSettings& settings, std::size_t in_flight) {
  constexpr int kBatches = 20;
  const double to_micros = 1e3 / static_cast<double>(kBatches * plans.size());
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
  return {milliseconds_since(start) * to_micros, submitting * to_micros};
}

/// The median of some turns for each index. The indexes take turns, so that ratios do not depend on
/// when each was timed.
std::vector<Times> time_in_turns(std::deque<GpuEngine>& engines,
                                 const std::deque<Searched>& indexes,
                                 const SearchSettings& settings, std::size_t in_flight) {
  constexpr int kTurns = 9;
  std::vector<std::vector<Times>> turns(indexes.size());
  for (int turn = 0; turn <= kTurns; ++turn) {
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      const Times times = time_batches(engines[i], indexes[i].plans, settings, in_flight);
      if (turn > 0) turns[i].push_back(times);
    }
  }
  std::vector<Times> medians;
  for (std::vector<Times>& of_index : turns) {
    const auto median = of_index.begin() + kTurns / 2;
    std::ranges::nth_element(of_index, median, {}, &Times::all);
    medians.push_back(*median);
  }
  return medians;
}

/// A line of the table for each index, with so many batches under way.
void print_times(const std::deque<Searched>& indexes, std::size_t in_flight) {
  std::deque<GpuEngine> engines;
  for (const Searched& index : indexes) {
    engines.emplace_back(*index.gpu, GpuEngineSettings{.max_batches = in_flight});
  }
  std::vector<std::vector<Times>> by_way;
  std::printf("us a query in batches of %zu, %zu under way", kQueries, in_flight);
  for (const Way& way : ways()) {
    by_way.push_back(time_in_turns(engines, indexes, way.settings, in_flight));
    std::printf(" %8s", way.name);
  }
  std::printf("\n");
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    std::printf("%-44s", indexes[i].name.c_str());
    for (const auto& times : by_way) std::printf(" %8.3f", times[i].all);
    std::printf("   of which submit");
    for (const auto& times : by_way) std::printf(" %.3f", times[i].submit);
    std::printf("\n");
  }
}

/// Where the time of a batch goes, microseconds a query: `build` is the host's, the rest the GPU's.
/// Stages are timed one after the other, so together they take longer than a batch. Then what OR
/// does for a query, and the phases of the warps that accumulate tiles.
void print_stages(const Searched& index, const Way& way) {
  GpuEngine engine(*index.gpu, {.ablation = {.time_stages = true}});
  for (int i = 0; i < 2; ++i) engine.run(index.plans, way.settings);  // both images get memory
  GpuStatistics before = engine.statistics();
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i) engine.run(index.plans, way.settings);
  GpuStatistics spent = engine.statistics();
  subtract(before, spent);
  const double share = 1 / static_cast<double>(kRuns * index.plans.size());
  std::printf("%s, %s:", index.name.c_str(), way.name);
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    const std::string_view stage = gpu_stage_name(static_cast<GpuStage>(i));
    const double each = spent.stages[i] * 1e6 * share;
    if (each > 0) std::printf(" %.*s %.3f", static_cast<int>(stage.size()), stage.data(), each);
  }
  const auto print = [&](const char* name, std::uint64_t count) {
    if (count > 0) std::printf(" %s %.1f", name, static_cast<double>(count) * share);
  };
  std::printf(";");
  print("blocks", spent.or_blocks);
  print("lookups", spent.lookups);
  print("exact scores", spent.exact_scores);
  print("tiles", spent.tiles);
  for (std::size_t i = 0; i < kGpuPhases && spent.tiles > 0; ++i) {
    const std::string_view phase = gpu_phase_name(static_cast<GpuPhase>(i));
    const double cycles =
        static_cast<double>(spent.tile_phases[i]) / static_cast<double>(spent.tiles);
    std::printf(" %.*s %.0f", static_cast<int>(phase.size()), phase.data(), cycles);
  }
  std::printf("\n");
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

/// Makes `changed`, from which every fifth document is removed, and `merged`, the same without the
/// removed documents. Returns the documents of `one`.
std::size_t remove_a_fifth(const fs::path& one, const fs::path& changed, const fs::path& merged) {
  const auto copy = [](const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  };
  const std::size_t documents = Index::open(one).counts().documents;
  copy(one, changed);
  {
    LivingIndex writer(changed);
    for (std::size_t i = 0; i < documents; i += 5) writer.remove("d" + std::to_string(i));
    writer.commit();
  }
  copy(changed, merged);
  LivingIndex writer(merged);
  writer.merge({.all = true});
  writer.commit();
  return documents;
}

/// `place` has both indexes.
void run(const fs::path& place, const std::vector<Query>& queries, Words& words) {
  const std::size_t documents = remove_a_fifth(place / "one", place / "changed", place / "merged");
  {
    Resources resources;
    std::deque<Searched> indexes;
    indexes.emplace_back("one segment", place / "one", queries, resources);
    indexes.emplace_back("20 % deleted", place / "changed", queries, resources);
    indexes.emplace_back("20 % deleted, merged", place / "merged", queries, resources);
    indexes.emplace_back("ten segments", place / "ten", queries, resources);
    for (const std::size_t in_flight : {1, 3}) print_times(indexes, in_flight);
    for (const Searched& index : indexes) {
      for (const Way& way : ways()) print_stages(index, way);
    }
  }
  print_commits(place / "changed", words, queries[0], documents);
  print_commits(place / "changed", words, queries[0], 0);  // in the place of others
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
