import type { NodeReadinessRule, ReadinessCondition } from '../objects/node-readiness.js';
import { list, object } from './containers.js';
import { labelSelector, objectMeta, taint } from './metadata.js';
import { anything, boolean, constant, string } from './scalars.js';
import { required } from './schema.js';

/** `v1alpha1.ConditionRequirement`. */
const conditionRequirement = object<ReadinessCondition>({
  defaultStatus: string,
  requiredStatus: required(string),
  type: required(string),
});

/** `v1alpha1.NodeReadinessRuleSpec`. */
const nodeReadinessRuleSpec = object<NonNullable<NodeReadinessRule['spec']>>({
  conditionPolicy: string,
  conditions: list(conditionRequirement),
  dryRun: boolean,
  enforcementMode: string,
  nodeSelector: labelSelector,
  taint,
});

/** `v1alpha1.NodeReadinessRule`. Its status lists nodes, and changes with each of them. */
export const nodeReadinessRule = object<NodeReadinessRule>(
  {
    apiVersion: required(string),
    kind: required(constant('NodeReadinessRule')),
    metadata: required(objectMeta),
    spec: nodeReadinessRuleSpec,
  },
  {
    status: anything,
  },
);
