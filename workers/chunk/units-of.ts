/** Every UTF-16 unit but the surrogates, which a space stands for, in order. */
const UNITS = Array.from({ length: 0x10000 }, (_, unit) =>
  unit >= 0xd800 && unit <= 0xdfff ? ' ' : String.fromCharCode(unit),
).join('');

/** 1 for each UTF-16 unit that a pattern of one character finds. One search takes a fraction of 65,536 tests. */
export function unitsOf(pattern: RegExp): Uint8Array {
  const found = new Uint8Array(0x10000);
  for (const { index } of UNITS.matchAll(new RegExp(pattern, `${pattern.flags}g`))) found[index] = 1;
  return found;
}
