/** An object's entries that are not undefined: a flag that was not typed must not reach the library as undefined. */
export function given<T extends object>(entries: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
