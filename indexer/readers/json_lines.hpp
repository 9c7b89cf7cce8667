// What the readers of JSON lines share: the next line, its id, and the sentences of what is wrong.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/input_files.hpp"
#include "readers/json_members.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex::json {

/// The members that an id may be in: of those that are there, the first is it.
std::vector<Member> id_members();

/// The next line that is not blank, and where it stands; false at the end of all files.
bool next_record(InputFiles& files, RawRecord& record);

/// Throws BadDocument for a line too long to be parsed.
void check_size(const RawRecord& record);

/// Throws BadDocument for a line that is not a JSON object, with `example` of what it should be,
/// and for a member that occurs twice.
void check_record(const RawRecord& record, const Collected& collected, std::string_view example);

/// The id of a line whose `members` start with those of id_members(). Throws BadDocument.
std::string id_of(std::span<const Member> members, const RawRecord& record);

/// Throws BadDocument where an escape in `texts`, which come from the record, is no character.
/// RapidJSON checks the first half of a surrogate pair only.
void check_escapes(const RawRecord& record, std::initializer_list<std::string_view> texts);

/// "the member 'a' is", or "the members 'a', 'b' are", of those that are there and null.
std::string null_members(std::span<const Member> members);

}  // namespace warpdex::json
