// All that a program needs that embeds Warpdex: make an index, search it, change it.
#pragma once

#include "warpdex/answer.hpp"
#include "warpdex/calibration.hpp"
#include "warpdex/clustering.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/selection.hpp"
#include "warpdex/vector_index.hpp"
#include "warpdex/version.hpp"
#include "warpdex/writer.hpp"
