import { DEFAULT_RULES } from '../../../src/core/kubernetes/kubernetes-rules.js';
import { gatesOf, type TolerationGates } from '../../../src/core/kubernetes/toleration.js';
import type { JsonObject } from '../../../src/core/json/json-value.js';

/** The gates of a vector: `"comparison": true` turns TaintTolerationComparisonOperators on. */
export const tolerationGates = (input: JsonObject): TolerationGates =>
  gatesOf(DEFAULT_RULES, input['comparison'] === true);
