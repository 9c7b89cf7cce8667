import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.LabelAndValue;
import org.apache.lucene.facet.StringDocValuesReaderState;
import org.apache.lucene.facet.StringValueFacetCounts;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.TermStates;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * Lucene in the search-benchmark-game: "build FOLDER" indexes lines of {"id", "text", "part",
 * "topic"}, "serve FOLDER" answers lines of a command (as do_query.cpp has them), a tab and a query.
 * "TIMES", a blank and a command with the name of a file answers each line of it, terms with or
 * without a plus, and says the microseconds of each. One thread.
 */
public class LuceneGame {
  static final BM25Similarity BM25 = new BM25Similarity(0.9f, 0.4f);
  static final Pattern COMMAND =
      Pattern.compile("(?:(FACETS)|(COUNT)|TOP_(\\d+)(_COUNT)?)(?:_FILTER_(\\d+))?");

  static StandardAnalyzer analyzer() {
    return new StandardAnalyzer(CharArraySet.EMPTY_SET);
  }

  static void build(FSDirectory folder, BufferedReader in) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(analyzer());
    config.setSimilarity(BM25);
    config.setRAMBufferSizeMB(1000);
    ObjectMapper json = new ObjectMapper();
    try (IndexWriter writer = new IndexWriter(folder, config)) {
      for (String line; (line = in.readLine()) != null; ) {
        var read = json.readTree(line);
        Document document = new Document();
        document.add(new StringField("id", read.get("id").asText(), Field.Store.YES));
        document.add(new TextField("text", read.get("text").asText(), Field.Store.NO));
        document.add(new IntField("part", read.get("part").asInt(), Field.Store.NO));
        document.add(new SortedDocValuesField("topic", new BytesRef(read.get("topic").asText())));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  final IndexSearcher searcher;
  final IndexSearcher filtering; // remembers which documents a filter lets through, as by default
  final StringDocValuesReaderState topics;

  LuceneGame(DirectoryReader reader) throws Exception {
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(BM25);
    filtering = new IndexSearcher(reader);
    filtering.setSimilarity(BM25);
    topics = new StringDocValuesReaderState(reader, "topic");
  }

  String facets(IndexSearcher searcher, Query query) throws Exception {
    var matches = searcher.search(query, new FacetsCollectorManager());
    int count = 0;
    for (var each : matches.getMatchingDocs()) count += each.totalHits();
    StringBuilder line = new StringBuilder().append(count);
    var top = count == 0 ? null : new StringValueFacetCounts(topics, matches).getTopChildren(10, "topic");
    if (top == null) return line.toString();
    for (LabelAndValue each : top.labelValues) {
      line.append(' ').append(each.label).append(':').append(each.value);
    }
    return line.toString();
  }

  /** What do_query.cpp says. */
  String answer(Matcher command, Query query) throws Exception {
    IndexSearcher searcher = this.searcher;
    if (command.group(5) != null) {
      searcher = filtering;
      query = new BooleanQuery.Builder()
          .add(query, BooleanClause.Occur.MUST)
          .add(IntField.newRangeQuery("part", 0, Integer.parseInt(command.group(5)) - 1),
              BooleanClause.Occur.FILTER)
          .build();
    }
    if (command.group(1) != null) return facets(searcher, query);
    if (command.group(2) != null) return Integer.toString(searcher.count(query));
    int k = Integer.parseInt(command.group(3));
    boolean counts = command.group(4) != null;
    var found = searcher.search(
        query, new TopScoreDocCollectorManager(k, null, counts ? Integer.MAX_VALUE : k));
    return counts ? Long.toString(found.totalHits.value()) : "1";
  }

  /** The query with its terms looked up, so that the search need not. */
  Query lookedUp(Query parsed) throws Exception {
    if (parsed instanceof TermQuery term) {
      return new TermQuery(term.getTerm(), TermStates.build(searcher, term.getTerm(), true));
    }
    var query = new BooleanQuery.Builder();
    for (BooleanClause clause : ((BooleanQuery) parsed).clauses()) {
      query.add(lookedUp(clause.query()), clause.occur());
    }
    return query.build();
  }

  final Map<String, List<Query>> logs = new HashMap<>();

  String times(String command, String file, QueryParser parser) throws Exception {
    if (!logs.containsKey(file)) {
      List<Query> queries = new ArrayList<>();
      for (String text : Files.readAllLines(Path.of(file))) queries.add(lookedUp(parser.parse(text)));
      logs.put(file, queries);
    }
    Matcher parsed = COMMAND.matcher(command);
    if (!parsed.matches()) return "UNSUPPORTED";
    List<String> times = new ArrayList<>();
    for (Query query : logs.get(file)) {
      long start = System.nanoTime();
      answer(parsed, query);
      times.add(Double.toString((System.nanoTime() - start) / 1000.0));
    }
    return String.join(" ", times);
  }

  static void serve(FSDirectory folder, BufferedReader in) throws Exception {
    LuceneGame game = new LuceneGame(DirectoryReader.open(folder));
    QueryParser parser = new QueryParser("text", analyzer());
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t", 2);
      if (parts[0].startsWith("TIMES ")) {
        System.out.println(game.times(parts[0].substring(6), parts[1], parser));
        continue;
      }
      Matcher command = COMMAND.matcher(parts[0]);
      System.out.println(
          command.matches() ? game.answer(command, parser.parse(parts[1])) : "UNSUPPORTED");
    }
  }

  public static void main(String[] arguments) throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (FSDirectory folder = FSDirectory.open(Path.of(arguments[1]))) {
      if (arguments[0].equals("build")) build(folder, in);
      else serve(folder, in);
    }
  }
}
