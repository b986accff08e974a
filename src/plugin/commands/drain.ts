import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster, onWatch } from '../cluster-command.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly force?: true;
  readonly ignoreDaemonsets?: true;
  readonly deleteEmptydirData?: true;
  readonly disableEviction?: true;
  readonly podSelector?: string;
}

/** What would kubectl drain do, and how would it end? */
export function drain(program: Command): void {
  onCluster(onAllNamespaces(onWatch(program.command('drain'))))
    .argument('[node...]', 'the nodes, in the order of the drain')
    .option('-l, --selector <selector>', 'the nodes with these labels')
    .option('--force', 'as kubectl drain: evict pods without a controller as well')
    .option('--ignore-daemonsets', 'as kubectl drain: skip pods of DaemonSets')
    .option('--delete-emptydir-data', 'as kubectl drain: evict pods with an emptyDir, whose data is lost')
    .option('--disable-eviction', 'as kubectl drain: delete pods without checking budgets')
    .option('--pod-selector <selector>', 'as kubectl drain: evict only these pods')
    .summary('what would kubectl drain do, and what stops it?')
    .description(
      'Simulates kubectl drain, pod by pod: what it refuses, which budgets block it, and where replacements go.',
    )
    .action(async (nodes: readonly string[], options: Options) => {
      const [{ asking }, { planDrain }, { drainView, drainCode }, { CommandFailed }] = await Promise.all([
        import('../asking.js'),
        import('../../contract/disruptions/questions.js'),
        import('../output/drain-view.js'),
        import('../command-failed.js'),
      ]);
      const { selector, podSelector } = options;
      if (nodes.length === 0 && selector === undefined) {
        throw new CommandFailed('name the nodes, or choose them by their labels: -l SELECTOR');
      }
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(planDrain, {
          ...(nodes.length > 0 && { nodes }),
          ...(selector !== undefined && { nodeSelector: selector }),
          options: {
            force: options.force === true,
            ignoreDaemonSets: options.ignoreDaemonsets === true,
            deleteEmptyDirData: options.deleteEmptydirData === true,
            disableEviction: options.disableEviction === true,
            ...(podSelector !== undefined && { podSelector }),
          },
        });
        return { view: drainView(answer), code: drainCode(answer) };
      });
    });
}
