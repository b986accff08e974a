import { declaredVersionIn, gatesNotEvaluated } from '../../cluster/declared-version.js';
import { faultOfGate } from '../../kubernetes/cluster-version.js';
import type { ClusterRule } from '../cluster-rule.js';
import type { Finding } from '../finding.js';

/** A declared feature gate that the version of the cluster does not have or has locked, or that depends on one that is off: its value does not apply. */
export const featureGateAbsent: ClusterRule = ({ state }) => {
  const declared = declaredVersionIn(state)?.featureGates ?? {};
  return Object.entries(declared).flatMap(([name, value]): readonly Finding[] => {
    const fault = faultOfGate(name, value, state.rules.minor, declared);
    if (fault === undefined) return [];
    return [
      {
        code: 'feature-gate-absent',
        severity: 'warning',
        subject: { kind: 'Cluster' },
        message: `The declared feature gate ${name}=${value} does not apply: ${fault}. A component that is started with it does not start.`,
        suggestions: [{ text: `Remove ${name} from the declaration and from --feature-gates.` }],
      },
    ];
  });
};

/** What is said of a gate that no rule reads. */
export const gateNotEvaluated = (name: string, value: boolean): string =>
  `The feature gate ${name} is ${value ? 'on' : 'off'} in this cluster. What that changes is not evaluated: responses follow its default.`;

/** A declared feature gate that can decide about pods, and that no rule reads. */
export const featureGateNotEvaluated: ClusterRule = ({ state }) =>
  gatesNotEvaluated(declaredVersionIn(state)?.featureGates ?? {}, state.rules.minor).map(([name, value]): Finding => ({
    code: 'feature-gate-not-evaluated',
    severity: 'info',
    subject: { kind: 'Cluster' },
    message: gateNotEvaluated(name, value),
    suggestions: [],
  }));
