import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import { failure, printedFailure, type Failure } from './kubectl-failure.js';
import { CORDON_FLAGS, FlagError, indexOfCommand, parseFlags, TAINT_FLAGS } from './kubectl-flags.js';
import { KubectlSession } from './kubectl-session.js';
import { runKubectlCordon } from './run-kubectl-cordon.js';
import { runKubectlTaint } from './run-kubectl-taint.js';

/** The result of a run of kubectl. */
export interface KubectlRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** All nodes afterwards, including the node lifecycle controller's reaction to a cordon. */
  readonly nodes: readonly Node[];
}

/**
 * Does to these nodes exactly what `kubectl taint`, `cordon` and `uncordon` of v1.36 do. `argv` begins with `kubectl`; flags
 * for the connection are accepted and ignored. All requests are authorized.
 *
 * @throws {Error} for other commands, `--help`, and output formats other than `name`, which are not supported
 */
export function runKubectl(argv: readonly string[], nodes: readonly Node[], now?: Timestamp): KubectlRun {
  const session = new KubectlSession(nodes, now);
  const failed = run(session, argv.slice(1));
  const stderr = failed === undefined ? '' : printedFailure(failed);
  return {
    exitCode: failed === undefined ? 0 : 1,
    stdout: session.stdout,
    stderr: session.stderr + stderr,
    nodes: session.nodes,
  };
}

function run(session: KubectlSession, argv: readonly string[]): Failure | undefined {
  const at = indexOfCommand(argv);
  const command = argv[at] ?? '';
  if (command !== 'taint' && command !== 'cordon' && command !== 'uncordon') {
    throw new Error(`kubectl ${command} is not modelled`);
  }
  try {
    const parsed = parseFlags(argv.toSpliced(at, 1), command === 'taint' ? TAINT_FLAGS : CORDON_FLAGS);
    if (parsed.flags.get('help') === 'true') throw new Error(`kubectl ${command} --help is not modelled`);
    return command === 'taint' ? runKubectlTaint(session, parsed) : runKubectlCordon(session, command, parsed);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return failure(`${error.message}\nSee 'kubectl ${command} --help' for usage.`);
  }
}
