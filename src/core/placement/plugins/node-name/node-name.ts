import { SUCCESS, UNRESOLVABLE, type FilterPlugin } from '../../plugin.js';
import { podField } from '../../reason.js';

export const NAME = 'NodeName';

const MESSAGE = "node(s) didn't match the requested node name";

/**
 * A pod that names its node fits no other.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/nodename/node_name.go.
 */
export const nodeName: FilterPlugin = {
  name: NAME,
  preFilter: ({ state, pod }) => {
    const wanted = pod.spec.nodeName ?? '';
    const only = wanted === '' ? -1 : state.nodes.indexOf(wanted);
    const fits = (node: number): boolean => wanted === '' || node === only;
    return {
      outcome: 'Filter',
      filter: {
        status: (node) => (fits(node) ? SUCCESS : UNRESOLVABLE),
        fill: (statuses) => {
          if (wanted === '') return false;
          statuses.fill(UNRESOLVABLE);
          if (only >= 0) statuses[only] = SUCCESS;
          return true;
        },
        commonReasonKey: () => 0,
        commonReasons: () => [{ code: 'NodeNameMismatch', message: MESSAGE }],
        explain: (node) =>
          fits(node)
            ? []
            : [
                {
                  plugin: NAME,
                  code: 'NodeNameMismatch',
                  status: 'UnschedulableAndUnresolvable',
                  message: MESSAGE,
                  facts: { nodeName: wanted },
                  fields: [podField('spec', 'nodeName')],
                },
              ],
      },
    };
  },
};
