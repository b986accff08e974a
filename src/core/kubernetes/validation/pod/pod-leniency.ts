import type { TolerationGates } from '../../toleration.js';

/** What an update may contain because the stored pod, which may be older than a rule, already has it. */
export interface PodLeniency {
  readonly anyDeletionCost: boolean;
  readonly anySelectorValues: boolean;
  readonly anyNodeAffinityValues: boolean;
  readonly anySpreadSelector: boolean;
  /** Amounts of huge pages that are not multiples of the page size. */
  readonly brokenPages: boolean;
  /** `RestartContainer` in the resize policy of an init container that is not a sidecar. */
  readonly anyInitResizePolicy: boolean;
  readonly gates: TolerationGates;
}

/** No leniency, for a new pod. */
export const strictly = (gates: TolerationGates): PodLeniency => ({
  anyDeletionCost: false,
  anySelectorValues: false,
  anyNodeAffinityValues: false,
  anySpreadSelector: false,
  brokenPages: false,
  anyInitResizePolicy: false,
  gates,
});
