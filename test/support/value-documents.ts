import type { JsonObject } from '../../src/core/json/json-value.js';

/** Manifests as a request has them that sends them as values. */
export const valueDocuments = (manifests: readonly JsonObject[]) =>
  manifests.map((value, document) => ({
    document,
    format: 'value' as const,
    value,
    pointer: `/manifests/${document}`,
  }));
