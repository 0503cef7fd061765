/** A word of a query and the ways in which a chunk can contain it. */
export interface QueryToken {
  /** As the user wrote it, in NFC. */
  readonly text: string;
  /** Span in the query, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The token occurs in a chunk when all terms of any one alternative occur in it. Never empty, and no alternative is empty. */
  readonly alternatives: readonly (readonly string[])[];
}
