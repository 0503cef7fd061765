/** Prepares one input in a process of its own, since it takes much memory: `prepare.ts NAME DOCUMENTS|all`. */
import { type InputName, prepareInput } from './inputs.ts';

const [name, limit] = process.argv.slice(2) as [InputName, string];
console.log(JSON.stringify(await prepareInput(name, limit === 'all' ? null : Number(limit))));
