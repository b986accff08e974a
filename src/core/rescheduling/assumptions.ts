import type { KeptKind } from '../kubernetes/kinds.js';
import type { ReschedulingAssumption } from './rescheduling.js';

/** Facts about the plan that decide which assumptions matter. */
interface Seen {
  readonly jobs: boolean;
  /** Whether a StatefulSet creates its pods in order. */
  readonly orderedSets: boolean;
  readonly missingKinds: readonly KeptKind[];
  readonly hasUnknown: boolean;
  /** Requested schedulers without a profile. */
  readonly unserved: readonly string[];
  /** Scores that are not known and could have been decisive. */
  readonly uncertain: readonly string[];
}

/** The assumptions of a plan, as far as they mattered. */
export function assumptionsOf(seen: Seen): readonly ReschedulingAssumption[] {
  const { jobs, orderedSets, missingKinds, hasUnknown, unserved, uncertain } = seen;
  return [
    {
      code: 'tiesByName',
      message:
        'The plan scores every node and chooses the first by name among those with the highest total. Kubernetes chooses randomly among them, and checks only some of the nodes of a large cluster (percentageOfNodesToScore). Its choice may differ, which affects where later pods fit.',
    },
    ...(uncertain.length > 0
      ? [
          {
            code: 'uncertainScores' as const,
            message: `The scores of ${uncertain.join(', ')} are not known: where they are decisive, another node may be chosen.`,
          },
        ]
      : []),
    ...(unserved.length > 0
      ? [
          {
            code: 'otherSchedulers' as const,
            message: `The scheduler's configuration has no profile for ${unserved.join(', ')}: pods that request it are placed by the default profile.`,
          },
        ]
      : []),
    {
      code: 'noPreemption',
      message:
        'No pod is preempted: a pod of higher priority that fits nowhere waits, whereas Kubernetes may preempt pods for it.',
    },
    {
      code: 'pendingPodsNotPlaced',
      message: 'Pods that were already pending are not placed: they may use resources that the plan counts as free.',
    },
    ...(hasUnknown
      ? [
          {
            code: 'unknownTakesNoRoom' as const,
            message: 'Pods whose new node is not known use no resources in the plan.',
          },
        ]
      : []),
    ...(jobs
      ? [
          {
            code: 'jobBackoffNotCounted' as const,
            message:
              "A Job's back-off (10 seconds after its first failure, then twice as long each time) and its back-off limit are ignored: its pods may be created later, or not at all.",
          },
        ]
      : []),
    ...(orderedSets
      ? [
          {
            code: 'readyWhenLanded' as const,
            message:
              'A pod of a StatefulSet is assumed to be ready as soon as it is placed, so the pod with the next ordinal is created then.',
          },
        ]
      : []),
    ...(missingKinds.length > 0
      ? [
          {
            code: 'controllersNotLoaded' as const,
            message: `${missingKinds.join(', ')} were never loaded: controllers of these kinds are assumed to want as many pods as they have.`,
          },
        ]
      : []),
  ];
}
