import type { JsonObject } from '../../../src/core/json/json-value.js';
import { sameValue } from '../../../src/core/json/same-value.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import { runKubectl } from '../../../src/core/taint-change/run-kubectl.js';
import { objectOf, type WriteExchange, type WriteTranscript } from './wire-write-exchange.js';

interface Command {
  readonly command: string;
  readonly rc: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The commands of which all that they do is modelled. */
const MODELLED = /^kubectl (taint|cordon|uncordon) /;

/** Runs the commands of a transcript on the nodes that kubectl read, and compares output, exit code, and what kubectl sent. */
export function judgeKubectl({ exchanges, truth }: WriteTranscript): readonly string[] {
  const commands = (truth['commands'] ?? []) as readonly Command[];
  const left = exchanges.filter(({ note }) => commands.some(({ command }) => command === note));
  const differences: string[] = [];
  for (const [index, command] of commands.entries()) {
    const own = takeOf(left, command, commands[index + 1]?.command);
    if (!MODELLED.test(command.command)) continue;
    differences.push(...judgeCommand(command, own).map((one) => `${command.command}: ${one}`));
  }
  return differences;
}

/** Takes the exchanges of a command; those of the same command a second time begin with its next reading. */
function takeOf(left: WriteExchange[], { command }: Command, next: string | undefined): readonly WriteExchange[] {
  const own: WriteExchange[] = [];
  const words = command.split(' ');
  const names = words
    .slice(words[1] === 'taint' ? 3 : 2)
    .filter((word) => /^[a-z0-9.-]+$/.test(word) && !word.startsWith('-'));
  let reads =
    command.includes(' -l ') || command.includes('--all')
      ? 1
      : Math.max(names.filter((word) => !word.endsWith('-')).length, 1);
  while (left.length > 0 && left[0]!.note === command) {
    const isRead = left[0]!.request.method === 'GET';
    if (isRead && reads === 0 && next === command) break;
    if (isRead) reads -= 1;
    own.push(left.shift()!);
  }
  return own;
}

function judgeCommand(
  { command, rc, stdout, stderr }: Command,
  exchanges: readonly WriteExchange[],
): readonly string[] {
  const nodes = exchanges.filter(({ request }) => request.method === 'GET').flatMap(nodesIn);
  const run = runKubectl(command.split(' '), nodes);
  const differences: string[] = [];
  const compare = (what: string, wanted: unknown, found: unknown): void => {
    if (!sameValue(wanted, found))
      differences.push(`${what} is ${JSON.stringify(wanted)}, not ${JSON.stringify(found)}`);
  };
  compare('the exit code', rc, run.exitCode);
  compare('stdout', stdout, run.stdout);
  compare('stderr', stderr, run.stderr);
  const after = new Map(run.nodes.map((node) => [node.metadata.name, node]));
  for (const { request, response } of exchanges) {
    const name = /^\/api\/v1\/nodes\/([^/?]+)/.exec(request.path)?.[1];
    if (request.method !== 'PATCH' || name === undefined || response.status !== 200 || request.path.includes('dryRun'))
      continue;
    const { spec } = JSON.parse(request.body!) as {
      readonly spec: { readonly taints?: unknown; readonly unschedulable?: unknown };
    };
    const node = after.get(name);
    if ('taints' in spec) compare(`what is sent for ${name}`, spec.taints ?? [], node?.spec?.taints ?? []);
    if ('unschedulable' in spec)
      compare(`the cordon of ${name}`, spec.unschedulable === true, node?.spec?.unschedulable === true);
  }
  return differences;
}

function nodesIn(exchange: WriteExchange): readonly Node[] {
  const object = objectOf(exchange);
  if (object === undefined) return [];
  const items = object['kind'] === 'NodeList' ? (object['items'] as readonly JsonObject[]) : [object];
  return items as unknown as readonly Node[];
}
