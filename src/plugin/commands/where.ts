import type { Command } from 'commander';
import type { ClusterOptions, FileOptions } from '../cluster-command.js';
import { onCluster, onFiles, onOneNamespace, onWatch } from '../cluster-command.js';

/** Where can a pod run, and where would the scheduler put it? */
export function where(program: Command): void {
  onCluster(onOneNamespace(onFiles(onWatch(program.command('where')))))
    .option(
      '--new-nodes',
      'also whether new nodes would take it: NodePools (Karpenter), machines (Cluster API, OpenShift), node groups',
    )
    .argument('[pod]', 'a pod as pod/NAME or NAME, or a workload as deployment/NAME')
    .summary('which nodes can take this pod, and which would the scheduler choose?')
    .description('Lists the nodes that can take a pod, best first, with the scores of the scheduler.')
    .addHelpText('after', '\nExample:\n  kubectl placement where -f pod.yaml')
    .action(
      async (pod: string | undefined, options: ClusterOptions & FileOptions & { readonly newNodes?: boolean }) => {
        const [{ asking }, { subjectOf }] = await Promise.all([import('../asking.js'), import('../subjects.js')]);
        await asking(options, async ({ answers, namespace }) => {
          const [{ placePod }, { whereView, codeOf }] = await Promise.all([
            import('../../contract/placements/questions.js'),
            import('../output/placement-view.js'),
          ]);
          const subject = await subjectOf(pod, options.filename, namespace);
          const answer = await answers.ask(placePod, {
            ...subject.members,
            ranking: true,
            rankingLimit: MOST_NODES,
            limit: MOST_NODES,
            fixes: false,
            newNodes: options.newNodes ?? false,
          });
          return { view: whereView(answer, subject.name), code: codeOf(answer) };
        });
      },
    );
}

/** Of ranked nodes. */
const MOST_NODES = 1000;
