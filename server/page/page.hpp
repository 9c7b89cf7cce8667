// The page's files, which the build puts into the program.
#pragma once

#include <string_view>

namespace warpdex::server {

extern const std::string_view kPageHtml;
extern const std::string_view kPageStyle;
extern const std::string_view kPageIcon;
extern const std::string_view kPageElementsScript;
extern const std::string_view kPageFacetsScript;
extern const std::string_view kPageFiltersScript;
extern const std::string_view kPageHitsScript;
extern const std::string_view kPageKeyboardScript;
extern const std::string_view kPageScript;
extern const std::string_view kPageServerScript;
extern const std::string_view kPageSpellingScript;
extern const std::string_view kPageStateScript;
extern const std::string_view kPageThemeScript;

}  // namespace warpdex::server
