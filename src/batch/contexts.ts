import { ShelfmarkError } from '../../shards/index.ts';
import type { Hit } from '../search/hits.ts';

/** How much text a question may have. */
export interface ContextBudget {
  readonly limit: number;
  /** `characters`: Unicode code points. `tokens`: an estimate, one for every four bytes of UTF-8. */
  readonly unit: 'tokens' | 'characters';
}

/** Text for a reader, with the passages it is made of. */
export interface Context {
  /** of its best passage, as its score is */
  readonly rank: number;
  readonly score: number;
  readonly uri: string;
  readonly title: string;
  /** heading path of its best passage, outermost first */
  readonly heading: readonly string[];
  readonly label: string;
  /** the passages, in the order of the text */
  readonly shelfmarks: readonly string[];
  readonly text: string;
}

/** A hit by chunk, with its text. */
type Passage = Pick<Hit, 'rank' | 'score' | 'shelfmark' | 'uri' | 'title' | 'heading' | 'ordinal' | 'label'> & {
  readonly text: string;
  readonly textStart: number;
};

const bytesPerToken = 4;

/**
 * The best passages that fit into a budget, best first. Passages are taken in the order of their rank and never cut: one that
 * does not fit is passed over, and so is one whose text was taken already. Passages of a document that follow each other
 * are joined, and what both have of an overlap is there, and counted, once.
 *
 * @param hits of a search by chunk, with text
 * @throws ShelfmarkError SHELFMARK_USAGE when a hit has no text
 */
export function chooseContexts(
  hits: readonly Hit[],
  budget: ContextBudget,
): { readonly contexts: readonly Context[]; readonly used: number } {
  const documents = new Map<string, Map<number, Passage>>();
  const texts = new Set<string>();
  let size = 0;
  for (const passage of hits.map(requireText)) {
    if (texts.has(passage.text)) continue;
    const document = documentOf(passage);
    const chosen = documents.get(document) ?? new Map<number, Passage>();
    const next = size + sizeBeside(chosen, passage, budget.unit);
    if (inUnits(next, budget.unit) > budget.limit) continue;
    documents.set(document, chosen.set(passage.ordinal, passage));
    texts.add(passage.text);
    size = next;
  }
  const contexts = [...documents.values()].flatMap((chosen) => joinNeighbours([...chosen.values()]));
  return { contexts: contexts.sort((a, b) => a.rank - b.rank), used: inUnits(size, budget.unit) };
}

/** What a passage adds to those chosen of its document: its text, but for what its neighbours have of it too. */
function sizeBeside(chosen: ReadonlyMap<number, Passage>, passage: Passage, unit: ContextBudget['unit']): number {
  const before = chosen.get(passage.ordinal - 1);
  const after = chosen.get(passage.ordinal + 1);
  const sharedBefore = before === undefined ? 0 : measure(sharedText(before, passage), unit);
  const sharedAfter = after === undefined ? 0 : measure(sharedText(passage, after), unit);
  return measure(passage.text, unit) - sharedBefore - sharedAfter;
}

/** What a passage repeats of the one before it. */
function sharedText(before: Passage, passage: Passage): string {
  const end = before.textStart + Buffer.byteLength(before.text);
  return Buffer.from(passage.text).toString('utf8', 0, Math.max(0, end - passage.textStart));
}

function requireText(hit: Hit): Passage {
  const { text, textStart } = hit;
  if (text !== undefined && textStart !== undefined) return { ...hit, text, textStart };
  const message = `The hit ${hit.shelfmark} has no text to make a context of: search with text.`;
  throw new ShelfmarkError('SHELFMARK_USAGE', message, { shelfmark: hit.shelfmark });
}

/** Shard and document of a shelfmark. */
function documentOf({ shelfmark }: Passage): string {
  return shelfmark.slice(0, shelfmark.lastIndexOf('/'));
}

/** Passages of one document as contexts, each a run of passages that follow each other. */
function joinNeighbours(passages: readonly Passage[]): Context[] {
  const runs: Passage[][] = [];
  for (const passage of [...passages].sort((a, b) => a.ordinal - b.ordinal)) {
    const run = runs.at(-1);
    if (run?.at(-1)?.ordinal === passage.ordinal - 1) run.push(passage);
    else runs.push([passage]);
  }
  return runs.map(toContext);
}

function toContext(run: readonly Passage[]): Context {
  const { rank, score, uri, title, heading, label } = run.reduce((best, next) => (next.rank < best.rank ? next : best));
  return {
    rank,
    score,
    uri,
    title,
    heading,
    label,
    shelfmarks: run.map(({ shelfmark }) => shelfmark),
    text: joinTexts(run),
  };
}

/** Chunks tile a document's text, but for what one repeats of the one before it. */
function joinTexts(run: readonly Passage[]): string {
  let end = run[0]!.textStart;
  const pieces = run.map(({ text, textStart }) => {
    const bytes = Buffer.from(text);
    const piece = bytes.subarray(Math.max(0, end - textStart));
    end = textStart + bytes.length;
    return piece;
  });
  return Buffer.concat(pieces).toString();
}

/** Bytes for tokens, code points for characters: what can be added up. */
function measure(text: string, unit: ContextBudget['unit']): number {
  if (unit === 'tokens') return Buffer.byteLength(text);
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function inUnits(size: number, unit: ContextBudget['unit']): number {
  return unit === 'tokens' ? Math.ceil(size / bytesPerToken) : size;
}
