// What the front door costs beside the engines below it, how long a searcher takes to see a commit,
// and what a journal costs.
//
// usage: warpdex_bench_api INDEX QUERIES.tsv DEVICE     one query, and batches of 64, in turn
//        warpdex_bench_api --refresh FOLDER DOCUMENTS DEVICE
//                                                       makes an index there, adds 1,000 documents
//                                                       ten times and refreshes
//        warpdex_bench_api --journal FOLDER DOCUMENTS.jsonl
//                                                       adds the documents without and with a
//                                                       journal that is synced every 1,000, in turn
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 64;
constexpr int kRounds = 15;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Answers as a program would that stands on an engine: plans, runs, copies.
class BareEngine {
 public:
  BareEngine(const Snapshot& snapshot, Device device) : snapshot_(snapshot) {
    if (device == Device::kCpu) {
      one_.emplace(snapshot);
      engine_ = std::make_unique<CpuEngine>(snapshot);
      return;
    }
    resources_.emplace();
    uploaded_.emplace(snapshot, *resources_);
    engine_ = std::make_unique<GpuEngine>(*uploaded_);
  }

  std::size_t search(std::span<const Query> queries, const SearchSettings& settings) {
    std::vector<PlannedQuery> plans;
    for (const Query& query : queries) plans.push_back(plan_query(snapshot_, query));
    if (one_ && plans.size() == 1) return one_->run(plans[0], settings).hits.size();
    const BatchAnswers answers = engine_->run(plans, settings);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) hits += answers.result(i).hits.size();
    return hits;
  }

 private:
  Snapshot snapshot_;
  std::optional<CpuSearcher> one_;
  std::optional<Resources> resources_;
  std::optional<GpuSnapshot> uploaded_;
  std::unique_ptr<Engine> engine_;
};

/// Microseconds a query of one pass over all queries.
template <class Search>
double pass(std::span<const Query> queries, std::size_t batch, const Search& search) {
  const Clock::time_point start = Clock::now();
  std::size_t hits = 0;
  std::size_t done = 0;
  for (; done + batch <= queries.size(); done += batch)
    hits += search(queries.subspan(done, batch));
  if (hits == 0) std::cerr << "nothing was found\n";
  return microseconds_since(start) / static_cast<double>(done);
}

void compare(const std::string& folder, const std::string& file, Device device) {
  const Searcher searcher(folder, {.device = device});
  const Snapshot snapshot = searcher.snapshot();
  BareEngine bare(snapshot, device);
  std::vector<Query> queries;
  QueryReader reader(file, QueryFormat::kTsv);
  for (QueryText text; reader.next(text);) {
    queries.push_back(searcher.parse(text.text, QuerySyntax::kPlain, text.id));
  }
  const SearchSettings settings;
  std::cout << "batch  engine us/query  searcher us/query  difference\n";
  for (const std::size_t batch : {std::size_t{1}, kBatch}) {
    const auto by_engine = [&](std::span<const Query> some) { return bare.search(some, settings); };
    const auto by_searcher = [&](std::span<const Query> some) {
      std::size_t hits = 0;
      for (const Answer& answer : searcher.search(some)) hits += answer.size();
      return hits;
    };
    std::vector<double> engine;
    std::vector<double> front;
    std::vector<double> differences;
    for (int round = 0; round < kRounds; ++round) {
      engine.push_back(pass(queries, batch, by_engine));
      front.push_back(pass(queries, batch, by_searcher));
      differences.push_back(front.back() - engine.back());
    }
    std::cout << batch << "  " << median(engine) << "  " << median(front) << "  "
              << median(differences) << "\n";
  }
}

void refresh(const std::string& folder, std::size_t documents, Device device) {
  constexpr std::size_t kAdded = 1000;
  std::size_t next = 0;
  Writer writer(folder, {.analyzer = "whitespace"});
  const auto add = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, ++next) {
      std::string text;
      for (std::size_t n = 0; n < 20; ++n) {
        text += "w" + std::to_string((next * 7919 + n * n * 104'729) % (100 + 997 * n)) + " ";
      }
      writer.add({.id = std::to_string(next), .text = text});
    }
    writer.commit();
  };
  add(documents);
  Searcher searcher(folder, {.device = device});
  std::vector<double> times;
  for (int round = 0; round < 10; ++round) {
    add(kAdded);
    const Clock::time_point start = Clock::now();
    searcher.refresh();
    times.push_back(microseconds_since(start) / 1000);
    if (searcher.search("w1").empty()) std::cerr << "nothing was found\n";
  }
  std::cout << "refresh, ms: median " << median(times) << ", largest "
            << *std::max_element(times.begin(), times.end()) << "\n";
}

std::vector<NewDocument> documents_of(const std::string& file) {
  const auto reader = open_documents({.inputs = {file}});
  std::vector<NewDocument> documents;
  for (RawRecord record; reader->next(record);) {
    Document document = reader->parse(record);
    documents.push_back({.id = std::move(document.id), .text = std::move(document.text)});
  }
  return documents;
}

/// Seconds to make an index of the documents there, and those of them in sync().
std::pair<double, double> add_all(const std::filesystem::path& folder,
                                  std::vector<NewDocument> documents, bool has_journal) {
  constexpr std::size_t kSynced = 1000;
  std::filesystem::remove_all(folder);
  Writer writer(folder, {}, {.memory = std::uint64_t{1} << 30, .journal = has_journal});
  const Clock::time_point start = Clock::now();
  double syncing = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    writer.add(std::move(documents[i]));
    if (!has_journal || (i + 1) % kSynced != 0) continue;
    const Clock::time_point before = Clock::now();
    writer.sync();
    syncing += microseconds_since(before) / 1e6;
  }
  writer.commit();
  return {microseconds_since(start) / 1e6, syncing};
}

void compare_journal(const std::string& folder, const std::string& file) {
  constexpr int kTurns = 7;
  const std::vector<NewDocument> documents = documents_of(file);
  std::vector<double> without;
  std::vector<double> with;
  std::vector<double> shares;
  std::vector<double> syncing;
  for (int turn = 0; turn < kTurns; ++turn) {
    without.push_back(add_all(std::filesystem::path(folder) / "bench", documents, false).first);
    const auto [seconds, synced] =
        add_all(std::filesystem::path(folder) / "bench", documents, true);
    with.push_back(seconds);
    syncing.push_back(synced);
    shares.push_back(without.back() / seconds);
  }
  const auto count = static_cast<double>(documents.size());
  std::cout << "documents/s: without " << count / median(without) << ", with a journal "
            << count / median(with) << " (" << median(shares)
            << " of it, median of turns); in sync() " << median(syncing) << " s of " << median(with)
            << "\n";
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) try {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.size() == 4 && words[0] == "--refresh") {
    warpdex::refresh(words[1], std::stoul(words[2]), warpdex::device_from_name(words[3]));
  } else if (words.size() == 3 && words[0] == "--journal") {
    warpdex::compare_journal(words[1], words[2]);
  } else if (words.size() == 3) {
    warpdex::compare(words[0], words[1], warpdex::device_from_name(words[2]));
  } else {
    throw warpdex::UsageError(
        "say what: INDEX QUERIES.tsv DEVICE, --refresh FOLDER DOCUMENTS DEVICE, or --journal "
        "FOLDER "
        "DOCUMENTS.jsonl");
  }
} catch (const std::exception& error) {
  std::cerr << "warpdex_bench_api: " << error.what() << "\n";
  return 1;
}
