import { parseArgs } from 'node:util';
import { runConformance } from './run-conformance.js';

/** `npm run conformance -- DIR [--only op,op]`; exit code 1 on any failure. */
const { values, positionals } = readArguments();
const only = values.only?.flatMap((list) => list.split(',')).filter((name) => name !== '');
const directories = positionals.length === 0 ? ['test/conformance'] : positionals;

let failed = 0;
for (const directory of directories) {
  const tallies = await runConformance(directory, only === undefined ? undefined : new Set(only));
  for (const tally of tallies) console.log(`${tally.name}: ${tally.passed} passed, ${tally.failed} failed`);
  for (const tally of tallies) {
    for (const failure of tally.failures) console.log(`\n${tally.name}: ${failure}`);
    failed += tally.failed;
  }
}
process.exitCode = failed === 0 ? 0 : 1;

function readArguments(): { readonly values: { readonly only?: string[] }; readonly positionals: string[] } {
  try {
    return parseArgs({ allowPositionals: true, options: { only: { type: 'string', multiple: true } } });
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : String(error)}\nusage: npm run conformance -- DIR [--only op,op]`,
    );
    process.exit(1);
  }
}
