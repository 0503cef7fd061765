/** What a chart shows: a group of bars, one a run, for each metric. Values are 0 to 1. */
export interface Chart {
  readonly title: string;
  readonly runs: readonly string[];
  readonly metrics: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const colours = ['#2f6f9f', '#c9c9c9'];
const labelWidth = 110;
const barsWidth = 480;
const barHeight = 16;
const groupGap = 12;
const headHeight = 28;

/** The chart as an SVG document of its own, legible on a light page. */
export function toSvg({ title, runs, metrics }: Chart): string {
  const groupHeight = runs.length * barHeight + groupGap;
  const legendTop = headHeight + metrics.length * groupHeight;
  const height = legendTop + runs.length * 18 + 8;
  const groups = metrics.map(({ name, values }, group) => {
    const top = headHeight + group * groupHeight;
    const label = text(labelWidth - 8, top + (runs.length * barHeight) / 2 + 4, name, 'text-anchor="end"');
    return [label, ...values.map((value, run) => bar(top + run * barHeight, value, colours[run]!))].join('\n');
  });
  const legend = runs.map((run, index) => {
    const top = legendTop + index * 18;
    const mark = `<rect x="${labelWidth}" y="${top}" width="12" height="12" fill="${colours[index]}"/>`;
    return `${mark}\n${text(labelWidth + 18, top + 11, run)}`;
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="660" height="${height}" viewBox="0 0 660 ${height}" font-family="sans-serif" font-size="13">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(labelWidth, 17, title, 'font-weight="bold"'),
    ...groups,
    ...legend,
    '</svg>',
  ].join('\n')}\n`;
}

/** The chart as an HTML page with its numbers in a table. */
export function toHtml(chart: Chart): string {
  const head = ['', ...chart.runs].map((cell) => `<th>${escapeXml(cell)}</th>`).join('');
  const rows = chart.metrics.map(({ name, values }) => {
    const cells = [escapeXml(name), ...values.map((value) => value.toFixed(4))];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeXml(chart.title)}</title>
<style>body { font-family: sans-serif; margin: 2em } td, th { padding: 0.2em 1em; text-align: right }</style>
${toSvg(chart)}<table>
<tr>${head}</tr>
${rows.join('\n')}
</table>
</html>
`;
}

function bar(top: number, value: number, colour: string): string {
  const width = (value * barsWidth).toFixed(1);
  const rect = `<rect x="${labelWidth}" y="${top}" width="${width}" height="${barHeight - 2}" fill="${colour}"/>`;
  return `${rect}\n${text(labelWidth + value * barsWidth + 6, top + 12, value.toFixed(4), 'font-size="11"')}`;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escapeXml(content)}</text>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no control characters, not even escaped. */
function escapeXml(content: string): string {
  return content
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replace(/[&<>"]/g, (character) => entities[character]!);
}
