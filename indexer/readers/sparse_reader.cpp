// Collections of sparse vectors: one JSON object a line, with an id and the weights of terms.
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "readers/column_members.hpp"
#include "readers/input_files.hpp"
#include "readers/json_lines.hpp"
#include "readers/readers.hpp"
#include "readers/stored_members.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kVector = "vector";
constexpr std::string_view kSparseExample =
    "each line must be one JSON object, as "
    "{\"id\": \"7\", \"vector\": {\"term\": 1.5}}";

constexpr float kMinWeight = std::numeric_limits<float>::denorm_min();

class SparseReader final : public DocumentReader {
 public:
  explicit SparseReader(const ReaderOptions& options) : files_(options) {
    wanted_ = json::id_members();
    vector_place_ = wanted_.size();
    wanted_.push_back({.name = kVector});
    if (!options.stored.empty()) stored_.emplace(options.stored, wanted_);
    if (!options.columns.empty()) columns_.emplace(options.columns, wanted_);
  }

  bool next(RawRecord& record) override { return json::next_record(files_, record); }

  Document parse(const RawRecord& record) const override {
    check_utf8(record.bytes, record.location);
    json::check_size(record);
    std::string line = record.bytes;  // unescaped in place
    std::vector<json::Member> members = wanted_;
    json::ObjectMember vector{.name = kVector};
    const json::Collected collected = json::collect_members(line, members, vector);
    json::check_record(record, collected, kSparseExample);
    Document document{.id = json::id_of(members, record)};
    json::check_escapes(record, {document.id});
    check_vector(members[vector_place_], record);
    if (stored_) document.stored = stored_->values(members, record);
    if (columns_) document.values = columns_->values(members, record);
    document.vector.reserve(vector.entries.size());
    for (const json::Member& entry : vector.entries) {
      json::check_escapes(record, {entry.name});
      document.vector.push_back({std::string(entry.name), weight_of(entry, record)});
    }
    return document;
  }

  bool has_vectors() const override { return true; }
  FieldUse field_use() const override {
    return {{}, stored_ ? stored_->counts() : std::vector<FieldCount>(), "others"};
  }
  std::uint64_t unpacking_memory() const override { return files_.unpacking_memory(); }
  std::uint64_t bytes_consumed() const override { return files_.bytes_consumed(); }
  std::uint64_t bytes_total() const override { return files_.bytes_total(); }

 private:
  static void check_vector(const json::Member& vector, const RawRecord& record) {
    if (vector.kind == json::Kind::kObject) return;
    if (vector.seen) {
      fail_document(record.location, "the member 'vector' is " +
                                         std::string(json::kind_name(vector.kind)) +
                                         "; it must be an object of terms and weights");
    }
    fail_document(record.location, "there is no member 'vector'; the members here are " +
                                       json::MemberNames(record.bytes).list() + ": " +
                                       std::string(kSparseExample));
  }

  // The nearest float, which may be infinite: the build refuses that, as it does NaN. A number
  // above 0 never becomes 0.
  static float weight_of(const json::Member& entry, const RawRecord& record) {
    if (entry.kind != json::Kind::kInteger && entry.kind != json::Kind::kNumber) {
      fail_document(record.location, "the weight of the term '" + excerpt(entry.name) + "' is " +
                                         json::kind_name(entry.kind) + "; give a number");
    }
    const char* const begin = entry.value.data();
    const char* const end = begin + entry.value.size();
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc::result_out_of_range) {
      value = *begin == '-' ? -kMinWeight : kMinWeight;  // too large ones RapidJSON refuses
    }
    const auto weight = static_cast<float>(value);
    return weight == 0 && value > 0 ? kMinWeight : weight;
  }

  InputFiles files_;
  std::vector<json::Member> wanted_;  // the id's members, the vector, then others
  std::size_t vector_place_ = 0;
  std::optional<json::StoredMembers> stored_;
  std::optional<json::ColumnMembers> columns_;
};

}  // namespace

std::unique_ptr<DocumentReader> open_sparse(const ReaderOptions& options) {
  return std::make_unique<SparseReader>(options);
}

}  // namespace warpdex
