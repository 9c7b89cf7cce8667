import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.*;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

/**
 * Prints what Lucene finds. Arguments: a file of documents, one a line, of words that white space
 * parts, of which _ leaves a place free; one of queries in the classic syntax, one a line; and k. To
 * each line it adds tabs, the number of matches, and document:score of the k best.
 */
public class LuceneAnswers {
  static class Words extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer words = new WhitespaceTokenizer();
      return new TokenStreamComponents(words, new StopFilter(words, StopFilter.makeStopSet("_")));
    }
  }

  static void index(FSDirectory folder, String documents, BM25Similarity similarity)
      throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(new Words()).setSimilarity(similarity);
    config.setRAMBufferSizeMB(1000);
    try (IndexWriter writer = new IndexWriter(folder, config);
        BufferedReader lines = Files.newBufferedReader(Paths.get(documents))) {
      for (String line; (line = lines.readLine()) != null; ) {
        Document document = new Document();
        document.add(new TextField("f", line, Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  public static void main(String[] args) throws Exception {
    Path place = Files.createTempDirectory("lucene");
    FSDirectory folder = FSDirectory.open(place);
    BM25Similarity similarity = new BM25Similarity(0.9f, 0.4f);
    index(folder, args[0], similarity);
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(folder));
    searcher.setSimilarity(similarity);
    QueryParser parser = new QueryParser("f", new Words());
    parser.setAllowLeadingWildcard(true);
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line : Files.readAllLines(Paths.get(args[1]))) {
      Query query = parser.parse(line);
      StringBuilder found = new StringBuilder();
      int k = Integer.parseInt(args[2]);
      for (ScoreDoc hit : searcher.search(query, k).scoreDocs) {
        found.append(' ').append(hit.doc).append(':').append(hit.score);
      }
      out.println(line + "\t" + searcher.count(query) + "\t" + found.toString().trim());
    }
    out.flush();
    for (String file : folder.listAll()) Files.deleteIfExists(place.resolve(file));
    Files.delete(place);
  }
}
