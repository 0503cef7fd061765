import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollector;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Version;

/**
 * Stages of Lucene 8, one a process: LuceneDriver STAGE INDEX INPUT ... The answer to a stage is JSON, the last line of
 * standard output; stages.ts says what is in it.
 */
public final class LuceneDriver {
  private static final BM25Similarity SIMILARITY = new BM25Similarity(0.9f, 0.4f);
  private static final String BODY = "body";
  private static final String NUMBER = "number";
  private static final int HITS = 10;
  /** Much memory, so that few segments are written: as much as FTS5 is given for its hash table. */
  private static final double WRITER_MEGABYTES = 512;

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "version" -> System.out.println(Version.LATEST);
      case "build" -> System.out.println(build(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3])));
      case "latency" -> System.out.println(
          latency(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]), Integer.parseInt(args[4]),
              Double.parseDouble(args[5])));
      case "batch" -> System.out.println(
          batch(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]), Double.parseDouble(args[4])));
      case "once" -> System.out.println(once(Path.of(args[1]), args[2]));
      default -> throw new IllegalArgumentException("unknown stage " + args[0]);
    }
  }

  // ── Build ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  private static String build(Path index, Path input, int threads) throws Exception {
    try (Directory directory = new MMapDirectory(index)) {
      for (String file : directory.listAll()) directory.deleteFile(file);
      IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
      config.setSimilarity(SIMILARITY);
      config.setRAMBufferSizeMB(WRITER_MEGABYTES);
      // One file a kind of data, so that the size of the stored text can be told from that of the index.
      config.setUseCompoundFile(false);
      config.getMergePolicy().setNoCFSRatio(0);
      long startedAt = System.nanoTime();
      double seconds;
      double mergeSeconds;
      try (IndexWriter writer = new IndexWriter(directory, config);
          DocumentSource source = new DocumentSource(input)) {
        inThreads(threads, () -> {
          addAll(writer, source);
          return null;
        });
        writer.commit();
        seconds = secondsSince(startedAt);
        long mergeStartedAt = System.nanoTime();
        writer.forceMerge(1);
        writer.commit();
        mergeSeconds = secondsSince(mergeStartedAt);
      }
      long total = 0;
      long stored = 0;
      for (String file : directory.listAll()) {
        long length = directory.fileLength(file);
        total += length;
        if (file.endsWith(".fdt") || file.endsWith(".fdx") || file.endsWith(".fdm")) stored += length;
      }
      return String.format(
          "{\"seconds\":%.4f,\"mergeSeconds\":%.4f,\"indexBytes\":%d,\"totalBytes\":%d,\"peakMB\":%.1f}",
          seconds, mergeSeconds, total - stored, total, peakMegabytes());
    }
  }

  /** Adds documents until there are no more; the fields are filled anew for each. */
  private static void addAll(IndexWriter writer, DocumentSource source) throws IOException {
    Field body = new TextField(BODY, "", Field.Store.NO);
    StoredField text = new StoredField("text", new byte[0]);
    NumericDocValuesField number = new NumericDocValuesField(NUMBER, 0);
    Document document = new Document();
    document.add(body);
    document.add(text);
    document.add(number);
    for (InputDocument next = source.next(); next != null; next = source.next()) {
      body.setStringValue(next.terms());
      text.setBytesValue(next.text());
      number.setLongValue(next.number());
      writer.addDocument(document);
    }
  }

  /** A document: what is indexed, what is stored, and its number, which is kept because threads shuffle documents. */
  private record InputDocument(long number, String terms, byte[] text) {}

  /** Reads an input for several threads. */
  private static final class DocumentSource implements Closeable {
    private final BufferedReader terms;
    private final DataInputStream texts;
    private long count = 0;

    DocumentSource(Path input) throws IOException {
      terms = Files.newBufferedReader(input.resolve("tokens.txt"), StandardCharsets.UTF_8);
      texts = new DataInputStream(new BufferedInputStream(Files.newInputStream(input.resolve("texts.bin")), 1 << 20));
    }

    synchronized InputDocument next() throws IOException {
      String line = terms.readLine();
      if (line == null) return null;
      byte[] text = new byte[texts.readInt()];
      texts.readFully(text);
      return new InputDocument(count++, line, text);
    }

    @Override
    public void close() throws IOException {
      terms.close();
      texts.close();
    }
  }

  // ── Search ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A query of an input. */
  private record ClassedQuery(String name, Query query) {}

  private static IndexSearcher open(Path index) throws IOException {
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(index)));
    searcher.setSimilarity(SIMILARITY);
    searcher.setQueryCache(null);
    return searcher;
  }

  /** The ten best. Hits are not counted, so that blocks are skipped from the first competitive score on. */
  private static ScoreDoc[] top(IndexSearcher searcher, Query query) throws IOException {
    TopScoreDocCollector collector = TopScoreDocCollector.create(HITS, HITS);
    searcher.search(query, collector);
    return collector.topDocs().scoreDocs;
  }

  private static Query toQuery(String mode, String terms) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    Occur occur = mode.equals("or") ? Occur.SHOULD : Occur.MUST;
    for (String term : terms.split(" ")) builder.add(new TermQuery(new Term(BODY, term)), occur);
    return builder.build();
  }

  private static List<ClassedQuery> queriesOf(Path input) throws IOException {
    List<ClassedQuery> queries = new ArrayList<>();
    for (String line : Files.readAllLines(input.resolve("queries.tsv"))) {
      String[] columns = line.split("\t");
      queries.add(new ClassedQuery(columns[0], toQuery(columns[1], columns[2])));
    }
    return queries;
  }

  private static Map<String, List<ClassedQuery>> byClass(Collection<ClassedQuery> queries) {
    return queries.stream()
        .collect(Collectors.groupingBy(ClassedQuery::name, LinkedHashMap::new, Collectors.toList()));
  }

  /** One query of each class in turn. */
  private static List<ClassedQuery> interleaved(Collection<ClassedQuery> queries) {
    Collection<List<ClassedQuery>> groups = byClass(queries).values();
    int longest = groups.stream().mapToInt(List::size).max().orElse(0);
    List<ClassedQuery> mixed = new ArrayList<>();
    for (int i = 0; i < longest; i++) {
      for (List<ClassedQuery> group : groups) if (i < group.size()) mixed.add(group.get(i));
    }
    return mixed;
  }

  /** What was measured of a class in one round. */
  private static final class Round {
    final List<Double> milliseconds = new ArrayList<>();
    final List<long[]> numbers = new ArrayList<>();
  }

  private static String latency(Path index, Path input, int warmups, int rounds, double budgetSeconds)
      throws IOException {
    IndexSearcher searcher = open(index);
    List<ClassedQuery> queries = interleaved(queriesOf(input));
    long startedAt = System.nanoTime();
    Map<String, Round> classes;
    int round = 0;
    do {
      classes = new LinkedHashMap<>();
      for (ClassedQuery query : queries) {
        long queryStartedAt = System.nanoTime();
        ScoreDoc[] hits = top(searcher, query.query());
        double milliseconds = (System.nanoTime() - queryStartedAt) / 1e6;
        Round measured = classes.computeIfAbsent(query.name(), name -> new Round());
        measured.milliseconds.add(milliseconds);
        measured.numbers.add(numbersOf(searcher.getIndexReader(), hits));
      }
      round++;
    } while (round < warmups + rounds && secondsSince(startedAt) < budgetSeconds);
    String body = classes.entrySet().stream()
        .map(entry -> String.format("\"%s\":{\"ms\":%s,\"top\":[%s]}", entry.getKey(),
            entry.getValue().milliseconds,
            entry.getValue().numbers.stream().map(java.util.Arrays::toString).collect(Collectors.joining(","))))
        .collect(Collectors.joining(","));
    return String.format("{\"classes\":{%s},\"rounds\":%d,\"peakMB\":%.1f}", body, round, peakMegabytes());
  }

  /** The numbers that documents had in the input. */
  private static long[] numbersOf(IndexReader reader, ScoreDoc[] hits) throws IOException {
    long[] numbers = new long[hits.length];
    for (int i = 0; i < hits.length; i++) {
      LeafReaderContext leaf = reader.leaves().get(ReaderUtil.subIndex(hits[i].doc, reader.leaves()));
      NumericDocValues values = leaf.reader().getNumericDocValues(NUMBER);
      values.advanceExact(hits[i].doc - leaf.docBase);
      numbers[i] = values.longValue();
    }
    return numbers;
  }

  private static String batch(Path index, Path input, int threads, double seconds) throws Exception {
    IndexSearcher searcher = open(index);
    List<String> rates = new ArrayList<>();
    for (Map.Entry<String, List<ClassedQuery>> group : byClass(queriesOf(input)).entrySet()) {
      if (!group.getKey().startsWith("questions-") && !group.getKey().startsWith("mixed-")) continue;
      // The JIT needs longer to warm up than the others do.
      rateOf(searcher, group.getValue(), threads, 2 * seconds);
      double rate = rateOf(searcher, group.getValue(), threads, seconds);
      rates.add(String.format("\"%s\":%.3f", group.getKey(), rate));
    }
    return "{" + String.join(",", rates) + "}";
  }

  /** Each thread makes whole passes of its own over the queries. */
  private static double rateOf(IndexSearcher searcher, List<ClassedQuery> queries, int threads, double seconds)
      throws Exception {
    return inThreads(threads, () -> {
      long startedAt = System.nanoTime();
      long answered = 0;
      do {
        for (ClassedQuery query : queries) top(searcher, query.query());
        answered += queries.size();
      } while (secondsSince(startedAt) < seconds);
      return answered / secondsSince(startedAt);
    }).stream().mapToDouble(Double::doubleValue).sum();
  }

  private static String once(Path index, String terms) throws IOException {
    IndexSearcher searcher = open(index);
    return java.util.Arrays.toString(numbersOf(searcher.getIndexReader(), top(searcher, toQuery("or", terms))));
  }

  // ── Threads, time, memory ─────────────────────────────────────────────────────────────────────────────────────────

  private static <T> List<T> inThreads(int threads, java.util.concurrent.Callable<T> work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) running.add(pool.submit(work));
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) results.add(future.get());
      return results;
    } catch (ExecutionException error) {
      throw new IllegalStateException(error.getCause());
    } finally {
      pool.shutdown();
    }
  }

  private static double secondsSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1e9;
  }

  /** Most resident memory of this process so far, mapped files included; 0 where the system does not say. */
  private static double peakMegabytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) return 0;
    try (Stream<String> lines = Files.lines(status)) {
      return lines.filter(line -> line.startsWith("VmHWM:"))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) * 1024 / 1e6)
          .findFirst()
          .orElse(0);
    }
  }

  private LuceneDriver() {}
}
