import { allNodes } from '../../cluster/all-nodes.js';
import { finish } from '../../collections/finish.js';
import type { JsonObject } from '../../json/json-value.js';
import type { ManifestObject } from '../../kubernetes/manifests/manifest-object.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { changeNode } from '../../placement/fixes/node-fixes.js';
import { PodTrials } from '../../placement/fixes/pod-trials.js';
import { type SmallestFix, stepSmallestFixes } from '../../placement/fixes/smallest-fixes.js';
import { groupNodes } from '../../placement/node-groups.js';
import type { Placement } from '../../placement/placement.js';
import type { ClusterState } from '../../cluster/cluster-state.js';
import type { PodFix } from '../../placement/fixes/fix.js';
import type { WorkloadOutcome } from '../../rollout/rollout.js';
import type { GateReason } from '../judge-rollout.js';
import type { GateChange, GateSubject } from './change.js';
import { claimChanges } from './claim-changes.js';
import { lowerRequests } from './lower-requests.js';
import { withPodPart } from './edit-json.js';

type Bundle = readonly GateChange[];

/** Reasons that are looked at to group the nodes; of clusters with more the nodes differ too much to say anything short. */
const MOST_REASONS = 50_000;

class TooManyReasons extends Error {}

/**
 * Changes that may let waiting pods onto nodes, as bundles of which each might do by itself: those of the pod first, of which those come
 * last with which it asks for less, then those of its claims; of each kind the least first. A change of nodes comes for one node, and for
 * all nodes that it opens.
 *
 * @param state the cluster afterwards
 * @param workload what became of the object
 * @param subject what was asked about
 */
export function schedulingChanges(
  object: ManifestObject,
  { pod, placement }: NonNullable<GateReason['waiting']>,
  state: ClusterState,
  workload: WorkloadOutcome | undefined,
  subject: GateSubject,
): readonly Bundle[] {
  const fixes = smallest(placement);
  const ofPod = fixes.flatMap((fix) => (fix.object === 'Pod' ? [fix] : []));
  const ofNodes = fixes.flatMap((fix) => (fix.object === 'Node' ? nodeBundles(placement, fix) : []));
  const ofClaims = fixes.flatMap((fix) => {
    const bundle = fix.object === 'Claim' ? claimChanges(subject, fix.changes) : undefined;
    return bundle === undefined ? [] : [bundle];
  });
  const bundlesOf = (areSmaller: boolean): readonly Bundle[] =>
    ofPod.filter(({ changes }) => asksForLess(changes) === areSmaller).map((fix) => podBundle(object, fix));
  const lower = workload === undefined ? [] : lowerRequests(object, pod, placement, state, workload);
  return [
    ...bundlesOf(false).slice(0, MOST_OF_POD),
    ...lower,
    ...bundlesOf(true).slice(0, MOST_OF_POD),
    ...ofClaims,
    ...ofNodes,
  ];
}

/** Bundles of each kind that change the pod. */
const MOST_OF_POD = 4;

/** Whether the pod would get less than it asks for, which is a greater change than another place. */
const asksForLess = (changes: readonly PodFix[]): boolean => changes.some(({ kind }) => kind === 'LowerRequest');

function smallest(placement: Placement): readonly SmallestFix[] {
  let count = 0;
  try {
    const groups = groupNodes(placement, allNodes(placement.state), (reasons) => {
      count += reasons.length;
      if (count > MOST_REASONS) throw new TooManyReasons();
    });
    return finish(stepSmallestFixes(groups, new PodTrials(placement)));
  } catch (error) {
    if (error instanceof TooManyReasons) return [];
    throw error;
  }
}

function podBundle(object: ManifestObject, { changes, edit }: Extract<SmallestFix, { object: 'Pod' }>): Bundle {
  const { kind } = object;
  return [
    {
      of: 'Manifest',
      object,
      text: changes.map(({ summary }) => summary).join('; '),
      // An edit copies what it does not change, so fields that are not kept stay as they are.
      edit: (value) => withPodPart(value, kind, (part) => edit(part as unknown as Pod) as unknown as JsonObject),
    },
  ];
}

function nodeBundles(placement: Placement, { nodes }: Extract<SmallestFix, { object: 'Node' }>): readonly Bundle[] {
  const all = nodes.map((node) => nodeChange(placement, node));
  return all.length === 1 ? [all] : [all.slice(0, 1), all];
}

function nodeChange(placement: Placement, node: number): GateChange {
  const before = placement.state.nodes.node(node);
  const { reasons } = placement.explainNode(node);
  const { fixes } = changeNode(before, reasons);
  return {
    of: 'Node',
    name: before.metadata.name,
    text: fixes.map(({ summary }) => summary).join('; '),
    change: (object) => changeNode(object as Node, reasons).node,
    command: fixes.map((fix) => fix.command).join(' && '),
  };
}
