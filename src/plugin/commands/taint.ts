import type { Command } from 'commander';
import type { ClusterOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster } from '../cluster-command.js';

interface Options extends ClusterOptions {
  readonly selector?: string;
  readonly all?: true;
  readonly overwrite?: true;
  readonly apply?: true;
  readonly yes?: true;
}

/** What would a change of taints do? */
export function taint(program: Command): void {
  onCluster(onAllNamespaces(program.command('taint')))
    .argument('<node|taint...>', 'as kubectl taint takes them: NODE... KEY=VALUE:EFFECT, KEY:EFFECT- or KEY-')
    .option('-l, --selector <selector>', 'the nodes with these labels')
    .option('--all', 'all nodes')
    .option('--overwrite', 'replace the value of a taint that is there')
    .option('--apply', 'run kubectl taint after a yes')
    .option('--yes', 'with --apply: do not ask')
    .summary('what would this change of taints do? With --apply, make it')
    .description(
      'Previews kubectl taint: which pods are evicted and when, which workloads lose nodes, and what else is worth knowing before.',
    )
    .addHelpText('after', '\nExample:\n  kubectl placement taint node-1 maintenance=true:NoExecute')
    .action(async (given: readonly string[], options: Options) => {
      const [{ asking }, { confirmed }, { runKubectl }, { changeTaints }, { taintView }] = await Promise.all([
        import('../asking.js'),
        import('../confirmed.js'),
        import('../kubectl.js'),
        import('../../contract/taint-changes/questions.js'),
        import('../output/taint-view.js'),
      ]);
      const taints = given.filter(isTaint);
      const nodes = given.filter((one) => !isTaint(one) && !['node', 'nodes', 'no'].includes(one));
      const { selector, all, overwrite, apply, yes } = options;
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(changeTaints, {
          ...(nodes.length > 0 && { nodes }),
          ...(selector !== undefined && { labelSelector: selector }),
          ...(all === true && { allNodes: true }),
          ...(overwrite === true && { overwrite: true }),
          taints,
          dryRun: true,
          view: 'groups',
        });
        const changes = answer.nodes.some(({ outcome }) => outcome === 'changed');
        const make = async (): Promise<0 | 1> => {
          if (yes !== true && !(await confirmed('Run kubectl taint?'))) return 1;
          const targets = selector === undefined ? (all === true ? ['--all'] : nodes) : [`--selector=${selector}`];
          const command = ['taint', 'nodes', ...targets, ...taints, ...(overwrite === true ? ['--overwrite'] : [])];
          return (await runKubectl(options, command)) === 0 ? 0 : 1;
        };
        return { view: taintView(answer), code: 0, ...(apply === true && changes && { after: make }) };
      });
    });
}

/** Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/taint.go, `Complete`. */
const isTaint = (argument: string): boolean => /[=:]|-$/.test(argument);
