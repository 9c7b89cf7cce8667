// Names of measures: trec_eval's, the usual short ones, families, and what is refused.
#include "warpdex/query/evaluation/measure.hpp"

#include <string>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

TEST(Measures, NamesOfBothKinds) {
  const auto expect = [](const std::string& name, const std::string& canonical) {
    EXPECT_EQ(measure_from_name(name).name(), canonical) << name;
    EXPECT_EQ(measure_from_name(canonical), measure_from_name(name)) << name;
  };
  expect("map", "map");
  expect("MAP", "map");
  expect("AP", "map");
  expect("P@10", "P_10");
  expect("p_5", "P_5");
  expect("nDCG@10", "ndcg_cut_10");
  expect("ndcg", "ndcg");
  expect("RR", "recip_rank");
  expect("MRR@10", "recip_rank_cut_10");
  expect("Recall@100", "recall_100");
  expect("R@1000", "recall_1000");
  expect("MAP@100", "map_cut_100");
  expect("Success@5", "success_5");
  expect("RPrec", "Rprec");
  expect("bpref", "bpref");
  expect("set_P", "set_P");
  expect("11pt_avg", "11pt_avg");
  expect("iprec_at_recall_0.10", "iprec_at_recall_0.10");
  expect("iprec@1", "iprec_at_recall_1.00");
  expect("iprec@0.05", "iprec_at_recall_0.05");
}

TEST(Measures, RefusesOtherNames) {
  for (const std::string bad :
       {"",          "@",    "_",       "foo",       "P",           "recall",
        "P@",        "P@0",  "P@-1",    "P@1.5",     "P@10x",       "P@99999999999",
        "@10",       "map@", "num_q@5", "iprec@1.1", "iprec@0.123", "iprec@-0.1",
        "iprec@nan", "infAP"}) {
    EXPECT_THROW(measure_from_name(bad), UsageError) << bad;
  }
  EXPECT_THROW(measures_from_names(""), UsageError);
  EXPECT_THROW(measures_from_names("map,"), UsageError);
  EXPECT_THROW(measures_from_names("map,,P@1"), UsageError);
}

TEST(Measures, FamiliesStandForTheirCuts) {
  EXPECT_EQ(measures_from_names("P").size(), 9U);
  EXPECT_EQ(measures_from_names("iprec_at_recall").size(), 11U);
  EXPECT_EQ(measures_from_names("official"), official_measures());
  EXPECT_EQ(official_measures().size(), 29U);
  const auto list = measures_from_names("map,ndcg_cut,RR@10");
  ASSERT_EQ(list.size(), 11U);
  EXPECT_EQ(list[1].name(), "ndcg_cut_5");
  EXPECT_EQ(list[10].name(), "recip_rank_cut_10");
}

}  // namespace
}  // namespace warpdex
