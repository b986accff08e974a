import type { Command } from 'commander';

/** What is a well-known taint? */
export function explain(program: Command): void {
  program
    .command('explain')
    .argument('<taint>', 'a key, such as node.kubernetes.io/not-ready; what follows = or : does not matter')
    .option('-o, --output <form>', 'form of the output: json, yaml')
    .summary('who sets this taint, when, and who removes it?')
    .description('Explains a well-known taint. Needs no cluster.')
    .action(async (taint: string, options: { readonly output?: string }) => {
      const [{ describeTaintKey }, { checkOutput, rendered }, { CommandFailed }] = await Promise.all([
        import('../../core/kubernetes/well-known-taints.js'),
        import('../output/print.js'),
        import('../command-failed.js'),
      ]);
      checkOutput(options.output);
      const key = taint.replace(/[=:].*$/, '').replace(/-$/, '');
      const entry = describeTaintKey(key);
      if (entry === undefined) throw new CommandFailed(`${key} is not a well-known taint`, [], 1);
      const { product, effects, setBy, when, removedBy, keptBy, since, until, replacedBy, notes, source } = entry;
      const told: readonly (readonly [string, string | undefined])[] = [
        ['Key', key],
        ['Product', product],
        ['Effects', effects.join(', ')],
        ['Set by', setBy],
        ['When', when],
        ['Removed by', removedBy],
        ['Kept by', keptBy],
        ['Since', since],
        ['Until', until],
        ['Replaced by', replacedBy],
        ['Notes', notes],
        ['Source', source],
      ];
      const view = {
        answer: entry,
        names: () => [`taint/${key}`],
        lines: () => told.flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(13)}${value}`])),
      };
      process.stdout.write(await rendered(view, options.output, process.stdout));
    });
}
