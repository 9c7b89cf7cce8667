// The words for each rule, with the numbers of or_choice.cpp.
#include "warpdex/query/gpu/or_rules.hpp"

namespace warpdex {
namespace {

constexpr std::array<OrRuleText, kOrRules> kTexts{{
    {"by-bound", "blocks by their bounds",
     "few postings (below 67,108,864) and no query of more than 12 terms"},
    {"rounds-of-many", "rounds of tiles", "many postings (67,108,864 or more)"},
    {"rounds-of-long", "rounds of tiles", "a query has more than 12 terms"},
    {"rounds-to-add-up", "rounds of tiles", "few postings, but some query adds all tiles up"},
    {"rounds-for-room", "rounds of tiles", "no memory to sort all blocks by their bounds"},
    {"rounds-asked", "rounds of tiles", "the options ask for them"},
    {"rounds-again", "rounds of tiles", "the queries had more candidates than room"},
    {"two-to-add-up", "two rounds", "all tiles are added up"},
    {"two-of-few", "two rounds", "few postings"},
    {"two-resident", "two rounds", "all lists are in GPU memory"},
    {"three-over-bus", "three rounds", "lists are read over the bus"},
    {"three-again", "three rounds", "the queries had more candidates than room"},
    {"add-up-form", "all tiles added up", "the scorer has no kernels for lookups"},
    {"add-up-asked", "all tiles added up", "the options ask for it"},
    {"add-up-matches", "all tiles added up", "matches are counted, or nothing is skipped"},
    {"add-up-long", "all tiles added up",
     "one query alone has more than 12 terms, or all have more than 64"},
    {"look-up-apart", "the cheaper for each tile; found documents are looked up by all warps",
     "there is memory for them"},
    {"look-up-at-once-for-room", "the cheaper for each tile; each warp looks up what it finds",
     "no memory for the documents between"},
    {"look-up-at-once-asked", "the cheaper for each tile; each warp looks up what it finds",
     "the options ask for it"},
    {"look-up-at-once-again", "the cheaper for each tile; each warp looks up what it finds",
     "the queries had more candidates than room"},
    {"search-stored", "lists decoded once where it pays, documents looked up in them",
     "lists are shared, and documents are many for each answer"},
    {"add-stored-form", "lists decoded once where it pays, tiles added up",
     "lists are shared, and the scorer has no kernels to look documents up in them"},
    {"add-stored-small", "lists decoded once where it pays, tiles added up",
     "lists are shared, and the GPU has too little shared memory to look documents up in them"},
    {"add-stored-long", "lists decoded once where it pays, tiles added up",
     "lists are shared, and queries have more than 12 terms on average"},
    {"add-stored-answers", "lists decoded once where it pays, tiles added up",
     "lists are shared, and documents are few for each answer"},
    {"none-stored-adds-up", "each query decodes its lists", "all tiles are added up"},
    {"none-stored-few", "each query decodes its lists", "postings are below 268,435,456"},
    {"none-stored-uses", "each query decodes its lists",
     "a list is used fewer than 5 times on average"},
    {"none-stored-segments", "each query decodes its lists", "the index has several segments"},
    {"none-stored-static", "each query decodes its lists", "the index has static scores"},
    {"none-stored-form", "each query decodes its lists", "the scorer has no kernels for it"},
    {"none-stored-room", "each query decodes its lists",
     "GPU memory does not hold all lists, or not the decoded ones beside them"},
    {"none-stored-asked", "each query decodes its lists", "the options ask for it"},
    {"none-stored-again", "each query decodes its lists",
     "the queries had more candidates than room"},
    {"tiles-cut", "a tile is cut into pieces", "few queries (16 or fewer) with full tiles"},
    {"scores-shared", "exact scores by all multiprocessors",
     "few queries (16 or fewer) with many answers and lists, or with more than 64 terms"},
}};

}  // namespace

const OrRuleText& text_of(OrRule rule) { return kTexts.at(static_cast<std::size_t>(rule)); }

}  // namespace warpdex
