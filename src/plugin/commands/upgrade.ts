import type { Command } from 'commander';
import { onAllNamespaces, onCluster, versionOf, type ClusterOptions } from '../cluster-command.js';

/** What would another version of Kubernetes do differently with this cluster? */
export function upgrade(program: Command): void {
  onCluster(onAllNamespaces(program.command('upgrade')))
    .requiredOption('--to <version>', 'the version to compare with, such as 1.36', versionOf)
    .summary('what would another version of Kubernetes do differently?')
    .description(
      'Evaluates the cluster by the rules of its own version and by those of another one: pods that would be refused, other nodes, ' +
        'messages, quotas, times of evictions, and feature gates. Answers 1 if a pod like those of a workload would be refused.',
    )
    .action(async (options: ClusterOptions & { readonly to: string }) => {
      const [{ asking }, { reviewUpgrade }, { table }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/versions/upgrade-review.js'),
        import('../output/table.js'),
      ]);
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(reviewUpgrade, { to: options.to });
        const { basis, against, counts, groups, evaluatedGroups, items, notLoaded, ruleDifferences } = answer;
        const isWhole = evaluatedGroups === groups && notLoaded.length === 0;
        const [gates, others] = [items.filter(isOfGate), items.filter((effect) => !isOfGate(effect))];
        const found = Object.entries(counts).filter(([, count]) => count > 0);
        return {
          code: counts.refused > 0 ? 1 : isWhole ? 0 : 2,
          view: {
            answer,
            names: () => items.map(({ subject: { kind, name } }) => `${kind.toLowerCase()}/${name}`),
            lines: (style) => {
              const shown = style.isWide ? [...others, ...gates] : others;
              return [
                `${basis.rulesVersion} -> ${against.rulesVersion}: ${
                  found.map(([kind, count]) => `${kind} ${count}`).join(', ') || 'nothing differs'
                }`,
                ...(shown.length === 0
                  ? []
                  : [
                      '',
                      ...table(
                        [
                          { title: 'WHAT', value: ({ kind }) => kind },
                          { title: 'SUBJECT', value: ({ subject }) => nameOf(subject) },
                          { title: 'PODS', value: ({ pods }) => String(pods) },
                          { title: 'MESSAGE', value: ({ message }) => message },
                          { title: 'BEFORE', isWide: true, value: ({ before }) => before ?? '' },
                          { title: 'AFTER', isWide: true, value: ({ after }) => after ?? '' },
                        ],
                        shown,
                        style,
                      ),
                    ]),
                ...(gates.length === 0 || style.isWide
                  ? []
                  : ['', `Feature gates: ${gates.length} (-o wide lists them)`]),
                ...ruleDifferences.map(({ message }) => `Not known: ${message}`),
                ...notLoaded.map((kind) => `Not known: ${kind} is not loaded`),
                ...(evaluatedGroups === groups
                  ? []
                  : [`Not known: ${groups - evaluatedGroups} of ${groups} groups of pods, for lack of time`]),
              ];
            },
          },
        };
      });
    });
}

const isOfGate = ({ kind }: { readonly kind: string }): boolean => kind === 'gate';

const nameOf = ({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}): string => `${kind} ${namespace === null ? name : `${namespace}/${name}`}`;
