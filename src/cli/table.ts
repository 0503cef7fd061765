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
