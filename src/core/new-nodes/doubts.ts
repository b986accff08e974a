import type { NodeExplanation } from '../placement/node-explanation.js';
import type { Reason } from '../placement/reason.js';
import { ZONE } from './label-requirements.js';

/** The filters whose refusals depend on what only a machine shows. */
export const OF_RESOURCES = 'NodeResourcesFit';
export const OF_MACHINES = [OF_RESOURCES, 'NodeDeclaredFeatures', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'];
/** Those that refuse a pod whatever its machine and zone are. */
export const OF_TEMPLATES = ['TaintToleration', 'NodeName', 'SchedulingGates'];
/** The devices of a new node are published after it has started. */
export const OF_DEVICES = 'DynamicResources';

/** What filters of machines say of a claim, whatever the node. */
const OF_CLAIMS: readonly Reason['code'][] = ['BoundVolumeMissing', 'ClaimNotBound', 'ClaimNotUsable'];

/** What may be otherwise than it was tried. */
export interface Doubts {
  readonly machine: boolean;
  readonly zone: boolean;
  /** Whether volumes of the pod may be reachable from another node of the group. */
  readonly volume: boolean;
  /** Whether the devices of a real node decide; not where the claims of the pod are refused whatever the node. */
  readonly devices: boolean;
}

export const NO_DOUBTS: Doubts = { machine: false, zone: false, volume: false, devices: true };

/** Refusals that another zone would not know; a pod that needs others near it finds them in no zone without nodes. */
export const isOfZone = (reason: Reason): boolean =>
  ((reason.code === 'TopologyLabelMissing' || reason.code === 'TopologySpreadSkew') &&
    reason.facts.topology.key === ZONE) ||
  ((reason.code === 'PodAntiAffinityConflict' || reason.code === 'ExistingPodAntiAffinity') &&
    reason.facts.affinityTerms.every(({ topology }) => topology.key === ZONE));

/** The explanation with the reasons that may not hold for a real node as unknown ones. */
export function withDoubts(explanation: NodeExplanation, { machine, zone, volume, devices }: Doubts): NodeExplanation {
  const isOfMachine = ({ plugin, code }: Reason): boolean =>
    OF_MACHINES.includes(plugin) && !OF_CLAIMS.includes(code) && (code !== 'VolumeNodeMismatch' || volume);
  const isDoubtful = (reason: Reason): boolean =>
    (devices && reason.plugin === OF_DEVICES) || (machine && isOfMachine(reason)) || (zone && isOfZone(reason));
  const reasons = explanation.reasons.map((reason) =>
    isDoubtful(reason) ? { ...reason, status: 'Unknown' as const } : reason,
  );
  const refusing = reasons.findIndex(({ status }) => status !== 'Unknown');
  return {
    ...explanation,
    verdict: refusing >= 0 ? 'infeasible' : reasons.length > 0 ? 'unknown' : explanation.verdict,
    reasons: reasons.map((reason, index) => ({ ...reason, first: index === refusing })),
  };
}
