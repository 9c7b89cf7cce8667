import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.*;

/** Prints the trees that Lucene's classic parser makes of the lines of standard input. */
public class LucenePrinter {
  static String show(Query query) {
    if (query instanceof BoostQuery b) {
      return show(b.getQuery()) + "^" + number(b.getBoost());
    }
    if (query instanceof BooleanQuery b) {
      List<String> parts = new ArrayList<>();
      for (BooleanClause c : b) parts.add(sign(c.occur()) + show(c.query()));
      Collections.sort(parts);
      return "(" + String.join(" ", parts) + ")";
    }
    if (query instanceof TermQuery t) return "t:" + t.getTerm().text();
    if (query instanceof PhraseQuery p) {
      List<String> words = new ArrayList<>();
      for (var term : p.getTerms()) words.add(term.text());
      return "\"" + String.join(" ", words) + "\"~" + p.getSlop();
    }
    if (query instanceof PrefixQuery p) return "p:" + p.getPrefix().text();
    if (query instanceof WildcardQuery w) return "w:" + w.getTerm().text();
    if (query instanceof FuzzyQuery f) return "f:" + f.getTerm().text() + "~" + f.getMaxEdits();
    if (query instanceof TermRangeQuery r) {
      String low = r.getLowerTerm() == null ? "*" : r.getLowerTerm().utf8ToString();
      String high = r.getUpperTerm() == null ? "*" : r.getUpperTerm().utf8ToString();
      return "r:" + (r.includesLower() ? "[" : "{") + low + ".." + high + (r.includesUpper() ? "]" : "}");
    }
    if (query instanceof MatchAllDocsQuery) return "all";
    if (query instanceof MatchNoDocsQuery) return "none";
    return query.getClass().getSimpleName();
  }
  static String sign(BooleanClause.Occur occur) {
    return switch (occur) { case MUST -> "+"; case MUST_NOT -> "-"; case SHOULD -> ""; default -> "#"; };
  }
  static String number(float value) { return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value); }

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line; (line = in.readLine()) != null;) {
      String shown;
      try {
        QueryParser parser = new QueryParser("f", new WhitespaceAnalyzer());
        parser.setAllowLeadingWildcard(true);
        if (args.length > 0) parser.setDefaultOperator(QueryParser.Operator.AND);
        shown = show(parser.parse(line));
      } catch (Exception e) {
        shown = "error";
      }
      out.println(line + "\t" + shown);
    }
    out.flush();
  }
}
