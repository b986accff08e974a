import { Command } from 'commander';
import { VERSION } from '../version.js';
import { can } from './commands/can.js';
import { where } from './commands/where.js';
import { why } from './commands/why.js';

/** The commands. Their code is loaded when they run: `kubectl placement --help` loads none of it. */
export function program(): Command {
  const command = new Command('kubectl placement')
    .description(
      'Answers questions about scheduling as Kubernetes itself would: where pods can run, and why not elsewhere. Reads the cluster ' +
        'through kubectl, with its context and credentials, or asks a kube-placement service with --server.',
    )
    .exitOverride()
    .showHelpAfterError('Add --help for what there is.')
    .addHelpText('after', '\nExit codes: 0 yes, or fine; 1 no; 2 it could not be told.');
  for (const add of [why, can, where]) add(command);
  command
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`${VERSION}\n`);
    });
  return command;
}
