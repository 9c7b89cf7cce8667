// Messages of what hits show.
#include <algorithm>
#include <memory>

#include "shards/message_bytes.hpp"
#include "shards/request_bytes.hpp"
#include "shards/tree_bytes.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::shards {
namespace {

// The fewest bytes of each.
constexpr std::size_t kShownFieldBytes = 14;
constexpr std::size_t kMarkedBytes = 16;
constexpr std::size_t kCountBytes = 4;

void put_trees(MessageWriter& to, const std::vector<QueryNode>& trees) {
  to.count(trees.size());
  for (const QueryNode& tree : trees) put_node(to, tree);
}

std::vector<QueryNode> take_trees(MessageReader& from) {
  std::vector<QueryNode> trees(from.count(kNodeBytes, kMaxBatch));
  for (QueryNode& tree : trees) tree = take_node(from);
  return trees;
}

void put_texts(MessageWriter& to, const std::vector<std::string>& texts) {
  to.count(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> take_texts(MessageReader& from) {
  std::vector<std::string> texts(from.count(kCountBytes));
  for (std::string& text : texts) text = from.text();
  return texts;
}

void put_shown(MessageWriter& to, const ShownSettings& shown) {
  put_texts(to, shown.fields);
  to.flag(shown.snippets);
  to.flag(shown.positions);
  to.number(static_cast<std::uint64_t>(shown.snippet.max_bytes));
  to.text(shown.snippet.before);
  to.text(shown.snippet.after);
  to.flag(shown.snippet.is_html);
  to.count(shown.snippet.fragments);
}

ShownSettings take_shown(MessageReader& from) {
  ShownSettings shown{.fields = take_texts(from)};
  shown.snippets = from.flag();
  shown.positions = from.flag();
  shown.snippet.max_bytes = from.number<std::uint64_t>();
  shown.snippet.before = from.text();
  shown.snippet.after = from.text();
  shown.snippet.is_html = from.flag();
  shown.snippet.fragments = from.number<std::uint32_t>();
  if (shown.snippet.fragments < 1 || shown.snippet.fragments > kMaxFragments) {
    fail_message("a snippet of no pieces, or of too many");
  }
  return shown;
}

void put_field(MessageWriter& to, const ShownField& field) {
  to.text(field.name);
  to.text(field.text);
  to.flag(field.snippet.has_value());
  if (field.snippet) to.text(*field.snippet);
  to.flag(field.marked.has_value());
  if (field.marked) {
    to.count(field.marked->size());
    for (const MarkedWord& word : *field.marked) {
      to.number(static_cast<std::uint64_t>(word.start));
      to.number(static_cast<std::uint64_t>(word.length));
    }
  }
  put_texts(to, field.fragments);
}

ShownField take_field(MessageReader& from) {
  ShownField field;
  field.name = from.text();
  field.text = from.text();
  if (from.flag()) field.snippet = from.text();
  if (from.flag()) {
    field.marked.emplace(from.count(kMarkedBytes));
    for (MarkedWord& word : *field.marked) {
      word.start = from.number<std::uint64_t>();
      word.length = from.number<std::uint64_t>();
    }
  }
  field.fragments = take_texts(from);
  return field;
}

}  // namespace

std::string write(const FoundTermsRequest& request) {
  for (const QueryNode& tree : request.trees) check_tree(tree);
  MessageWriter to(MessageKind::kFoundTermsRequest);
  to.number(request.version);
  put_trees(to, request.trees);
  return to.finish();
}

FoundTermsRequest read_found_terms_request(std::string_view message) {
  MessageReader from(message, MessageKind::kFoundTermsRequest);
  FoundTermsRequest request{.version = from.number<std::uint64_t>()};
  request.trees = take_trees(from);
  from.finish();
  return request;
}

std::string write(const FoundTermsAnswer& answer) {
  MessageWriter to(MessageKind::kFoundTermsAnswer);
  put_trees(to, answer.trees);
  return to.finish();
}

FoundTermsAnswer read_found_terms_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kFoundTermsAnswer);
  FoundTermsAnswer answer{take_trees(from)};
  from.finish();
  return answer;
}

std::string write(const FieldsRequest& request) {
  if (request.documents.size() != request.queries.size()) {
    throw UsageError("each query has documents of its own; give as many lists as queries");
  }
  MessageWriter to(MessageKind::kFieldsRequest);
  to.number(request.version);
  to.count(request.queries.size());
  for (std::size_t i = 0; i < request.queries.size(); ++i) {
    put_query(to, request.queries[i]);
    to.count(request.documents[i].size());
    for (const std::uint32_t document : request.documents[i]) to.number(document);
  }
  put_shown(to, request.shown);
  return to.finish();
}

FieldsRequest read_fields_request(std::string_view message) {
  MessageReader from(message, MessageKind::kFieldsRequest);
  FieldsRequest request{.version = from.number<std::uint64_t>()};
  request.queries.resize(from.count(kQueryBytes + kCountBytes, kMaxBatch));
  for (Query& query : request.queries) {
    query = take_query(from);
    auto& documents = request.documents.emplace_back(from.count(sizeof(std::uint32_t), kMaxK));
    for (std::uint32_t& document : documents) document = from.number<std::uint32_t>();
  }
  request.shown = take_shown(from);
  from.finish();
  return request;
}

std::string write(const FieldsAnswer& answer) {
  MessageWriter to(MessageKind::kFieldsAnswer);
  to.count(answer.queries.size());
  for (const auto& documents : answer.queries) {
    to.count(documents.size());
    for (const std::vector<ShownField>& fields : documents) {
      to.count(fields.size());
      for (const ShownField& field : fields) put_field(to, field);
    }
  }
  return to.finish();
}

FieldsAnswer read_fields_answer(std::string_view message) {
  MessageReader from(message, MessageKind::kFieldsAnswer);
  FieldsAnswer answer;
  answer.queries.resize(from.count(kCountBytes, kMaxBatch));
  for (auto& documents : answer.queries) {
    documents.resize(from.count(kCountBytes, kMaxK));
    for (std::vector<ShownField>& fields : documents) {
      fields.resize(from.count(kShownFieldBytes));
      for (ShownField& field : fields) field = take_field(from);
    }
  }
  from.finish();
  return answer;
}

}  // namespace warpdex::shards
