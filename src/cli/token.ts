import { Command } from 'commander';
import { stringify } from 'yaml';
import { newToken, tokenHash } from '../auth/token-hash.js';

const command = new Command('token')
  .description('Makes a token for a caller, and prints it once with the entry for the AUTH_FILE of the service.')
  .argument('<name>', 'what the caller is called: the author of its changes, and token:<name> in bindings')
  .option('--group <name...>', 'groups that it belongs to', []);

command.parse();
const { group } = command.opts<{ readonly group: readonly string[] }>();
const token = newToken();
const entry = {
  name: command.args[0],
  sha256: tokenHash(token).toString('hex'),
  ...(group.length === 0 ? {} : { groups: group }),
};
// The entry goes to standard output, so that it can be appended to a file; the token is for eyes.
console.error(`The token, shown this once:\n\n  ${token}\n\nThe entry for AUTH_FILE, under tokens:\n`);
console.log(stringify([entry]).trimEnd());
