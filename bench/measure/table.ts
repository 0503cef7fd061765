/** A Markdown table; columns whose cells are numbers are set right. */
export function toTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const isNumber = columns.map((_, column) => rows.every((row) => /^[-\d.,×–% ]*$/.test(row[column] ?? '')));
  return [line(columns), line(isNumber.map((right) => (right ? '---:' : '---'))), ...rows.map(line)].join('\n');
}

/** A number as people read it: three significant digits, thousands set apart. */
export function toText(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value === 0 ? '0' : value.toPrecision(Math.abs(value) < 0.01 ? 2 : 3);
}
