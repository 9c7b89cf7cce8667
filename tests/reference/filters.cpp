#include "tests/reference/filters.hpp"

#include <algorithm>

namespace warpdex::reference {
namespace {

/// Few different values, so that conditions meet some.
FieldValue random_value(std::mt19937_64& random, FieldType type) {
  const auto number = static_cast<std::int64_t>(random() % 40);
  switch (type) {
    case FieldType::kKeyword: return "k\"" + std::to_string(number);
    case FieldType::kFloat: return static_cast<double>(number - 20) / 4;
    case FieldType::kBool: return number % 2 == 1;
    case FieldType::kDate: return 1'000'000 + number * 86'400;
    default: return number - 20;
  }
}

std::string text_of(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "false";
}

FieldValue value_of(FieldType type, const std::string& text) {
  switch (type) {
    case FieldType::kKeyword: return text;
    case FieldType::kFloat: return std::stod(text);
    case FieldType::kBool: return text == "true";
    default: return static_cast<std::int64_t>(std::stoll(text));
  }
}

bool has_value(const FilterNode& filter, FieldType type, const FieldValue& value) {
  if (filter.kind == FilterNode::Kind::kExists) return true;
  if (filter.kind == FilterNode::Kind::kIn) {
    return std::ranges::any_of(
        filter.values, [&](const std::string& text) { return value_of(type, text) == value; });
  }
  const std::string& lower = filter.values[0];
  const std::string& upper = filter.values[1];
  if (!lower.empty()) {
    const FieldValue limit = value_of(type, lower);
    if (value < limit || (value == limit && !filter.includes_lower)) return false;
  }
  if (upper.empty()) return true;
  const FieldValue limit = value_of(type, upper);
  return value < limit || (value == limit && filter.includes_upper);
}

FilterNode random_clause(std::mt19937_64& random, const Schema& schema) {
  using Kind = FilterNode::Kind;
  FilterNode filter;
  filter.kind = Kind::kIn;
  if (random() % 10 == 0) {
    filter.field = "id";
    for (std::size_t i = 1 + random() % 30; i > 0; --i) {
      filter.values.push_back("d" + std::to_string(random() % 500));
    }
    return filter;
  }
  const Field& field = schema.fields[random() % schema.fields.size()];
  filter.field = field.name;
  const auto value = [&] { return text_of(random_value(random, field.type)); };
  switch (random() % 4) {
    case 0: filter.kind = Kind::kExists; break;
    case 1:
      for (std::size_t i = 1 + random() % 12; i > 0; --i) filter.values.push_back(value());
      break;
    default:
      filter.kind = Kind::kRange;
      filter.values = {value(), value()};
      if (random() % 4 == 0) filter.values[random() % 2] = "";
      filter.includes_lower = filter.values[0].empty() || random() % 2 == 0;
      filter.includes_upper = filter.values[1].empty() || random() % 2 == 0;
  }
  return filter;
}

}  // namespace

Schema random_schema(std::mt19937_64& random) {
  Schema schema;
  for (std::size_t i = 0; i < 1 + random() % 6; ++i) {
    Field field{"f" + std::to_string(i), static_cast<FieldType>(1 + random() % 5)};
    field.multiple = random() % 2 == 0;
    schema.fields.push_back(field);
  }
  return schema;
}

FieldValues random_values(std::mt19937_64& random, const Schema& schema) {
  FieldValues all;
  for (const Field& field : schema.fields) {
    auto& values = all.emplace_back();
    if (random() % 8 == 0) continue;
    const std::size_t count = field.multiple ? random() % 4 : 1;
    for (std::size_t i = 0; i < count; ++i) values.push_back(random_value(random, field.type));
    std::ranges::sort(values);
    const bool are_distinct = field.type == FieldType::kKeyword || field.type == FieldType::kBool;
    if (are_distinct) values.erase(std::unique(values.begin(), values.end()), values.end());
  }
  return all;
}

FilterNode random_filter(std::mt19937_64& random, const Schema& schema, int depth) {
  using Kind = FilterNode::Kind;
  if (depth == 0 || random() % 3 == 0) return random_clause(random, schema);
  FilterNode filter;
  filter.kind = static_cast<Kind>(static_cast<int>(Kind::kAnd) + random() % 3);
  const std::size_t count = filter.kind == Kind::kNot ? 1 : 2 + random() % 3;
  while (filter.clauses.size() < count) {
    filter.clauses.push_back(random_filter(random, schema, depth - 1));
  }
  return filter;
}

bool passes(const FilterNode& filter, const Schema& schema, const std::string& id,
            const FieldValues& values) {
  const auto clause_passes = [&](const FilterNode& clause) {
    return passes(clause, schema, id, values);
  };
  switch (filter.kind) {
    case FilterNode::Kind::kAll: return true;
    case FilterNode::Kind::kAnd: return std::ranges::all_of(filter.clauses, clause_passes);
    case FilterNode::Kind::kOr: return std::ranges::any_of(filter.clauses, clause_passes);
    case FilterNode::Kind::kNot: return !clause_passes(filter.clauses[0]);
    default: break;
  }
  if (filter.field == "id") return std::ranges::find(filter.values, id) != filter.values.end();
  const auto field = std::ranges::find(schema.fields, filter.field, &Field::name);
  const auto place = static_cast<std::size_t>(field - schema.fields.begin());
  return std::ranges::any_of(values[place], [&](const FieldValue& value) {
    return has_value(filter, field->type, value);
  });
}

}  // namespace warpdex::reference
