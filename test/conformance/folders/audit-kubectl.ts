import type { JsonObject } from '../../../src/core/json/json-value.js';
import { stringifyJson } from '../../../src/core/json/lossless-json.js';
import type { Labels } from '../../../src/core/kubernetes/objects/meta.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { runKubectl } from '../../../src/core/taint-change/run-kubectl.js';
import { sameJson } from '../same-json.js';

/** A run of kubectl as it was recorded. */
interface Run {
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly taintsAfter: readonly Taint[] | null;
}

interface Step {
  readonly input: {
    readonly action: { readonly argv?: readonly string[] };
    readonly taintsBefore: readonly Taint[] | null;
    readonly unschedulableBefore: boolean | null;
  };
  readonly observed: {
    readonly result: Omit<Run, 'argv' | 'taintsAfter'>;
    readonly taintsAfter: readonly Taint[] | null;
    readonly unschedulableAfter: boolean | null;
    readonly auditEvents?: readonly { readonly responseObject?: Node }[];
  };
}

interface Runs {
  readonly input: { readonly node: string };
  readonly observed: { readonly runs: readonly Run[] };
}

/**
 * Judges what kubectl itself did in a recorded file of the folder `audit`: each `kubectl taint`, `cordon` and `uncordon` in it, alone or one
 * after another. What the API server forbade, and other commands, are passed over; their effect on the node is taken as recorded.
 */
export function judgeAuditKubectl(file: JsonObject): readonly string[] {
  const observed = file['observed'] as JsonObject;
  return 'runs' in observed ? judgeRuns(file as unknown as Runs) : judgeStep(file as unknown as Step);
}

function judgeStep({ input, observed }: Step): string[] {
  const { argv } = input.action;
  if (argv === undefined) return [];
  const run: Run = { argv, ...observed.result, taintsAfter: observed.taintsAfter };
  if (!isJudged(run)) return [];
  const written = observed.auditEvents?.find(({ responseObject }) => responseObject?.kind === 'Node')?.responseObject;
  const name = written?.metadata.name ?? nodeNamed(run);
  const labels = written?.metadata.labels ?? driverLabels(name);
  const before = nodeOf(name, labels, input.taintsBefore, input.unschedulableBefore ?? false);
  const { differences, node } = judgeRun(run, before);
  if ((node.spec?.unschedulable ?? false) !== (observed.unschedulableAfter ?? false)) {
    return [...differences, `unschedulable: want ${String(observed.unschedulableAfter)}`];
  }
  return differences;
}

/** The node of a step without events: the one that kubectl speaks of, or the first of its words that it did not find missing. */
function nodeNamed({ argv, stdout, stderr }: Run): string {
  const [, told] = /^node\/(\S+) /m.exec(stdout) ?? /\bnode (\S+) already has /.exec(stderr) ?? [];
  const words = argv.slice(argv.findIndex((word) => /^(taint|cordon|uncordon)$/.test(word)) + 1);
  const named = words.find(
    (word) => !/^nodes?$|^no$|[=:]|^-|-$/.test(word) && !stderr.includes(`nodes "${word}" not found`),
  );
  return told ?? named ?? 'aud-1';
}

/** The labels that the recordings' driver gave a node, if a file does not show them. */
const driverLabels = (name: string): Labels => ({
  'beta.kubernetes.io/arch': 'amd64',
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
});

function judgeRuns({ input, observed }: Runs): string[] {
  const described = describedLabels(observed.runs);
  const labels = Object.keys(described).length > 0 ? described : { ...driverLabels(input.node), role: 'x' };
  let node = nodeOf(input.node, labels, null, false);
  return observed.runs.flatMap((run) => {
    if (isJudged(run)) {
      const judged = judgeRun(run, node);
      ({ node } = judged);
      return judged.differences;
    }
    const cordons = run.stdout.includes(`node/${input.node} cordoned\n`);
    node = nodeOf(input.node, labels, run.taintsAfter, cordons || node.spec?.unschedulable === true);
    return [];
  });
}

/** Judges a run from the node before it; returns the node after it, as we have it. */
function judgeRun(run: Run, before: Node): { readonly differences: string[]; readonly node: Node } {
  const got = runKubectl(run.argv, [before]);
  const node = got.nodes[0] ?? before;
  const differences = (['exitCode', 'stdout', 'stderr'] as const).flatMap((part) =>
    got[part] === run[part]
      ? []
      : [`${run.argv.join(' ')}: ${part}: want ${stringifyJson(run[part])}, got ${stringifyJson(got[part])}`],
  );
  const want = run.taintsAfter ?? [];
  const taints = node.spec?.taints ?? [];
  if (!sameTaints(want, taints, before.spec?.taints ?? [])) {
    differences.push(`${run.argv.join(' ')}: taints: want ${stringifyJson(want)}, got ${stringifyJson(taints)}`);
  }
  return { differences, node };
}

/** Other commands, other outputs than kubectl's own, and what the API server did not let the caller do are not judged here. */
function isJudged({ argv, stderr }: Run): boolean {
  if (!argv.some((word) => ['taint', 'cordon', 'uncordon'].includes(word)) || argv.includes('drain')) return false;
  if (argv.some((word, index) => /^(-o|--output)/.test(word) && !`${word} ${argv[index + 1] ?? ''}`.includes('name'))) {
    return false;
  }
  return !/\((Forbidden|Unauthorized)\)|You must be logged in/.test(stderr);
}

/**
 * Whether two lists are the same in order. A taint that a controller manages counts as seen one run late: it may be there as it is now, or
 * as it was before the run; the time when it came is the recording's own.
 */
function sameTaints(want: readonly Taint[], got: readonly Taint[], before: readonly Taint[]): boolean {
  const own = (taints: readonly Taint[]): Taint[] => taints.filter((taint) => !isManaged(taint));
  const managed = (taints: readonly Taint[]): string[] => taints.filter(isManaged).map(({ key }) => key);
  return (
    sameJson(own(want), own(got)) && (sameJson(managed(want), managed(got)) || sameJson(managed(want), managed(before)))
  );
}

const isManaged = ({ key, effect }: Taint): boolean => key.startsWith('node.kubernetes.io/') && effect === 'NoSchedule';

function nodeOf(name: string, labels: Labels, taints: readonly Taint[] | null, unschedulable: boolean): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { ...(taints !== null && taints.length > 0 && { taints }), ...(unschedulable && { unschedulable }) },
  };
}

/** The labels of the node, which the file shows only where `kubectl describe` printed them. */
function describedLabels(runs: readonly Run[]): Labels {
  const described = runs.find(({ argv }) => argv.includes('describe'))?.stdout ?? '';
  const [, block = ''] = /^Labels:(.*(?:\n {2,}.*)*)/m.exec(described) ?? [];
  return Object.fromEntries(
    block
      .split('\n')
      .map((line) => line.trim().split('='))
      .flatMap(([key = '', value]) => (value === undefined ? [] : [[key, value]])),
  );
}
