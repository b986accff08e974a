import { counted } from '../../core/collections/counted.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { MOST_NODES, nodeGroupLines } from '../placements/reason-lines.js';
import { nameOfObject, printable, type GateAnswer, type GateObjectName } from './gate-names.js';

type Reason = GateAnswer['reasons'][number];
type Workload = GateAnswer['workloads'][number];
type DryRun = GateAnswer['dryRuns'][number];

/** Groups of nodes that are shown of a reason. */
const MOST_GROUPS = 8;

/**
 * A gate as text for the log of a pipeline: the verdict first, then what to fix, in order; one fact a line, nothing that depends on the
 * width of the terminal. The same answer gives the same text, whenever it was asked.
 *
 * @param options `isStored`: whether the cluster was asked about as it is stored, in a revision
 */
export function gateText(answer: GateAnswer, { isStored = true }: { readonly isStored?: boolean } = {}): string {
  const { basis, verdict, summary, decision } = answer;
  const sections = [
    [
      `${verdict.toUpperCase()}: ${summary}`,
      `Cluster ${basis.cluster}${isStored ? `, revision ${basis.revision}` : ''}, rules of Kubernetes ${basis.rulesVersion}`,
      ...(basis.harmlessWebhooks.length === 0
        ? []
        : [`Assumes that these webhooks are harmless: ${basis.harmlessWebhooks.join(', ')}`]),
    ],
    listed('What to fix, in this order:', answer.reasons.map(reasonLines)),
    listed('Changes that make it yes, evaluated together:', (answer.changes ?? []).map(changeLines)),
    answer.changesNote === null ? [] : [answer.changesNote],
    headed('Workloads:', answer.workloads.map(workloadLine)),
    headed(
      'Warnings:',
      answer.warnings.map(({ message, object }) => (object === null ? message : `${nameOfObject(object)}: ${message}`)),
    ),
    headed(
      'Quotas:',
      answer.quotas.map(
        ({ namespace, name, resource, before, after, hard }) =>
          `${namespace}/${name} ${resource}: ${before} -> ${after} of ${hard}`,
      ),
    ),
    headed('Asked of the API server, as dry runs:', answer.dryRuns.map(dryRunLine)),
    headed('Load these kinds to know more:', answer.load.length === 0 ? [] : [answer.load.join(', ')]),
    headed('Not looked at:', notLookedAt(answer)),
    decision === null ? [] : [`Decision ${decision.id}`],
  ];
  return printable(
    `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`,
  );
}

function dryRunLine({ subject, kind, namespace, name, outcome, message, difference, warnings }: DryRun): string {
  const said = message === null ? outcome : `${outcome}: ${message}`;
  const more = [
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(difference === null ? [] : [`Differs from the evaluation: ${difference}`]),
  ];
  return [`${subject === 'pod' ? 'a pod of ' : ''}${kind} ${namespace}/${name}: ${said}`, ...more].join('\n');
}

function headed(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${indented(line, '  ')}`)];
}

/** Numbered items; further lines of an item are indented below its first. */
function listed(title: string, items: readonly (readonly string[])[]): readonly string[] {
  if (items.length === 0) return [];
  const width = String(items.length).length;
  const margin = ' '.repeat(width + 4);
  return [
    title,
    ...items.flatMap(([first = '', ...rest], index) => [
      `  ${String(index + 1).padStart(width)}. ${indented(first, margin)}`,
      ...rest.map((line) => `${margin}${indented(line, margin)}`),
    ]),
  ];
}

/** A message of several lines stays in its place. */
const indented = (text: string, margin: string): string => text.replace(/\r?\n/g, `\n${margin}`);

function reasonLines({ code, verdict, object, message, by, pods, nodeGroups, load }: Reason): readonly string[] {
  const about = object === null ? 'The request' : `${nameOfObject(object)}${placeOf(object)}`;
  return [
    `${about}: ${whatOf(code, verdict, pods)}`,
    by === null ? message : `${by}: ${message}`,
    ...nodeGroups.slice(0, MOST_GROUPS).flatMap((group) => nodeGroupLines(group).map((line) => `  ${line}`)),
    ...(nodeGroups.length > MOST_GROUPS
      ? [`  ... and ${counted(nodeGroups.length - MOST_GROUPS, 'more group')} of nodes`]
      : []),
    ...(load.length > 0 ? [`load ${load.join(', ')} to know`] : []),
  ];
}

/** Documents count from 1 for people. */
function placeOf({ line, document }: GateObjectName): string {
  if (line !== null) return ` (line ${line})`;
  return document === null ? '' : ` (document ${document + 1})`;
}

function whatOf(code: Reason['code'], verdict: Reason['verdict'], pods: number): string {
  const isUnknown = verdict === 'unknown';
  switch (code) {
    case 'ObjectRefused':
      return isUnknown ? 'may be refused' : 'refused';
    case 'PodRefused':
      return `${counted(pods, 'pod')} ${isUnknown ? 'may not be created' : 'cannot be created'}`;
    case 'Unschedulable':
      return `${counted(pods, 'pod')} ${isUnknown ? 'may find no node' : pods === 1 ? 'finds no node' : 'find no node'}`;
    case 'NotCreated':
      return `${counted(pods, 'pod')} ${isUnknown ? 'may not be created' : pods === 1 ? 'is not created' : 'are not created'}`;
    case 'ObjectUnknown':
      return 'not known whether it is accepted';
    case 'PodsUnknown':
      return `not known of ${counted(pods, 'pod')}`;
    case 'NothingToRun':
      return 'nothing to run';
  }
}

function changeLines({
  of,
  object,
  text,
  patch,
  command,
}: NonNullable<GateAnswer['changes']>[number]): readonly string[] {
  return [
    `${of === 'Manifest' ? '' : 'Not in the manifests: '}${nameOfObject(object)}${placeOf(object)}: ${text}`,
    ...patch.map(({ op, path, value }) => `  ${op} ${path}${op === 'remove' ? '' : ` ${stringifyJson(value)}`}`),
    ...(command === null ? [] : [`  ${command}`]),
  ];
}

function workloadLine({ desired, created, bound, pending, nodes, preempts, ...name }: Workload): string {
  const places = nodes.slice(0, MOST_NODES).map(({ node, pods }) => `${node} ${pods}`);
  const where =
    places.length === 0
      ? ''
      : `; ${places.join(', ')}${nodes.length > MOST_NODES ? `, ... (${nodes.length} nodes)` : ''}`;
  const evicts = preempts.length === 0 ? '' : `; evicts ${counted(preempts.length, 'pod')}`;
  return `${nameOfObject(name)}: ${bound} of ${desired} on nodes${created < desired ? `, ${desired - created} not created` : ''}${pending > 0 ? `, ${pending} pending` : ''}${where}${evicts}`;
}

function notLookedAt({ objects }: GateAnswer): readonly string[] {
  return objects
    .filter(({ outcome }) => outcome === 'notLookedAt')
    .map(({ message, ...object }) => `${nameOfObject(object)}${message === null ? '' : `: ${message}`}`);
}
