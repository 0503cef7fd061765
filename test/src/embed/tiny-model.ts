import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Words of the model with their vectors. */
const vocabulary: Readonly<Record<string, readonly number[]>> = {
  '[PAD]': [0, 0, 0, 0],
  '[UNK]': [0, 0, 0, 1],
  lamp: [1, 0, 0, 0],
  light: [0.9, 0.1, 0, 0],
  otter: [0, 0, 1, 0],
  river: [0, 0.1, 0.9, 0],
};

const dimensions = 4;

/**
 * Writes a folder with a model as transformers.js wants it: an ONNX graph of one node, which looks words up in a table. Made
 * here, message by message (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), so that it depends on nothing.
 */
export function writeTinyModel(folder: string): string {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const write = (name: string, content: object): void => writeFileSync(join(folder, name), JSON.stringify(content));
  write('config.json', { model_type: 'bert' });
  write('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    model_max_length: 512,
  });
  const vocab = Object.fromEntries(Object.keys(vocabulary).map((word, id) => [word, id]));
  write('tokenizer.json', {
    version: '1.0',
    added_tokens: [{ id: 0, content: '[PAD]', special: true }],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  });
  writeFileSync(join(folder, 'onnx', 'model.onnx'), encodeModel());
  return folder;
}

function encodeModel(): Buffer {
  const table = Buffer.from(Float32Array.from(Object.values(vocabulary).flat()).buffer);
  const rows = Object.keys(vocabulary).length;
  const [int64, float] = [7, 1];
  const node = [text(1, 'table'), text(1, 'input_ids'), text(2, 'last_hidden_state'), text(4, 'Gather')];
  const graph = [
    message(1, node),
    text(2, 'tiny'),
    message(5, [number(1, rows), number(1, dimensions), number(2, float), text(8, 'table'), message(9, [table])]),
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name) => message(11, valueInfo(name, int64, []))),
    message(12, valueInfo('last_hidden_state', float, [message(1, [number(1, dimensions)])])),
  ];
  return Buffer.concat([number(1, 8), message(8, [text(1, ''), number(2, 13)]), message(7, graph)]);
}

/** A tensor of batch × sequence × more. */
function valueInfo(name: string, type: number, more: readonly Buffer[]): Buffer[] {
  const named = ['batch', 'sequence'].map((dimension) => message(1, [text(2, dimension)]));
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, [...named, ...more])])])];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

function text(field: number, value: string): Buffer {
  return message(field, [Buffer.from(value)]);
}
