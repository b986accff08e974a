import { int64 } from '../../cluster/resource-table.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import { allNodes } from '../../cluster/all-nodes.js';
import type { JsonObject } from '../../json/json-value.js';
import { nodeShouldRunDaemonPod } from '../../kubernetes/daemon-pod.js';
import { decodeObject } from '../../kubernetes/decode.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import { compileLabelSelector } from '../../kubernetes/label-selector.js';
import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { LabelSelector } from '../../kubernetes/objects/selectors.js';
import type { DaemonSet } from '../../kubernetes/objects/workloads.js';
import { loweredRequest } from '../../placement/fixes/lowered-request.js';
import { FEASIBLE, type Placement } from '../../placement/placement.js';
import { statusAt } from '../../placement/plugin-outcome.js';
import { SUCCESS } from '../../placement/plugin.js';
import { askedAmounts, NAME as FIT, quantity } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import type { WorkloadOutcome } from '../../rollout/rollout.js';
import type { GateChange } from './change.js';
import { valueAt, withPodPart } from './edit-json.js';

type Bundle = readonly GateChange[];

/** Amounts by resource, in its base unit: millicores, bytes, or numbers. */
type Amounts = ReadonlyMap<string, number>;

/** A node that lacks nothing but room. */
interface Room {
  /** Pods that it takes more. */
  readonly pods: number;
  /** By resource; the workload's pods on it, of whatever template, counted as gone. */
  readonly free: Amounts;
}

/**
 * The greatest requests with which all pods of a workload find room: for each resource that is short the greatest by itself, or, where nodes
 * do not have these together, the same share of all. Only the room is counted: whether the pods spread as they should is for the caller to
 * find out. In an update, pods of both templates need room for a while; whether they have it depends on the order in which they come and
 * go, so that what would do at the end comes first, and what does with all of them there comes second.
 *
 * @param pod one that waits
 * @param placement of it
 * @param state the cluster with the pods of the workload that have a node
 */
export function lowerRequests(
  object: ManifestObject,
  pod: Pod,
  placement: Placement,
  state: ClusterState,
  { desired, created, nodes: bound }: Pick<WorkloadOutcome, 'desired' | 'created' | 'nodes'>,
): readonly Bundle[] {
  const asked: Amounts = new Map(
    askedAmounts(pod, NONE_IGNORED, state.rules).map(([name, amount]) => [name, Number(amount)]),
  );
  const daemonSet = daemonSetOf(object);
  const takes =
    daemonSet === undefined
      ? (node: number): boolean => lacksOnlyRoom(placement, node)
      : (node: number): boolean =>
          nodeShouldRunDaemonPod(daemonSet, state.nodes.node(node), placement.input.gates).shouldRun;
  const heldBy = held(object, pod, state);
  const rooms = allNodes(state)
    .filter(takes)
    .map((node) => roomOf(state, node, asked, bound, heldBy));
  if (daemonSet !== undefined) {
    return lowered(object, pod, asked, state.rules, (amounts) => rooms.every((room) => podsIn(room, amounts) > 0));
  }
  return [...new Set([Math.min(desired, created), created])].flatMap((count) =>
    lowered(object, pod, asked, state.rules, (amounts) => {
      let left = count;
      for (const room of rooms) {
        left -= podsIn(room, amounts);
        if (left <= 0) return true;
      }
      return false;
    }),
  );
}

function lowered(
  object: ManifestObject,
  pod: Pod,
  asked: Amounts,
  rules: KubernetesRules,
  fits: (amounts: Amounts) => boolean,
): readonly Bundle[] {
  const short = [...asked.keys()].filter((name) => !fits(new Map([[name, asked.get(name)!]])));
  const enough = [...asked].filter(([name]) => !short.includes(name));
  const each = short.map((name): [string, number] => {
    const amount = greatest(asked.get(name)!, (value) => fits(new Map([...enough, [name, value]])));
    return [name, presentable(name, amount)];
  });
  return bundleOf(object, pod, rules, fits(new Map([...asked, ...each])) ? each : shared(asked, short, fits));
}

const SHARES = 1_000;

/** The same share of each, the greatest that will do. */
function shared(asked: Amounts, names: readonly string[], fits: (amounts: Amounts) => boolean): [string, number][] {
  const amounts = (share: number): [string, number][] =>
    names.map((name) => [name, presentable(name, Math.floor((asked.get(name)! * share) / SHARES))]);
  return amounts(greatest(SHARES, (share) => fits(new Map([...asked, ...amounts(share)]))));
}

