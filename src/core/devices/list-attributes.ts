import type { DeviceAttribute } from '../kubernetes/objects/dra.js';

/**
 * Whether an attribute is a list of values. The API server keeps lists only while the feature gate DRAListTypeAttributes is on; what the scheduler makes of them depends on its own gate,
 * which the objects do not show.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, cel/compile.go, `getAttributeValue`, and structured/internal/experimental.
 */
export const isListAttribute = ({ ints, bools, strings, versions }: DeviceAttribute): boolean =>
  (ints ?? bools ?? strings ?? versions) !== undefined;
