#include "opensearch/documents/changes.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace warpdex::server::opensearch {
namespace {

constexpr std::string_view kChangeNames[] = {"index", "create", "update", "delete"};
constexpr std::size_t kNewIdLetters = 20;

ChangeResult refused(const std::string& reason) {
  return {400, {}, "illegal_argument_exception", reason};
}

ChangeResult conflict_of(const std::string& id) {
  return {409,
          {},
          "version_conflict_engine_exception",
          "[" + id + "]: version conflict, document already exists"};
}

}  // namespace

std::string_view change_name(ChangeKind kind) {
  return kChangeNames[static_cast<std::size_t>(kind)];
}

std::optional<ChangeKind> change_from_name(std::string_view name) {
  for (const ChangeKind kind :
       {ChangeKind::kIndex, ChangeKind::kCreate, ChangeKind::kUpdate, ChangeKind::kDelete}) {
    if (change_name(kind) == name) return kind;
  }
  return std::nullopt;
}

ChangeResult Changer::apply(DocumentChange&& change) {
  try {
    if (change.kind == ChangeKind::kUpdate) return update(std::move(change));
    if (change.kind != ChangeKind::kDelete) return put(std::move(change));
    if (!writer_.remove(change.id)) return {404, "not_found"};
    ++changes_;
    if (before_) own_[change.id] = std::nullopt;
    return {200, "deleted"};
  } catch (const UsageError& error) {
    return refused(error.what());
  } catch (const InputError& error) {
    return refused(error.what());
  }
}

ChangeResult Changer::put(DocumentChange&& change) {
  const bool is_known = writer_.has(change.id);
  if (is_known && change.kind == ChangeKind::kCreate) return conflict_of(change.id);
  NewDocument document = new_document(change.id, change.source, fields_);
  if (is_known) {
    writer_.update(std::move(document));
  } else {
    writer_.add(std::move(document));
  }
  ++changes_;
  if (before_) own_[change.id] = std::move(change.source);
  return is_known ? ChangeResult{200, "updated"} : ChangeResult{201, "created"};
}

std::optional<SourceDocument> Changer::current(const std::string& id) {
  if (!before_) {
    // What is not committed cannot be read, so it is committed.
    if (changes_ > 0 || index_.uncommitted() > 0) finish(true);
    index_.refresh();
    before_ = index_.reader();
  }
  if (const auto found = own_.find(id); found != own_.end()) return found->second;
  const auto document = before_->find(id);
  if (!document) return std::nullopt;
  return stored_document(*before_, *document, fields_);
}

ChangeResult Changer::update(DocumentChange&& change) {
  if (!fields_.is_rebuildable()) {
    return refused(
        "documents of this index cannot be updated in part, since it does not store all "
        "that is searched; index them whole");
  }
  std::optional<SourceDocument> now = current(change.id);
  if (!now && !change.upsert) {
    return {404, {}, "document_missing_exception", "[" + change.id + "]: document missing"};
  }
  DocumentChange whole{.kind = ChangeKind::kIndex, .id = change.id};
  if (now) {
    whole.source = *now;
    merge_document(change.source, whole.source);
    if (change.detects_noop && whole.source == *now) return {200, "noop"};
  } else {
    whole.source = std::move(*change.upsert);
  }
  return put(std::move(whole));
}

void Changer::finish(bool commits) {
  index_.count_changes(std::exchange(changes_, 0));
  if (commits) index_.commit_changes(writer_);
}

DocumentChange read_update(const rapidjson::Value& json, const IndexFields& fields,
                           const std::string& what, std::string id) {
  Parameters members(json, what);
  if (members.has("script")) throw illegal_argument("an update by 'script' is not supported");
  const rapidjson::Value* const part = members.json("doc");
  const rapidjson::Value* const upsert = members.json("upsert");
  const bool is_upsert = members.flag("doc_as_upsert").value_or(false);
  DocumentChange change{.kind = ChangeKind::kUpdate, .id = std::move(id)};
  change.detects_noop = members.flag("detect_noop").value_or(true);
  members.finish();
  if (part == nullptr) throw illegal_argument(what + " has no 'doc'");
  if (is_upsert && upsert != nullptr) {
    throw illegal_argument(what + " has 'upsert' and 'doc_as_upsert'; give one");
  }
  change.source = read_source_document(*part, fields, what);
  if (is_upsert) change.upsert = change.source;
  if (upsert != nullptr) change.upsert = read_source_document(*upsert, fields, what);
  return change;
}

bool read_refresh(Parameters& address) {
  const std::string refresh = address.text("refresh").value_or("false");
  if (refresh == "false") return false;
  if (refresh.empty() || refresh == "true" || refresh == "wait_for") return true;
  throw illegal_argument("Unknown value for refresh: [" + refresh + "].");
}

std::string new_document_id() {
  thread_local std::random_device random;
  std::string id;
  for (std::uint32_t bits = 0, left = 0; id.size() < kNewIdLetters; --left, bits >>= 6) {
    if (left == 0) {
      bits = random();
      left = 5;
    }
    id += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[bits & 63U];
  }
  return id;
}

void write_result(const std::string& index, const std::string& id, const ChangeResult& result,
                  JsonWriter& json) {
  json.member("_index", index);
  json.member("_id", id);
  if (result.type.empty()) {
    // Documents have no versions; these are the numbers of one that is not assigned.
    json.member("_version", -1);
    json.member("result", result.result);
    json.begin_object("_shards");
    json.member("total", 1);
    json.member("successful", 1);
    json.member("failed", 0);
    json.end_object();
    json.member("_seq_no", -2);
    json.member("_primary_term", 0);
  }
}

}  // namespace warpdex::server::opensearch
