import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster } from '../cluster-command.js';

/** Who set the taints of a node? */
export function who(program: Command): void {
  onCluster(onAllNamespaces(program.command('who')))
    .argument('<node>', 'the node')
    .summary('who set the taints of this node, and when? Needs --server')
    .action(async (node: string, options: ClusterOptions) => {
      const [{ asking, needServer }, { readNodeHistory }, { table }, { whenText, whoText }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/taint-trail/questions.js'),
        import('../output/table.js'),
        import('../output/attribution.js'),
      ]);
      needServer(options, 'what happened before is recorded by a service');
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(readNodeHistory, { node: node.replace(/^nodes?\//, '') });
        const rows = [
          ...answer.taints.map((interval) => ({ ...interval, what: interval.taint?.text ?? '' })),
          ...answer.cordons.map((interval) => ({ ...interval, what: 'cordoned' })),
        ];
        return {
          code: 0,
          view: {
            answer,
            names: () => [`node/${answer.node}`],
            lines: (style) => [
              ...(answer.complete ? [] : ['The trail does not go back to when the node was made.']),
              ...table(
                [
                  { title: 'TAINT', value: ({ what }) => what },
                  { title: 'SINCE', value: ({ from }) => whenText(from) },
                  { title: 'SET BY', value: ({ setBy }) => (setBy === null ? null : whoText(setBy)) },
                  { title: 'UNTIL', value: ({ to }) => (to === null ? 'now' : whenText(to)) },
                  { title: 'REMOVED BY', value: ({ removedBy }) => (removedBy === null ? null : whoText(removedBy)) },
                  { title: 'REASON', isWide: true, value: ({ setBy }) => setBy?.reason ?? null },
                ],
                rows,
                style,
              ),
            ],
          },
        };
      });
    });
}
