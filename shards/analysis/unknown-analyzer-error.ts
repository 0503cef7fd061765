import { ShelfmarkError } from '../errors.ts';

/** Thrown when a shard or a caller names an analyzer this version does not have. */
export class UnknownAnalyzerError extends ShelfmarkError {
  readonly id: string;
  readonly known: readonly string[];

  constructor(id: string, known: readonly string[]) {
    const names = known.map((name) => `'${name}'`).join(', ');
    super('SHELFMARK_UNKNOWN_ANALYZER', `Unknown analyzer '${id}': this version of Shelfmark has ${names}.`, {
      id,
      known,
    });
    this.name = 'UnknownAnalyzerError';
    this.id = id;
    this.known = known;
  }
}
