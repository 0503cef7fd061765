"""Stages of Xapian (glass database), one a process: xapian_driver.py STAGE DATABASE INPUT ...

The answer to a stage is JSON, the last line of standard output; stages.ts says what is in it.
"""

import json
import multiprocessing
import os
import resource
import shutil
import sys
import time

import xapian

K1 = 0.9
B = 0.4
# Xapian refuses longer terms.
MAX_TERM_BYTES = 245
# Documents per flush; the default of 10,000 would make many small merges of a large build.
FLUSH_THRESHOLD = "100000"


def build(database, folder):
    """Indexes the terms of each document with their positions; nothing else is stored."""
    shutil.rmtree(database, ignore_errors=True)
    os.environ["XAPIAN_FLUSH_THRESHOLD"] = FLUSH_THRESHOLD
    started_at = time.monotonic()
    writer = xapian.WritableDatabase(database, xapian.DB_CREATE_OR_OVERWRITE | xapian.DB_BACKEND_GLASS)
    with open(os.path.join(folder, "tokens.txt"), "rb") as lines:
        for line in lines:
            document = xapian.Document()
            add = document.add_posting
            for position, term in enumerate(line.split(), 1):
                if len(term) <= MAX_TERM_BYTES:
                    add(term, position)
            writer.add_document(document)
    writer.commit()
    writer.close()
    built_at = time.monotonic()
    # A database that was filled in flushes is compacted, as Xapian's documentation advises before searching.
    compacted = database + ".compact"
    shutil.rmtree(compacted, ignore_errors=True)
    xapian.Database(database).compact(compacted)
    shutil.rmtree(database)
    os.rename(compacted, database)
    size = sum(entry.stat().st_size for entry in os.scandir(database))
    return {
        "seconds": built_at - started_at,
        "mergeSeconds": time.monotonic() - built_at,
        "indexBytes": size,
        "totalBytes": size,
        "peakMB": peak_mb(),
    }


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def queries_of(folder):
    """Class, operator and terms of each query."""
    with open(os.path.join(folder, "queries.tsv"), encoding="utf-8") as lines:
        for line in lines:
            name, mode, terms, _ = line.rstrip("\n").split("\t")
            operator = xapian.Query.OP_OR if mode == "or" else xapian.Query.OP_AND
            yield name, xapian.Query(operator, [term.encode() for term in terms.split(" ")])


class Search:
    """An open database that ranks with the same BM25 as the others."""

    def __init__(self, database):
        self.enquire = xapian.Enquire(xapian.Database(database))
        # k2 and the least normalised length play no part in the usual formula; k3 has none for terms asked once.
        self.enquire.set_weighting_scheme(xapian.BM25Weight(K1, 0, 1, B, 0))

    def top(self, query):
        """Numbers of the ten best documents, from 0; Xapian counts from 1."""
        self.enquire.set_query(query)
        return [match.docid - 1 for match in self.enquire.get_mset(0, 10)]


def interleaved(queries):
    """One query of each class in turn."""
    by_class = {}
    for name, query in queries:
        by_class.setdefault(name, []).append((name, query))
    longest = max(len(group) for group in by_class.values())
    return [group[i] for i in range(longest) for group in by_class.values() if i < len(group)]


def latency(database, folder, warmups, rounds, budget_seconds):
    search = Search(database)
    queries = interleaved(queries_of(folder))
    started_at = time.monotonic()
    done = 0
    while True:
        classes = {}
        for name, query in queries:
            query_started_at = time.perf_counter()
            top = search.top(query)
            ms = (time.perf_counter() - query_started_at) * 1000
            measured = classes.setdefault(name, {"ms": [], "top": []})
            measured["ms"].append(ms)
            measured["top"].append(top)
        done += 1
        if done >= warmups + rounds or time.monotonic() - started_at >= budget_seconds:
            return {"classes": classes, "rounds": done, "peakMB": peak_mb()}


def batch(database, folder, threads, seconds):
    """Python runs one thread at a time, so the threads are processes."""
    with multiprocessing.Pool(threads) as pool:
        answers = pool.starmap(batch_of_one, [(database, folder, seconds)] * threads, chunksize=1)
    return {name: sum(rates[name] for rates in answers) for name in answers[0]}


def batch_of_one(database, folder, seconds):
    search = Search(database)
    classes = {}
    for name, query in queries_of(folder):
        if name.startswith(("questions-", "mixed-")):
            classes.setdefault(name, []).append(query)
    rates = {}
    for name, queries in classes.items():
        rate_of(search, queries, seconds)
        rates[name] = rate_of(search, queries, seconds)
    return rates


def rate_of(search, queries, seconds):
    started_at = time.monotonic()
    answered = 0
    while True:
        for query in queries:
            search.top(query)
        answered += len(queries)
        elapsed = time.monotonic() - started_at
        if elapsed >= seconds:
            return answered / elapsed


def main():
    stage, *rest = sys.argv[1:]
    if stage == "version":
        print(xapian.version_string())
        return
    database, folder, *numbers = rest
    if stage == "build":
        answer = build(database, folder)
    elif stage == "latency":
        answer = latency(database, folder, *map(float, numbers))
    elif stage == "batch":
        answer = batch(database, folder, int(numbers[0]), float(numbers[1]))
    else:
        sys.exit(f"unknown stage {stage}")
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
