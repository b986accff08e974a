import { preparePod } from '../../../devices/dynamic-resources.js';
import { normalizeByGreatest, type ScorePlugin } from '../../score-plugin.js';
import { clusterDevices } from './cluster-devices.js';
import { NAME } from './dynamic-resources.js';

/**
 * The earlier the alternative that each request with several would get, the more. It skips pods without such requests, of whose nodes
 * upstream's plugin scores all with 0.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `Score`.
 */
export const dynamicResourcesScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, nodes }) => {
    if ((pod.spec.resourceClaims ?? []).length === 0) return { outcome: 'Skip' };
    const prepared = preparePod(clusterDevices(state), pod, undefined);
    if (prepared.code !== 'Success' || !prepared.pod.hasAlternatives()) return { outcome: 'Skip' };
    const raw = new Float64Array(nodes.length);
    for (let position = 0; position < nodes.length; position++) {
      const found = prepared.pod.on(state.nodes.node(nodes[position]!));
      if (found.code === 'Unknown') return { outcome: 'Unknown', message: found.why };
      if (found.code === 'Success') raw[position] = found.score;
    }
    return {
      outcome: 'Score',
      raw,
      normalized: normalizeByGreatest(raw, { reverse: false }),
      arithmetic: (position) => ({
        formula:
          'for each request with alternatives 8 minus the place of the one that it gets; scaled so that the greatest sum is 100',
        terms: [{ of: 'alternatives', amounts: {}, score: raw[position]! }],
      }),
    };
  },
};
