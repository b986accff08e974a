import type { KeptKind } from '../kubernetes/kinds.js';
import type { LandingAssumption } from './landing.js';

/** What the plan came across. */
interface Seen {
  readonly jobs: boolean;
  /** A StatefulSet that makes its pods in order. */
  readonly orderedSets: boolean;
  readonly missingKinds: readonly KeptKind[];
  readonly hasUnknown: boolean;
}

/** What a plan takes for given, as far as it mattered. */
export function assumptionsOf({ jobs, orderedSets, missingKinds, hasUnknown }: Seen): readonly LandingAssumption[] {
  return [
    {
      code: 'scoresNotBuilt',
      message:
        "Scores are not evaluated yet: of the nodes that could take a pod the plan chooses the one with the most room left; Kubernetes' own choice among them may differ, and with it where later pods find room.",
    },
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
            message: 'Pods of which it is not known where they land take no room in the plan.',
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
              'A pod of a StatefulSet is taken to be ready as soon as it lands, so that the one with the next ordinal is made then.',
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
