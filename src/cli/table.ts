/** Rows of cells as aligned text, indented by two: first column to the left, second to the right, the rest as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const [first, second] = [widthOf(0), widthOf(1)];
  return rows
    .map(([name = '', value = '', ...rest]) =>
      `  ${name.padEnd(first)}  ${value.padStart(second)}  ${rest.join('  ')}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Rows of cells as aligned text, indented by two: the first column to the left, all others to the right. */
export function numberTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))))
    .map((cells) => `  ${cells.join('  ').trimEnd()}\n`)
    .join('');
}
