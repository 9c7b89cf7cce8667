// The members of a JSON object that stands on a line: those that are looked for, and the names of
// all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::json {

/// What a member's value is. Members that are null count as missing: dumps of databases write them
/// so.
enum class Kind { kMissing, kString, kInteger, kNumber, kBoolean, kArray, kObject };

/// "a string", "an integer", ...; "null" for kMissing.
const char* kind_name(Kind kind);

/// What an array holds.
struct Item {
  Kind kind = Kind::kMissing;
  std::string_view value{};  ///< as Member::value
};

/// One member that is looked for, and what was found.
struct Member {
  std::string_view name;
  Kind kind = Kind::kMissing;
  std::string_view
      value{};        ///< of a string, unescaped; of a number or boolean, as written; else empty
  bool seen = false;  ///< it is there; if its kind is kMissing, it is null
  bool wants_items = false;  ///< of an array, what it holds
  std::vector<Item> items{};
};

/// The members of an object that is a member itself, and what they hold; all of them are kept.
struct ObjectMember {
  std::string_view name;
  std::vector<Member> entries{};
};

/// A member that is to be an array of numbers.
struct NumberArray {
  std::string_view name;
  std::vector<float> numbers{};  ///< rounded; infinite where a float cannot hold them
  bool is_array = false;         ///< it is there, and an array
  bool has_others = false;       ///< with something that is no number
};

/// What a line is, beside its members.
struct Collected {
  std::string error;             ///< why it is not JSON; empty if it is
  std::size_t error_offset = 0;  ///< where in the line
  bool is_object = false;
  const Member* duplicate = nullptr;  ///< a wanted member that occurs twice
};

/// Longest line that can be parsed.
inline constexpr std::uint64_t kMaxLineBytes = 0xFFFF'FFFF;

/// Fills in `members`, by their names, with those of the outermost object in `line`, which is
/// changed: values are views of it. No depth of nesting exhausts the stack.
Collected collect_members(std::string& line, std::vector<Member>& members);

/// The same, and the members of one member of the outermost object, if that is an object, into
/// `inner`. NaN, Infinity and -Infinity, which Python writes, are numbers here.
Collected collect_members(std::string& line, std::vector<Member>& members, ObjectMember& inner);

/// The same, and arrays of numbers, of different names.
Collected collect_members(std::string& line, std::vector<Member>& members,
                          std::span<NumberArray> arrays);

/// The names of the outermost objects' members, for messages.
class MemberNames {
 public:
  /// Of all objects in `lines`, divided by line feeds; of a line that is not JSON, as far as it is.
  explicit MemberNames(std::string_view lines);

  /// In the order of their bytes, up to 20 of them: "id, text, title"; "none" if there are none.
  std::string list() const;

 private:
  std::set<std::string> names_;
};

}  // namespace warpdex::json
