#include "warpdex/indexer/format/index.hpp"
