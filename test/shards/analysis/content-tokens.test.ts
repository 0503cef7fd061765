import { describe, expect, it } from 'vitest';
import { contentTokens, createAnalyzer } from '../../../shards/analysis/index.ts';

describe('contentTokens keeps', () => {
  it.each([
    // query, the tokens kept
    ['What is the capital of France?', 'capital France'],
    ['please tell me about shelves', 'shelves'],
    ["what's the dog's name", "dog's name"],
    ['What’s a shelfmark', 'shelfmark'],
    ["Who doesn't like cats", 'like cats'],
    ['What is IT support', 'IT support'],
    ['WHO guidelines in the US', 'WHO guidelines US'],
    ['WHAT IS THE CAPITAL OF FRANCE', 'CAPITAL FRANCE'],
    ['What can I do in C or R', 'C R'],
    ['albums by The Who', 'albums The Who'],
    ['The Who albums', 'The Who albums'],
    ['Albums by The Who', 'Albums The Who'],
    ['The who albums', 'albums'],
    ['What Is The Capital of France', 'Capital France'],
    ['When I saw the sea', 'saw sea'],
    ['The Who', 'The Who'],
    ['what is it', 'what is it'],
    ['to be or not to be', 'to be or not to be'],
    ['a to-do list', 'to-do'],
    ['how do I use .NET and C++', 'use .NET C++'],
    ['how is 東京', '東京'],
    ['?!', ''],
    ['', ''],
  ])('%s', (query, kept) => {
    const tokens = createAnalyzer('en-1').queryTokens(query);
    expect(
      contentTokens(tokens, query)
        .map(({ text }) => text)
        .join(' '),
    ).toBe(kept);
  });
});
