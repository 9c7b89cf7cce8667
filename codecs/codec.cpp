#include "warpdex/codecs/codec.hpp"
