// Hybrid search on the GPU beside the CPU's 16 cores: batches of each fusion, and filters of known
// selectivity. Makes its own documents, or takes an index.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatch = 1'000;
constexpr std::size_t kDimension = 128;
constexpr double kVocabulary = 200'000;
constexpr std::pair<const char*, double> kShares[]{
    {"share0.1", 0.001}, {"share1", 0.01}, {"share10", 0.1}, {"share50", 0.5}, {"share100", 1}};

/// Queries with words and vectors.
struct Log {
  std::vector<Query> queries;
  std::vector<float> vectors;
  std::size_t dimension = 0;

  /// The first `count`, over and over.
  Log batch(std::size_t count) const {
    Log some{{}, {}, dimension};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = i % queries.size();
      some.queries.push_back(queries[from]);
      const auto vector = vectors.begin() + static_cast<std::ptrdiff_t>(from * dimension);
      some.vectors.insert(some.vectors.end(), vector,
                          vector + static_cast<std::ptrdiff_t>(dimension));
    }
    return some;
  }
  Log with_words(const std::string& word) const {
    Log changed = *this;
    for (Query& query : changed.queries) query.terms = {{word}};
    return changed;
  }
};

std::vector<float> draw_vector(std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(kDimension);
  for (float& component : vector) component = normal(random);
  return vector;
}

std::string draw_word(std::mt19937_64& random, double from, double to) {
  const double share = static_cast<double>(random() % 1'000'000) / 1e6;
  return "w" + std::to_string(static_cast<int>(std::pow(kVocabulary, from + (to - from) * share)));
}

/// Short documents, of which some hold the words of kShares.
void generate(const fs::path& folder, std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Document> documents(count);
  for (std::size_t i = 0; i < count; ++i) {
    documents[i].id = "d" + std::to_string(i);
    for (std::size_t words = 10 + random() % 40; words > 0; --words) {
      documents[i].text += draw_word(random, 0, 1) + " ";
    }
    for (const auto& [word, share] : kShares) {
      if (static_cast<double>(random() % 1'000'000) < share * 1e6) {
        documents[i].text += std::string(word) + " ";
      }
    }
    documents[i].embedding = draw_vector(random);
  }
  BuildOptions options;
  options.output = folder;
  options.analyzer = "whitespace";
  options.vectors =
      vector::RowSettings{vector::Metric::kInnerProduct, vector::Store::kHalf, kDimension};
  build_index(*documents_from_memory(std::move(documents)), options);
}

Log generate_log() {
  std::mt19937_64 random(2);
  Log log{{}, {}, kDimension};
  for (std::size_t i = 0; i < kBatch; ++i) {
    Query& query = log.queries.emplace_back();
    for (int words = 0; words < 3; ++words) query.terms.push_back({draw_word(random, 0.3, 0.75)});
    const std::vector<float> vector = draw_vector(random);
    log.vectors.insert(log.vectors.end(), vector.begin(), vector.end());
  }
  return log;
}

/// Queries of a TSV file with the vectors of another.
Log read_log(const Snapshot& snapshot, const std::string& queries, const std::string& vectors) {
  const auto analyzer = make_analyzer(snapshot.settings().analyzer);
  Log log{{}, {}, snapshot.settings().vectors->dimension};
  std::ifstream lines(queries);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    log.queries.push_back(
        parse_query(line.substr(0, tab), line.substr(tab + 1), QuerySyntax::kPlain, *analyzer));
  }
  const auto file = vector::open_vectors(vectors, vector::Role::kQueries);
  log.vectors.resize(file->rows() * log.dimension);
  for (std::size_t rows = 0; rows < file->rows();) {
    rows += file->read(file->rows() - rows, log.vectors.data() + rows * log.dimension);
  }
  log.vectors.resize(log.queries.size() * log.dimension);
  return log;
}

/// About that share of the live documents.
DocumentFilter draw_filter(const Snapshot& snapshot, double share) {
  std::mt19937_64 random(3);
  vector::RowFilter documents(snapshot.docid_end());
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    for (std::uint32_t i = 0; i < segment.index->counts().documents; ++i) {
      const bool passes = static_cast<double>(random() % 1'000'000) < share * 1e6;
      if (!passes || segment.index->removed().contains(i)) continue;
      documents.add(segment.first_document + i);
    }
  }
  return filter_of(snapshot, documents);
}

/// Microseconds a query, by the median of some runs of search(log).
template <class Search>
double time_search(const Log& log, int runs, const Search& search) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const Clock::time_point start = Clock::now();
    search(log);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] / static_cast<double>(log.queries.size());
}

/// Searches by words alone, planned each time.
std::vector<SearchResult> search_words(Engine& engine, const Snapshot& snapshot,
                                       const std::vector<Query>& queries,
                                       const SearchSettings& settings) {
  std::vector<PlannedQuery> plans(queries.size());
  parallel_for(0, queries.size(), [&](std::size_t /*thread*/, std::size_t i) {
    plans[i] = plan_query(snapshot, queries[i]);
  });
  const BatchAnswers answers = engine.run(plans, settings);
  std::vector<SearchResult> results;
  for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
  return results;
}

