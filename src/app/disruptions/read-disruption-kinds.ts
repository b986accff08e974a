import { DISRUPTION_KINDS, type DisruptionKind } from '../../core/disruption/disruption-kinds.js';

/** The ways in which Kubernetes takes a pod away, told apart. */
export class ReadDisruptionKinds {
  run(): readonly DisruptionKind[] {
    return DISRUPTION_KINDS;
  }
}
