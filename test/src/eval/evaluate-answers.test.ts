import { describe, expect, it } from 'vitest';
import { answerTokens, hasAnswer } from '../../../src/eval/has-answer.ts';
import { evaluateAnswers, parseMetrics, readAnswers } from '../../../src/eval/index.ts';
import { temporaryFile } from '../sources/support.ts';
import { shelfmarkError } from '../support.ts';

describe('hasAnswer', () => {
  it.each([
    ['The keeper was Ada Renwick, until 1988.', 'ada renwick', true],
    ['The keeper was Ada. Renwick followed.', 'Ada Renwick', false],
    ['Its capital is Reykjavi\u0301k.', 'Reykjavík', true],
    ['Its capital is Reykjavik.', 'Reykjavík', false],
    ['a catalogue of cats', 'cat', false],
    ['It costs $1,200 (about).', '1,200', true],
    ['It costs 1 200.', '1,200', false],
    ['ab ab ac', 'ab ac', true],
    ['on the', 'the end', false],
    ['', 'x', false],
  ])('in %j, %j: %s', (passage, answer, expected) => {
    expect(hasAnswer(passage, [answerTokens(answer)])).toBe(expected);
  });

  it('takes any of several answers', () => {
    expect(hasAnswer('at noon', ['midday', 'noon'].map(answerTokens))).toBe(true);
  });

  it('cuts punctuation and symbols one by one, and leaves space and control characters out', () => {
    expect(answerTokens('C++ isn\u2019t\u00a0"É"\u0007\ta_b')).toEqual([
      ...['c', '+', '+', 'isn', '\u2019', 't', '"', 'e\u0301', '"', 'a', '_', 'b'],
    ]);
  });
});

/** Answers to the questions q1 (two), q2, q3 and q 4. */
const gold = [
  { _id: 'q1', answers: ['noon', 'midday'] },
  { id: 'q2', answer: 'Ada Renwick' },
  { qid: 3, answers: ['?!', 'tide'] },
  { _id: 'q 4', answer: 'lamp' },
  { _id: 'nothing', answers: ['\u0007', ''] },
];

async function goldFile(lines: readonly object[] = gold): Promise<string> {
  return await temporaryFile('gold.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
}

function answer(id: string, texts: readonly string[], field = 'hits'): string {
  return `${JSON.stringify({ id, [field]: texts.map((text) => ({ uri: 'd', text })) })}\n`;
}

describe('evaluateAnswers', () => {
  it('measures how high the first passage with an answer stands, over all questions that have one', async () => {
    const run = [
      answer('q1', ['at one', 'at two', 'at Midday', 'at noon']),
      answer('q2', ['Ada Renwick'], 'contexts'),
      answer('3', ['the tides']),
      answer('other', ['x']),
      answer('nothing', ['x']),
    ];
    const metrics = parseMetrics('success@1,success@3,mrr,mrr@2');
    const file = await temporaryFile('run.jsonl', run.join(''));
    expect(await evaluateAnswers(file, await readAnswers(await goldFile()), metrics)).toEqual({
      // third, first, nowhere, not answered
      means: { 'success@1': 1 / 4, 'success@3': 2 / 4, mrr: (1 / 3 + 1) / 4, 'mrr@2': 1 / 4 },
      queries: [
        { id: 'q1', values: { 'success@1': 0, 'success@3': 1, mrr: 1 / 3, 'mrr@2': 0 } },
        { id: 'q2', values: { 'success@1': 1, 'success@3': 1, mrr: 1, 'mrr@2': 1 } },
        { id: '3', values: { 'success@1': 0, 'success@3': 0, mrr: 0, 'mrr@2': 0 } },
        { id: 'q%204', values: { 'success@1': 0, 'success@3': 0, mrr: 0, 'mrr@2': 0 } },
      ],
      withoutHits: 1,
      withoutRelevant: 0,
      notJudged: 2,
    });
  });

  it.each([
    ['{"id":"q1","hits":[{"uri":"d"}]}\n', 'success@1', 'line 1: its hits have no text; run the batch with --text'],
    [answer('q1', ['x']) + answer('q1', ['x']), 'success@1', 'line 2: question q1 comes twice'],
    ['q1 Q0 d 1 1 t\n', 'success@1', 'line 1: not valid JSON'],
    [
      answer('q1', ['x']),
      'ndcg@10',
      'metrics: ndcg@10 needs judgements; of answers success@k, mrr and mrr@k are known',
    ],
  ])('refuses %j with %s', async (run, metrics, message) => {
    const file = await temporaryFile('run.jsonl', run);
    const evaluated = evaluateAnswers(file, await readAnswers(await goldFile()), parseMetrics(metrics));
    expect((await shelfmarkError(evaluated, 'SHELFMARK_USAGE')).message).toContain(message);
  });

  it.each([
    [[{ answers: ['x'] }], 'line 1: "_id" must be a string or an integer'],
    [[{ _id: 'q1', text: 'who?' }], 'line 1: "answers" must be a text or a list of texts'],
    [[{ _id: 'q1', answers: [1] }], 'line 1: "answers" must be a text or a list of texts'],
    [[gold[0]!, gold[0]!], 'line 2: the answers of question q1 come twice'],
    [[gold[4]!], 'has no answers'],
  ])('refuses the answers %j', async (lines, message) => {
    const error = await shelfmarkError(readAnswers(await goldFile(lines)), 'SHELFMARK_USAGE');
    expect(error.message).toContain(message);
  });
});
