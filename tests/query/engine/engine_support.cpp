#include "tests/query/engine/engine_support.hpp"

#include <map>
#include <sstream>

#include "tests/reference/compare.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::test {
namespace {

using reference::Posting;

/// A term of a query that scores, as the canonical order sorts them.
struct ScoringTerm {
  std::uint64_t document_frequency = 0;
  std::string term;
  double weight = 0;
};

std::vector<ScoringTerm> scoring_terms(const reference::Collection& collection,
                                       const Query& query) {
  std::map<std::string, double> weights;
  for (const QueryTerm& term : query.terms) {
    if (term.occur != Occur::kMustNot) weights[term.term] += static_cast<double>(term.weight);
  }
  std::vector<ScoringTerm> terms;
  for (const auto& [term, weight] : weights) {
    terms.push_back({collection.postings(term).size(), term, weight});
  }
  std::stable_sort(terms.begin(), terms.end(), [](const ScoringTerm& a, const ScoringTerm& b) {
    return a.document_frequency < b.document_frequency;
  });
  return terms;
}

std::vector<Hit> rank_in_float(const reference::Collection& collection,
                               const reference::Ranking& ranking, const Query& query,
                               const ScorerSettings& settings) {
  std::vector<float> scores(collection.documents(), 0.0F);
  for (const ScoringTerm& term : scoring_terms(collection, query)) {
    if (term.document_frequency == 0) continue;
    const CollectionStatistics statistics{collection.documents_for(term.term),
                                          collection.tokens_for(term.term)};
    const TermScorer scorer = make_term_scorer(settings, statistics, term.document_frequency,
                                               collection.collection_frequency(term.term),
                                               static_cast<float>(term.weight));
    for (const Posting& posting : collection.postings(term.term)) {
      scores[posting.document] +=
          scorer(posting.frequency, collection.lengths_for(term.term)[posting.document]);
    }
  }
  std::vector<Hit> hits;
  hits.reserve(ranking.documents.size());
  for (const reference::RankedDocument& match : ranking.documents) {
    const float score = scores[match.document] + collection.static_scores()[match.document];
    hits.push_back({match.document, score});
  }
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  return hits;
}

}  // namespace

std::vector<CodecSettings> all_codecs() {
  std::vector<CodecSettings> codecs{
      {CodecKind::kBitpack, 1}, {CodecKind::kPforBlock, 1}, {CodecKind::kRice, 1}};
  for (std::uint8_t levels = 0; levels <= kMaxPforLevels; ++levels) {
    codecs.push_back({CodecKind::kPfor, levels});
  }
  return codecs;
}

namespace {

/// `encode(docids, values)` encodes a list of `lists`.
template <class Encode>
void write_lists(IndexWriter& writer, const reference::Collection& lists, const Encode& encode) {
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> values;
  for (const std::string& term : lists.terms()) {
    docids.clear();
    values.clear();
    for (const Posting& posting : lists.postings(term)) {
      docids.push_back(posting.document);
      values.push_back(posting.frequency);
    }
    writer.add_list(term, encode(docids, values));
  }
}

IndexSettings settings_for(const reference::Collection& collection, const CodecSettings& codec) {
  const std::vector<float>& statics = collection.static_scores();
  IndexSettings settings;
  settings.codec = codec;
  settings.analyzer = "whitespace";
  settings.fields = "contents";
  for (std::size_t text = 0; collection.texts() > 1 && text < collection.texts(); ++text) {
    settings.schema.fields.push_back({.name = "f" + std::to_string(text)});
  }
  settings.has_static_scores =
      std::any_of(statics.begin(), statics.end(), [](float score) { return score != 0; });
  return settings;
}

void add_documents(IndexWriter& writer, const reference::Collection& collection) {
  for (std::size_t i = 0; i < collection.documents(); ++i) {
    std::vector<std::uint32_t> lengths;
    for (std::size_t text = 0; text < collection.texts(); ++text) {
      lengths.push_back(collection.lengths_in(text)[i]);
    }
    writer.add_document('d' + std::to_string(i), lengths, collection.static_scores()[i]);
  }
}

}  // namespace

