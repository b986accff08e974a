import { defined } from '../collections/defined.js';
import type { AdmissionStep } from './admission-chain.js';

/** Something that is in the pod that is placed, but not in what was sent. */
export interface Addition {
  /** Who adds it: `defaults`, `DaemonSet controller`, `StatefulSet controller`, `pools`, or an admission plugin by its name. */
  readonly by: string;
  /** Where in the pod, as a JSON pointer. */
  readonly pointer: string;
  /** What stands there now; absent when it was taken away. */
  readonly value?: unknown;
  readonly why: string;
}

/** What the steps of admission added to the metadata and the spec of a pod. */
export const additionsOf = (steps: readonly AdmissionStep[]): readonly Addition[] =>
  steps.flatMap(({ by, patch }) =>
    patch
      .filter(({ path }) => !path.startsWith('/status'))
      .map((operation) => ({
        by,
        pointer: operation.path,
        ...defined({ value: operation.op === 'remove' ? undefined : operation.value }),
        why: operation.why,
      })),
  );
