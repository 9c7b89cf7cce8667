// The collection that generated ones are compared with, measured once: 204,648 English Wikipedia
// articles and 50,000 queries, as tools/lab/measure makes the articles (its `wiki`: lower-cased
// ASCII tokens of the contents alone) and cuts the queries of TREC's terabyte05 efficiency log (the
// same tokens, a query a line, none left out):
//
//   warpdex index --input wiki.tsv --format tsv --analyzer whitespace --output WIKI
//   warpdex-lab generate --documents 1000 --output SMALL --json - --compare WIKI
//       --compare-queries terabyte05.txt --compare-format lines
//
// The share of distinct terms is that of the first 1,000 queries, since it falls with their number.
#include "collections/collection_report.hpp"

namespace warpdex::tools {

const NamedFigures& wikipedia_figures() {
  static const NamedFigures figures{
      "Wikipedia",
      {.documents = 204648,
       .mean_length = 310.4,
       .lengths = {{33, 42, 57, 132, 315, 673, 2920}},
       // Uses, postings, bits a gap, of random docIDs, bits a frequency, mean frequency, shares of
       // frequencies, share of dense blocks.
       .classes = {{{10153,
                     1741339995,
                     0.616,
                     0.6006,
                     4.393,
                     11.22,
                     {0.1703, 0.1479, 0.1964, 0.1803, 0.1455, 0.1595},
                     0.9952},
                    {1427,
                     123568524,
                     2.251,
                     2.266,
                     2.966,
                     3.979,
                     {0.394, 0.2048, 0.1839, 0.122, 0.06127, 0.03411},
                     0.9482},
                    {11044,
                     259181186,
                     4.252,
                     4.353,
                     1.829,
                     2.053,
                     {0.6269, 0.1874, 0.1116, 0.04993, 0.01771, 0.006389},
                     0.1512},
                    {24124,
                     158038726,
                     6.261,
                     6.271,
                     1.674,
                     1.92,
                     {0.6714, 0.1676, 0.09755, 0.04266, 0.01513, 0.00559},
                     0.001074},
                    {28850,
                     49926163,
                     8.206,
                     8.216,
                     1.48,
                     1.781,
                     {0.7178, 0.1498, 0.08078, 0.03433, 0.01257, 0.004799},
                     0.000886},
                    {23378,
                     10475006,
                     10.13,
                     10.17,
                     1.375,
                     1.764,
                     {0.7421, 0.1361, 0.07276, 0.03124, 0.01208, 0.005685},
                     0.001267},
                    {14817,
                     1693362,
                     12.05,
                     12.15,
                     1.279,
                     1.761,
                     {0.7537, 0.1281, 0.06876, 0.03149, 0.01205, 0.005887},
                     0},
                    {16727,
                     284524,
                     13.99,
                     14.47,
                     1.101,
                     1.817,
                     {0.7527, 0.1268, 0.06773, 0.03216, 0.01395, 0.006629},
                     0}}},
       .all = {130520,
               2344507486,
               1.699,
               1.7,
               3.773,
               8.944,
               {0.2811, 0.1565, 0.1766, 0.1497, 0.1146, 0.1215},
               0.8082},
       .queries = 50000,
       .distinct_terms = 0.692,
       .unknown_terms = 0.06312,
       .term_counts = {{0.0002, 0.2231, 0.309, 0.2064, 0.1212, 0.07072, 0.03292, 0.01692, 0.01942}},
       .mean_postings = 0.2291,
       .postings = {{0, 1.955e-05, 0.001705, 0.01874, 0.1229, 0.9617, 2.119}},
       .nonempty_ands = 0.5968,
       .mean_matches = 0.001063,
       .co_occurrence_of_2 = 4.275,
       .co_occurrence_of_3 = 10.72,
       .co_occurrence = 5.039}};
  return figures;
}

}  // namespace warpdex::tools
