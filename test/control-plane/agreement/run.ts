import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { AGREEMENT_RULES } from '../../../src/core/agreement/judgement.js';
import { stringifyJson } from '../../../src/core/json/lossless-json.js';
import { planeOfCommand } from '../control-plane.js';
import { judgeCourse, type Course, type CourseAgreement } from './course.js';
import { liveCourse } from './live-course.js';
import { readCourses } from './recorded-courses.js';

/**
 * `npm run agreement -- [--pods N] [--nodes N] [--batch N] [--seed N] [--save FILE]`: creates random nodes and pods in a real control
 * plane, and judges each decision of its scheduler on the state just before. The control plane is started from the binaries that
 * `KUBEBUILDER_ASSETS` names, or is the one at `APISERVER_URL` (with `APISERVER_TOKEN` and `APISERVER_CA`).
 *
 * `npm run agreement -- --recorded PATH`: judges what was recorded: a file of `--save`, or a folder with the lists and watches of a
 * cluster's nodes and pods.
 *
 * Exit code 0 if nothing disagrees, 1 after any disagreement, 2 if nothing could be judged.
 */
const NOT_JUDGED = 2;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      pods: { type: 'string', default: '5000' },
      nodes: { type: 'string', default: '80' },
      batch: { type: 'string', default: '25' },
      seed: { type: 'string', default: '1' },
      save: { type: 'string' },
      recorded: { type: 'string', multiple: true },
    },
  });
  const courses = values.recorded === undefined ? await live(values) : await readCourses(values.recorded);
  let disagreed = 0;
  let decisions = 0;
  for (const course of courses) {
    const batched = judgeCourse(course, 'batch');
    const found = judgeCourse(course, 'event');
    decisions += found.decisions;
    disagreed += show(course, 'batch', batched, new Set());
    // A scheduler binds side by side: what another order of the same bindings explains is no disagreement.
    const doubtful = new Set(batched.notAgreed.map(({ decision }) => decision.pod.metadata.uid));
    const explained = new Set(
      found.notAgreed.flatMap(({ decision }) => {
        const { uid } = decision.pod.metadata;
        return uid === undefined || doubtful.has(uid) ? [] : [uid];
      }),
    );
    disagreed += show(course, 'event', found, explained);
  }
  if (decisions === 0) return NOT_JUDGED;
  return disagreed === 0 ? 0 : 1;
}

async function live(
  values: Readonly<Record<'pods' | 'nodes' | 'batch' | 'seed', string>> & { readonly save?: string | undefined },
): Promise<readonly Course[]> {
  // Nobody plays the kubelets: nodes stay as they are.
  const plane = await planeOfCommand({ NODE_GRACE: '24h', DISABLE_ADMISSION: 'TaintNodesByCondition' });
  if (plane === undefined) return [];
  try {
    say(`deciding with Kubernetes ${plane.version}`);
    const course = await liveCourse(plane.api, {
      pods: Number(values.pods),
      nodes: Number(values.nodes),
      batch: Number(values.batch),
      seed: Number(values.seed),
    });
    if (values.save !== undefined) await writeFile(values.save, gzipSync(stringifyJson(course)));
    return [course];
  } finally {
    await plane.stop();
  }
}

/** Prints a table, and all that does not agree. @returns how many predictions disagree without an explanation */
function show(
  { name }: Course,
  step: 'event' | 'batch',
  { decisions, counts, notAgreed, refusals }: CourseAgreement,
  explained: ReadonlySet<string>,
): number {
  const how = step === 'event' ? 'each on the state just before' : 'with what came about the same time';
  say(`\n${name}: ${decisions} decisions, ${how}`);
  say(line('rule', 'agreed', 'disagreed', 'unknown'));
  let disagreed = 0;
  for (const rule of AGREEMENT_RULES) {
    const { agreed, disagreed: against, unknown } = counts[rule];
    if (agreed + against + unknown > 0) say(line(rule, agreed, against, unknown));
  }
  for (const { decision, judgements } of notAgreed) {
    for (const one of judgements) {
      if (one.outcome === 'agreed') continue;
      const isExplained = explained.has(decision.pod.metadata.uid ?? '');
      if (one.outcome === 'disagreed' && !isExplained) disagreed++;
      const because =
        one.outcome === 'unknown' ? ` (${one.because})` : isExplained ? ' (another order explains it)' : '';
      say(`  ${decision.pod.metadata.name}: ${one.rule} ${one.outcome}${because}: ${one.text}`);
    }
  }
  for (const one of refusals) {
    if (one.outcome === 'agreed') continue;
    if (one.outcome === 'disagreed') disagreed++;
    say(`  admission ${one.outcome}: ${one.text}`);
  }
  return disagreed;
}

const line = (first: string, ...cells: readonly (number | string)[]): string =>
  first.padEnd(12) + cells.map((cell) => String(cell).padStart(11)).join('');

process.exitCode = await main();
