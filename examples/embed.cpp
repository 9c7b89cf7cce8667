// Indexes three documents and searches them, in one process: what it takes to embed Warpdex.
#include <iostream>
#include <warpdex/warpdex.hpp>

int main(int argc, char** argv) try {
  if (argc < 3) throw warpdex::UsageError("say where and what: embed INDEX_FOLDER WORD...");

  warpdex::BuildOptions options;
  options.output = argv[1];
  const auto documents = warpdex::documents_from_memory({
      {"moby", "Call me Ishmael. Some years ago I thought I would sail about a little."},
      {"alice", "Alice was beginning to get very tired of sitting by her sister on the bank."},
      {"treasure", "I remember the old sea captain and his sea chest, and how he sailed."},
  });
  warpdex::build_index(*documents, options);

  const warpdex::Index index = warpdex::Index::open(options.output);
  const auto analyzer = warpdex::make_analyzer(index.settings().analyzer);
  std::string words;
  for (int i = 2; i < argc; ++i) words += std::string(argv[i]) + ' ';
  const warpdex::Query query =
      warpdex::parse_query("1", words, warpdex::QuerySyntax::kPlain, *analyzer);

  warpdex::CpuSearcher searcher(index);  // one per thread
  for (const auto& hit : searcher.search(query, warpdex::SearchSettings{}).hits) {
    std::cout << hit.score << '\t' << index.document_name(hit.document) << '\n';
  }
} catch (const warpdex::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
