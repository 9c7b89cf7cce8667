// Binary codes on a GPU: how long quantising takes, how near scans are to their floors, what is
// found for how much refining, one query at a time and in batches, all beside exact search. With
// --lists also of inverted files: of such codes, of product codes and of whole vectors.
//
// Vectors and queries come from files, or are drawn (mixture.hpp). Times are the host's,
// medians, queries and answers in the host's memory; but those of "scan" and "products", which are
// of the kernels alone, between events. The floors of a scan are reading the codes (and terms) at
// the speed of a copy, and counting bits at 16 counts a clock and multiprocessor at the GPU's
// highest clock; that of products is their arithmetic, which is told as operations a second.
#include <boost/program_options.hpp>

#include "benchmarks/binary/binary.hpp"
#include "warpdex/core/error.hpp"

int main(int argc, char** argv) {
  using namespace warpdex::tools;
  namespace po = boost::program_options;
  BinaryOptions settings;
  po::options_description options("Search of binary codes on the GPU. Options");
  options.add_options()                                               //
      ("vectors", po::value(&settings.vectors), "a file of vectors")  //
      ("generate", po::value(&settings.generate),
       "ROWS,DIM: draw vectors instead, from clusters")                                      //
      ("queries", po::value(&settings.queries), "a file of queries, instead of drawn ones")  //
      ("query-count", po::value(&settings.query_count)->default_value(settings.query_count),
       "queries that are drawn")                                                                 //
      ("metric", po::value(&settings.metric)->default_value(settings.metric), "l2, ip, cosine")  //
      ("bits", po::value(&settings.binary.bits)->default_value(settings.binary.bits), "1 to 8")  //
      ("query-bits", po::value(&settings.query_bits)->default_value(settings.query_bits),
       "1 to 8")                                                                        //
      ("rotate", po::bool_switch(&settings.binary.is_rotated), "rotate vectors first")  //
      ("correct", po::bool_switch(&settings.binary.is_corrected),
       "keep a scale and a correction of each vector")  //
      ("clip", po::value(&settings.binary.clip)->default_value(settings.binary.clip),
       "share of components that are clipped; negative: what suits the bits")                   //
      ("k,k", po::value(&settings.ks)->multitoken(), "neighbours, instead of 1 to 1,000")       //
      ("refine", po::value(&settings.refines)->multitoken(), "counts, instead of 10 to 1,000")  //
      ("extra", po::value(&settings.extras)->multitoken(), "distances, instead of 0")           //
      ("batches", po::value(&settings.batches)->multitoken(), "instead of 16 to 10,000")        //
      ("batch-refine", po::value(&settings.batch_refine)->default_value(settings.batch_refine),
       "of batches, beside none")  //
      ("lists", po::value(&settings.lists)->default_value(settings.lists),
       "also of inverted files of so many")                                                    //
      ("probes", po::value(&settings.probes)->multitoken(), "of these, instead of 16 and 64")  //
      ("devices", po::value(&settings.devices)->multitoken(),
       "instead of all else, time searches on these GPUs beside those on the first")  //
      ("repetitions", po::value(&settings.repetitions)->default_value(settings.repetitions),
       "timed calls of each kind")                                                     //
      ("seed", po::value(&settings.seed)->default_value(settings.seed), "of vectors")  //
      ("cpu", po::bool_switch(&settings.on_cpu), "also quantise on the CPU")           //
      ("json", po::value(&settings.json), "also write the results to this file");
  return run_benchmark(argc, argv, options, [&] {
    if (settings.vectors.empty() == settings.generate.empty()) {
      throw warpdex::UsageError("give either --vectors or --generate");
    }
    BinaryBenchmark(settings).run();
  });
}
