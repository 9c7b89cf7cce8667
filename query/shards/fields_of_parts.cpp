#include "shards/fields_of_parts.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/query/fields/field_maker.hpp"
#include "warpdex/query/tree/found_terms.hpp"

namespace warpdex::shards {
namespace {

bool stands_for_terms(const QueryNode& node) {
  using Kind = QueryNode::Kind;
  return node.kind == Kind::kPrefix || node.kind == Kind::kWildcard || node.kind == Kind::kRange;
}

/// Whether with_found_terms() looks for terms; it leaves `must_not` as it is.
bool has_terms_to_find(const QueryNode& node) {
  if (stands_for_terms(node)) return true;
  for (const auto* clauses : {&node.must, &node.filter, &node.should}) {
    if (std::ranges::any_of(*clauses, has_terms_to_find)) return true;
  }
  return false;
}

/// Puts what a part found for clauses of `asked` in their places; `found` has what others found.
void join(const QueryNode& asked, const QueryNode& own, QueryNode& found) {
  if (stands_for_terms(asked)) {
    if (own.kind != QueryNode::Kind::kAny) throw FormatError("it has no terms of a clause");
    found.kind = QueryNode::Kind::kAny;
    found.texts.insert(found.texts.end(), own.texts.begin(), own.texts.end());
    std::ranges::sort(found.texts);
    const auto same = std::ranges::unique(found.texts);
    found.texts.erase(same.begin(), same.end());
    return;
  }
  for (const auto clauses : {&QueryNode::must, &QueryNode::filter, &QueryNode::should}) {
    if ((own.*clauses).size() != (asked.*clauses).size()) throw FormatError("it has other clauses");
    for (std::size_t i = 0; i < (asked.*clauses).size(); ++i) {
      join((asked.*clauses)[i], (own.*clauses)[i], (found.*clauses)[i]);
    }
  }
}

/// The queries with the terms that all parts found.
std::vector<Query> with_terms_of_parts(const Whole& whole, PartCalls& calls,
                                       std::span<const Query> queries) {
  std::vector<Query> marked(queries.begin(), queries.end());
  std::vector<std::size_t> numbers;
  FoundTermsRequest asked;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!queries[i].tree || !has_terms_to_find(*queries[i].tree)) continue;
    numbers.push_back(i);
    asked.trees.push_back(*queries[i].tree);
  }
  if (numbers.empty()) return marked;
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls.parts(); ++part) {
    asked.version = whole.parts()[part].version;
    if (!calls.is_missing(part)) messages.push_back({part, write(asked)});
  }
  std::vector<QueryNode> found = asked.trees;
  calls.ask(messages, [&](std::uint32_t, const std::string& bytes) {
    const FoundTermsAnswer answer = read_found_terms_answer(bytes);
    if (answer.trees.size() != found.size()) throw FormatError("it has other trees");
    std::vector<QueryNode> joined = found;
    for (std::size_t i = 0; i < found.size(); ++i) join(asked.trees[i], answer.trees[i], joined[i]);
    found = std::move(joined);
  });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    marked[numbers[i]].tree = std::make_shared<const QueryNode>(std::move(found[i]));
  }
  return marked;
}

/// A request to a part, and for which queries it is.
struct Asked {
  FieldsRequest request{};
  std::vector<std::size_t> queries{};
};

Asked request_for(std::uint32_t part, std::span<const Query> queries,
                  std::span<const MergedAnswer> answers) {
  Asked asked;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<std::uint32_t> documents;
    for (const GlobalHit& hit : answers[i].hits) {
      if (hit.part == part) documents.push_back(hit.document);
    }
    if (documents.empty()) continue;
    asked.queries.push_back(i);
    asked.request.queries.push_back(queries.empty() ? Query{} : queries[i]);
    asked.request.documents.push_back(std::move(documents));
  }
  return asked;
}

void take_fields(std::uint32_t part, const Asked& asked, FieldsAnswer&& answer,
                 std::span<MergedAnswer> answers) {
  const auto is_of = [](const auto& own, const auto& documents) {
    return own.size() == documents.size();
  };
  if (!std::ranges::equal(answer.queries, asked.request.documents, is_of)) {
    throw FormatError("it has other documents");
  }
  for (std::size_t i = 0; i < asked.queries.size(); ++i) {
    MergedAnswer& of = answers[asked.queries[i]];
    std::size_t next = 0;
    for (std::size_t rank = 0; rank < of.hits.size(); ++rank) {
      if (of.hits[rank].part == part) of.fields[rank] = std::move(answer.queries[i][next++]);
    }
  }
}

}  // namespace

FoundTermsAnswer found_terms(const Snapshot& snapshot, const FoundTermsRequest& request) {
  FoundTermsAnswer answer;
  for (const QueryNode& tree : request.trees) {
    check_query_tree(tree);
    answer.trees.push_back(with_found_terms(snapshot, tree));
  }
  return answer;
}

FieldsAnswer fields_of(const Snapshot& snapshot, const FieldsRequest& request) {
  std::optional<StoredReader> stored;
  if (shows_stored_texts(snapshot.settings())) stored.emplace(snapshot);
  FieldMaker maker(snapshot, request.shown, stored ? &*stored : nullptr);
  FieldsAnswer answer;
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    const std::vector<Query> in_fields = maker.queries_of(request.queries[i]);
    auto& documents = answer.queries.emplace_back();
    for (const std::uint32_t document : request.documents[i]) {
      if (document >= snapshot.docid_end()) throw UsageError("a document that is not there");
      documents.push_back(maker.make(document, in_fields));
    }
  }
  return answer;
}

void add_fields(const Whole& whole, PartCalls& calls, const BrokerSettings& how,
                std::span<const Query> queries, std::span<MergedAnswer> answers) {
  const std::vector<Query> marked = how.shown.snippets ? with_terms_of_parts(whole, calls, queries)
                                                       : std::vector<Query>(queries.size());
  for (MergedAnswer& answer : answers) answer.fields.resize(answer.hits.size());
  std::vector<Asked> asked(calls.parts());
  std::vector<PartMessage> messages;
  for (std::uint32_t part = 0; part < calls.parts(); ++part) {
    if (calls.is_missing(part)) continue;
    asked[part] = request_for(part, marked, answers);
    asked[part].request.version = whole.parts()[part].version;
    asked[part].request.shown = how.shown;
    if (!asked[part].queries.empty()) messages.push_back({part, write(asked[part].request)});
  }
  calls.ask(messages, [&](std::uint32_t part, const std::string& bytes) {
    take_fields(part, asked[part], read_fields_answer(bytes), answers);
  });
}

}  // namespace warpdex::shards
