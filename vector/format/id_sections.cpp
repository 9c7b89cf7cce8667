// Numbers as they are; texts one after the other, with a table of where they begin.
#include "format/id_sections.hpp"

#include "format/manifest.hpp"
#include "format/row_writer.hpp"

namespace warpdex::vector {

void write_ids(const VectorIds& ids, const std::filesystem::path& folder,
               std::vector<SectionInfo>& sections) {
  if (!ids.are_given()) return;
  if (!ids.are_texts()) {
    SectionWriter numbers(folder, section::kIdNumbers);
    append_all(numbers, ids.numbers());
    sections.push_back(numbers.finish());
    return;
  }
  SectionWriter offsets(folder, section::kIdOffsets);
  SectionWriter texts(folder, section::kIdTexts);
  offsets.append_value(texts.size());
  for (std::uint64_t row = 0; row < ids.size(); ++row) {
    const std::string_view text = ids.text(row);
    texts.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    offsets.append_value(texts.size());
  }
  sections.push_back(offsets.finish());
  sections.push_back(texts.finish());
}

}  // namespace warpdex::vector
