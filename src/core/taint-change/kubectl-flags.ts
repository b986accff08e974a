import { defined } from '../collections/defined.js';
import { quoteGo } from '../kubernetes/go-text.js';

/** A flag of a kubectl command. */
export interface Flag {
  readonly name: string;
  readonly shorthand?: string;
  readonly type: 'text' | 'boolean';
  /** The value of `--name` alone, for a text flag that does not require a value. */
  readonly alone?: string;
}

const text = (name: string, shorthand?: string): Flag => ({
  name,
  ...defined({ shorthand }),
  type: 'text',
});
const boolean = (name: string, shorthand?: string): Flag => ({ ...text(name, shorthand), type: 'boolean' });

/** The flag `--dry-run`, common to all commands that change something. */
const DRY_RUN: Flag = { ...text('dry-run'), alone: 'unchanged' };

/** The flags that `kubectl options` of v1.36 lists. */
const GLOBAL_FLAGS: readonly Flag[] = [
  ...['as', 'as-group', 'as-uid', 'as-user-extra', 'cache-dir', 'certificate-authority', 'client-certificate'],
  ...['client-key', 'cluster', 'context', 'kubeconfig', 'kuberc', 'log-flush-frequency', 'password', 'profile'],
  ...['profile-output', 'request-timeout', 'tls-server-name', 'token', 'user', 'username', 'vmodule'],
]
  .map((name) => text(name))
  .concat(
    text('namespace', 'n'),
    text('server', 's'),
    text('v', 'v'),
    boolean('disable-compression'),
    boolean('insecure-skip-tls-verify'),
    boolean('match-server-version'),
    boolean('warnings-as-errors'),
    boolean('help', 'h'),
  );

/** The flags of `kubectl cordon` and `kubectl uncordon` besides the global ones. */
export const CORDON_FLAGS: readonly Flag[] = [DRY_RUN, text('selector', 'l')];

/** The flags of `kubectl taint` besides the global ones. */
export const TAINT_FLAGS: readonly Flag[] = [
  DRY_RUN,
  text('selector', 'l'),
  text('field-manager'),
  text('output', 'o'),
  text('template'),
  { ...text('validate'), alone: 'strict' },
  boolean('all'),
  boolean('allow-missing-template-keys'),
  boolean('overwrite'),
  boolean('show-managed-fields'),
];

/** A command line that does not parse; the message is pflag's. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

/**
 * A parsed command line: the values of its flags as text (`true` and `false` for booleans), and the other arguments in order.
 */
export interface ParsedWords {
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

/**
 * Parses the arguments after the command like pflag. Flags and other arguments may be mixed, and `--` ends the flags. `--name
 * value` and `--name=value` are equivalent, except for flags that do not require a value; so are `-lvalue`, `-l=value` and `-l
 * value`.
 *
 * @throws {FlagError}
 *
 * Source: github.com/spf13/pflag v1.0.9, flag.go.
 */
export function parseFlags(argv: readonly string[], own: readonly Flag[]): ParsedWords {
  const flags = new Map<string, string>();
  const words: string[] = [];
  const rest = [...argv].reverse();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    if (word === '--') return { flags, words: [...words, ...rest.reverse()] };
    if (word.startsWith('--')) readLong(word, rest, own, flags);
    else if (word.startsWith('-') && word.length > 1) readShort(word, rest, own, flags);
    else words.push(word);
  }
  return { flags, words };
}

/**
 * The index of the command in the arguments after `kubectl`, or -1 without one. A flag before it takes the next argument as
 * its value unless it contains one or requires none; an unknown flag is assumed to require one.
 *
 * Source: github.com/spf13/cobra v1.10, command.go, `stripFlags`.
 */
export function indexOfCommand(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-')) return index;
    const long = word.startsWith('--');
    const flag = long ? named(GLOBAL_FLAGS, word.slice(2)) : shorthanded(GLOBAL_FLAGS, word.slice(1));
    const mayTakeNext = !word.includes('=') && (long || word.length === 2);
    if (mayTakeNext && (flag === undefined || takesNextWord(flag))) index += 1;
  }
  return -1;
}

const takesNextWord = (flag: Flag): boolean => flag.type === 'text' && flag.alone === undefined;

function readLong(word: string, rest: string[], own: readonly Flag[], into: Map<string, string>): void {
  const [, name = '', , value] = /^--([^=]*)(=(.*))?$/s.exec(word) ?? [];
  if (name === '' || name.startsWith('-')) throw new FlagError(`bad flag syntax: ${word}`);
  const flag = named([...own, ...GLOBAL_FLAGS], name);
  if (flag === undefined) throw new FlagError(`unknown flag: --${name}`);
  const given = value ?? (takesNextWord(flag) ? rest.pop() : (flag.alone ?? 'true'));
  if (given === undefined) throw new FlagError(`flag needs an argument: --${name}`);
  setFlag(flag, given, into);
}

function readShort(word: string, rest: string[], own: readonly Flag[], into: Map<string, string>): void {
  for (let letters = word.slice(1); letters !== '';) {
    const letter = letters.charAt(0);
    const flag = shorthanded([...own, ...GLOBAL_FLAGS], letter);
    if (flag === undefined) throw new FlagError(`unknown shorthand flag: '${letter}' in -${letters}`);
    const after = letters.slice(1);
    if (after.length > 1 && after.startsWith('=')) {
      setFlag(flag, after.slice(1), into);
      return;
    }
    if (!takesNextWord(flag)) {
      setFlag(flag, flag.alone ?? 'true', into);
      letters = after;
      continue;
    }
    const given = after === '' ? rest.pop() : after;
    if (given === undefined) throw new FlagError(`flag needs an argument: '${letter}' in -${letters}`);
    setFlag(flag, given, into);
    return;
  }
}

const named = (flags: readonly Flag[], name: string): Flag | undefined => flags.find((flag) => flag.name === name);

const shorthanded = (flags: readonly Flag[], letter: string): Flag | undefined =>
  flags.find((flag) => flag.shorthand === letter);

/** The values that Go's `strconv.ParseBool` accepts. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
]);

/** A boolean in Go's notation, or undefined. */
export const parseBoolean = (word: string): boolean | undefined => BOOLEANS.get(word);

function setFlag(flag: Flag, given: string, into: Map<string, string>): void {
  if (flag.type === 'text') {
    into.set(flag.name, given);
    return;
  }
  const value = parseBoolean(given);
  if (value === undefined) {
    const name = flag.shorthand === undefined ? `--${flag.name}` : `-${flag.shorthand}, --${flag.name}`;
    const reason = `strconv.ParseBool: parsing ${quoteGo(given)}: invalid syntax`;
    throw new FlagError(`invalid argument ${quoteGo(given)} for ${quoteGo(name)} flag: ${reason}`);
  }
  into.set(flag.name, String(value));
}
