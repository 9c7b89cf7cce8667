// Lists of binary codes: by XOR and counts of bits query by query, or list by list.
#include "binary/bit_scan.hpp"
#include "binary/gpu/lists/binary_list_codes.hpp"
#include "lists/gpu/codes/integer_list_search.hpp"

namespace warpdex::vector {

class BinaryCoding::GpuSearch : public IntegerListSearch<BinaryCoding> {
 public:
  using IntegerListSearch::IntegerListSearch;
};

template std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<BinaryCoding>&, Resources&,
                                                           const GpuSearchSettings&);

}  // namespace warpdex::vector