class Comparison {
 public:
  Comparison(const Snapshot& snapshot, const GpuVectors& vectors)
      : snapshot_(snapshot),
        cpu_(snapshot),
        gpu_(vectors),
        cpu_text_(snapshot),
        gpu_text_(vectors.snapshot()) {}

  void print(const std::string& name, const Log& log, const SearchSettings& settings,
             const FusionSettings& fusion) {
    const auto with = [&](HybridSearcher& searcher) {
      return [&](const Log& some) {
        return searcher.search(some.queries, some.vectors, settings, fusion);
      };
    };
    print(name, log, with(gpu_), with(cpu_));
  }
  /// `filter` may be null.
  void print_vectors(const std::string& name, const Log& log, std::uint32_t k,
                     const DocumentFilter* filter) {
    const auto with = [=](HybridSearcher& searcher) {
      return
          [=, &searcher](const Log& some) { return searcher.nearest(some.vectors, k, {}, filter); };
    };
    print(name + ", k " + std::to_string(k), log, with(gpu_), with(cpu_));
  }
  void print_words(const Log& log, std::uint32_t k) {
    SearchSettings settings;
    settings.k = k;
    const auto with = [&](Engine& engine) {
      return
          [&](const Log& some) { return search_words(engine, snapshot_, some.queries, settings); };
    };
    print("words alone, k " + std::to_string(k), log, with(gpu_text_), with(cpu_text_));
  }

 private:
  static constexpr std::size_t kCpuBatch = 256;

  template <class OnGpu, class OnCpu>
  static void print(const std::string& name, const Log& log, const OnGpu& on_gpu,
                    const OnCpu& on_cpu) {
    const Log some = log.batch(kCpuBatch);
    const double batch = time_search(log.batch(kBatch), 9, on_gpu);
    const double few = time_search(log.batch(10), 9, on_gpu);
    const double one = time_search(log.batch(1), 9, on_gpu);
    const double cpu = time_search(some, 3, on_cpu);
    const std::vector<SearchResult> found = on_gpu(some);
    const std::vector<SearchResult> wanted = on_cpu(some);
    std::size_t other = 0;
    double matches = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      other += wanted[i].hits == found[i].hits ? 0 : 1;
      matches += static_cast<double>(wanted[i].matches) / static_cast<double>(wanted.size());
    }
    std::printf("%-26s %10.2f %10.2f %10.1f %10.2f %12.0f %6zu\n", name.c_str(), batch, few, one,
                cpu, matches, other);
    std::fflush(stdout);
  }

  Snapshot snapshot_;
  HybridSearcher cpu_;
  HybridSearcher gpu_;
  CpuEngine cpu_text_;
  GpuEngine gpu_text_;
};

void run(const Snapshot& snapshot, const Log& log, bool has_shares) {
  Resources resources;
  const GpuVectors vectors{GpuSnapshot(snapshot, resources)};
  Comparison comparison(snapshot, vectors);
  std::printf("us a query, in batches of %zu %12s %10s %10s %12s %6s\n", kBatch, "10", "1",
              "CPU, 256", "matches", "other");
  comparison.print_words(log, FusionSettings{}.depth);
  comparison.print_vectors("vectors alone", log, FusionSettings{}.depth, nullptr);
  for (const std::uint32_t k : {10U, 1000U}) {
    SearchSettings settings;
    settings.k = k;
    const std::string suffix = ", k " + std::to_string(k);
    comparison.print("rrf" + suffix, log, settings, {.fusion = Fusion::kReciprocalRank});
    comparison.print("convex" + suffix, log, settings, {.fusion = Fusion::kConvex});
    comparison.print("rerank" + suffix, log, settings, {.fusion = Fusion::kRerank});
    comparison.print("neighbors" + suffix, log, settings, {.fusion = Fusion::kNeighbors});
    comparison.print("filter, or" + suffix, log, settings, {.fusion = Fusion::kFilter});
    settings.mode = QueryMode::kAnd;
    comparison.print("filter, and" + suffix, log, settings, {.fusion = Fusion::kFilter});
    for (const auto& [word, share] : kShares) {
      const DocumentFilter filter = draw_filter(snapshot, share);
      comparison.print_vectors("vectors of " + std::string(word), log, k, &filter);
    }
    for (const auto& [word, share] : kShares) {
      if (!has_shares) break;
      comparison.print("filter, " + std::string(word) + suffix, log.with_words(word), settings,
                       {.fusion = Fusion::kFilter});
    }
  }
}

}  // namespace
}  // namespace warpdex

int main(int count, char** values) {
  if (count != 3 && count != 4) {
    std::cerr << "warpdex_bench_hybrid FOLDER DOCUMENTS: makes an index in FOLDER\n"
                 "warpdex_bench_hybrid INDEX QUERIES.tsv VECTORS: takes one with vectors\n";
    return 2;
  }
  try {
    if (count == 3) {
      warpdex::generate(values[1], std::stoul(values[2]));
      warpdex::run(warpdex::Snapshot::open(values[1]), warpdex::generate_log(), true);
    } else {
      const warpdex::Snapshot snapshot = warpdex::Snapshot::open(values[1]);
      warpdex::run(snapshot, warpdex::read_log(snapshot, values[2], values[3]), false);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "warpdex_bench_hybrid: " << error.what() << "\n";
    return 1;
  }
}
