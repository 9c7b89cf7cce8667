import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

/**
 * Lucene in the search-benchmark-game: "build FOLDER" indexes lines of {"id", "text"}, "serve FOLDER"
 * answers lines of a command, a tab and a query. One thread.
 */
public class LuceneGame {
  static final BM25Similarity BM25 = new BM25Similarity(0.9f, 0.4f);

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
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  /** Null for an unknown command. */
  static Long answer(IndexSearcher searcher, String command, Query query) throws Exception {
    if (command.equals("COUNT")) return (long) searcher.count(query);
    if (!command.startsWith("TOP_")) return null;
    String[] parts = command.substring("TOP_".length()).split("_");
    boolean counts = parts.length == 2 && parts[1].equals("COUNT");
    if (parts.length > 1 && !counts) return null;
    int k = Integer.parseInt(parts[0]);
    int counted = counts ? Integer.MAX_VALUE : k;
    var found = searcher.search(query, new TopScoreDocCollectorManager(k, null, counted));
    return counts ? found.totalHits.value() : 1;
  }

  static void serve(FSDirectory folder, BufferedReader in) throws Exception {
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(folder));
    searcher.setQueryCache(null);
    searcher.setSimilarity(BM25);
    QueryParser parser = new QueryParser("text", analyzer());
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t", 2);
      Long count = answer(searcher, parts[0], parser.parse(parts[1]));
      System.out.println(count == null ? "UNSUPPORTED" : count.toString());
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
