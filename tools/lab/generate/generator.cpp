// Documents first, then one list after another in the order of ranks, which is that of names, and
// longest first; made side by side.
#include "generate/generator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <optional>

#include "generate/collection_model.hpp"
#include "generate/counter_random.hpp"
#include "generate/layout.hpp"
#include "generate/list_model.hpp"
#include "generate/list_positions.hpp"
#include "generate/portable_math.hpp"
#include "generate/query_log.hpp"
#include "generate/titles.hpp"
#include "generate/vocabulary.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/indexer/build/ordered_pipeline.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::generate {
namespace {

constexpr const char* kAnalyzer = "whitespace";
constexpr const char* kFields = "generated";  // no collection of text has such a field

/// A number, or a name like those of GOV2, which tell bundle, file and place: GX012-34-0567890.
std::string_view document_name(std::uint32_t document, bool is_number,
                               std::array<char, 32>& buffer) {
  if (is_number) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), document).ptr;
    return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
  }
  constexpr std::uint32_t kFiles = 100;
  constexpr std::uint32_t kDocuments = 1000;
  constexpr std::uint32_t kBytes = 9973;  // of a document in its file
  const int size = std::snprintf(buffer.data(), buffer.size(), "GX%03u-%02u-%07u",
                                 document / (kFiles * kDocuments), document / kDocuments % kFiles,
                                 document % kDocuments * kBytes + document % kBytes);
  return {buffer.data(), static_cast<std::size_t>(size)};
}

std::uint64_t seed_of_queries(const GeneratorSettings& settings) {
  return settings.query_seed.value_or(settings.seed);
}

/// One list on its way to the index.
struct Item {
  std::uint32_t rank = 0;
  GeneratedList list;
  std::vector<std::uint32_t> steps;  ///< where there are positions
  std::optional<EncodedPostings> encoded;
};

class Generator {
 public:
  Generator(const GeneratorSettings& settings, const IndexSettings& index_settings,
            IndexWriter& writer, std::size_t threads,
            const std::function<void(const GeneratorProgress&)>& on_progress,
            GeneratorReport& report)
      : settings_(settings),
        index_settings_(index_settings),
        writer_(writer),
        threads_(threads == 0 ? default_threads() : threads),
        on_progress_(on_progress),
        report_(report),
        collection_(model_of(settings.kind)),
        vocabulary_(settings.documents, collection_.vocabulary),
        layout_(settings.seed, settings.documents, threads_, collection_.layout),
        model_(settings.seed, layout_, vocabulary_, collection_),
        titles_(settings.seed) {}

  std::vector<RankQuery> run() {
    add_documents();
    std::vector<RankQuery> queries = draw_queries(
        seed_of_queries(settings_), collection_.queries, vocabulary_, settings_.documents,
        settings_.queries, settings_.postings_per_document * settings_.documents);
    if (settings_.positions) positions_.emplace(settings_.seed, queries, layout_.lengths());
    const std::vector<std::uint32_t> ranks = ranks_of_lists(queries);
    encoder_.emplace(index_settings_, writer_.all_lengths());
    add_lists(ranks, false);
    if (settings_.titles) add_lists(ranks, true);
    count_query_postings(queries);
    return queries;
  }

 private:
  void add_documents() {
    std::array<char, 32> buffer{};
    auto section = layout_.sections().begin();
    for (std::uint32_t document = 0; document < settings_.documents; ++document) {
      constexpr std::uint32_t kReport = 1 << 16;
      if (document % kReport == 0) tell("documents", document, settings_.documents);
      const std::array lengths{layout_.lengths()[document], titles_.length(document)};
      writer_.add_document(document_name(document, collection_.names_are_numbers, buffer),
                           std::span(lengths).first(settings_.titles ? 2 : 1));
      if (!settings_.columns) continue;
      if (document == section->begin + section->size) ++section;
      writer_.add_values(values_of(*section, document));
    }
    report_.documents = settings_.documents;
    report_.hosts = layout_.hosts();
  }

