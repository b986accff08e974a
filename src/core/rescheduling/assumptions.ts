import type { KeptKind } from '../kubernetes/kinds.js';
import type { ReschedulingAssumption } from './rescheduling.js';

/** What the plan came across. */
interface Seen {
  readonly jobs: boolean;
  /** A StatefulSet that makes its pods in order. */
  readonly orderedSets: boolean;
  readonly missingKinds: readonly KeptKind[];
  readonly hasUnknown: boolean;
  /** Schedulers that pods ask for and that no profile is for. */
  readonly unserved: readonly string[];
  /** Scores that may have decided and are not known. */
  readonly uncertain: readonly string[];
}

/** What a plan takes for given, as far as it mattered. */
export function assumptionsOf(seen: Seen): readonly ReschedulingAssumption[] {
  const { jobs, orderedSets, missingKinds, hasUnknown, unserved, uncertain } = seen;
  return [
    {
      code: 'tiesByName',
      message:
        'Every node is looked at and scored, and of those with the greatest total the plan takes the first by name; Kubernetes draws lots among them, and in a large cluster looks at a part of the nodes (percentageOfNodesToScore): its choice may differ, and with it where later pods find room.',
    },
    ...(uncertain.length > 0
      ? [
          {
            code: 'uncertainScores' as const,
            message: `The scores of ${uncertain.join(', ')} are not known: where they decide, another node may be chosen.`,
          },
        ]
      : []),
    ...(unserved.length > 0
      ? [
          {
            code: 'otherSchedulers' as const,
            message: `The scheduler's configuration has no profile for ${unserved.join(', ')}: pods that ask for it are placed as by the default profile.`,
          },
        ]
      : []),
    {
      code: 'noPreemption',
      message:
        'No pod is preempted: one with a higher priority that finds no room waits, where Kubernetes may make room for it.',
    },
    {
      code: 'pendingPodsNotPlaced',
      message:
        'Pods that were waiting for a node before are not placed: they may take room that the plan counts as free.',
    },
    ...(hasUnknown
      ? [
          {
            code: 'unknownTakesNoRoom' as const,
            message: 'Pods whose new node is not known take no room in the plan.',
          },
        ]
      : []),
    ...(jobs
      ? [
          {
            code: 'jobBackoffNotCounted' as const,
            message:
              "A Job's back-off (10 seconds after its first failure, then twice as long each time) and its back-off limit are not counted: its pods may be made later, or not at all.",
          },
        ]
      : []),
    ...(orderedSets
      ? [
          {
            code: 'readyWhenLanded' as const,
            message:
              'A pod of a StatefulSet is taken to be ready as soon as it is placed, so that the one with the next ordinal is made then.',
          },
        ]
      : []),
    ...(missingKinds.length > 0
      ? [
          {
            code: 'controllersNotLoaded' as const,
            message: `${missingKinds.join(', ')} were never loaded: controllers of these kinds are taken to want as many pods as they have.`,
          },
        ]
      : []),
  ];
}
