import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster, onWatch } from '../cluster-command.js';

const GROUPS = ['runtimeClass', 'namespace', 'node'] as const;

/** What does Pod Overhead cost? */
export function overhead(program: Command): void {
  onCluster(onAllNamespaces(onWatch(program.command('overhead'))))
    .option('--by <group>', `one of ${GROUPS.join(', ')}`, 'runtimeClass')
    .summary('what does Pod Overhead cost?')
    .action(async (options: ClusterOptions & { readonly by: string }) => {
      const [{ asking }, { readOverheadCosts }, { table }, { CommandFailed }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/resources/questions.js'),
        import('../output/table.js'),
        import('../command-failed.js'),
      ]);
      const by = GROUPS.find((group) => group === options.by);
      if (by === undefined) throw new CommandFailed(`--by must be one of ${GROUPS.join(', ')}`);
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(readOverheadCosts, { by });
        const amounts = (all: readonly { readonly resource: string; readonly amount: number | bigint }[]): string =>
          all.map(({ resource, amount }) => `${resource}=${amount}${resource === 'cpu' ? 'm' : ''}`).join(',');
        return {
          code: 0,
          view: {
            answer,
            names: () => answer.items.map(({ name }) => `${by.toLowerCase()}/${name}`),
            lines: (style) =>
              table(
                [
                  { title: by.toUpperCase(), value: ({ name }) => name },
                  { title: 'PODS', value: ({ scheduled }) => scheduled.pods },
                  { title: 'OVERHEAD', value: ({ scheduled }) => amounts(scheduled.amounts) },
                  { title: 'WAITING PODS', isWide: true, value: ({ waiting }) => waiting.pods },
                  { title: 'THEIR OVERHEAD', isWide: true, value: ({ waiting }) => amounts(waiting.amounts) },
                ],
                [...answer.items, { name: 'in total', ...answer.cluster }],
                style,
              ),
          },
        };
      });
    });
}
