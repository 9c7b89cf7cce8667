// The search of lists of bytes on the CPU.
#include "lists/list_searcher.hpp"
#include "sq8/byte_scan.hpp"

namespace warpdex::vector {

template std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<Sq8Coding>&, std::size_t);

}  // namespace warpdex::vector
