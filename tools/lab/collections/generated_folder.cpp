// Tells generate's own files from those of others, by checksums and by what an index says of
// itself.
#include "collections/generated_folder.hpp"

#include <rapidjson/document.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "generate/generator.hpp"
#include "output/json.hpp"
#include "output/output_file.hpp"
#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMadeBy = "warpdex-lab generate";

[[noreturn]] void refuse(const fs::path& path) {
  throw UsageError("'" + path.string() +
                   "' was not made by generate, or was changed since, and is not replaced; move it "
                   "away, or choose another --output");
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

/// The checksum of a file; nothing where `path` is no file that can be read.
std::optional<std::uint64_t> checksum_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  RunningChecksum checksum;
  std::array<char, 65'536> buffer{};
  while (file) {
    file.read(buffer.data(), buffer.size());
    const auto size = static_cast<std::size_t>(file.gcount());
    checksum.add({reinterpret_cast<const std::uint8_t*>(buffer.data()), size});
  }
  if (!file.eof()) return std::nullopt;
  return checksum.value();
}

std::string to_text(std::uint64_t checksum) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), checksum, 16).ptr;
  return {text.data(), end};
}

std::optional<std::uint64_t> checksum_in(const rapidjson::Document& json, const char* name) {
  const auto member = json.FindMember(name);
  if (member == json.MemberEnd() || !member->value.IsString()) return std::nullopt;
  const std::string_view text(member->value.GetString(), member->value.GetStringLength());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

GeneratedFolder::GeneratedFolder(fs::path folder, std::string queries)
    : folder_(std::move(folder)), queries_(std::move(queries)) {
  read_mark();
  check_queries();
  check_index();
}

GeneratedFolder::Mark GeneratedFolder::read_mark() const {
  if (!is_there(mark())) return {};
  std::ifstream file(mark(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());  // of any depth
  const bool ours = !json.HasParseError() && json.IsObject() && json.HasMember("made_by") &&
                    json["made_by"] == kMadeBy;
  if (!ours) refuse(mark());
  return {checksum_in(json, "queries_checksum"), checksum_in(json, "earlier_queries_checksum")};
}

void GeneratedFolder::write_mark(const Mark& mark) const {
  JsonWriter json;
  json.begin_object();
  json.member("made_by", kMadeBy);
  if (mark.queries) json.member("queries_checksum", to_text(*mark.queries));
  if (mark.earlier_queries) json.member("earlier_queries_checksum", to_text(*mark.earlier_queries));
  json.end_object();
  write_output(this->mark(), json.take() + "\n");
}

/// The checksum of the queries that are there, which are generate's; nothing if there are none.
std::optional<std::uint64_t> GeneratedFolder::check_queries() const {
  if (!is_there(queries())) return std::nullopt;
  const std::optional<std::uint64_t> found = checksum_of(queries());
  const Mark mark = read_mark();
  if (!found || (found != mark.queries && found != mark.earlier_queries)) refuse(queries());
  return found;
}

void GeneratedFolder::check_index() const {
  std::error_code error;
  if (!is_there(index()) || (fs::is_directory(index(), error) && fs::is_empty(index(), error))) {
    return;
  }
  bool ours = false;
  try {
    ours = generate::is_generated(Index::open(index()).settings());
  } catch (const Error&) {  // no index, or a damaged one, which nothing tells from another's
  }
  if (!ours) refuse(index());
}

void GeneratedFolder::write_queries(std::string_view text) {
  const std::uint64_t fresh =
      checksum({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  for (const char* name : {"queries.tsv", "queries.jsonl"}) {
    const fs::path other = folder_ / name;
    const std::optional<std::uint64_t> found = checksum_of(other);
    std::error_code ignored;
    if (name != queries_ && found && found == read_mark().queries) fs::remove(other, ignored);
  }
  write_mark({fresh, check_queries()});
  write_output(queries(), text);
  write_mark({fresh, std::nullopt});
}

}  // namespace warpdex::tools
