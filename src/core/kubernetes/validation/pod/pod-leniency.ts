import type { TolerationGates } from '../../toleration.js';

/** What is let through in an update because the stored pod, which may be older than a rule, has it already. */
export interface PodLeniency {
  readonly anyDeletionCost: boolean;
  readonly anySelectorValues: boolean;
  readonly anyNodeAffinityValues: boolean;
  readonly anySpreadSelector: boolean;
  /** Huge pages that are no multiple of their size. */
  readonly brokenPages: boolean;
  /** `RestartContainer` in the resize policy of an init container that is no sidecar. */
  readonly anyInitResizePolicy: boolean;
  readonly gates: TolerationGates;
}

/** Of a new pod everything is asked. */
export const strictly = (gates: TolerationGates): PodLeniency => ({
  anyDeletionCost: false,
  anySelectorValues: false,
  anyNodeAffinityValues: false,
  anySpreadSelector: false,
  brokenPages: false,
  anyInitResizePolicy: false,
  gates,
});
