// Prints the closing line of .ci/run from vitest's JSON report and the number of other steps that failed; exits 1 when
// anything failed or nothing ran. Usage: count-tests.mjs REPORT FAILED_STEPS
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const [report, failedSteps] = process.argv.slice(2);
const tests = existsSync(report)
  ? JSON.parse(readFileSync(report, 'utf8'))
  : { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
const failed = Math.max(tests.numFailedTests, Number(failedSteps));
console.log(`${tests.numPassedTests} passed, ${failed} failed, ${tests.numPendingTests} skipped`);
process.exitCode = failed > 0 || tests.numPassedTests === 0 ? 1 : 0;
