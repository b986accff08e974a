import { parseArgs } from 'node:util';
import type { Victim } from './killer.js';
import { runSoak, type SoakReport } from './run-soak.js';

/**
 * The long soak: `npm run soak [-- --seconds N] [--only plain,service,postgres] [--writers N] [--readers N] [--replicas N]
 * [--pause SECONDS] [--seed N]`, or `SOAK_SECONDS` and so on. Exit code 1 if a check fails.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: process.env['SOAK_SECONDS'] ?? '60' },
    only: { type: 'string', default: process.env['SOAK_ONLY'] ?? 'plain,service,postgres' },
    writers: { type: 'string', default: process.env['SOAK_WRITERS'] ?? '50' },
    readers: { type: 'string', default: process.env['SOAK_READERS'] ?? '8' },
    replicas: { type: 'string', default: process.env['SOAK_REPLICAS'] ?? '2' },
    pause: { type: 'string', default: process.env['SOAK_PAUSE'] ?? '3' },
    seed: { type: 'string', default: process.env['SOAK_SEED'] ?? '1' },
  },
});
const VICTIMS = new Map<string, { readonly about: string; readonly victim?: Victim }>([
  ['plain', { about: 'nothing is killed' }],
  ['service', { about: 'the service is killed (SIGKILL) every few seconds', victim: 'service' }],
  ['postgres', { about: 'Postgres is killed (SIGKILL) every few seconds', victim: 'postgres' }],
]);

// Processes that the soak has started end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let failed = false;
for (const name of values.only.split(',')) {
  const kind = VICTIMS.get(name);
  if (kind === undefined) throw new Error(`--only: ${name} is none of ${[...VICTIMS.keys()].join(', ')}`);
  const { about, ...stage } = kind;
  const report = await runSoak({
    stages: [{ ...stage, seconds: Number(values.seconds) }],
    pause: Number(values.pause),
    writers: Number(values.writers),
    readers: Number(values.readers),
    replicas: Number(values.replicas),
    seed: Number(values.seed),
  });
  console.log(`${about}: ${values.writers} writers, ${values.readers} readers, ${values.replicas} replicas`);
  console.log(figures(report));
  for (const violation of report.violations) console.log(`  DOES NOT HOLD: ${violation}`);
  failed ||= report.violations.length > 0;
}
console.log(failed ? 'something does not hold' : 'all holds');
process.exitCode = failed ? 1 : 0;

function figures(report: SoakReport): string {
  const { seconds, acknowledged, refused, replayed, settled, snapshots, reads, p50, p99, records, kills } = report;
  const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  const rate = round(acknowledged / seconds);
  return [
    `  ${round(seconds)} s; changes acknowledged ${acknowledged} (${rate} a second), p50 ${round(p50)} ms, p99 ${round(p99)} ms`,
    `  refused ${refused}, replayed ${replayed}, made though the answer was lost ${settled}`,
    `  snapshots ${snapshots}, reads ${reads}, records verified ${records}`,
    ...(kills === 0
      ? []
      : [`  kills survived ${kills}, at worst ${round(report.longestSilence)} ms until the next change`]),
  ].join('\n');
}