  /// In the order of the schema.
  FieldValues values_of(const Section& section, std::uint32_t document) const {
    const std::uint64_t key = stream_key(settings_.seed, Purpose::kColumn);
    const std::int64_t percent = below(number_at(key, document), 100);
    return {{FieldValue("site" + std::to_string(section.host))}, {FieldValue(percent)}};
  }

  std::vector<std::uint32_t> ranks_of_lists(const std::vector<RankQuery>& queries) const {
    std::vector<std::uint32_t> ranks;
    if (collection_.has_all_lists) {
      ranks.resize(vocabulary_.terms());
      std::iota(ranks.begin(), ranks.end(), 0U);
      return ranks;
    }
    for (const RankQuery& query : queries) ranks.insert(ranks.end(), query.begin(), query.end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    while (!ranks.empty() && ranks.back() >= vocabulary_.terms()) ranks.pop_back();
    return ranks;
  }

  void add_lists(const std::vector<std::uint32_t>& ranks, bool are_titles) {
    std::uint64_t total = 0;
    for (const std::uint32_t rank : ranks) total += vocabulary_.document_frequency(rank);
    std::size_t next = 0;
    build::OrderedPipeline<Item>(threads_).run(
        [&](Item& item) {
          if (next == ranks.size()) return false;
          item.rank = ranks[next++];
          return true;
        },
        [&](std::size_t, Item& item) {
          model_.generate(item.rank, item.list);
          if (are_titles) titles_.keep(item.rank, item.list);
          if (item.list.docids.empty()) return;
          if (positions_) positions_->draw(item.rank, item.list, item.steps);
          item.encoded = encoder_->encode(item.list.docids, item.list.frequencies, item.steps,
                                          are_titles ? 1 : 0);
        },
        [&](Item& item) {
          if (!item.encoded) return;
          writer_.add_list(field_mark(are_titles ? 1 : 0) + term_name(item.rank), *item.encoded);
          if (!are_titles) frequency_of_.emplace_back(item.rank, item.list.docids.size());
          report_.terms += 1;
          report_.postings += item.list.docids.size();
          tell("lists", report_.postings, std::max(total, report_.postings));
        },
        [](std::size_t, Item& item) { item.encoded.reset(); });
  }

  void count_query_postings(const std::vector<RankQuery>& queries) {
    for (const RankQuery& query : queries) {
      for (const std::uint32_t rank : query) {
        const auto found = std::lower_bound(
            frequency_of_.begin(), frequency_of_.end(), rank,
            [](const auto& one, std::uint32_t wanted) { return one.first < wanted; });
        const bool known = found != frequency_of_.end() && found->first == rank;
        report_.query_postings += known ? found->second : 0;
        report_.unknown_terms += known ? 0 : 1;
      }
    }
  }

  void tell(std::string_view stage, std::uint64_t done, std::uint64_t total) {
    if (!on_progress_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    on_progress_({stage, done, total});
  }

  const GeneratorSettings& settings_;
  const IndexSettings& index_settings_;
  IndexWriter& writer_;
  std::size_t threads_;
  const std::function<void(const GeneratorProgress&)>& on_progress_;
  GeneratorReport& report_;
  const CollectionModel& collection_;
  Vocabulary vocabulary_;
  Layout layout_;
  ListModel model_;
  Titles titles_;
  std::optional<ListPositions> positions_;
  std::optional<ListEncoder> encoder_;  ///< once all documents are known
  std::vector<std::pair<std::uint32_t, std::uint64_t>> frequency_of_;  ///< by rank
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

std::vector<GeneratedQuery> as_text(const std::vector<RankQuery>& queries) {
  std::vector<GeneratedQuery> result;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    GeneratedQuery query{std::to_string(i + 1), {}};
    for (const std::uint32_t rank : queries[i]) {
      query.text += (query.text.empty() ? "" : " ") + term_name(rank);
    }
    result.push_back(std::move(query));
  }
  return result;
}

/// A weight with two decimals from 0.02 to 3.50, log-normal: most are below 0.5, few above 2.
std::string weight_text(std::uint64_t number) {
  const double z = normal_table()[number >> (64 - kNormalBits)] / double{kNormalUnit};
  constexpr double kMedian = 35;
  constexpr double kSpread = 1.8;  // in octaves
  const auto hundredths =
      static_cast<int>(std::clamp(kMedian * power_of_two(kSpread * z), 2.0, 350.0));
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%d.%02d", hundredths / 100, hundredths % 100);
  return text.data();
}

std::vector<GeneratedQuery> as_vectors(std::uint64_t seed, const std::vector<RankQuery>& queries) {
  std::vector<GeneratedQuery> result;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::uint64_t key = stream_key(seed, Purpose::kQueryWeight, i);
    GeneratedQuery query{std::to_string(i + 1), "{"};
    for (const std::uint32_t rank : queries[i]) {
      query.text += (query.text.size() == 1 ? "\"" : ",\"") + term_name(rank) +
                    "\":" + weight_text(number_at(key, rank));
    }
    query.text += '}';
    result.push_back(std::move(query));
  }
  return result;
}

}  // namespace

