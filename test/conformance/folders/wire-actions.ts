import type { TaintTrail } from '../../../src/core/audit/attributed-change.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { runKubectl } from '../../../src/core/taint-change/run-kubectl.js';
import { CORDONED, sayDifference, sayTaint } from './audit-words.js';
import type { Transcript } from './wire-transcript.js';

/** What somebody did in a recorded cluster. */
interface Action {
  readonly atMs: number;
  readonly endedAtMs?: number;
  readonly user: string;
  readonly what: string;
  readonly rc?: number;
  readonly out?: string;
  readonly status?: number;
}

/** The taints of all nodes that had some. */
interface Moment {
  readonly atMs: number;
  readonly taints: readonly { readonly name: string; readonly taints: readonly Taint[] }[];
}

const actionsOf = ({ truth }: Transcript): readonly Action[] => (truth['actions'] ?? []) as readonly Action[];

export function momentsOf({ truth }: Transcript): readonly Moment[] {
  const moments = (truth['moments'] ?? []) as readonly Partial<Moment>[];
  return moments.filter((moment): moment is Moment => Array.isArray(moment.taints));
}

/** What is done to one node. */
interface Deed {
  readonly node: string;
  /** Each must be among what a change says; of a JSON Patch, which repeats what stays, one of them. */
  readonly what: readonly Wanted[];
  readonly isPatch?: boolean;
}

