import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster, onWatch } from '../cluster-command.js';

/** Which taints are there, and who tolerates them? */
export function taints(program: Command): void {
  onCluster(onAllNamespaces(onWatch(program.command('taints'))))
    .summary('which taints are there, and who tolerates them?')
    .action(async (options: ClusterOptions) => {
      const [{ asking }, { takeTaintInventory }, { table }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/taints/questions.js'),
        import('../output/table.js'),
      ]);
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(takeTaintInventory, {});
        const rows = answer.items.flatMap(({ wellKnown, examples, taints }) =>
          taints.map(({ taint, nodes, toleratedBy }) => ({ taint, nodes, toleratedBy, wellKnown, examples })),
        );
        return {
          code: 0,
          view: {
            answer,
            names: () => rows.map(({ taint }) => `taint/${taint.text}`),
            lines: (style) =>
              rows.length === 0
                ? ['No node has a taint']
                : table(
                    [
                      { title: 'TAINT', value: ({ taint }) => taint.text },
                      { title: 'NODES', value: ({ nodes }) => nodes },
                      { title: 'TOLERATED BY PODS', value: ({ toleratedBy }) => toleratedBy.pods },
                      { title: 'BY WORKLOADS', value: ({ toleratedBy }) => toleratedBy.workloads },
                      { title: 'SET BY', isWide: true, value: ({ wellKnown }) => wellKnown?.summary ?? null },
                      { title: 'FOR EXAMPLE', isWide: true, value: ({ examples }) => examples.join(', ') },
                    ],
                    rows,
                    style,
                  ),
          },
        };
      });
    });
}
