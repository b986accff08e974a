import type { FieldPath } from '../kubernetes/field-path.js';
import { hasEnded } from '../kubernetes/has-ended.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { nodeTargets } from './node-targets.js';
import { unbound } from './pod-place.js';
import type { PodsOfRemovedNodes, RemoveNodes } from './scenario.js';
import type { ScenarioDraft } from './scenario-draft.js';
import type { ScenarioFaults } from './scenario-fault.js';

/** Removes nodes and the objects that exist only for them. Notes what happens to their pods. */
export function* removeNodes(
  draft: ScenarioDraft,
  change: RemoveNodes,
  at: FieldPath,
  faults: ScenarioFaults,
): Generator<undefined, void> {
  const targets = yield* nodeTargets(draft, change, at, faults);
  const fates = new Map<Fate, number>();
  for (const { node } of targets) {
    yield undefined;
    const { name } = node.metadata;
    for (const pod of draft.podsOfNode(name)) {
      const fate = fateOf(pod, change.pods);
      fates.set(fate, (fates.get(fate) ?? 0) + 1);
      if (fate === PENDING) draft.replacePod(pod, unbound(pod));
      else draft.removePod({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name });
    }
    draft.removeNode(name);
  }
  for (const fate of FATES) {
    const pods = fates.get(fate);
    if (pods !== undefined) draft.notes.push(`${at.toString()}: pods ${fate}: ${pods}`);
  }
}

const PENDING = 'that become pending with the same names, because their controllers would replace them';
const ENDED = 'that had ended or were being deleted, and are deleted with their nodes';
const DAEMON = 'of DaemonSets, which are deleted with their nodes';
const STATIC = 'that are static, and are deleted with their nodes';
const ALONE = 'without a controller that would replace them, which are deleted with their nodes';
const DELETED = 'that are deleted with their nodes, as requested';
/** In the order of the notes. */
const FATES = [PENDING, ENDED, DAEMON, STATIC, ALONE, DELETED] as const;

/** Whether a controller would replace the pod if its node were lost, so that it has to find another one. */
export const isReplaced = (pod: Pod): boolean => fateOf(pod, undefined) === PENDING;

/** Whether the pod is lost with its node although it has neither ended nor belongs to its node: nothing replaces it. */
export const isLostWithNode = (pod: Pod): boolean => fateOf(pod, undefined) === ALONE;

type Fate = (typeof FATES)[number];

function fateOf(pod: Pod, asked: PodsOfRemovedNodes | undefined): Fate {
  if (hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined) return ENDED;
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller?.kind === 'DaemonSet') return DAEMON;
  if (controller?.kind === 'Node') return STATIC;
  if (asked === 'delete') return DELETED;
  return asked === undefined && controller === undefined ? ALONE : PENDING;
}
