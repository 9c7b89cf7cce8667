// What an index that lives costs on the CPU: fetching stored documents, committing 1,000 short
// ones, and queries over ten segments in the place of one.
//
// usage: warpdex_bench_living DOCS.jsonl QUERIES.tsv FOLDER
//
// Documents have the members `title` and `contents`. All is done on one thread. Times are its
// processor time, so that other work on the machine does not count; of commits, which wait for the
// disk, the host's time. Medians of several runs, of fetches also the 99th percentile.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/format/stored_fields.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/input/query_file.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 7;
constexpr std::uint32_t kFetches = 20'000;
constexpr int kSegments = 10;
constexpr int kShortDocuments = 1000;
constexpr std::size_t kShortBytes = 200;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double processor_seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}

std::vector<Document> read_documents(const std::string& file) {
  ReaderOptions options;
  options.inputs = {file};
  options.fields = {"title", "contents"};
  options.stored = options.fields;
  const auto reader = open_documents(options);
  std::vector<Document> documents;
  for (RawRecord record; reader->next(record);) documents.push_back(reader->parse(record));
  return documents;
}

BuildOptions build_options(const fs::path& output) {
  BuildOptions options;
  options.output = output;
  options.threads = 1;
  options.stored_fields = {"title", "contents"};
  return options;
}

void measure_fetches(const fs::path& index) {
  const Snapshot snapshot = Snapshot::open(index);
  StoredReader reader(snapshot);
  std::mt19937_64 random(1);
  std::vector<double> times;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < kFetches; ++i) {
    const auto document = static_cast<std::uint32_t>(random() % snapshot.docid_end());
    times.push_back(processor_seconds([&] {
      for (const auto& value : reader.read(document)) bytes += value ? value->size() : 0;
    }));
  }
  std::cout << "fetching a document at random: median " << 1e6 * percentile(times, 0.5)
            << " us, p99 " << 1e6 * percentile(times, 0.99) << " us, " << bytes / kFetches
            << " bytes on average\n";
}

void measure_commits(const fs::path& folder, const std::vector<Document>& documents) {
  build_index(*documents_from_memory(documents), build_options(folder));
  LivingIndex index(folder);
  AddOptions options;
  options.build.threads = 1;
  std::vector<double> adds;
  std::vector<double> commits;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Document> added;
    for (int i = 0; i < kShortDocuments; ++i) {
      Document document = documents[static_cast<std::size_t>(i)];
      document.id = "new" + std::to_string(run) + "-" + std::to_string(i);
      const std::size_t space = document.text.find(' ', kShortBytes);
      document.text = document.text.substr(0, space);
      document.stored = {std::nullopt, document.text};
      added.push_back(std::move(document));
    }
    adds.push_back(
        processor_seconds([&] { index.add(*documents_from_memory(std::move(added)), options); }));
    commits.push_back(seconds([&] { index.commit(); }));
  }
  std::cout << "1,000 documents of about 200 bytes: added in " << 1e3 * percentile(adds, 0.5)
            << " ms, committed in " << 1e3 * percentile(commits, 0.5) << " ms (medians)\n";
}

double time_of_queries(const fs::path& folder, const std::vector<Query>& queries, std::uint32_t k) {
  const Snapshot snapshot = Snapshot::open(folder);
  CpuSearcher searcher(snapshot);
  SearchSettings settings;
  settings.k = k;
  std::vector<double> times;
  for (int run = 0; run <= kRuns; ++run) {
    const double time = processor_seconds([&] {
      for (const Query& query : queries) searcher.search(query, settings);
    });
    if (run > 0) times.push_back(time);  // the first one fills the caches
  }
  return percentile(times, 0.5) / static_cast<double>(queries.size());
}

void measure_segments(const fs::path& one, const fs::path& ten,
                      const std::vector<Document>& documents, const std::string& file) {
  const auto part = [&](int i) {
    const std::size_t begin = documents.size() * static_cast<std::size_t>(i) / kSegments;
    const std::size_t end = documents.size() * static_cast<std::size_t>(i + 1) / kSegments;
    return std::vector<Document>(documents.begin() + static_cast<std::ptrdiff_t>(begin),
                                 documents.begin() + static_cast<std::ptrdiff_t>(end));
  };
  build_index(*documents_from_memory(part(0)), build_options(ten));
  LivingIndex index(ten);
  AddOptions options;
  options.build.threads = 1;
  for (int i = 1; i < kSegments; ++i) {
    index.add(*documents_from_memory(part(i)), options);
    index.commit();
  }
  const auto analyzer = make_analyzer("english");
  std::vector<Query> queries;
  for (const QueryText& text : read_queries(file, QueryFormat::kTsv)) {
    queries.push_back(parse_query(text, QuerySyntax::kPlain, *analyzer));
  }
  for (const std::uint32_t k : {10U, 1000U}) {
    const double of_one = time_of_queries(one, queries, k);
    const double of_ten = time_of_queries(ten, queries, k);
    std::cout << "a query of OR, k " << k << ": " << 1e6 * of_one << " us over one segment, "
              << 1e6 * of_ten << " us over ten (" << of_ten / of_one << " times)\n";
  }
}

void run(const std::string& documents_file, const std::string& queries, const fs::path& folder) {
  const std::vector<Document> documents = read_documents(documents_file);
  const double time = processor_seconds(
      [&] { build_index(*documents_from_memory(documents), build_options(folder / "one")); });
  std::cout << documents.size() << " documents, built in " << time << " s on one thread\n";
  measure_fetches(folder / "one");
  measure_commits(folder / "commits", documents);
  measure_segments(folder / "one", folder / "ten", documents, queries);
}

}  // namespace
}  // namespace warpdex

int main(int argc, char** argv) try {
  if (argc != 4) {
    throw warpdex::UsageError("give documents, queries and a folder for indexes");
  }
  warpdex::run(argv[1], argv[2], argv[3]);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
