import type { Command } from 'commander';
import type { ClusterOptions, FileOptions } from '../cluster-command.js';
import type { Ask } from '../reply.js';
import { onCluster, onFiles, onOneNamespace, onWatch } from '../cluster-command.js';

const EXIT = { yes: 0, no: 1, unknown: 2 } as const;

/** May manifests be deployed, and will they run? */
export function can(program: Command): void {
  onCluster(onOneNamespace(onFiles(onWatch(program.command('can')))))
    .summary('may these manifests be deployed, and will they run?')
    .description(
      'Takes manifests through the API server, the controllers and the scheduler, without creating anything: what is refused, which pods ' +
        'find no node, and the smallest change that makes it work.',
    )
    .addHelpText('after', '\nExample:\n  kubectl placement can -f deploy.yaml')
    .action(async (options: ClusterOptions & FileOptions) => {
      const [{ asking }, { manifestText }, { sentIn }] = await Promise.all([
        import('../asking.js'),
        import('../manifests.js'),
        import('../subjects.js'),
      ]);
      const text = await manifestText(options.filename);
      const ask: Ask = async ({ answers, namespace }) => {
        const [{ askGate }, { gateText }] = await Promise.all([
          import('../../contract/gates/questions.js'),
          import('../../app/gates/gate-text.js'),
        ]);
        const answer = await answers.ask(askGate, { text, namespace, record: false });
        return {
          view: {
            answer,
            lines: () => [gateText(answer, { isStored: options.server !== undefined }).trimEnd()],
            names: () => answer.objects.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
          },
          code: EXIT[answer.verdict],
        };
      };
      // What is stored of the objects that are sent is compared with them.
      await asking(options, ask, options.server === undefined ? await sentIn(text) : undefined);
    });
}
