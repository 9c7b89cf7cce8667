// The search of lists of binary codes on the CPU.
#include "lists/list_searcher.hpp"
#include "binary/bit_scan.hpp"

namespace warpdex::vector {

template std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<BinaryCoding>&, std::size_t);

}  // namespace warpdex::vector
