import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster, onWatch } from '../cluster-command.js';

/** Which pods do NoExecute taints evict, and when? */
export function evictions(program: Command): void {
  onCluster(onAllNamespaces(onWatch(program.command('evictions'))))
    .argument('[node...]', 'only these nodes')
    .option('-l, --selector <selector>', 'only the nodes with these labels')
    .summary('which pods do NoExecute taints evict, and when?')
    .description(
      'The schedule of the taint eviction controller. Since when a taint is there is known only from its timeAdded; a service that has seen ' +
        'the cluster before (--server) knows more.',
    )
    .action(async (nodes: readonly string[], options: ClusterOptions & { readonly selector?: string }) => {
      const [{ asking }, { scheduleEvictions }, { table }, { assumptionLines, podsOf, timeText }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/evictions/questions.js'),
        import('../output/table.js'),
        import('../output/words.js'),
      ]);
      await asking(options, async ({ answers }) => {
        const { selector } = options;
        const answer = await answers.ask(scheduleEvictions, {
          ...(nodes.length > 0 && { nodes }),
          ...(selector !== undefined && { nodeSelector: selector }),
        });
        const { counts, groups, notLoaded, assumptions } = answer;
        return {
          code: 0,
          view: {
            answer,
            names: () =>
              groups.flatMap(({ workloads }) => workloads.flatMap(({ pods }) => pods.map((pod) => `pod/${pod}`))),
            lines: (style) => [
              `Of ${counts.pods} pods on nodes, evicted now: ${counts.now}; later: ${counts.at}; staying despite a NoExecute taint: ${counts.never}`,
              ...(groups.length === 0
                ? []
                : table(
                    [
                      { title: 'EVICTED', value: ({ action }) => action },
                      { title: 'NOT BEFORE', value: ({ at }) => timeText(at?.earliest ?? null) },
                      { title: 'NOT AFTER', value: ({ at }) => timeText(at?.latest ?? null) },
                      { title: 'NODE', value: ({ node }) => node },
                      { title: 'PODS', value: ({ count }) => count },
                      { title: 'WORKLOADS', value: podsOf },
                      { title: 'BECAUSE', isWide: true, value: ({ because }) => because },
                    ],
                    groups,
                    style,
                  )),
              ...notLoaded.map((kind) => `Not known: ${kind} is not loaded`),
              ...assumptionLines(assumptions, style),
            ],
          },
        };
      });
    });
}
