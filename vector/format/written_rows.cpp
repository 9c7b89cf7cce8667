// Maps the sections of rows.
#include "format/written_rows.hpp"

#include "format/manifest.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex::vector {

WrittenRows::WrittenRows(const std::filesystem::path& folder,
                         const std::vector<SectionInfo>& sections,
                         const VectorIndexSettings& settings, std::size_t count,
                         std::span<const float> centre) {
  const std::optional<Folder> files = Folder::find(folder);
  vectors_section = SectionView(*files, sections[0]);
  norms_section = SectionView(*files, sections[1]);
  flat.metric = settings.metric;
  flat.vectors = {vectors_section.bytes().data(), settings.store, count, settings.dimension,
                  row_stride(settings)};
  flat.norms = norms_section.as<float>(count);
  flat.centre = centre;
  if (sections.size() < 3) return;
  centre_section = SectionView(*files, sections[2]);
  flat.centre = centre_section.as<float>(centre_section.bytes().size() / sizeof(float));
}

}  // namespace warpdex::vector
