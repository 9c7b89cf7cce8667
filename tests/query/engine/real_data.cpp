#include "tests/query/engine/real_data.hpp"

#include <rapidjson/document.h>

#include <memory>
#include <sstream>
#include <stdexcept>

#include "tests/support.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"

namespace warpdex::test {
namespace {

Analyzer& english() {
  static const std::unique_ptr<Analyzer> analyzer = make_analyzer("english");
  return *analyzer;
}

template <typename Take>
void for_each_line(const std::string& relative, const Take& take) {
  std::istringstream lines(read_file(data_folder() / relative));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) take(line);
  }
}

rapidjson::Document parse(const std::string& line) {
  rapidjson::Document json;
  json.Parse(line.data(), line.size());
  if (json.HasParseError()) throw std::runtime_error("not JSON: " + line.substr(0, 80));
  return json;
}

std::string member(const rapidjson::Document& json, const char* name) {
  const auto found = json.FindMember(name);
  if (found == json.MemberEnd()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

}  // namespace

RealCollection read_collection(const std::string& relative) {
  RealCollection read;
  std::vector<std::string_view> terms;
  for_each_line(relative, [&](const std::string& line) {
    const rapidjson::Document json = parse(line);
    const std::string text = member(json, "title") + '\n' + member(json, "contents");
    english().analyze(text, terms);
    read.collection.add_document(terms);
    read.names.push_back(member(json, "id"));
  });
  return read;
}

std::vector<Topic> read_topics(const std::string& relative, char separator) {
  std::vector<Topic> topics;
  for_each_line(relative, [&](const std::string& line) {
    const std::size_t cut = line.find(separator);
    if (cut == std::string::npos) throw std::runtime_error("no separator: " + line);
    topics.push_back({line.substr(0, cut), line.substr(cut + 1)});
  });
  return topics;
}

std::vector<Topic> read_game_topics(const std::string& relative) {
  std::vector<Topic> topics;
  for_each_line(relative, [&](const std::string& line) {
    const std::string text = member(parse(line), "query");
    if (text.find('"') != std::string::npos) return;
    topics.push_back({std::to_string(topics.size() + 1), text});
  });
  return topics;
}

Query analyse(const Topic& topic, bool is_signed) {
  Query query;
  query.id = topic.id;
  std::istringstream words(topic.text);
  std::vector<std::string_view> terms;
  for (std::string word; words >> word;) {
    Occur occur = Occur::kUnsigned;
    if (is_signed && word[0] == '+') occur = Occur::kMust;
    if (is_signed && word[0] == '-') occur = Occur::kMustNot;
    english().analyze(word, terms);
    for (const std::string_view term : terms) query.terms.push_back({std::string(term), occur});
  }
  return query;
}

Judgements read_judgements(const std::string& relative) {
  Judgements judgements;
  for_each_line(relative, [&](const std::string& line) {
    std::istringstream fields(line);
    std::string query;
    std::string ignored;
    std::string document;
    int grade = 0;
    fields >> query >> ignored >> document >> grade;
    if (grade > 0) judgements[query].insert(document);
  });
  return judgements;
}

}  // namespace warpdex::test
