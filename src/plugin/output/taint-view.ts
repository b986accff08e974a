import type { taintChangeOutcome } from '../../contract/taint-changes/taint-change.js';
import type { Response } from '../../contract/schema.js';
import type { View } from './print.js';
import { coloured } from './style.js';
import { table } from './table.js';
import { podsOf, workloadText } from './words.js';

type Change = Response<typeof taintChangeOutcome>;

/** What a change of taints would do. */
export function taintView(answer: Change): View {
  const { nodes, nodesOmitted, kubectl, effects, guardrails } = answer;
  const { evictions, workloads, warnings, notConsidered } = effects;
  const { now, after, never } = evictions.counts;
  return {
    answer,
    names: () => nodes.map(({ node }) => `node/${node}`),
    lines: (style) => [
      ...kubectl,
      ...nodes.map(({ node, outcome, message }) => `  ${message === '' ? `node/${node} ${outcome}` : message}`),
      ...(nodesOmitted > 0 ? [`  ... and ${nodesOmitted} more nodes`] : []),
      '',
      coloured(
        `Pods evicted at once: ${now}; later: ${after}; tolerating it: ${never}`,
        now + after > 0 ? 'red' : 'green',
        style,
      ),
      ...(evictions.groups.length === 0
        ? []
        : table(
            [
              { title: 'WHEN', value: ({ when, seconds }) => (seconds === null ? when : `${when} ${seconds} s`) },
              { title: 'NODE', value: ({ node }) => node },
              { title: 'PODS', value: ({ count }) => count },
              { title: 'WORKLOADS', value: podsOf },
              { title: 'BECAUSE OF', isWide: true, value: ({ because }) => because?.taint ?? null },
            ],
            evictions.groups,
            style,
          )),
      ...(workloads.counts.becameInfeasible > 0
        ? ['', coloured(`Workloads left without any node: ${workloads.counts.becameInfeasible}`, 'red', style)]
        : []),
      ...(workloads.groups.length === 0
        ? []
        : [
            '',
            ...table(
              [
                {
                  title: 'WORKLOADS',
                  value: (group) => group.workloads.map((one) => workloadText(one.workload)).join(', '),
                },
                { title: 'PODS', value: ({ podCount }) => podCount },
                { title: 'NODES BEFORE', value: ({ feasibleBefore }) => feasibleBefore },
                { title: 'NODES AFTER', value: ({ feasibleAfter }) => feasibleAfter },
              ],
              workloads.groups,
              style,
            ),
          ]),
      ...warnings.items.map(({ message }) => `Warning: ${message}`),
      ...guardrails
        .filter(({ outcome }) => outcome !== 'holds')
        .map(({ rule, outcome, message }) => `Guardrail ${rule}: ${outcome}${message === null ? '' : `: ${message}`}`),
      ...notConsidered.map(({ kind, why }) => `Not considered, because ${kind} is not loaded: ${why}`),
    ],
  };
}
