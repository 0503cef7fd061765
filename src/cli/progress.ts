import { formatDuration } from './quantities.ts';
import { styleOf } from './style.ts';

/** How far something is, and what else to tell about it. */
export interface ProgressState {
  /** 0 to 1, or null when the end is not known */
  readonly fraction: number | null;
  readonly elapsedMs: number;
  readonly facts: readonly string[];
}

/** The stream progress goes to; only a terminal is redrawn. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const widestBar = 24;
const narrowestBar = 6;
const redrawEveryMs = 100;
const lineEveryMs = 5000;

/**
 * Progress on standard error: on a terminal one line with a bar, redrawn in place and wiped at the end; elsewhere a
 * plain line every five seconds.
 */
export class Progress {
  readonly #label: string;
  readonly #stream: ProgressStream;
  readonly #isLive: boolean;
  readonly #now: () => number;
  #nextAt: number;

  constructor(label: string, stream: ProgressStream = process.stderr, now: () => number = () => performance.now()) {
    this.#label = label;
    this.#stream = stream;
    this.#isLive = stream.isTTY === true && process.env.TERM !== 'dumb';
    this.#now = now;
    this.#nextAt = this.#isLive ? 0 : now() + lineEveryMs;
  }

  /** Shows a state, if it is time to. */
  update(state: ProgressState): void {
    const now = this.#now();
    if (now < this.#nextAt) return;
    this.#nextAt = now + (this.#isLive ? redrawEveryMs : lineEveryMs);
    this.#stream.write(this.#isLive ? `\r${this.#draw(state)}\x1b[K` : `${this.#describe(state)}\n`);
  }

  /** Wipes the bar. */
  end(): void {
    if (this.#isLive) this.#stream.write('\r\x1b[K');
  }

  #draw(state: ProgressState): string {
    const { bar } = styleOf(this.#stream);
    // One column stays free: a full line would make some terminals scroll. A terminal of unknown size has 0 columns.
    const room = Math.max(0, (this.#stream.columns || 80) - 1);
    const tail = ` ${partsOf(state).join('  ')}`;
    const head = `${this.#label} [`;
    const barWidth = Math.min(widestBar, room - head.length - 1 - tail.length);
    const filled = Math.floor((state.fraction ?? 0) * barWidth);
    if (state.fraction === null || barWidth < narrowestBar) {
      return `${this.#label}${tail}`.slice(0, room);
    }
    return `${head}${bar.open}${'#'.repeat(filled)}${bar.close}${'-'.repeat(barWidth - filled)}]${tail}`;
  }

  #describe(state: ProgressState): string {
    return `${this.#label}: ${partsOf(state).join(', ')}`;
  }
}

/** Shows the progress of something and wipes it at the end, however that ends. */
export async function withProgress<Result>(
  label: string,
  run: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(label);
  try {
    return await run(progress);
  } finally {
    progress.end();
  }
}

function partsOf({ fraction, elapsedMs, facts }: ProgressState): string[] {
  if (fraction === null || fraction === 0) return [...facts, formatDuration(elapsedMs)];
  const leftMs = (elapsedMs * (1 - fraction)) / fraction;
  return [`${Math.floor(fraction * 100)} %`, ...facts, `${formatDuration(leftMs)} left`];
}
