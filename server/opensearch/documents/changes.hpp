// Changes of documents: what one asks for, what becomes of it, and how it is told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "opensearch/documents/source_document.hpp"

namespace warpdex::server::opensearch {

enum class ChangeKind : std::uint8_t { kIndex, kCreate, kUpdate, kDelete };

/// "index", "create", "update" or "delete".
std::string_view change_name(ChangeKind kind);
std::optional<ChangeKind> change_from_name(std::string_view name);

struct DocumentChange {
  ChangeKind kind = ChangeKind::kIndex;
  std::string id{};
  SourceDocument source{};                 ///< of kUpdate, the fields that change
  std::optional<SourceDocument> upsert{};  ///< of kUpdate: where there is no such document
  bool detects_noop = true;                ///< of kUpdate
};

/// What became of it. An error has a status of 400 or more, and a type but for a document that was
/// to be deleted and is not there.
struct ChangeResult {
  int status = 200;
  std::string result{};  ///< "created", "updated", "deleted", "not_found", "noop"
  std::string type{};
  std::string reason{};
};

/// Changes of one index, in their order, within ServedIndex::post_change().
class Changer {
 public:
  Changer(ServedIndex& index, Writer& writer)
      : index_(index), writer_(writer), fields_(fields_of(writer.settings())) {}

  ChangeResult apply(DocumentChange&& change);
  /// Counts them, and makes them visible to searches if `commits`. Without that the caller makes
  /// them durable.
  void finish(bool commits);

 private:
  ChangeResult put(DocumentChange&& change);
  ChangeResult update(DocumentChange&& change);
  /// The document as it is now, with all changes so far.
  std::optional<SourceDocument> current(const std::string& id);

  ServedIndex& index_;
  Writer& writer_;
  const IndexFields fields_;
  std::uint64_t changes_ = 0;
  /// The commit that has all changes but those of this object; of its own ones, the last.
  std::shared_ptr<const IndexReader> before_{};
  std::map<std::string, std::optional<SourceDocument>> own_{};
};

/// What update needs of {"doc", "upsert", "doc_as_upsert", "detect_noop"}. Throws HttpError (400).
DocumentChange read_update(const rapidjson::Value& json, const IndexFields& fields,
                           const std::string& what, std::string id);

/// Of `refresh`: whether the changes are to be visible.
bool read_refresh(Parameters& address);
/// 20 letters that no document has by chance.
std::string new_document_id();

/// The members of one change's result.
void write_result(const std::string& index, const std::string& id, const ChangeResult& result,
                  JsonWriter& json);

}  // namespace warpdex::server::opensearch
