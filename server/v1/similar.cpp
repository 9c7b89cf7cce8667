// Spelling offers.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "http/json_writer.hpp"
#include "routes/parameters.hpp"
#include "v1/face.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex::server::v1 {
namespace {

constexpr std::size_t kMaxWords = 10;  // looking for others takes milliseconds each
constexpr std::size_t kMaxWordBytes = 1024;

/// Terms that may not be offered are passed over, so more are looked at.
constexpr std::size_t kLookedAt = 20;
/// Documents of a term in which its words are looked for.
constexpr std::uint32_t kDocumentsRead = 5;

struct Offer {
  SimilarTerm similar;
  std::string word;  ///< as people write it
};

/// Makes offers of one commit's terms.
class Offers {
 public:
  Offers(const ServedIndex& index, const ServerLimits& limits)
      : index_(index),
        reader_(index.reader()),
        analyzers_(reader_->settings()),
        fields_(text_names_of(reader_->settings().schema)) {
    search_.k = kDocumentsRead;
    search_.deadline = limits.search_time;
    search_.fields = reader_->settings().stored_fields;
    search_.snippets = search_.positions = !search_.fields.empty();
  }

  std::uint64_t commit() const { return reader_->commit(); }
  /// How many documents have a term; of several text fields, in the one where most have it.
  std::uint64_t documents_with(const std::string& term) const {
    std::uint64_t most = 0;
    for (const std::string& field : fields_.empty() ? std::vector<std::string>{""} : fields_) {
      const auto found = reader_->statistics(reader_->term_in(field, term));
      if (found) most = std::max(most, found->document_frequency);
    }
    return most;
  }
  std::vector<std::string> terms_of(std::string_view text) {
    std::vector<std::string_view> terms;
    analyzers_[0].analyze(text, terms);
    return {terms.begin(), terms.end()};
  }

  std::vector<Offer> of(const std::string& term, std::size_t count) {
    std::vector<Offer> offers;
    for (SimilarTerm& similar : reader_->similar_terms(term, std::max(count, kLookedAt))) {
      if (offers.size() == count) break;
      std::string word = written(similar.term);
      if (!word.empty()) offers.push_back({std::move(similar), std::move(word)});
    }
    return offers;
  }

 private:
  bool is_typed_as(std::string_view word, const std::string& term) {
    return terms_of(word) == std::vector{term};
  }

  /// The most frequent way in which the term's best documents write it; of equally frequent ones
  /// the one in small letters. Where they store no text, the term itself, if it can be typed; else
  /// an empty text.
  std::string written(const std::string& term) {
    std::map<std::string, std::size_t, std::greater<>> counts;
    for (const std::string& word : words_of(term)) {
      if (is_typed_as(word, term)) ++counts[word];
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    if (most != counts.end()) return most->first;
    return is_typed_as(term, term) ? term : std::string();
  }

  std::vector<std::string> words_of(const std::string& term) const {
    std::vector<std::string> words;
    if (search_.fields.empty()) return words;
    Query query{"", {{term}}};
    for (std::size_t i = 1; i < fields_.size(); ++i) {
      query.terms.push_back({reader_->term_in(fields_[i], term)});
    }
    const std::vector<Answer> found = index_.searcher().search({&query, 1}, {}, search_);
    for (const AnswerHit hit : found.front()) {
      for (const ShownField& field : hit.fields()) {
        for (const MarkedWord& word : field.marked.value_or(std::vector<MarkedWord>())) {
          words.push_back(field.text.substr(word.start, word.length));
        }
      }
    }
    return words;
  }

  const ServedIndex& index_;
  const std::shared_ptr<const IndexReader> reader_;
  const TextAnalyzers analyzers_;  ///< of which the first field's is taken
  const std::vector<std::string> fields_;
  SearchOptions search_{};
};

void write_word(const std::string& word, Offers& offers, std::size_t count, JsonWriter& json) {
  const std::vector<std::string> terms = offers.terms_of(word);
  json.begin_object();
  json.member("word", word);
  if (terms.size() == 1) {
    const std::uint64_t documents = offers.documents_with(terms[0]);
    json.member("term", terms[0]);
    json.member("documents", documents);
    json.begin_array("similar");
    for (const Offer& offer : documents > 0 ? std::vector<Offer>() : offers.of(terms[0], count)) {
      json.begin_object();
      json.member("word", offer.word);
      json.member("term", offer.similar.term);
      json.member("documents", offer.similar.documents);
      json.member("edits", offer.similar.edits);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace

void find_similar(Services& services, const ExchangePtr& exchange) {
  Parameters parameters(exchange->request);
  const auto words = parameters.texts("words");
  const std::size_t count = parameters.whole("count", 1, 20).value_or(3);
  parameters.finish();
  if (!words || words->empty()) throw bad_request("'words' is missing; name some");
  if (words->size() > kMaxWords) {
    throw bad_request("'words' has " + std::to_string(words->size()) + " words; " +
                      std::to_string(kMaxWords) + " are allowed");
  }
  for (const std::string& word : *words) {
    if (word.size() <= kMaxWordBytes) continue;
    throw bad_request("'words' has a word of " + std::to_string(word.size()) + " bytes; " +
                      std::to_string(kMaxWordBytes) + " are allowed");
  }
  const IndexPtr index = services.catalog.find(exchange->request.arguments[0]);
  Offers offers(*index, services.options.limits);
  JsonWriter json;
  json.begin_object();
  json.member("commit", offers.commit());
  json.begin_array("words");
  for (const std::string& word : *words) write_word(word, offers, count, json);
  json.end_array();
  json.end_object();
  exchange->respond({.body = json.take() + "\n"});
}

}  // namespace warpdex::server::v1
