import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild, typeScript } from '../measure/child.ts';
import { type BenchResult, encodeResult, resultsFolder } from '../measure/results.ts';

/** Writes a result as JSON, its report as Markdown and its chart as SVG into bench/results; gives the files' names. */
export async function saveResult(name: string, result: BenchResult, report: string): Promise<string[]> {
  await mkdir(resultsFolder, { recursive: true });
  const [json, markdown, chart] = ['json', 'md', 'svg'].map((end) => join(resultsFolder, `${name}.${end}`)) as [
    string,
    string,
    string,
  ];
  await writeFile(json, encodeResult(result));
  await writeFile(markdown, report);
  await runChild(typeScript(new URL('chart.ts', import.meta.url), [json, chart]));
  return [json, markdown, chart];
}
