import type { Command } from 'commander';

/** Completion, for kubectl and for the plugin alone. */
export function completion(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .summary('print a script that completes kubectl-placement')
    .description(
      'Prints a script for a shell. kubectl itself completes kubectl placement with kubectl_complete-placement, once that is in the PATH.',
    )
    .action(async (shell: string) => {
      const { completionScript } = await import('../complete.js');
      process.stdout.write(completionScript(shell));
    });
  program
    .command('__complete', { hidden: true })
    .argument('[word...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: readonly string[]) => {
      const { completionsFor } = await import('../complete.js');
      process.stdout.write(await completionsFor(program, words));
    });
}
