import type { Command } from 'commander';
import type { ClusterOptions, FileOptions } from '../cluster-command.js';
import { onCluster, onFiles, onOneNamespace, onWatch } from '../cluster-command.js';

interface Options extends ClusterOptions, FileOptions {
  readonly replicas?: string;
}

/** How many replicas of a pod fit? */
export function capacity(program: Command): void {
  onCluster(onOneNamespace(onFiles(onWatch(program.command('capacity')))))
    .argument('[pod]', 'a pod as pod/NAME or NAME, or a workload as deployment/NAME')
    .option('--replicas <count>', 'exit with 1 if fewer than this fit; by default 1')
    .summary('how many replicas of this pod fit, and what stops the next one?')
    .action(async (pod: string | undefined, options: Options) => {
      const [{ asking }, { subjectOf }, { findCapacity }, { table }, { CommandFailed }] = await Promise.all([
        import('../asking.js'),
        import('../subjects.js'),
        import('../../contract/scheduling/questions.js'),
        import('../output/table.js'),
        import('../command-failed.js'),
      ]);
      const { replicas: given = '1' } = options;
      if (!/^\d{1,9}$/.test(given)) throw new CommandFailed('--replicas must be a number');
      await asking(options, async ({ answers, namespace }) => {
        const subject = await subjectOf(pod, options.filename, namespace);
        const answer = await answers.ask(findCapacity, subject.members);
        const { replicas, isComplete, next, breakdown, groups } = answer;
        return {
          code: replicas >= Number(given) ? 0 : isComplete ? 1 : 2,
          view: {
            answer,
            names: () => groups.flatMap(({ nodes }) => nodes.map((node) => `node/${node}`)),
            lines: (style) => [
              `${isComplete ? '' : 'at least '}${replicas} replica${replicas === 1 ? '' : 's'} of ${subject.name} fit`,
              ...(next === null ? [] : [`The next one: ${next.message ?? next.error ?? 'not known'}`]),
              '',
              ...table(
                [
                  { title: 'NODES BY', value: ({ kind }) => kind },
                  { title: 'NAME', value: ({ name }) => name },
                  { title: 'NODES', value: ({ nodes }) => nodes },
                  { title: 'WITH ROOM', value: ({ open }) => open },
                  { title: 'REPLICAS', value: (row) => row.replicas },
                  {
                    title: 'STOPPED BY',
                    value: ({ stops }) => stops.map(({ message, nodes }) => `${message} (${nodes})`).join(', '),
                  },
                ],
                breakdown,
                style,
              ),
            ],
          },
        };
      });
    });
}
