/**
 * Dot products of many vectors of signed bytes with one of 16-bit numbers, as WebAssembly: JavaScript has no vector
 * instructions, and takes over ten times as long. The module is put together here from its instructions, so that no compiled
 * file has to be trusted. In text form its one function is
 *
 *   func $dots (param $codes $end $stride $query $out i32) (local $step i32) (local $low $high v128)
 *     while $codes < $end
 *       $low = $high = 0
 *       for $step = 0; $step < $stride; $step += 16
 *         $low  += dot(8 bytes at $codes + $step,      8 numbers at $query + 2 * $step)
 *         $high += dot(8 bytes at $codes + $step + 8,  8 numbers at $query + 2 * $step + 16)
 *       i32 at $out = sum of the lanes of $low + $high
 *       $codes += $stride;  $out += 4
 *
 * Integers: the sum is the same in any order and on any machine. Opcodes: https://webassembly.github.io/spec/core/appendix/index-instructions.html
 */
const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  branch: (depth: number) => [0x0c, depth],
  branchIf: (depth: number) => [0x0d, depth],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  i32Const: (value: number) => [0x41, value],
  i32Store: [0x36, 2, 0],
  i32LessU: [0x49],
  i32GreaterEqualU: [0x4f],
  i32Add: [0x6a],
  i32ShiftLeft: [0x74],
  v128Load: (offset: number) => [0xfd, 0x00, 0, offset],
  i16x8LoadBytes: (offset: number) => [0xfd, 0x01, 0, offset],
  v128Zero: [0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  i32x4Lane: (lane: number) => [0xfd, 0x1b, lane],
  i32x4Add: [0xfd, 0xae, 0x01],
  i32x4Dot: [0xfd, 0xba, 0x01],
} as const;

const local = { codes: 0, end: 1, stride: 2, query: 3, out: 4, step: 5, low: 6, high: 7 } as const;

const i32 = 0x7f;
const v128 = 0x7b;

/** `$sum += dot(8 bytes at $codes + $step + offset, 8 numbers at $query + 2 * $step + 2 * offset)` */
function addDot(sum: number, offset: number): number[] {
  const bytes = [...op.get(local.codes), ...op.get(local.step), ...op.i32Add, ...op.i16x8LoadBytes(offset)];
  const doubled = [...op.get(local.step), ...op.i32Const(1), ...op.i32ShiftLeft];
  const numbers = [...op.get(local.query), ...doubled, ...op.i32Add, ...op.v128Load(2 * offset)];
  return [...op.get(sum), ...bytes, ...numbers, ...op.i32x4Dot, ...op.i32x4Add, ...op.set(sum)];
}

/** `$name += value on the stack` */
function increase(name: number, value: readonly number[]): number[] {
  return [...op.get(name), ...value, ...op.i32Add, ...op.set(name)];
}

const body = [
  ...op.block,
  ...op.loop,
  ...op.get(local.codes),
  ...op.get(local.end),
  ...op.i32GreaterEqualU,
  ...op.branchIf(1),
  ...op.v128Zero,
  ...op.set(local.low),
  ...op.v128Zero,
  ...op.set(local.high),
  ...op.i32Const(0),
  ...op.set(local.step),
  ...op.loop,
  ...addDot(local.low, 0),
  ...addDot(local.high, 8),
  ...increase(local.step, op.i32Const(16)),
  ...op.get(local.step),
  ...op.get(local.stride),
  ...op.i32LessU,
  ...op.branchIf(0),
  ...op.end,
  ...op.get(local.out),
  ...op.get(local.low),
  ...op.get(local.high),
  ...op.i32x4Add,
  ...op.tee(local.low),
  ...op.i32x4Lane(0),
  ...[1, 2, 3].flatMap((lane) => [...op.get(local.low), ...op.i32x4Lane(lane), ...op.i32Add]),
  ...op.i32Store,
  ...increase(local.codes, op.get(local.stride)),
  ...increase(local.out, op.i32Const(4)),
  ...op.branch(0),
  ...op.end,
  ...op.end,
  ...op.end,
];

/** Numbers of up to 14 bits as LEB128: what a module of this size has. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, value >> 7];
}

function section(id: number, ...content: number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)];
}

/** The module: imports a memory, exports `dots`. */
function assemble(): Uint8Array<ArrayBuffer> {
  // Locals: one i32, two v128.
  const code = [2, 1, i32, 2, v128, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 5, i32, i32, i32, i32, i32, 0),
    ...section(2, 1, ...name('own'), ...name('memory'), 0x02, 0x00, 1),
    ...section(3, 1, 0),
    ...section(7, 1, ...name('dots'), 0x00, 0),
    ...section(10, 1, ...leb(code.length), ...code),
  ]);
}

/**
 * Dot products of the vectors from `codes` up to `end`, each `stride` bytes (a multiple of 16), with the numbers at `query`;
 * the sums go to `out`, four bytes each. All are places in the memory.
 */
export type Dots = (codes: number, end: number, stride: number, query: number, out: number) => void;

let compiled: WebAssembly.Module | null | undefined;

/** The function over a memory: as WebAssembly, or on a processor that has not its vector instructions in JavaScript. */
export function createDots(memory: WebAssembly.Memory): Dots {
  if (compiled === undefined) {
    const bytes = assemble();
    compiled = WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : null;
  }
  if (compiled === null) return plainDots(memory);
  return new WebAssembly.Instance(compiled, { own: { memory } }).exports.dots as Dots;
}

/** The same in JavaScript. */
export function plainDots(memory: WebAssembly.Memory): Dots {
  return (codes, end, stride, query, out) => {
    const numbers = new Int16Array(memory.buffer, query, stride);
    const sums = new Int32Array(memory.buffer, out, (end - codes) / stride);
    const bytes = new Int8Array(memory.buffer, codes, end - codes);
    for (let vector = 0, at = 0; vector < sums.length; vector++) {
      let sum = 0;
      for (let dimension = 0; dimension < stride; dimension++) sum += bytes[at++]! * numbers[dimension]!;
      sums[vector] = sum;
    }
  };
}
