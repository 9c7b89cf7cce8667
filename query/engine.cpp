#include "warpdex/query/engine.hpp"
