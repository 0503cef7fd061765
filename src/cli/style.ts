/** Emphasis on one stream: colours on a terminal, nothing elsewhere. */
export interface Style {
  readonly isColoured: boolean;
  bold(text: string): string;
  dim(text: string): string;
  /** begin and end of a highlighted word */
  readonly highlight: { readonly open: string; readonly close: string };
  readonly bar: { readonly open: string; readonly close: string };
}

/** The style of a stream; NO_COLOR and TERM=dumb are honoured. */
export function styleOf(stream: { readonly isTTY?: boolean }): Style {
  const { NO_COLOR, TERM } = process.env;
  const isColoured = stream.isTTY === true && TERM !== 'dumb' && (NO_COLOR === undefined || NO_COLOR === '');
  const code = (number: string): string => (isColoured ? `\x1b[${number}m` : '');
  return {
    isColoured,
    bold: (text) => `${code('1')}${text}${code('22')}`,
    dim: (text) => `${code('2')}${text}${code('22')}`,
    highlight: { open: code('1;33'), close: code('22;39') },
    bar: { open: code('32'), close: code('39') },
  };
}
