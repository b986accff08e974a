import type { Command } from 'commander';
import type { ClusterOptions, FileOptions } from '../cluster-command.js';
import { onAllNamespaces, onCluster, onFiles, onWatch } from '../cluster-command.js';

/** Does what should hold, hold? */
export function check(program: Command): void {
  onCluster(onAllNamespaces(onFiles(onWatch(program.command('check')))))
    .summary('do these expectations hold?')
    .description(
      'Checks a file of expectations: sentences that should hold, such as "payments survives the loss of any one zone".',
    )
    .addHelpText('after', '\nExample:\n  kubectl placement check -f expectations.yaml')
    .action(async (options: ClusterOptions & FileOptions) => {
      const [
        { asking },
        { manifestText },
        { readExpectationFile },
        { exitCodeOf, renderCheck },
        { checkExpectations },
      ] = await Promise.all([
        import('../asking.js'),
        import('../manifests.js'),
        import('../../cli/expectation-file.js'),
        import('../../cli/expectation-output.js'),
        import('../../contract/expectations/questions.js'),
      ]);
      const [{ CommandFailed }, { timeText }] = await Promise.all([
        import('../command-failed.js'),
        import('../output/words.js'),
      ]);
      const read = readExpectationFile(await manifestText(options.filename));
      if ('errors' in read) throw new CommandFailed('the expectations cannot be used', read.errors);
      await asking(options, async ({ answers }) => {
        const answer = await answers.ask(checkExpectations, { file: read.file });
        const { basis, results } = answer;
        const checked = {
          cluster: answers.cluster,
          // What was read just now is in no revision.
          revision: options.server === undefined ? null : basis.revision,
          capturedAt: timeText(basis.capturedAt),
          results,
        };
        return {
          code: exitCodeOf(results),
          view: {
            answer,
            names: () => results.map(({ name }) => `expectation/${name}`),
            lines: () => [renderCheck(checked).trimEnd()],
          },
        };
      });
    });
}
