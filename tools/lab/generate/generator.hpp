// Generated collections: an index and a query log like those of a web search engine, written
// straight as posting lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex::generate {

/// Fewer documents could not hold all terms of the queries.
inline constexpr std::uint32_t kMinDocuments = 1000;

/// What a generated collection is like.
enum class CollectionKind {
  kGov2,     ///< a web crawl sorted by URL, with short queries
  kMsmarco,  ///< passages of 56 words, with questions
  kSplade,   ///< these passages as sparse vectors of learned weights, with queries likewise
};

/// What to generate.
struct GeneratorSettings {
  CollectionKind kind = CollectionKind::kGov2;
  std::uint64_t seed = 1;
  /// Of the queries alone, so that several collections have the same ones; none: `seed`.
  std::optional<std::uint64_t> query_seed{};
  std::uint32_t documents = 0;  ///< kMinDocuments or more
  std::uint32_t queries = 0;
  double postings_per_document = 0;  ///< the postings of a query's lists over all documents, mean
  bool positions = false;            ///< lists have positions (list_positions.hpp); not of kSplade
  /// Documents have a keyword `site`, of their host, and a number `percent` from 0 to 99.
  bool columns = false;
  /// Documents have a second text field, "title", with twice the weight; not beside positions, nor
  /// of kSplade.
  bool titles = false;
};

/// GOV2's 25.2 million documents, and 1,000 queries with 3.74 million postings each on average.
GeneratorSettings gov2_settings();

/// MS MARCO's 8,841,823 passages, and 6,980 queries with 1.2 million postings each on average.
GeneratorSettings msmarco_settings();

/// The same passages with 120 weighted terms each, and 6,980 queries of 20 to 40 weighted terms
/// with 12.4 million postings each on average.
GeneratorSettings splade_settings();

/// A query of a generated log: terms divided by spaces, for the whitespace analyzer; of kSplade a
/// sparse vector, {"term":weight,...}.
struct GeneratedQuery {
  std::string id;
  std::string text;
};

struct GeneratorProgress {
  std::string_view stage;  ///< "documents" or "lists"
  std::uint64_t done = 0;  ///< documents, or postings
  std::uint64_t total = 0;
};

struct GeneratorReport {
  std::uint64_t documents = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t hosts = 0;
  std::uint64_t query_postings = 0;  ///< of the distinct terms of each query, over all queries
  std::uint64_t unknown_terms = 0;   ///< terms of queries that the index lacks, on purpose
  /// A sentence for each thing beside the index that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Whether an index with these settings was written by generate_collection().
bool is_generated(const IndexSettings& settings);

/// Writes the index at `output`, which holds the lists that the queries use (of kSplade all lists),
/// and returns the queries. The same bytes for any number of threads (0: all), on every machine. A
/// list in the making takes about 40 bytes a posting, and each thread makes one. `on_progress`, if
/// there is one, is called a few times a second by one thread at a time; what it throws ends the
/// work and is thrown on. `impacts`: of BM25, not for kSplade, whose lists hold weights. Throws
/// UsageError and IoError; the target is then as it was.
std::vector<GeneratedQuery> generate_collection(
    const GeneratorSettings& settings, const CodecSettings& codec, bool impacts,
    const std::filesystem::path& output, std::size_t threads,
    const std::function<void(const GeneratorProgress&)>& on_progress, GeneratorReport& report);

}  // namespace warpdex::generate