void write_index(const reference::Collection& collection, const CodecSettings& codec,
                 const std::filesystem::path& folder) {
  IndexWriter writer(folder, settings_for(collection, codec));
  add_documents(writer, collection);
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> frequencies;
  for (const std::string& term : collection.terms()) {
    docids.clear();
    frequencies.clear();
    for (const Posting& posting : collection.postings(term)) {
      docids.push_back(posting.document);
      frequencies.push_back(posting.frequency);
    }
    writer.add_list(term,
                    encode_postings(codec, docids, frequencies, collection.lengths_for(term)));
  }
  writer.commit();
}

void write_quantised_index(const reference::Collection& collection, const CodecSettings& codec,
                           const std::filesystem::path& folder) {
  IndexSettings settings = settings_for(collection, codec);
  settings.impacts.emplace();
  IndexWriter writer(folder, settings);
  add_documents(writer, collection);
  const ListEncoder encoder(settings, writer.lengths());
  write_lists(writer, collection, [&](const auto& docids, const auto& frequencies) {
    return encoder.encode(docids, frequencies);
  });
  writer.commit();
}

void write_impact_index(const reference::Collection& collection,
                        const reference::Collection& impacts, const CodecSettings& codec,
                        const std::filesystem::path& folder) {
  IndexSettings settings = settings_for(collection, codec);
  settings.impacts.emplace();
  IndexWriter writer(folder, settings);
  add_documents(writer, collection);
  write_lists(writer, impacts, [&](const auto& docids, const auto& values) {
    return encode_impacts(codec, docids, values, collection.documents());
  });
  writer.commit();
}

reference::Collection write_index_of(reference::Collection collection, bool as_impacts,
                                     const CodecSettings& codec,
                                     const std::filesystem::path& folder) {
  if (!as_impacts) {
    write_index(collection, codec, folder);
    return collection;
  }
  reference::Collection impacts = collection.to_impacts();
  write_impact_index(collection, impacts, codec, folder);
  return impacts;
}

std::vector<SearchResult> search_on_cpu(const Index& index, std::span<const Query> queries,
                                        const SearchSettings& settings, std::size_t threads) {
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(index, query));
  CpuEngine engine(index, {.threads = threads});
  const BatchAnswers answers = engine.run(plans, settings);
  std::vector<SearchResult> results;
  for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
  return results;
}

reference::Collection collection_of(const Index& index) {
  reference::Collection collection;
  const auto static_scores = index.sections().static_scores;
  for (std::size_t i = 0; i < index.counts().documents; ++i) {
    collection.add_document_of_length({}, index.lengths()[i],
                                      static_scores.empty() ? 0 : static_scores[i]);
  }
  index.for_each_term([&](std::string_view term, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    std::vector<Posting> list;
    list.reserve(postings.docids.size());
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      list.push_back({postings.docids[i], postings.frequencies[i]});
    }
    collection.add_list(std::string(term), std::move(list));
  });
  return collection;
}

Truth find_truth(const reference::Collection& collection, const Query& query,
                 const SearchSettings& settings) {
  Truth truth;
  truth.ranking = reference::rank(collection, query, settings);
  truth.float_ranking = rank_in_float(collection, truth.ranking, query, settings.scorer);
  return truth;
}

std::string judge(const Truth& truth, const SearchResult& result, const SearchSettings& settings) {
  std::string wrong = reference::difference(truth.ranking, result, settings);
  if (!wrong.empty()) return wrong;
  for (std::size_t rank = 0; rank < result.hits.size(); ++rank) {
    const Hit& hit = result.hits[rank];
    const Hit& right = truth.float_ranking[rank];
    if (hit == right) continue;
    std::ostringstream text;
    text.precision(9);
    text << "within the tolerance, but at rank " << rank << " document " << hit.document << " ("
         << hit.score << ") instead of " << right.document << " (" << right.score << ')';
    return text.str();
  }
  return {};
}

}  // namespace warpdex::test
