// JSONL collections: one JSON object a line, of which the id and the chosen members are kept.
#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <utility>

#include "readers/column_members.hpp"
#include "readers/input_files.hpp"
#include "readers/json_lines.hpp"
#include "readers/readers.hpp"
#include "readers/stored_members.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kFirstLinesBytes = std::size_t{256} << 10;
constexpr std::string_view kJsonExample =
    "each line must be one JSON object, as "
    "{\"id\": \"7\", \"contents\": \"some text\"}";

constexpr const char* kVectorHint =
    " (an object of terms and weights, named 'vector', is read by the format sparse)";

class JsonlReader final : public DocumentReader {
 public:
  explicit JsonlReader(const ReaderOptions& options)
      : files_(options),
        are_texts_(!options.text_fields.empty()),
        fields_(are_texts_ ? options.text_fields : options.fields),
        embedding_(options.embedding),
        vectors_(options.vectors),
        documents_with_field_(fields_.size()) {
    check_fields();
    wanted_ = json::id_members();
    for (const std::string& field : fields_) {
      const auto known =
          std::find_if(wanted_.begin(), wanted_.end(),
                       [&](const json::Member& member) { return member.name == field; });
      field_places_.push_back(static_cast<std::size_t>(known - wanted_.begin()));
      if (known == wanted_.end()) wanted_.push_back({.name = field});
    }
    if (!options.stored.empty()) stored_.emplace(options.stored, wanted_);
    if (!options.columns.empty()) columns_.emplace(options.columns, wanted_);
  }

  bool next(RawRecord& record) override {
    if (ahead_) {
      record = std::move(*ahead_);
      ahead_.reset();
    } else if (!json::next_record(files_, record)) {
      return false;
    }
    if (first_lines_.size() + record.bytes.size() < kFirstLinesBytes) {
      first_lines_ += record.bytes + '\n';
    }
    return true;
  }

