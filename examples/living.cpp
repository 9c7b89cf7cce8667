// An index that lives: documents with vectors come and go, searches go by words and a vector, and
// texts are shown. The vectors here are made by hand; a model of sentences would give such.
#include <iostream>
#include <warpdex/warpdex.hpp>

int main(int argc, char** argv) try {
  if (argc < 2) throw warpdex::UsageError("say where: living INDEX_FOLDER");
  const auto add = [](warpdex::Writer& writer, const std::string& id, const std::string& text,
                      const std::vector<float>& vector) {
    writer.add({.id = id, .text = text, .fields = {{"text", text}}, .vector = vector});
  };
  warpdex::NewIndex settings{.stored = {"text"}};
  settings.vectors = {warpdex::vector::Metric::kCosine, warpdex::vector::Store::kFloat, 2};
  warpdex::Writer writer(argv[1], settings);
  add(writer, "moby", "I thought I would sail about a little.", {1, 0});
  add(writer, "alice", "Alice sat on the bank.", {0, 1});
  writer.commit();

  warpdex::Searcher searcher(argv[1]);
  add(writer, "treasure", "The old sea captain sailed away.", {0.9F, 0.1F});
  writer.remove("alice");
  writer.commit();
  searcher.refresh();  // until then it answers from the first commit

  const warpdex::SearchRequest request{.text = "sea captain", .vector = {1, 0}};
  for (const auto hit : searcher.search(request, {.fields = {"text"}, .snippets = true})) {
    std::cout << hit.score() << '\t' << hit.id() << '\t' << *hit.fields()[0].snippet << '\n';
  }
} catch (const warpdex::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
