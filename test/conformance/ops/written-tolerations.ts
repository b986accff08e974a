import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';

/** Tolerations as the API server encodes them: without empty texts. */
export const writtenTolerations = (tolerations: readonly Toleration[] = []): readonly Toleration[] =>
  tolerations.map((one): Toleration => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== '')));