  Document parse(const RawRecord& record) const override {
    check_utf8(record.bytes, record.location);
    json::check_size(record);
    std::string line = record.bytes;  // unescaped in place
    std::vector<json::Member> members = wanted_;
    std::vector<json::NumberArray> arrays;
    for (const Field& field : vectors_) arrays.push_back({.name = field.name});
    if (!embedding_.empty()) arrays.push_back({.name = embedding_});
    const json::Collected collected = arrays.empty() ? json::collect_members(line, members)
                                                     : json::collect_members(line, members, arrays);
    json::check_record(record, collected, kJsonExample);
    Document document{json::id_of(members, record)};
    if (are_texts_) {
      document.texts = texts_of(members, record);
    } else {
      document.text = text_of(members, record);
    }
    if (!embedding_.empty()) document.embedding = numbers_of(std::move(arrays.back()), record);
    for (std::size_t i = 0; i < vectors_.size(); ++i) {
      document.embeddings.push_back(numbers_of(std::move(arrays[i]), record));
    }
    if (stored_) document.stored = stored_->values(members, record);
    if (columns_) document.values = columns_->values(members, record);
    json::check_escapes(record, {document.id, document.text});
    for (const std::string& text : document.texts) json::check_escapes(record, {text});
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (members[field_places_[i]].kind == json::Kind::kMissing) continue;
      documents_with_field_[i].fetch_add(1, std::memory_order_relaxed);
    }
    return document;
  }

  std::size_t embedding_dimension() override {
    if (embedding_.empty()) return 0;
    RawRecord record;
    if (!next(record)) {
      throw InputError("there is no document, so nothing says how many components the vectors '" +
                       embedding_ + "' have; give one document at least");
    }
    ahead_ = record;
    if (!record.problem.empty()) fail_document(record.location, record.problem);
    std::vector<json::Member> none;
    json::NumberArray embedding{.name = embedding_};
    check_utf8(record.bytes, record.location);
    json::check_size(record);
    json::check_record(record, json::collect_members(record.bytes, none, {&embedding, 1}),
                       kJsonExample);
    return numbers_of(std::move(embedding), record).size();
  }

  FieldUse field_use() const override {
    FieldUse use;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      use.fields.push_back({fields_[i], documents_with_field_[i].load()});
    }
    if (stored_) use.stored = stored_->counts();
    use.known = json::MemberNames(first_lines_).list();
    return use;
  }

  std::uint64_t unpacking_memory() const override { return files_.unpacking_memory(); }
  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  static std::vector<float> numbers_of(json::NumberArray embedding, const RawRecord& record) {
    if (embedding.is_array && !embedding.has_others && !embedding.numbers.empty()) {
      return std::move(embedding.numbers);
    }
    fail_document(record.location, "the member '" + std::string(embedding.name) +
                                       "' is missing or not an array of numbers; each document "
                                       "must have its vector there");
  }

  void check_fields() const {
    if (std::ranges::find(vectors_, embedding_, &Field::name) != vectors_.end()) {
      throw UsageError("the field '" + embedding_ +
                       "' is one of the schema's vectors; it cannot be the vector without a name");
    }
    if (fields_.empty()) throw UsageError("there are no fields; name the JSON members to index");
    std::set<std::string_view> names;
    for (const std::string& field : fields_) {
      if (field.empty()) throw UsageError("a field has no name; give the names of JSON members");
      if (!names.insert(field).second) {
        throw UsageError("the field '" + field + "' is named twice; name each field once");
      }
    }
  }

  std::string text_of(const std::vector<json::Member>& members, const RawRecord& record) const {
    std::string text;
    bool any = false;
    for (const std::size_t place : field_places_) {
      const json::Member& member = members[place];
      if (member.kind == json::Kind::kMissing) continue;
      check_string(member, record);
      if (any) text += '\n';
      any = true;
      text += member.value;
    }
    if (!any) fail_fields(members, record);
    return text;
  }

  /// One of each of fields_, empty where there is no such member.
  std::vector<std::string> texts_of(const std::vector<json::Member>& members,
                                    const RawRecord& record) const {
    std::vector<std::string> texts;
    for (const std::size_t place : field_places_) {
      const json::Member& member = members[place];
      if (member.kind != json::Kind::kMissing) check_string(member, record);
      texts.emplace_back(member.value);
    }
    return texts;
  }

  static void check_string(const json::Member& member, const RawRecord& record) {
    if (member.kind == json::Kind::kString) return;
    fail_document(record.location, "the member '" + std::string(member.name) + "' is " +
                                       json::kind_name(member.kind) +
                                       "; only strings can be indexed" +
                                       (member.kind == json::Kind::kObject ? kVectorHint : ""));
  }

  [[noreturn]] void fail_fields(const std::vector<json::Member>& members,
                                const RawRecord& record) const {
    std::vector<json::Member> fields;
    for (const std::size_t place : field_places_) fields.push_back(members[place]);
    if (const std::string null = json::null_members(fields); !null.empty()) {
      fail_document(record.location, null +
                                         " null, so there is nothing to index; give the document a "
                                         "text (it may be empty), or leave it out");
    }
    std::string wanted;
    for (const std::string& field : fields_) wanted += (wanted.empty() ? "'" : ", '") + field + "'";
    fail_document(record.location, "there is no member " + wanted + "; the members here are " +
                                       json::MemberNames(record.bytes).list() +
                                       "; 'index --fields' says which are indexed");
  }

  InputFiles files_;
  bool are_texts_;  // fields_ are texts, each with lists of its own
  std::vector<std::string> fields_;
  std::string embedding_;
  std::vector<Field> vectors_;
  std::optional<RawRecord> ahead_;    // read by embedding_dimension()
  std::vector<json::Member> wanted_;  // the id's members, then others that are not among them
  std::optional<json::StoredMembers> stored_;
  std::optional<json::ColumnMembers> columns_;
  std::vector<std::size_t> field_places_;                                 // of fields_ in wanted_
  mutable std::vector<std::atomic<std::uint64_t>> documents_with_field_;  // one each of fields_
  std::string first_lines_;                                               // for messages
};

}  // namespace

std::unique_ptr<DocumentReader> open_jsonl(const ReaderOptions& options) {
  return std::make_unique<JsonlReader>(options);
}

}  // namespace warpdex
