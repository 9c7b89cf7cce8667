// Indexes three documents and searches them, in one process: what it takes to embed Warpdex.
#include <iostream>
#include <warpdex/warpdex.hpp>

int main(int argc, char** argv) try {
  if (argc < 3) throw warpdex::UsageError("say where and what: embed INDEX_FOLDER WORDS");
  warpdex::Writer writer(argv[1]);
  writer.update({.id = "moby", .text = "I thought I would sail about a little."});
  writer.update({.id = "alice", .text = "Alice was tired of sitting by her sister on the bank."});
  writer.update(
      {.id = "treasure", .text = "The old sea captain and his sea chest, and he sailed."});
  writer.commit();

  const warpdex::Searcher searcher(argv[1]);
  for (const auto hit : searcher.search(argv[2], {.k = 10})) {
    std::cout << hit.score() << '\t' << hit.id() << '\n';
  }
} catch (const warpdex::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
