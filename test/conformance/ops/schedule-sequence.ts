import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import { DEFAULT_PROFILE } from '../../../src/core/scheduler-configuration/default-profile.js';
import { profilePlugins } from '../../../src/core/scheduling/profile-plugins.js';
import { SchedulingRun } from '../../../src/core/scheduling/run/scheduling-run.js';
import type { Op } from '../op.js';
import { clusterInVector } from './cluster-in-vector.js';
import { tolerationGates } from './toleration-gates.js';

/** Pending pods one after another, each bound before the next. */
export const scheduleSequence: Op = {
  answer: (input) => {
    const state = clusterInVector(input);
    const profile = profilePlugins(DEFAULT_PROFILE, tolerationGates(input));
    const run = new SchedulingRun(state, profile);
    return (input['pending'] as unknown as readonly Pod[]).map((given): JsonObject => {
      const pod: Pod = { ...given, kind: 'Pod' };
      const { name } = pod.metadata;
      const decision = run.schedule(pod);
      if (decision.outcome === 'error') return { pod: name, error: decision.message };
      if (decision.outcome === 'unplaced') {
        const reasons = decision
          .placement()
          .rollUp()
          .filter(({ first }) => first > 0);
        return {
          pod: name,
          node: null,
          feasible: 0,
          reasons: Object.fromEntries(reasons.map(({ message, first }) => [message, first])),
        };
      }
      const { node, feasible, tied, total } = decision;
      const scored = total === undefined ? {} : { score: total, tied };
      return { pod: name, node: state.nodes.name(node), feasible, ...scored };
    });
  },
};
