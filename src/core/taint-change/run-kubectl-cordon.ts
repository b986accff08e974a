import { quoteGo } from '../kubernetes/go-text.js';
import type { Node } from '../kubernetes/objects/node.js';
import { cordonWord, taintsOf, withParts } from './apply-taint-edit.js';
import { failure, failureText, notFound, type Failure } from './kubectl-failure.js';
import type { ParsedWords } from './kubectl-flags.js';
import { isFailure, readDryRun, readNames, type DryRun, type KubectlSession } from './kubectl-session.js';

const SUFFIXES: Readonly<Record<DryRun, string>> = {
  none: '',
  client: ' (dry run)',
  server: ' (server dry run)',
};

const NOTHING_NAMED = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

/**
 * Runs `kubectl cordon` or `kubectl uncordon`. All nodes are read first; a missing one ends the command before it changes any.
 * A node that the API server refuses is reported and skipped; the exit code is still zero.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/drain/drain.go, `Complete`, `RunCordonOrUncordon`.
 */
export function runKubectlCordon(
  session: KubectlSession,
  command: 'cordon' | 'uncordon',
  { flags, words }: ParsedWords,
): Failure | undefined {
  const selector = flags.get('selector');
  const usage = (message: string): Failure => failure(`${message}\nSee 'kubectl ${command} -h' for help and examples`);
  if (words.length === 0 && selector === undefined) return usage(`USAGE: ${command} NODE [flags]`);
  if (words.length > 0 && selector !== undefined && selector !== '') {
    return usage('error: cannot specify both a node name and a --selector option');
  }
  const dryRun = readDryRun(flags.get('dry-run'));
  if (isFailure(dryRun)) return dryRun;
  const nodes = words.length > 0 ? namedNodes(session, words) : selectedNodes(session, selector ?? '');
  if (isFailure(nodes)) return nodes;
  for (const node of nodes) cordonNode(session, node, command, dryRun);
  return undefined;
}

function namedNodes(session: KubectlSession, words: readonly string[]): Node[] | Failure {
  const names = readNames(words);
  if (isFailure(names)) return names;
  if (new Set(names.map(({ plural }) => plural)).size > 1) {
    return failure('you may only specify a single resource type');
  }
  const nodes: Node[] = [];
  for (const { plural, name } of names) {
    const node = plural === 'nodes' ? session.get(name) : notFound(plural, name);
    if (isFailure(node)) return node;
    nodes.push(node);
  }
  return nodes;
}

function selectedNodes(session: KubectlSession, selector: string): Node[] | Failure {
  if (selector === '') return failure(NOTHING_NAMED);
  if (selector.trim() === '') return failure('resource(s) were provided, but no name was specified');
  return session.list(selector.trim());
}

function cordonNode(session: KubectlSession, node: Node, command: 'cordon' | 'uncordon', dryRun: DryRun): void {
  const { name } = node.metadata;
  const before = node.spec?.unschedulable ?? false;
  const desired = command === 'cordon';
  if (before !== desired && dryRun !== 'client') {
    const refused = session.send(withParts(node, taintsOf(node), desired), dryRun);
    if (refused !== undefined) {
      session.stderr += `error: unable to ${command} node ${quoteGo(name)}: ${failureText(refused)}\n`;
      return;
    }
  }
  session.stdout += `node/${name} ${cordonWord(before, desired)}${SUFFIXES[dryRun]}\n`;
}
