// Work over parts of a range.
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {

/// Calls work(first, last) for [0, count) in parts of up to `part`, from up to `threads` threads.
template <class Work>
void for_each_part(std::size_t count, std::size_t part, std::size_t threads, const Work& work) {
  const std::size_t parts = (count + part - 1) / part;
  parallel_for(threads, parts, [&](std::size_t /*thread*/, std::size_t item) {
    work(item * part, std::min(count, (item + 1) * part));
  });
}

}  // namespace warpdex::vector
