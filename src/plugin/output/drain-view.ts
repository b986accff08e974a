import { counted } from '../../core/collections/counted.js';
import type { planDrain } from '../../contract/disruptions/questions.js';
import type { Answer } from '../answers.js';
import type { ExitCode } from '../reply.js';
import type { View } from './print.js';
import { table } from './table.js';
import { assumptionLines, podsOf, timeText } from './words.js';

type Drain = Answer<typeof planDrain>;

/** Whether all nodes are drained. */
export function drainCode({ nodes }: Drain): ExitCode {
  const outcomes = nodes.items.map(({ outcome }) => outcome);
  if (outcomes.every((outcome) => outcome === 'drained')) return 0;
  return outcomes.every((outcome) => outcome === 'drained' || outcome === 'unknown') ? 2 : 1;
}

/** How a drain goes. */
export function drainView(answer: Drain): View {
  const { nodes, blocking, groups, assumptions } = answer;
  return {
    answer,
    names: () => nodes.items.map(({ node }) => `node/${node}`),
    lines: (style) => [
      ...table(
        [
          { title: 'NODE', value: ({ node }) => node },
          { title: 'OUTCOME', value: ({ outcome }) => outcome },
          { title: 'PODS', value: ({ counts }) => counts.pods },
          { title: 'TO EVICT', value: ({ counts }) => counts.toDelete },
          { title: 'REFUSED NOW', value: ({ counts }) => counts.refusedNow },
          { title: 'ENDS', value: ({ endsAt }) => timeText(endsAt) },
          { title: 'WITHOUT NODE', value: ({ withoutNode }) => withoutNode.total },
        ],
        nodes.items,
        style,
      ),
      ...nodes.items.flatMap(({ node, errors, warnings, withoutNode, unknownBecause }) => [
        ...errors.map((text) => `${node}: error: ${text}`),
        ...warnings.map((text) => `${node}: warning: ${text}`),
        ...withoutNode.items.map(({ namespace, name, why }) => `${node}: ${namespace}/${name} finds no node: ${why}`),
        ...unknownBecause.map((text) => `${node}: not known: ${text}`),
      ]),
      ...(blocking.items.length === 0 ? [] : ['', 'Blocked by:']),
      ...blocking.items.map(
        ({ budget, pods, text }) => `  poddisruptionbudget/${budget} (${counted(pods, 'pod')}): ${text}`,
      ),
      ...(groups.length === 0
        ? []
        : [
            '',
            ...table(
              [
                { title: 'NODE', value: ({ node }) => node },
                { title: 'PODS', value: ({ count }) => count },
                { title: 'WORKLOADS', value: podsOf },
                { title: 'KUBECTL', value: ({ decision }) => decision?.reason ?? 'not selected' },
                { title: 'EVICTION', value: ({ eviction }) => evictionText(eviction) },
                { title: 'OUTCOME', value: ({ rolling }) => rolling?.outcome ?? null },
                {
                  title: 'MESSAGE',
                  isWide: true,
                  value: ({ decision, eviction }) => eviction?.message ?? decision?.message ?? null,
                },
              ],
              groups,
              style,
            ),
          ]),
      ...assumptionLines(assumptions, style),
    ],
  };
}

function evictionText(eviction: Drain['groups'][number]['eviction']): string | null {
  if (eviction === null) return null;
  if (eviction.allowed === null) return 'unknown';
  return eviction.allowed ? 'allowed' : `refused: ${eviction.why ?? ''}`;
}
