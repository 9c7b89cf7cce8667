// Lists of bytes: query by query, or list by list.
#include "lists/gpu/codes/integer_list_search.hpp"
#include "sq8/byte_scan.hpp"
#include "sq8/gpu/byte_codes.hpp"

namespace warpdex::vector {

class Sq8Coding::GpuSearch : public IntegerListSearch<Sq8Coding> {
 public:
  using IntegerListSearch::IntegerListSearch;
};

template std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<Sq8Coding>&, Resources&,
                                                           const GpuSearchSettings&);

}  // namespace warpdex::vector
