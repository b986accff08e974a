import { rulesOfGates, type TolerationGates } from '../../toleration.js';

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
  ...NOTHING,
  // `AllowInvalidLabelValueInRequiredNodeAffinity` is new in 1.33, the rule about init containers in 1.36.
  anyNodeAffinityValues: rulesOfGates(gates).minor < 33,
  anyInitResizePolicy: rulesOfGates(gates).minor < 36,
  gates,
});

const NOTHING = {
  anyDeletionCost: false,
  anySelectorValues: false,
  anySpreadSelector: false,
  brokenPages: false,
};
