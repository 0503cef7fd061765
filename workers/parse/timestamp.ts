const ISO_8601 =
  /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[T ](\d{2}:\d{2})(:\d{2})?([.,]\d{1,9})?(?: ?(Z|[+-]\d{2}:?\d{2}))?)?$/i;
const MAIL = /^(?:[a-z]{3}, ?)?\d{1,2} [a-z]{3} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/i;

/**
 * Normalises a time to ISO 8601 in UTC with milliseconds, or gives null for what it cannot read in one way only.
 *
 * Read are RFC 3339 (also with a space for the `T`, without seconds, or without an offset, which then is UTC: the answer
 * must not depend on the machine's time zone), the dates `2026-11-30` and `2026-11` (their first moment in UTC), and the
 * dates of mail and HTTP (`Mon, 30 Nov 2026 12:00:00 +0100`).
 */
export function normalizeTimestamp(value: string): string | null {
  const trimmed = value.trim();
  const iso = ISO_8601.exec(trimmed);
  if (iso === null) return MAIL.test(trimmed) ? isoString(Date.parse(trimmed)) : null;
  const [, year, month, day = '01', time = '00:00', seconds = ':00', fraction = '', offset = 'Z'] = iso;
  const date = `${year}-${month}-${day}`;
  if (isoString(Date.parse(`${date}T00:00:00Z`))?.slice(0, 10) !== date) return null;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  return isoString(Date.parse(`${date}T${time}${seconds}${fraction.replace(',', '.')}${zone}`));
}

/** Normalises an American date, `11/30/2026`, which is how Microsoft's `ms.date` is written. */
export function normalizeAmericanDate(value: string): string | null {
  const match = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(value.trim());
  if (match === null) return null;
  const [, month = '', day = '', year] = match;
  return normalizeTimestamp(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
}

function isoString(time: number): string | null {
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
