// All that a program needs that embeds Warpdex: build an index, open it, search it.
#pragma once

#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/readers/document_reader.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/reorder/reorder.hpp"
#include "warpdex/indexer/rewrite/convert.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"
#include "warpdex/query/input/query_parser.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/version.hpp"
