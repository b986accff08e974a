import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { TolerationGates } from '../../../src/core/kubernetes/toleration.js';

/** The gates of a vector: `"comparison": true` turns TaintTolerationComparisonOperators on. */
export const tolerationGates = (input: JsonObject): TolerationGates => ({
  comparisonOperators: input['comparison'] === true,
});