GeneratorSettings gov2_settings() {
  return {.kind = CollectionKind::kGov2,
          .seed = 1,
          .documents = 25'200'000,
          .queries = 1000,
          .postings_per_document = 3.74 / 25.2};
}

GeneratorSettings msmarco_settings() {
  return {.kind = CollectionKind::kMsmarco,
          .seed = 1,
          .documents = 8'841'823,
          .queries = 6980,
          .postings_per_document = 1.2 / 8.841823};
}

GeneratorSettings splade_settings() {
  return {.kind = CollectionKind::kSplade,
          .seed = 1,
          .documents = 8'841'823,
          .queries = 6980,
          .postings_per_document = 12.4 / 8.841823};
}

bool is_generated(const IndexSettings& settings) {
  return settings.analyzer == kAnalyzer && settings.fields == kFields;
}

std::vector<GeneratedQuery> generate_collection(
    const GeneratorSettings& settings, const CodecSettings& codec, bool impacts,
    const std::filesystem::path& output, std::size_t threads,
    const std::function<void(const GeneratorProgress&)>& on_progress, GeneratorReport& report) {
  if (settings.documents < kMinDocuments || settings.documents > kMaxDocuments) {
    throw UsageError("a generated collection has " + std::to_string(kMinDocuments) + " to " +
                     std::to_string(kMaxDocuments) + " documents; choose a number of these");
  }
  IndexSettings index_settings;
  index_settings.codec = codec;
  index_settings.analyzer = kAnalyzer;
  index_settings.fields = kFields;
  index_settings.has_positions = settings.positions;
  if (settings.positions && (impacts || settings.kind == CollectionKind::kSplade)) {
    throw UsageError("lists of impacts or weights have no positions; leave one of them out");
  }
  if (settings.titles) {
    if (impacts || settings.positions || settings.kind == CollectionKind::kSplade) {
      throw UsageError("titles come without impacts, weights and positions; leave these out");
    }
    index_settings.schema.fields = {{.name = "contents"}, {.name = "title", .weight = 2}};
  }
  if (settings.columns) {
    index_settings.schema.fields.push_back({"site", FieldType::kKeyword});
    index_settings.schema.fields.push_back({"percent", FieldType::kInt});
  }
  if (impacts) index_settings.impacts.emplace();
  if (settings.kind == CollectionKind::kSplade) {
    if (impacts) {
      throw UsageError("the lists of splade hold weights, not frequencies; leave impacts out");
    }
    index_settings.impacts = ImpactSettings{.source = ImpactSource::kWholeWeights};
  }
  IndexWriter writer(output, index_settings);
  const std::vector<RankQuery> queries =
      Generator(settings, index_settings, writer, threads, on_progress, report).run();
  report.notes = writer.commit([&] {
    if (on_progress) on_progress({"lists", report.postings, report.postings});
  });
  return settings.kind == CollectionKind::kSplade ? as_vectors(seed_of_queries(settings), queries)
                                                  : as_text(queries);
}

}  // namespace warpdex::generate
