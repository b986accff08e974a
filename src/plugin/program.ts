import { Command } from 'commander';
import { VERSION } from '../version.js';
import { can } from './commands/can.js';
import { capacity } from './commands/capacity.js';
import { check } from './commands/check.js';
import { completion } from './commands/completion.js';
import { drain } from './commands/drain.js';
import { evictions } from './commands/evictions.js';
import { explain } from './commands/explain.js';
import { findings } from './commands/findings.js';
import { overhead } from './commands/overhead.js';
import { quota } from './commands/quota.js';
import { snapshot } from './commands/snapshot.js';
import { taint } from './commands/taint.js';
import { taints } from './commands/taints.js';
import { trail } from './commands/trail.js';
import { upgrade } from './commands/upgrade.js';
import { where } from './commands/where.js';
import { who } from './commands/who.js';
import { why } from './commands/why.js';

/** The commands. Their code is loaded when they run: `kubectl placement --help` loads none of it. */
export function program(): Command {
  const command = new Command('kubectl placement')
    .description(
      'Answers questions about scheduling as Kubernetes itself would: where pods can run, and why not elsewhere. Reads the cluster ' +
        'through kubectl, with its context and credentials, or asks a kube-placement service with --server.',
    )
    .version(VERSION, '--version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('Add --help for what there is.')
    .addHelpText('after', '\nExit codes: 0 yes, or fine; 1 no; 2 it could not be told.');
  const commands = [
    why,
    can,
    where,
    taint,
    drain,
    evictions,
    taints,
    quota,
    capacity,
    overhead,
    findings,
    upgrade,
    trail,
    who,
    check,
    snapshot,
    explain,
  ];
  for (const add of [...commands, completion]) add(command);
  command
    .command('version')
    .description('print the version')
    .action(() => {
      process.stdout.write(`${VERSION}\n`);
    });
  return command;
}
