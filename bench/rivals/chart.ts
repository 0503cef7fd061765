/** Draws a result as SVG: `chart.ts RESULT.json CHART.svg`. In a process of its own, since only it needs the plotting library. */
import { readFileSync, writeFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { BenchResult, Measurement } from '../measure/results.ts';
import { engines, titleOf } from './engines.ts';

const width = 900;
const margin = 20;

/** Colours of engines: the project's own stands out, the others can be told apart by those who do not see red and green. */
const colors: Readonly<Record<string, string>> = {
  shelfmark: '#d62728',
  lucene: '#1f5fa8',
  fts5: '#e69f00',
  xapian: '#009e73',
  minisearch: '#8a63c9',
  flexsearch: '#7f7f7f',
};

/** A part of a chart with the height that it takes. */
interface Panel {
  readonly heading: string;
  readonly svg: Element;
  readonly height: number;
}

const { document } = parseHTML('<!doctype html><html><body></body></html>');

const [resultFile, chartFile] = process.argv.slice(2) as [string, string];
const result = JSON.parse(readFileSync(resultFile, 'utf8')) as BenchResult;
writeFileSync(chartFile, draw(result));

function draw(result: BenchResult): string {
  const { machine, date } = result;
  const where = `${date.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores`;
  switch (result.kind) {
    case 'rivals':
      return stack('Time of one query, ten hits, one thread', where, latencyPanels(result), enginesOf(result));
    case 'scale':
      return stack('Shelfmark as the text grows', where, scalePanels(result), []);
    case 'cold':
      return stack('One query in a new process', where, coldPanels(result), enginesOf(result));
  }
}

// ── Rivals ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface LatencyRow {
  readonly class: string;
  readonly engine: string;
  readonly p50: number;
  readonly p99: number;
}

function latencyPanels(result: BenchResult): Panel[] {
  return Object.entries(result.inputs).map(([input, { documents, textBytes }]) => {
    const find = (engine: string, name: string, measure: string): Measurement | undefined =>
      result.measurements.find(
        (found) => found.input === input && found.engine === engine && found.case === name && found.measure === measure,
      );
    const rows = result.measurements
      .filter((found) => found.input === input && found.measure === 'p50')
      .map(
        (found): LatencyRow => ({
          class: found.case,
          engine: found.engine,
          p50: found.value,
          p99: find(found.engine, found.case, 'p99')!.value,
        }),
      );
    const heading = `${input}: ${documents!.toLocaleString('en-US')} documents, ${Math.round(textBytes! / 1e6)} MB. Dot: p50, bar: p99, ms`;
    return rangePanel(heading, rows);
  });
}

/** The least p50 with room for its number, and the largest p99. */
function domainOf(rows: readonly LatencyRow[]): [number, number] {
  return [Math.min(...rows.map(({ p50 }) => p50)) / 1.6, Math.max(...rows.map(({ p99 }) => p99)) * 1.1];
}

/** A row for each engine in a band for each class, on a logarithmic scale. */
function rangePanel(heading: string, rows: readonly LatencyRow[]): Panel {
  const classes = [...new Set(rows.map((row) => row.class))];
  const names = engines.map(({ name }) => name).filter((name) => rows.some(({ engine }) => engine === name));
  const height = classes.length * (names.length * 11 + 16) + 60;
  const place = { fy: 'class', y: 'engine' } as const;
  const svg = plot({
    height,
    marginLeft: 170,
    marginRight: 20,
    marginTop: 24,
    x: { type: 'log', domain: domainOf(rows), label: 'ms', tickFormat: plainNumber, axis: 'both' },
    y: { domain: names, axis: null, padding: 0.3 },
    fy: { domain: classes, label: null, padding: 0.12 },
    marks: [
      Plot.frame({ stroke: '#e4e4e4', fill: '#fafafa' }),
      Plot.gridX({ stroke: '#d0d0d0' }),
      Plot.axisFy({ anchor: 'left', fontSize: 12, label: null }),
      Plot.link(rows, { ...place, x1: 'p50', x2: 'p99', stroke: colorOf, strokeWidth: 1.5 }),
      Plot.tickX(rows, { ...place, x: 'p99', stroke: colorOf, strokeWidth: 1.5 }),
      Plot.dot(rows, { ...place, x: 'p50', fill: colorOf, r: 3.5 }),
      Plot.text(rows, {
        ...place,
        x: 'p50',
        text: ({ p50 }: LatencyRow) => plainNumber(p50),
        dx: -7,
        textAnchor: 'end',
        fontSize: 9,
        fill: colorOf,
        stroke: '#fafafa',
        strokeWidth: 3,
      }),
    ],
  });
  return { heading, svg, height };
}

// ── Scale ───────────────────────────────────────────────────────────────────────────────────────────────────────────

interface ScalePoint {
  readonly gigabytes: number;
  readonly value: number;
  readonly measure: string;
}

