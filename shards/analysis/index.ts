export { Analyzer, createAnalyzer } from './analyzer.ts';
export { contentTokens } from './content-tokens.ts';
export { LANGUAGES, type LanguageId } from './language.ts';
export { ANALYZER_IDS, analyzerOf, languageIn } from './languages.ts';
export { ANALYZER_ID } from './parameters.ts';
export type { QueryToken } from './query-token.ts';
export { UnknownAnalyzerError } from './unknown-analyzer-error.ts';
