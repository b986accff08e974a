import type { Command } from 'commander';
import type { ClusterOptions, FileOptions } from '../cluster-command.js';
import { onCluster, onFiles, onOneNamespace, onWatch } from '../cluster-command.js';

/** Why does a pod not run, or where could it? */
export function why(program: Command): void {
  onCluster(onOneNamespace(onFiles(onWatch(program.command('why')))))
    .argument('[pod]', 'a pod as pod/NAME or NAME, or a workload as deployment/NAME')
    .option('--node <name>', 'only this node, with every reason')
    .summary('why does this pod find no node?')
    .description(
      "Evaluates every filter of the scheduler on every node: the scheduler's own message, then for each group of nodes every reason, and " +
        'the smallest change of the pod or the nodes that lets the pod run there. A pod that runs is placed as if it did not.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  kubectl placement why pod/web-1\n  kubectl placement why deployment/web -n shop --node node-2',
    )
    .action(async (pod: string | undefined, options: ClusterOptions & FileOptions & { readonly node?: string }) => {
      const [{ asking }, { subjectOf }] = await Promise.all([import('../asking.js'), import('../subjects.js')]);
      await asking(options, async ({ answers, namespace }) => {
        const [{ placePod }, { explainPreemption }, { whyView, codeOf }] = await Promise.all([
          import('../../contract/placements/questions.js'),
          import('../../contract/scheduling/questions.js'),
          import('../output/placement-view.js'),
        ]);
        const subject = await subjectOf(pod, options.filename, namespace);
        const { node } = options;
        const answer = await answers.ask(placePod, {
          ...subject.members,
          fixes: true,
          limit: MOST_GROUPS,
          ...(node !== undefined && { nodes: { names: [node] }, view: 'nodes' }),
        });
        const { feasible, unknown, nodes } = answer.summary;
        const isRefused = node === undefined && feasible === 0 && unknown === 0 && nodes > 0;
        const preemption = isRefused ? await answers.ask(explainPreemption, subject.members) : null;
        return { view: whyView({ ...answer, preemption }, subject.name, node), code: codeOf(answer, node) };
      });
    });
}

/** Of groups; further ones have few nodes. */
const MOST_GROUPS = 50;
