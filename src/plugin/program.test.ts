import { describe, expect, it } from '@jest/globals';
import { program } from './program.js';

const all = program();
const commands = all.createHelp().visibleCommands(all);

/** Parsed only to say why it is refused. */
const REFUSED = ['--all-namespaces', '--namespace'];

describe('the help of kubectl placement', () => {
  it('lists each command with a summary', () => {
    const help = all.helpInformation();
    for (const command of commands) {
      expect(help).toMatch(new RegExp(`^  ${command.name()}(?: [[<]\\S+)*  +\\w`, 'm'));
    }
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'of %s lists each option that it takes, with what it does',
    (_, command) => {
      const help = command.helpInformation();
      const unlisted = command.options.filter(
        ({ flags, description }) => description === '' || !help.includes(`  ${flags} `),
      );
      expect(unlisted.map(({ long }) => long).filter((long) => !REFUSED.includes(long ?? ''))).toEqual([]);
    },
  );
});
