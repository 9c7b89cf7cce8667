// The text of a page of HTML.
#pragma once

#include <string>
#include <string_view>

namespace warpdex {

struct HtmlPage {
  std::string title;
  std::string text;
};

/// Of UTF-8, whatever the page says that it is. Scripts, styles, templates and comments are left
/// out; runs of white space become a space, or a line feed between blocks. Throws InputError for a
/// page of 2 GiB or more, and for elements that are nested deeper than 1,000.
HtmlPage read_html(std::string_view html);

}  // namespace warpdex
