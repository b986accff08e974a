import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onCluster, onWatch } from '../cluster-command.js';

/** Which mistakes are likely? */
export function findings(program: Command): void {
  onCluster(onWatch(program.command('findings')))
    .option('-n, --namespace <name>', 'only this namespace')
    .option('-A, --all-namespaces', 'all namespaces, which is the default')
    .summary('likely mistakes in tolerations, taints, quotas and budgets')
    .action(async (options: ClusterOptions & { readonly allNamespaces?: true }) => {
      const [{ asking }, { listFindings }, { table }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/findings/questions.js'),
        import('../output/table.js'),
      ]);
      await asking(options, async ({ answers }) => {
        const namespace = options.allNamespaces === true ? undefined : options.namespace;
        const answer = await answers.ask(listFindings, namespace === undefined ? {} : { namespace });
        const { counts, groups } = answer;
        return {
          code: counts.error > 0 ? 1 : 0,
          view: {
            answer,
            names: () =>
              groups.flatMap(({ subjects }) =>
                subjects.flatMap(({ kind, names }) => names.map((name) => `${kind.toLowerCase()}/${name}`)),
              ),
            lines: (style) => [
              `${counts.error} errors, ${counts.warning} warnings, ${counts.info} notes`,
              ...(groups.length === 0
                ? []
                : table(
                    [
                      { title: 'SEVERITY', value: ({ severity }) => severity },
                      { title: 'CODE', value: ({ code }) => code },
                      {
                        title: 'SUBJECTS',
                        value: ({ subjects }) =>
                          subjects
                            .flatMap(({ kind, namespace: of, names }) =>
                              names.map((name) => `${kind} ${of === null ? name : `${of}/${name}`}`),
                            )
                            .join(', '),
                      },
                      { title: 'FIELD', isWide: true, value: ({ field }) => field },
                      { title: 'MESSAGE', value: ({ message }) => message },
                      {
                        title: 'SUGGESTIONS',
                        isWide: true,
                        value: ({ suggestions }) => suggestions.map(({ text }) => text).join('; '),
                      },
                    ],
                    groups,
                    style,
                  )),
            ],
          },
        };
      });
    });
}
