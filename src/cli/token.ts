import { Command } from 'commander';
import { stringify } from 'yaml';
import { newToken, tokenHash } from '../auth/token-hash.js';

const command = new Command('token')
  .description('Creates a token for a caller, and prints it once with its entry for the AUTH_FILE of the service.')
  .argument('<name>', 'name of the caller: the author of its changes, and token:<name> in bindings')
  .option('--group <name...>', 'groups of the caller', []);

command.parse();
const { group } = command.opts<{ readonly group: readonly string[] }>();
const token = newToken();
const entry = {
  name: command.args[0],
  sha256: tokenHash(token).toString('hex'),
  ...(group.length === 0 ? {} : { groups: group }),
};
// The entry goes to standard output, so that it can be appended to a file; the token goes to standard error.
console.error(`The token, which is shown only once:\n\n  ${token}\n\nThe entry for AUTH_FILE, under tokens:\n`);
console.log(stringify([entry]).trimEnd());
