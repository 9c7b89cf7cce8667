import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Prints what Lucene finds for phrases. Arguments: a file of documents, one a line, and one of
 * phrases: the slop, a tab, and words, of which _ leaves a place free. To each line it adds a tab
 * and document:score of all matches, by document.
 */
public class LucenePhrases {
  public static void main(String[] args) throws Exception {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    BM25Similarity similarity = new BM25Similarity(0.9f, 0.4f);
    IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer()).setSimilarity(similarity);
    List<String> lines = Files.readAllLines(Paths.get(args[0]));
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (String line : lines) {
        Document document = new Document();
        document.add(new TextField("f", line, Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    searcher.setSimilarity(similarity);
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line : Files.readAllLines(Paths.get(args[1]))) {
      String[] parts = line.split("\t");
      PhraseQuery.Builder phrase = new PhraseQuery.Builder();
      phrase.setSlop(Integer.parseInt(parts[0]));
      int position = 0;
      for (String word : parts[1].split(" ")) {
        if (!word.equals("_")) phrase.add(new Term("f", word), position);
        ++position;
      }
      ScoreDoc[] hits = searcher.search(phrase.build(), lines.size()).scoreDocs;
      Arrays.sort(hits, Comparator.comparingInt(hit -> hit.doc));
      StringBuilder found = new StringBuilder();
      for (ScoreDoc hit : hits) found.append(' ').append(hit.doc).append(':').append(hit.score);
      out.println(line + "\t" + found.toString().trim());
    }
    out.flush();
  }
}