function scalePanels(result: BenchResult): Panel[] {
  const points = (name: string, ...measures: string[]): ScalePoint[] =>
    result.measurements
      .filter((found) => found.case === name && measures.includes(found.measure))
      .map(({ input, value, measure }) => ({ gigabytes: result.inputs[input]!.textBytes! / 1e9, value, measure }));
  return [
    linePanel('Time of a question inside the worker, one thread (ms)', points('questions-any', 'p50', 'p99')),
    linePanel('One `shelfmark search`, whole process (ms)', points('one-shot', 'p50')),
    linePanel('Memory with every shard open, after the questions (MB)', points('questions-any', 'memory')),
    linePanel('Build (s)', points('build', 'time')),
  ];
}

/** One line a measure over gigabytes of text, both logarithmic; a dashed line grows in proportion to the text. */
function linePanel(heading: string, points: readonly ScalePoint[]): Panel {
  const height = 220;
  const first = points[0];
  const last = points.at(-1);
  const proportional =
    first === undefined || last === undefined
      ? []
      : [first, { ...first, gigabytes: last.gigabytes, value: (first.value * last.gigabytes) / first.gigabytes }];
  const sizes = [...new Set(points.map(({ gigabytes }) => gigabytes))];
  const position = { x: 'gigabytes', y: 'value' } as const;
  const svg = plot({
    height,
    marginLeft: 60,
    marginRight: 60,
    inset: 14,
    x: {
      type: 'log',
      label: 'GB of text; dashed: in proportion to it',
      labelAnchor: 'right',
      tickFormat: plainNumber,
      ticks: sizes,
    },
    y: { type: 'log', grid: true, label: null, tickFormat: plainNumber, ticks: 5 },
    marks: [
      Plot.line(proportional, { ...position, stroke: '#999999', strokeDasharray: '4,4' }),
      Plot.line(points, { ...position, z: 'measure', stroke: colors.shelfmark! }),
      Plot.dot(points, { ...position, fill: colors.shelfmark!, r: 3.5 }),
      Plot.text(points, { ...position, text: ({ value }: ScalePoint) => plainNumber(value), dy: -10, fontSize: 10 }),
      Plot.text(
        points,
        Plot.selectLast({ ...position, z: 'measure', text: 'measure', dx: 8, textAnchor: 'start', fontSize: 11 }),
      ),
    ],
  });
  return { heading, svg, height };
}

// ── Cold ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function coldPanels(result: BenchResult): Panel[] {
  return Object.keys(result.inputs).map((input) => {
    const rows = result.measurements
      .filter((found) => found.input === input && found.measure === 'p50')
      .map((found): LatencyRow => {
        const most = result.measurements.find(
          (other) => other.case === found.case && other.engine === found.engine && other.measure === 'most',
        );
        return { class: found.case, engine: found.engine, p50: found.value, p99: most?.value ?? found.value };
      });
    return rangePanel(`${input}: whole process, ms. Dot: median, bar: slowest`, rows);
  });
}

// ── Drawing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function plot(options: Plot.PlotOptions): Element {
  return Plot.plot({ ...options, width: width - 2 * margin, document, style: { fontSize: '11px' } });
}

function colorOf({ engine }: { readonly engine: string }): string {
  return colors[engine] ?? '#000000';
}

/** 0.05, 3.2, 110: no exponents, no needless digits. */
function plainNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(2)));
}

function enginesOf(result: BenchResult): string[] {
  const measured = new Set(result.measurements.map(({ engine }) => engine));
  return engines.map(({ name }) => name).filter((name) => measured.has(name));
}

/** One picture of a title, a legend and panels below each other. */
function stack(title: string, subtitle: string, panels: readonly Panel[], legend: readonly string[]): string {
  const parts = [
    `<text x="${margin}" y="32" font-size="19" font-weight="600">${escapeXml(title)}</text>`,
    `<text x="${margin}" y="52" font-size="12" fill="#666666">${escapeXml(subtitle)}</text>`,
  ];
  let y = 62;
  if (legend.length > 0) {
    let x = margin + 6;
    for (const name of legend) {
      const label = titleOf(name);
      parts.push(`<circle cx="${x}" cy="${y + 12}" r="5" fill="${colors[name]}"/>`);
      parts.push(`<text x="${x + 10}" y="${y + 16}" font-size="12">${escapeXml(label)}</text>`);
      x += 34 + 7 * label.length;
    }
    y += 24;
  }
  for (const { heading, svg, height } of panels) {
    parts.push(`<text x="${margin}" y="${y + 28}" font-size="13" font-weight="600">${escapeXml(heading)}</text>`);
    svg.setAttribute('x', String(margin));
    svg.setAttribute('y', String(y + 36));
    parts.push(svg.outerHTML);
    y += 36 + height + 12;
  }
  const font = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"';
  const size = `width="${width}" height="${y}" viewBox="0 0 ${width} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}><rect width="100%" height="100%" fill="#ffffff"/>\n${parts.join('\n')}\n</svg>\n`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
