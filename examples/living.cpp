// An index that lives: documents with vectors come and go, searches go by words and vectors, and
// texts are shown. The vectors here are made by hand; a model of sentences would give such.
#include <iostream>
#include <warpdex/warpdex.hpp>

namespace {

using Documents = std::vector<warpdex::Document>;

warpdex::Document document(const std::string& id, const std::string& text,
                           const std::vector<float>& vector) {
  return {.id = id, .text = text, .stored = {text}, .embedding = vector};
}

/// What the last commit left, by words and a vector together.
void search(const std::string& folder, const std::string& words, const std::vector<float>& vector) {
  const warpdex::Snapshot snapshot = warpdex::Snapshot::open(folder);
  const auto analyzer = warpdex::make_analyzer(snapshot.settings().analyzer);
  const auto query = warpdex::parse_query("1", words, warpdex::QuerySyntax::kPlain, *analyzer);
  warpdex::HybridSearcher searcher(snapshot);
  warpdex::StoredReader texts(snapshot);
  warpdex::SnippetMaker snippets(snapshot.settings().analyzer, {});
  const auto results = searcher.search({&query, 1}, vector, {}, {});
  for (const warpdex::Hit& hit : results[0].hits) {
    const warpdex::StoredValues values = texts.read(hit.document);
    std::cout << hit.score << '\t' << snapshot.document_name(hit.document) << '\t'
              << snippets.make(values[0].value_or(""), query).text << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw warpdex::UsageError("say where: living INDEX_FOLDER");
  warpdex::BuildOptions options;
  options.output = argv[1];
  options.stored_fields = {"text"};
  options.vectors = {warpdex::vector::Metric::kCosine, warpdex::vector::Store::kFloat, 2};
  const Documents first{document("moby", "I thought I would sail about a little.", {1, 0}),
                        document("alice", "Alice sat on the bank.", {0, 1})};
  warpdex::build_index(*warpdex::documents_from_memory(first), options);

  warpdex::LivingIndex index(argv[1]);
  const Documents more{document("treasure", "The old sea captain sailed away.", {0.9F, 0.1F})};
  index.add(*warpdex::documents_from_memory(more));
  index.remove("alice");
  index.commit();  // searches that are opened from now on find the change
  search(argv[1], "sea captain", {1, 0});
} catch (const warpdex::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