/** A taint or a cordon that comes (`+`) or goes (`-`); what is undefined may be anything. */
interface Wanted {
  readonly sign: '+' | '-';
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

const PATCH = /^JSON Patch of node ([a-z0-9.-]+) (\[.*\])$/;
const KUBECTL = /^kubectl (taint nodes?|cordon|uncordon|drain) (.*)$/;
const TAINT_SPEC = /^([^=:]+?)(?:=([^:]*?))?(?::(\w+?))?(-?)$/;

function deedsOf({ what, out = '' }: Action): readonly Deed[] {
  const [, patched, operations] = PATCH.exec(what) ?? [];
  if (patched !== undefined) {
    const taints = (JSON.parse(operations!) as readonly Operation[])
      .filter(({ op, path }) => (op === 'add' || op === 'replace') && /^\/spec\/taints(\/-)?$/.test(path))
      .flatMap(({ value }) => (Array.isArray(value) ? value : [value]) as readonly Taint[]);
    if (taints.length === 0) return [];
    const added = taints.map(({ key, value = '', effect }) => ({ sign: '+' as const, key, value, effect }));
    return [{ node: patched, what: added, isPatch: true }];
  }
  const [, command = '', rest = ''] = KUBECTL.exec(what) ?? [];
  const words = rest.split(' ').filter((word) => !word.startsWith('-'));
  const isSpec = (word: string): boolean => command.startsWith('taint') && /[=:]|-$/.test(word);
  const isDone = (name: string): boolean =>
    out.split('\n').some((line) => DONE.test(line) && line.includes(`/${name} `));
  const specs = words.filter(isSpec).map((spec): Wanted => {
    const [, key = '', value, effect, minus] = TAINT_SPEC.exec(spec) ?? [];
    return minus === '-' ? { sign: '-', key, effect } : { sign: '+', key, value: value ?? '', effect };
  });
  const cordon: Wanted = { sign: command === 'uncordon' ? '-' : '+', key: CORDONED };
  return words
    .filter((word) => !isSpec(word) && isDone(word))
    .map((node) => ({ node, what: command.startsWith('taint') ? specs : [cordon] }));
}

/** What kubectl prints of a node that it changed. */
const DONE = /^node\/\S+ (tainted|untainted|modified|cordoned|uncordoned)$/;

const isOf = ({ sign, key, value, effect }: Wanted, said: string): boolean =>
  key === CORDONED
    ? said === `${sign}${key}`
    : said.startsWith(`${sign}${key}=${value === undefined ? '' : `${value}:`}`) &&
      (effect === undefined || said.split('@')[0]!.endsWith(`:${effect}`));

/** Milliseconds that an action may end after its note. */
const SLACK = 2000;

/** Each action on a node must be in the trail: by whom, when and what. */
export function judgeActions(
  transcript: Transcript & { readonly epoch: string },
  { changes }: TaintTrail,
): readonly string[] {
  const epoch = Date.parse(transcript.epoch);
  return actionsOf(transcript).flatMap((action) => {
    if ((action.rc ?? 0) !== 0 || (action.status ?? 200) >= 400) return [];
    return deedsOf(action).flatMap(({ node, what, isPatch = false }) => {
      const own = changes.filter(({ node: name, by, when }) => {
        const at = when.kind === 'point' ? Date.parse(when.at) - epoch : NaN;
        const until = (action.endedAtMs ?? action.atMs) + SLACK;
        return name === node && by?.username === action.user && at >= action.atMs - SLACK && at <= until;
      });
      const said = own.flatMap((change) => [...sayDifference(change), ...saySet(change)]);
      const missing = what.filter((wanted) => !said.some((one) => isOf(wanted, one)));
      const isThere = isPatch ? missing.length < what.length : missing.length === 0;
      return isThere ? [] : [`${action.user}, ${action.atMs} ms: ${action.what}: the trail says ${said.join(' ')}`];
    });
  });
}

/** What was written where the state before is not known. */
function saySet({ set }: TaintTrail['changes'][number]): readonly string[] {
  const cordon = set?.unschedulable;
  return [
    ...(set?.taints ?? []).map((taint) => `+${sayTaint(taint)}`),
    ...(cordon === undefined ? [] : [`${cordon ? '+' : '-'}${CORDONED}`]),
  ];
}

/** Taints that controllers set and take away. */
const isControllers = ({ key }: Taint): boolean => /^node(\.cloudprovider)?\.kubernetes\.io\//.test(key);

/**
 * Does what the actions say to nodes, as this project says that kubectl and JSON Patch do it, and compares kubectl's words, and the
 * taints at each moment but those of controllers; a cordoned node must have its taint.
 */
export function judgeActionsAlone(transcript: Transcript): readonly string[] {
  const moments = momentsOf(transcript);
  const actions = actionsOf(transcript);
  if (actions.length === 0) return ['the file has no actions'];
  const differences: string[] = [];
  const steps = [
    ...actions.map((action) => ({ at: action.endedAtMs ?? action.atMs, action, moment: undefined })),
    ...moments.map((moment) => ({ at: moment.atMs, action: undefined, moment })),
  ].sort((a, b) => a.at - b.at);
  let nodes: readonly Node[] = named(actions, moments);
  for (const { action, moment } of steps) {
    if (action !== undefined) {
      const done = doneTo(nodes, action);
      nodes = done.nodes;
      if (done.says !== undefined) differences.push(`${action.what}: ${done.says}`);
    } else {
      differences.push(...judgeMoment(nodes, moment).map((one) => `at ${moment.atMs} ms: ${one}`));
    }
  }
  return differences;
}

/** Every node that is named anywhere, without taints. */
function named(actions: readonly Action[], moments: readonly Moment[]): readonly Node[] {
  const names = [
    ...moments.flatMap(({ taints }) => taints.map(({ name }) => name)),
    ...actions.flatMap((action) => deedsOf(action).map(({ node }) => node)),
  ];
  return [...new Set(names)].map((name) => ({ metadata: { name }, spec: {} }) as Node);
}

function doneTo(
  nodes: readonly Node[],
  action: Action,
): { readonly nodes: readonly Node[]; readonly says?: string | undefined } {
  const { what, rc = 0, out = '', status = 200 } = action;
  const [, patched, operations] = PATCH.exec(what) ?? [];
  if (patched !== undefined && status < 400) {
    return { nodes: nodes.map((node) => (node.metadata.name === patched ? patchedNode(node, operations!) : node)) };
  }
  const [, deleted] = /^kubectl delete nodes? ([a-z0-9.-]+)/.exec(what) ?? [];
  if (deleted !== undefined) return { nodes: nodes.filter(({ metadata }) => metadata.name !== deleted) };
  const [, command, rest = ''] = KUBECTL.exec(what) ?? [];
  if (command === undefined) return { nodes };
  const isDrain = command === 'drain';
  const words = isDrain
    ? `cordon ${rest
        .split(' ')
        .filter((word) => !word.startsWith('-'))
        .join(' ')}`
    : `${command} ${rest}`;
  const run = runKubectl(['kubectl', ...words.split(' ')], nodes);
  const printed = isDrain ? out.split('\n').filter((line) => / (already )?cordoned/.test(line)) : [out.trimEnd()];
  const isSame = run.stdout.trimEnd() === printed.join('\n') && (isDrain || run.exitCode === rc);
  const says = isSame ? undefined : `it prints ${JSON.stringify(run.stdout)} and exits with ${run.exitCode}`;
  return { nodes: run.nodes, says };
}

function patchedNode(node: Node, text: string): Node {
  let taints: Taint[] = [...(node.spec?.taints ?? [])];
  let unschedulable = node.spec?.unschedulable;
  for (const { op, path, value } of JSON.parse(text) as readonly Operation[]) {
    const [, place] = /^\/spec\/taints\/(-|\d+)$/.exec(path) ?? [];
    if (op === 'test') continue;
    if (path === '/spec/taints') taints = op === 'remove' ? [] : [...(value as readonly Taint[])];
    else if (path === '/spec/unschedulable') unschedulable = op !== 'remove' && (value as boolean);
    else if (place !== undefined) {
      const at = place === '-' ? taints.length : Number(place);
      taints.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value as Taint]));
    }
  }
  return { ...node, spec: { ...node.spec, taints, unschedulable: unschedulable === true } };
}

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

function judgeMoment(nodes: readonly Node[], { taints: all }: Moment): readonly string[] {
  const seen = new Map(all.map(({ name, taints }) => [name, taints]));
  return nodes.flatMap(({ metadata: { name }, spec }) => {
    const taints = seen.get(name) ?? [];
    const own = (list: readonly Taint[]): string =>
      list
        .filter((one) => !isControllers(one))
        .map(sayTaint)
        .sort()
        .join(' ');
    const wanted = own(taints);
    const found = own(spec?.taints ?? []);
    const isCordoned = taints.some(({ key }) => key === UNSCHEDULABLE);
    return [
      ...(wanted === found ? [] : [`${name} has ${wanted || 'no taints'}, by the actions ${found || 'none'}`]),
      ...(isCordoned === (spec?.unschedulable === true) ? [] : [`${name} is ${isCordoned ? '' : 'not '}cordoned`]),
    ];
  });
}
