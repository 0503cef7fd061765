import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultMetrics, type JudgedRanking, parseMetrics } from '../../../src/eval/index.ts';

function measure(name: string, judged: JudgedRanking): number {
  return parseMetrics(name)[0]!.measure(judged);
}

// Ranks 1 to 6 have grades 3 2 3 0 1 2; the collection also has a 3 and a 2 that were not found.
const wikipedia: JudgedRanking = { gains: [3, 2, 3, 0, 1, 2], ideal: [3, 3, 3, 2, 2, 2, 1] };

// Relevant hits at ranks 2 and 5 of 6; one of the three relevant documents is not found.
const binary: JudgedRanking = { gains: [0, 1, 0, 0, 1, 0], ideal: [1, 1, 1] };

const nothingFound: JudgedRanking = { gains: [], ideal: [1] };
const nothingRelevant: JudgedRanking = { gains: [0, 0], ideal: [] };

describe('ndcg', () => {
  it('is the worked example of the Wikipedia article "Discounted cumulative gain"', () => {
    // 3/1 + 2/1.585 + 3/2 + 0 + 1/2.585 + 2/2.807 = 6.861, ideal of six 8.740, together 0.785
    expect(measure('ndcg@6', wikipedia)).toBeCloseTo(0.785, 3);
  });

  it('cuts the ideal ranking at the same rank', () => {
    // (3 + 2/log2(3)) / (3 + 3/log2(3)) = 4.26186 / 4.89279
    expect(measure('ndcg@2', wikipedia)).toBeCloseTo(0.87105, 5);
  });

  it('without a cutoff takes all hits and all relevant documents', () => {
    // 6.8611 / (8.7403 + 1/log2(8)) = 6.8611 / 9.0736
    expect(measure('ndcg', wikipedia)).toBeCloseTo(0.75616, 5);
  });
});

describe('the binary measures', () => {
  it.each([
    ['recall@1', 0],
    ['recall@2', 1 / 3],
    ['recall@100', 2 / 3],
    // (1/2 + 2/5) / 3
    ['map', 0.3],
    ['map@4', 1 / 6],
    ['mrr', 1 / 2],
    ['mrr@1', 0],
    ['mrr@2', 1 / 2],
    ['p@5', 2 / 5],
    // over the cutoff, not over the six hits
    ['p@10', 2 / 10],
    ['success@1', 0],
    ['success@2', 1],
  ])('%s', (name, expected) => {
    expect(measure(name, binary)).toBeCloseTo(expected, 12);
  });

  it('count a grade above 1 once', () => {
    expect(measure('p@2', wikipedia)).toBe(1);
    expect(measure('recall@6', wikipedia)).toBeCloseTo(5 / 7, 12);
  });
});

describe('every measure', () => {
  const metrics = parseMetrics(`${defaultMetrics},ndcg,map@3,mrr`);

  it('is 0 when nothing was found or nothing is relevant', () => {
    for (const metric of metrics) {
      expect(metric.measure(nothingFound)).toBe(0);
      expect(metric.measure(nothingRelevant)).toBe(0);
    }
  });

  it('is between 0 and 1, and not lowered by a better hit in a higher place', () => {
    const gains = fc.array(fc.constantFrom(0, 0, 1, 2, 3), { minLength: 2, maxLength: 120 });
    fc.assert(
      fc.property(gains, fc.array(fc.constantFrom(1, 2, 3), { maxLength: 4 }), fc.nat(), (found, missed, seed) => {
        const ideal = [...found, ...missed].filter((grade) => grade > 0).sort((a, b) => b - a);
        const [upper, lower] = [seed % (found.length - 1), found.length - 1];
        const swapped: number[] = [...found];
        swapped[upper] = Math.max(found[upper]!, found[lower]!);
        swapped[lower] = Math.min(found[upper]!, found[lower]!);
        for (const metric of metrics) {
          const value = metric.measure({ gains: found, ideal });
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
          expect(metric.measure({ gains: swapped, ideal })).toBeGreaterThanOrEqual(value - 1e-12);
        }
      }),
    );
  });
});

describe('parseMetrics', () => {
  it('keeps the order, and takes capitals and spaces', () => {
    expect(parseMetrics('MAP, nDCG@10').map(({ name }) => name)).toEqual(['map', 'ndcg@10']);
  });

  it.each([
    ['err@20', '"err@20" is not one. Known are ndcg, ndcg@k'],
    ['', '"" is not one'],
    ['ndcg@0', '"ndcg@0" is not one'],
    ['constructor@5', '"constructor@5" is not one'],
    ['p', 'p needs a cutoff, such as p@10'],
    ['map,map', '"map" comes twice'],
  ])('refuses %j', (text, message) => {
    expect(() => parseMetrics(text)).toThrow(message);
  });
});
