/** `12,345`, for whole numbers. Intl takes longer to load its data than a search takes. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 shard`, `12,345 shards` */
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const byteUnits = ['kB', 'MB', 'GB', 'TB'] as const;

/** `812 B`, `3.4 MB`: decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${byteUnits[unit]}`;
}

/** `3.4 MB/s` */
export function formatByteRate(bytes: number, ms: number): string {
  return `${formatRate(bytes / 1e6, ms)} MB/s`;
}

/** Things a second, one decimal. */
export function formatRate(count: number, ms: number): string {
  return ((count * 1000) / Math.max(1, ms)).toFixed(1);
}

/** `12 ms`, `3.4 s`, `2 min 05 s`, `3 h 07 min` */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}
