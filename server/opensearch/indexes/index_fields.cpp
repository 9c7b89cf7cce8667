#include "opensearch/indexes/index_fields.hpp"

#include <algorithm>
#include <sstream>

namespace warpdex::server::opensearch {
namespace {

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_all(std::string_view name) { return name.empty() || name == "_all" || name == "*"; }

std::vector<IndexPtr> indexes_of_documents(const Services& services) {
  std::vector<IndexPtr> indexes = services.catalog.all();
  std::erase_if(indexes, [](const IndexPtr& index) { return index->is_vectors(); });
  return indexes;
}

std::string_view name_in(const Request& request) {
  const bool has_index = !request.path.empty() && !request.path[0].starts_with('_');
  if (has_index) return request.path[0];
  return request.arguments.empty() ? std::string_view() : request.arguments[0];
}

}  // namespace

bool IndexFields::is_searched(std::string_view name) const { return has_name(searched, name); }
bool IndexFields::is_stored(std::string_view name) const { return has_name(stored, name); }

const Field* IndexFields::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Field::name);
  return found == columns.end() ? nullptr : &*found;
}

const VectorField* IndexFields::vector(std::string_view name) const {
  const auto found = std::ranges::find(vectors, name, &VectorField::name);
  return found == vectors.end() ? nullptr : &*found;
}

bool IndexFields::is_rebuildable() const {
  return are_told && !is_weighted &&
         std::ranges::all_of(searched, [&](const std::string& name) { return is_stored(name); });
}

std::string IndexFields::names() const {
  std::string text;
  for (const std::string& name : searched) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

IndexFields fields_of(const IndexSettings& settings) {
  IndexFields fields;
  fields.searched = text_names_of(settings.schema);
  fields.are_separate = fields.searched.size() > 1;
  if (fields.searched.empty() && !settings.fields.starts_with(kImportedFields)) {
    std::istringstream all(settings.fields);
    for (std::string name; std::getline(all, name, ',');) fields.searched.push_back(name);
  }
  fields.are_told = !fields.searched.empty();
  if (fields.searched.empty()) fields.searched.emplace_back("text");
  fields.stored = settings.stored_fields;
  fields.columns = columns_of(settings.schema);
  fields.schema = settings.schema;
  fields.is_weighted = settings.impacts && settings.impacts->source != ImpactSource::kBm25;
  for (const VectorSet& set : vector_sets(settings)) {
    fields.vectors.push_back({set.name, set.name, set.rows});
  }
  if (settings.vectors) {
    const bool is_taken = fields.is_searched("vector") || settings.schema.find("vector");
    fields.vectors[0].name = is_taken ? "embedding" : "vector";
  }
  return fields;
}

IndexPtr find_index(const Services& services, std::string_view name) {
  if (is_all(name)) {
    const std::vector<IndexPtr> indexes = indexes_of_documents(services);
    if (indexes.size() == 1) return indexes[0];
    throw illegal_argument("this server has " + std::to_string(indexes.size()) +
                           " indexes of documents, and a request is answered by one; name it");
  }
  if (name.find_first_of(",*") != std::string_view::npos) {
    throw illegal_argument("[" + std::string(name) +
                           "] may be several indexes, and a request is answered by one; name it");
  }
  if (name.starts_with('_')) {
    throw HttpError(400, "invalid_index_name_exception",
                    "Invalid index name [" + std::string(name) + "], must not start with '_'");
  }
  IndexPtr index = services.catalog.find(name);
  index->searcher();  // an index of vectors is refused
  return index;
}

IndexPtr find_index(const Services& services, const Request& request) {
  return find_index(services, name_in(request));
}

std::vector<IndexPtr> find_indexes(const Services& services, const Request& request) {
  const std::string_view name = name_in(request);
  if (is_all(name)) return indexes_of_documents(services);
  return {find_index(services, name)};
}

}  // namespace warpdex::server::opensearch
