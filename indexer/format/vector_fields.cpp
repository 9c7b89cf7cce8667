// The sets of vectors of an index, and those of a schema as JSON.
#include "format/vector_fields.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/section_names.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {
namespace {

using JsonTextWriter = rapidjson::Writer<rapidjson::StringBuffer>;

/// The members of an object, each of which is taken once.
class VectorMembers {
 public:
  VectorMembers(const rapidjson::Value& object, std::string named)
      : object_(object), named_(std::move(named)) {}

  const rapidjson::Value* take(const char* name) {
    const auto member = object_.FindMember(name);
    if (member == object_.MemberEnd()) return nullptr;
    ++taken_;
    return &member->value;
  }
  std::string text(const char* name, std::string_view otherwise) {
    const rapidjson::Value* const value = take(name);
    if (value == nullptr) return std::string(otherwise);
    if (value->IsString()) return {value->GetString(), value->GetStringLength()};
    fail(std::string("'") + name + "' must be a text");
  }
  std::uint64_t whole(const char* name, std::uint64_t otherwise) {
    const rapidjson::Value* const value = take(name);
    if (value == nullptr) return otherwise;
    if (value->IsUint64()) return value->GetUint64();
    fail(std::string("'") + name + "' must be a whole number");
  }
  bool flag(const char* name) {
    const rapidjson::Value* const value = take(name);
    if (value == nullptr) return false;
    if (value->IsBool()) return value->GetBool();
    fail(std::string("'") + name + "' must be true or false");
  }
  double number(const char* name, double otherwise) {
    const rapidjson::Value* const value = take(name);
    if (value == nullptr) return otherwise;
    if (value->IsNumber()) return value->GetDouble();
    fail(std::string("'") + name + "' must be a number");
  }
  /// Throws for members that were not taken.
  void finish() const {
    if (taken_ == object_.MemberCount()) return;
    fail("it has a member that is unknown, or there twice");
  }
  [[noreturn]] void fail(const std::string& what) const { throw UsageError(named_ + ": " + what); }

 private:
  const rapidjson::Value& object_;
  std::string named_;
  rapidjson::SizeType taken_ = 0;
};

vector::RowIndexSettings read_index(const rapidjson::Value* json, const std::string& named) {
  vector::RowIndexSettings index;
  if (json == nullptr) return index;
  if (json->IsString()) {
    index.kind = json->GetString();
    return index;
  }
  if (!json->IsObject()) throw UsageError(named + ": 'index' must be a kind or an object");
  VectorMembers members(*json, named + ": 'index'");
  index.kind = members.text("kind", index.kind);
  index.lists = members.whole("lists", index.lists);
  index.train = members.whole("train", index.train);
  index.pq_bytes = members.whole("pq_bytes", index.pq_bytes);
  index.pq_bits = members.whole("pq_bits", index.pq_bits);
  index.binary_bits = members.whole("bits", index.binary_bits);
  index.is_rotated = members.flag("rotated");
  index.is_corrected = members.flag("corrected");
  index.clip = members.number("clip", index.clip);
  index.seed = members.whole("seed", index.seed);
  members.finish();
  return index;
}

void write_text(std::string_view name, std::string_view value, JsonTextWriter& writer) {
  writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void write_index(const vector::RowIndexSettings& index, JsonTextWriter& writer) {
  const vector::RowIndexSettings usual;
  const auto number = [&](const char* name, std::uint64_t value, std::uint64_t otherwise) {
    if (value == otherwise) return;
    writer.Key(name);
    writer.Uint64(value);
  };
  const auto flag = [&](const char* name, bool value) {
    if (!value) return;
    writer.Key(name);
    writer.Bool(true);
  };
  writer.Key("index");
  writer.StartObject();
  write_text("kind", index.kind, writer);
  number("lists", index.lists, usual.lists);
  number("train", index.train, usual.train);
  number("pq_bytes", index.pq_bytes, usual.pq_bytes);
  number("pq_bits", index.pq_bits, usual.pq_bits);
  number("bits", index.binary_bits, usual.binary_bits);
  flag("rotated", index.is_rotated);
  flag("corrected", index.is_corrected);
  if (index.clip >= 0) {
    writer.Key("clip");
    writer.Double(index.clip);
  }
  number("seed", index.seed, usual.seed);
  writer.EndObject();
}

}  // namespace

vector::RowSettings read_vector_field(const rapidjson::Value& field, const std::string& named) {
  VectorMembers members(field, named);
  members.take("type");
  vector::RowSettings vectors;
  vectors.dimension = members.whole("dimension", 0);
  if (vectors.dimension < 1 || vectors.dimension > vector::kMaxDimension) {
    members.fail("'dimension' must be there, a whole number from 1 to " +
                 std::to_string(vector::kMaxDimension));
  }
  try {
    vectors.metric =
        vector::metric_from_name(members.text("metric", vector::metric_name(vectors.metric)));
    vectors.store =
        vector::store_from_name(members.text("store", vector::store_name(vectors.store)));
    vectors.index = read_index(members.take("index"), named);
    members.finish();
    vector::check_row_settings(vectors);
  } catch (const UsageError& error) {
    const std::string_view what = error.what();
    if (what.starts_with(named)) throw;
    members.fail(std::string(what));
  }
  return vectors;
}

void write_vector_field(const vector::RowSettings& vectors, JsonTextWriter& writer) {
  writer.Key("dimension");
  writer.Uint64(vectors.dimension);
  write_text("metric", vector::metric_name(vectors.metric), writer);
  write_text("store", vector::store_name(vectors.store), writer);
  if (!vectors.index.is_flat()) write_index(vectors.index, writer);
}

std::vector<Field> vector_fields(const Schema& schema) {
  std::vector<Field> fields;
  std::ranges::copy_if(schema.fields, std::back_inserter(fields),
                       [](const Field& field) { return field.type == FieldType::kVector; });
  return fields;
}

std::vector<VectorSet> vector_sets(const IndexSettings& settings) {
  std::vector<VectorSet> sets;
  if (settings.vectors) sets.push_back({"", *settings.vectors, ""});
  std::size_t number = 0;
  for (const Field& field : vector_fields(settings.schema)) {
    sets.push_back({field.name, field.vectors, section::prefix_of_vectors(number++)});
  }
  return sets;
}

}  // namespace warpdex
