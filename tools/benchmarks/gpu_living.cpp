// What changes cost a search on the GPU: ten segments and deleted documents against one segment,
// and the time from a commit of 1,000 documents until they are found. Makes its own documents, or
// takes those of an index.
//
// usage: warpdex_bench_gpu_living FOLDER [DOCUMENTS]
//        warpdex_bench_gpu_living FOLDER INDEX QUERIES.tsv
//
// Makes indexes in FOLDER, which is empty. INDEX is of one segment; its documents become bags of
// words. Of the queries, the first 1,000 are taken whose terms all occur.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

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

std::vector<PlannedQuery> plan_all(const Snapshot& snapshot, const std::vector<Query>& queries) {
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(snapshot, query));
  return plans;
}

/// Microseconds a query in batches, of which so many are under way, by the median of some turns.
double time_batches(GpuEngine& engine, const std::vector<PlannedQuery>& plans,
                    const SearchSettings& settings, std::size_t in_flight) {
  constexpr int kBatches = 8;  // of a turn
  constexpr int kTurns = 7;
  std::vector<double> times;
  for (int turn = 0; turn <= kTurns; ++turn) {
    const Clock::time_point start = Clock::now();
    std::deque<Ticket> tickets;
    for (int i = 0; i < kBatches; ++i) {
      if (tickets.size() == in_flight) {
        engine.wait(tickets.front());
        tickets.pop_front();
      }
      tickets.push_back(engine.submit(plans, {&settings, 1}));
    }
    for (const Ticket ticket : tickets) engine.wait(ticket);
    if (turn > 0) times.push_back(milliseconds_since(start));
  }
  std::nth_element(times.begin(), times.begin() + kTurns / 2, times.end());
  return times[kTurns / 2] * 1e3 / static_cast<double>(kBatches * plans.size());
}

/// Where the time of a batch of OR goes, microseconds a query: `build` is the host's, the rest the
/// GPU's. Stages are timed one after the other, so together they take longer than a batch.
void print_stages(const GpuSnapshot& gpu, const std::vector<PlannedQuery>& plans) {
  GpuEngine engine(gpu, {.ablation = {.time_stages = true}});
  for (int i = 0; i < 2; ++i) engine.run(plans, SearchSettings{});  // both images get memory
  GpuStatistics before = engine.statistics();
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i) engine.run(plans, SearchSettings{});
  GpuStatistics spent = engine.statistics();
  subtract(before, spent);
  std::printf("  stages of or:");
  for (std::size_t i = 0; i < kGpuStages; ++i) {
    const double each = spent.stages[i] * 1e6 / static_cast<double>(kRuns * plans.size());
    if (each > 0) {
      const std::string_view name = gpu_stage_name(static_cast<GpuStage>(i));
      std::printf(" %.*s %.3f", static_cast<int>(name.size()), name.data(), each);
    }
  }
  std::printf("\n");
}

/// One batch at a time, then three under way.
void print_times(const std::string& name, const fs::path& folder,
                 const std::vector<Query>& queries) {
  Resources resources;
  const GpuSnapshot gpu(Snapshot::open(folder), resources);
  const std::vector<PlannedQuery> plans = plan_all(gpu.snapshot(), queries);
  std::vector<SearchSettings> all(5);
  all[1].mode = QueryMode::kAnd;
  all[2].mode = QueryMode::kAndOr;
  all[3].k = 1'000;
  all[4].count = true;
  for (const std::size_t in_flight : {1, 3}) {
    GpuEngine engine(gpu, {.max_batches = in_flight});
    std::printf("%-26s %zu", name.c_str(), in_flight);
    for (const SearchSettings& settings : all) {
      std::printf(" %8.2f", time_batches(engine, plans, settings, in_flight));
    }
    std::printf("\n");
  }
  print_stages(gpu, plans);
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

/// The documents of an index as bags of words.
std::vector<Document> documents_of(const Index& index) {
  std::vector<Document> documents(index.counts().documents);
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      std::string& text = documents[postings.docids[i]].text;
      for (std::uint32_t n = 0; n < postings.frequencies[i]; ++n) (text += term) += ' ';
    }
  });
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = "d" + std::to_string(i);
  return documents;
}

/// The first queries of a file whose terms all occur.
std::vector<Query> queries_of(const Index& index, const fs::path& file) {
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(index.settings().analyzer);
  std::vector<Query> queries;
  for (const QueryText& text : read_queries(file, QueryFormat::kTsv)) {
    Query query = parse_query(text, QuerySyntax::kPlain, *analyzer);
    const bool occur = std::ranges::all_of(
        query.terms, [&](const QueryTerm& term) { return index.find(term.term).has_value(); });
    if (occur && !query.terms.empty()) queries.push_back(std::move(query));
    if (queries.size() == kQueries) break;
  }
  return queries;
}

void build_both(const fs::path& place, std::vector<Document> all) {
  const std::size_t part = all.size() / kSegments;
  build(place / "ten", {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(part)});
  for (std::size_t i = 1; i < kSegments; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * part);
    add(place / "ten", {begin, begin + static_cast<std::ptrdiff_t>(part)});
  }
  all.resize(kSegments * part);
  build(place / "one", std::move(all));
}

void run(const fs::path& place, std::vector<Document> all, const std::vector<Query>& queries,
         Words& words) {
  const std::size_t documents = all.size();
  build_both(place, std::move(all));
  std::printf("us a query in batches of %zu, so many under way %8s %8s %8s %8s %8s\n", kQueries,
              "or", "and", "and-or", "k 1000", "count");
  print_times("one segment", place / "one", queries);
  print_times("ten segments", place / "ten", queries);
  {
    LivingIndex writer(place / "one");
    for (std::size_t i = 0; i < documents / kSegments * kSegments; i += 5) {
      writer.remove("d" + std::to_string(i));
    }
    writer.commit();
  }
  print_times("one segment, 20 % deleted", place / "one", queries);
  print_commits(place / "one", words, queries[0], documents);
}

void run(const fs::path& place, std::size_t documents) {
  Words words;
  std::vector<Query> queries(kQueries);
  for (Query& query : queries) {
    for (int i = 0; i < 3; ++i) query.terms.push_back({words.of_query()});
  }
  run(place, words.documents(documents, 0), queries, words);
}

void run(const fs::path& place, const fs::path& source, const fs::path& file) {
  Words words;
  const Index index = Index::open(source);
  const std::vector<Query> queries = queries_of(index, file);
  run(place, documents_of(index), queries, words);
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
