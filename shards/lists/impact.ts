/**
 * Impacts: what a posting's score depends on besides the statistics of the corpus.
 *
 * BM25 gives a posting weight · f / (f + c0 + c1 · length), where f is its term frequency, and c0 and c1, both at least 0,
 * come from k1, b and the average length. That is highest where c0 · (1/f) + c1 · (length/f) is lowest: a linear function
 * of the point (1/f, length/f). So of any set of postings the best one, whatever c0 and c1 are, is a corner of the lower
 * left convex hull of their points, and the worst one a corner of the upper right hull. A few corners bound thousands of
 * postings for every corpus, k1 and b.
 */

/** Term frequency in column units (see `ColumnUnits`) and length of the chunk in tokens. */
export interface Impact {
  readonly units: number;
  readonly length: number;
}

/** The impacts of which one is the highest under any statistics. @param impacts at least one */
export function highestImpacts(impacts: readonly Impact[]): Impact[] {
  return hull(impacts, 1);
}

/** The impacts of which one is the lowest under any statistics. @param impacts at least one */
export function lowestImpacts(impacts: readonly Impact[]): Impact[] {
  return hull(impacts, -1);
}

interface Point extends Impact {
  readonly x: number;
  readonly y: number;
}

/** Corners of the lower left hull (sign 1) or upper right hull (sign -1), by Andrew's monotone chain. */
function hull(impacts: readonly Impact[], sign: 1 | -1): Impact[] {
  const points = impacts
    .map(({ units, length }): Point => ({ units, length, x: sign / units, y: (sign * length) / units }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  const corners: Point[] = [];
  for (const point of points) {
    // A corner that is not below all before it is best for no statistics.
    if (corners.length > 0 && point.y >= corners.at(-1)!.y) continue;
    while (corners.length > 1 && !turnsLeft(corners.at(-2)!, corners.at(-1)!, point)) corners.pop();
    corners.push(point);
  }
  return corners.map(({ units, length }) => ({ units, length }));
}

function turnsLeft(a: Point, b: Point, c: Point): boolean {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}
