import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onCluster, onNamespace, onWatch } from '../cluster-command.js';

/** How full are the quotas, really? */
export function quota(program: Command): void {
  onCluster(onNamespace(onWatch(program.command('quota'))))
    .option('-A, --all-namespaces', 'the quotas of all namespaces')
    .summary('how full are the quotas, recounted?')
    .description('Recounts every ResourceQuota from the pods, and says where status.used differs and why.')
    .action(async (options: ClusterOptions & { readonly allNamespaces?: true }) => {
      const [{ asking }, { listQuotas }, { table }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/quotas/questions.js'),
        import('../output/table.js'),
      ]);
      await asking(options, async ({ answers, namespace }) => {
        const isOfAll = options.allNamespaces === true;
        const answer = await answers.ask(listQuotas, isOfAll ? {} : { namespace });
        const rows = answer.items.flatMap(({ namespace, name, resources }) =>
          resources.map((resource) => ({ namespace, name, ...resource })),
        );
        return {
          code: 0,
          view: {
            answer,
            names: () => answer.items.map(({ name }) => `resourcequota/${name}`),
            lines: (style) => [
              ...(rows.length === 0
                ? [`No ResourceQuotas${isOfAll ? '' : ` in namespace ${namespace}`}`]
                : table(
                    [
                      { title: 'NAMESPACE', value: (row) => row.namespace },
                      { title: 'QUOTA', value: (row) => row.name },
                      { title: 'RESOURCE', value: (row) => row.resource },
                      { title: 'USED', value: (row) => row.used },
                      { title: 'HARD', value: (row) => row.hard },
                      { title: 'LEFT', value: (row) => row.left },
                      { title: 'STANDING', value: (row) => row.standing },
                      { title: 'REPORTED', isWide: true, value: (row) => row.reported },
                      { title: 'WHY', isWide: true, value: (row) => row.why },
                    ],
                    rows,
                    style,
                  )),
              ...answer.notLoaded.map((kind) => `Not known: ${kind} is not loaded`),
            ],
          },
        };
      });
    });
}
