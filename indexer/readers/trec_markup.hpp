// The SGML of TREC collections: finding tags, and turning a <DOC> into an id and plain text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "warpdex/indexer/readers/document_reader.hpp"

namespace warpdex {

/// Where a tag stands in a text: [begin, end), from '<' past '>'.
struct TagPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The first tag `name` ("doc", "/doc": lower case) at or after `from`, in any case of letters,
/// with or without attributes. Linear in the text.
std::optional<TagPlace> find_tag(std::string_view text, std::string_view name, std::size_t from);

/// The document in a record that runs from <DOC> to </DOC>. Throws BadDocument for a record that
/// does not, and for a missing, unclosed or repeated DOCNO or an unclosed DOCHDR.
Document parse_trec(std::string_view record, const Location& location);

}  // namespace warpdex