/** The greatest value below a limit that will do, if smaller ones do where greater ones do; 0 if none does. */
function greatest(limit: number, willDo: (value: number) => boolean): number {
  let [low, high] = [0, limit];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (willDo(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const MEBI = 2 ** 20;

/** Bytes in whole mebibytes. */
function presentable(name: string, amount: number): number {
  const isBytes = name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-');
  return isBytes && amount > MEBI ? Math.floor(amount / MEBI) * MEBI : amount;
}

const NONE_IGNORED = { ignoredResources: [], ignoredResourceGroups: [] };

function daemonSetOf({ kind, value }: ManifestObject): DaemonSet | undefined {
  const decoded = kind === 'DaemonSet' ? decodeObject(value) : undefined;
  return decoded?.outcome === 'object' ? (decoded.object as DaemonSet) : undefined;
}

/** Whether a node takes the pod, or nothing but room keeps the pod from it. */
function lacksOnlyRoom(placement: Placement, node: number): boolean {
  if (placement.verdicts[node] === FEASIBLE) return true;
  if (placement.isExcluded(node)) return false;
  return placement.plugins.every((plugin) => plugin.name === FIT || (statusAt(plugin, node) ?? SUCCESS) === SUCCESS);
}

/** What the pods that a workload selects hold, by the index of their node. */
interface Held {
  readonly pods: number;
  readonly amounts: Amounts;
}

function held({ value }: ManifestObject, { metadata }: Pod, { pods, rules }: ClusterState): ReadonlyMap<number, Held> {
  const found = new Map<number, Held>();
  const compiled = compileLabelSelector(valueAt(value, ['spec', 'selector']) as LabelSelector | undefined);
  if (!('selector' in compiled)) return found;
  for (let index = 0; index < pods.count; index++) {
    const node = pods.nodeIndex(index);
    if (node < 0 || !pods.active(index) || pods.namespace(index) !== (metadata.namespace ?? '')) continue;
    if (!compiled.selector.matches(pods.labels(index))) continue;
    const { pods: count, amounts } = found.get(node) ?? { pods: 0, amounts: new Map<string, number>() };
    const sum = new Map(amounts);
    for (const [name, amount] of askedAmounts(pods.pod(index), NONE_IGNORED, rules)) {
      sum.set(name, (sum.get(name) ?? 0) + Number(amount));
    }
    found.set(node, { pods: count + 1, amounts: sum });
  }
  return found;
}

function roomOf(
  { nodes }: ClusterState,
  node: number,
  asked: Amounts,
  bound: ReadonlyMap<string, number>,
  heldBy: ReadonlyMap<number, Held>,
): Room {
  const own = bound.get(nodes.name(node)) ?? 0;
  const ofNode = heldBy.get(node);
  // A Job selects its pods by labels that its manifest lacks. They are all of the template that was sent.
  const heldOf = (name: string, amount: number): number =>
    ofNode?.pods === own ? (ofNode.amounts.get(name) ?? 0) : own * amount;
  const freeOf = (name: string): number =>
    (nodes.allocatable.column(name)?.values[node] ?? 0) - (nodes.requested.column(name)?.values[node] ?? 0);
  return {
    pods: freeOf('pods') + own,
    free: new Map(Array.from(asked, ([name, amount]) => [name, freeOf(name) + heldOf(name, amount)])),
  };
}

function podsIn({ pods, free }: Room, amounts: Amounts): number {
  let most = pods;
  for (const [name, amount] of amounts) if (amount > 0) most = Math.min(most, Math.floor(free.get(name)! / amount));
  return Math.max(0, most);
}

function bundleOf(
  object: ManifestObject,
  pod: Pod,
  rules: KubernetesRules,
  amounts: readonly (readonly [string, number])[],
): readonly Bundle[] {
  const texts: string[] = [];
  const edits: ((given: Pod) => Pod)[] = [];
  let changed = pod;
  for (const [name, amount] of amounts) {
    if (amount < 1) return [];
    const less = loweredRequest(changed, name, quantity(name, int64(BigInt(amount))), rules);
    if (less === undefined) return [];
    changed = less.edit(changed);
    edits.push(less.edit);
    texts.push(less.summary);
  }
  return [
    [
      {
        of: 'Manifest',
        object,
        text: texts.join('; '),
        edit: (value) =>
          withPodPart(
            value,
            object.kind,
            (part) => edits.reduce((given, edit) => edit(given), part as unknown as Pod) as unknown as JsonObject,
          ),
      },
    ],
  ];
}
