import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster } from '../cluster-command.js';

interface TrailOptions {
  readonly node?: string;
  readonly deviceTaintRule?: string;
  readonly key?: string;
}

/** Who changed which taint? */
export function trail(program: Command): void {
  onCluster(onAllNamespaces(program.command('trail')))
    .option('--node <name>', 'only this node')
    .option('--device-taint-rule <name>', 'only this DeviceTaintRule')
    .option('--key <key>', 'only taints with this key')
    .summary('who changed which taint, and when? Needs --server')
    .action(async (options: ClusterOptions & TrailOptions) => {
      const [{ asking, needServer }, { listRecords }, { table }, { whenText, whoText }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/taint-trail/questions.js'),
        import('../output/table.js'),
        import('../output/attribution.js'),
      ]);
      needServer(options, 'what happened before is recorded by a service');
      await asking(options, async ({ answers }) => {
        const { node, deviceTaintRule, key } = options;
        const answer = await answers.ask(listRecords, {
          ...(node !== undefined && { node }),
          ...(deviceTaintRule !== undefined && { deviceTaintRule }),
          ...(key !== undefined && { key }),
        });
        return {
          code: 0,
          view: {
            answer,
            names: () => answer.items.map(({ sequence }) => `record/${sequence}`),
            lines: (style) =>
              table(
                [
                  { title: 'RECORD', value: ({ sequence }) => Number(sequence) },
                  { title: 'WHEN', value: ({ when }) => whenText(when) },
                  {
                    title: 'NODE OR RULE',
                    value: ({ node, deviceTaintRule }) => deviceTaintRule ?? node,
                  },
                  { title: 'WHO', value: whoText },
                  { title: 'WHAT', value: ({ summary }) => summary },
                  { title: 'REASON', isWide: true, value: ({ reason }) => reason },
                ],
                answer.items,
                style,
              ),
          },
        };
      });
    });
}
