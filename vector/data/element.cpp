// Names and sizes of elements.
#include "warpdex/vector/data/element.hpp"

#include <array>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

struct Description {
  std::size_t bytes;
  std::string_view name;
};

/// In the order of Element.
constexpr std::array<Description, 7> kElements{{{4, "float"},
                                                {2, "half"},
                                                {1, "int8"},
                                                {1, "uint8"},
                                                {4, "int32"},
                                                {8, "int64"},
                                                {1, "bool"}}};

const Description& description(Element element) {
  return kElements.at(static_cast<std::size_t>(element));
}

}  // namespace

std::size_t element_bytes(Element element) { return description(element).bytes; }

std::string_view element_name(Element element) { return description(element).name; }

Element element_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kElements.size(); ++i) {
    if (kElements[i].name == name) return static_cast<Element>(i);
  }
  throw UsageError("there is no type '" + std::string(name) +
                   "'; choose float, half, int8, uint8, int32, int64 or bool");
}

}  // namespace warpdex::vector
