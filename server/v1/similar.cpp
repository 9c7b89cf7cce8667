// Spelling offers.
#include "http/json_writer.hpp"
#include "routes/parameters.hpp"
#include "v1/face.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::server::v1 {
namespace {

constexpr std::size_t kMaxWords = 10;  // looking for others takes milliseconds each
constexpr std::size_t kMaxWordBytes = 1024;

void write_word(const std::string& word, const IndexReader& reader, Analyzer& analyzer,
                std::size_t count, JsonWriter& json) {
  std::vector<std::string_view> terms;
  analyzer.analyze(word, terms);
  json.begin_object();
  json.member("word", word);
  if (terms.size() == 1) {
    const std::string term(terms[0]);
    const std::optional<TermStatistics> found = reader.statistics(term);
    json.member("term", term);
    json.member("documents", found ? found->document_frequency : 0);
    json.begin_array("similar");
    for (const SimilarTerm& similar :
         found ? std::vector<SimilarTerm>() : reader.offered_terms(term, count)) {
      json.begin_object();
      json.member("term", similar.term);
      json.member("documents", similar.documents);
      json.member("edits", similar.edits);
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
  const std::shared_ptr<const IndexReader> reader =
      services.catalog.find(exchange->request.arguments[0])->reader();
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(reader->settings().analyzer);
  JsonWriter json;
  json.begin_object();
  json.member("commit", reader->commit());
  json.begin_array("words");
  for (const std::string& word : *words) write_word(word, *reader, *analyzer, count, json);
  json.end_array();
  json.end_object();
  exchange->respond({.body = json.take() + "\n"});
}

}  // namespace warpdex::server::v1
