import { quoteGo } from '../kubernetes/go-text.js';
import type { Node } from '../kubernetes/objects/node.js';
import { taintsOf, withParts } from './apply-taint-edit.js';
import { conflictMessage } from './check-taint-edit.js';
import { editTaints } from './edit-taints.js';
import { failure, notFound, severalFailures, type Failure } from './kubectl-failure.js';
import { parseBoolean, type ParsedWords } from './kubectl-flags.js';
import { pluralOf } from './kubectl-resources.js';
import { isFailure, readDryRun, readNames, type DryRun, type KubectlSession } from './kubectl-session.js';
import { KubectlError } from './kubectl-error.js';
import { parseTaintArguments, type TaintArguments } from './parse-taint-arguments.js';
import { conflictsOf, type TaintEdit } from './taint-edit.js';

/** The command line of `kubectl taint`, after all checks that need no node. */
interface TaintCommand {
  readonly edit: TaintEdit;
  readonly dryRun: DryRun;
  readonly output: string;
  readonly names: readonly string[];
  readonly selector: string;
  readonly all: boolean;
}

/**
 * Runs `kubectl taint`: changes every node that it can, and reports the others at the end. The output of a dry run does not
 * mention that it is one.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/taint/taint.go.
 */
export function runKubectlTaint(session: KubectlSession, parsed: ParsedWords): Failure | undefined {
  const command = readCommand(parsed);
  if (isFailure(command)) return command;
  const targets = targetsOf(session, command);
  if (isFailure(targets)) return targets;
  const failures: Failure[] = [];
  for (const target of targets) {
    const node = target();
    const failed = isFailure(node) ? node : taintNode(session, node, command);
    if (failed !== undefined) failures.push(failed);
  }
  return failures.length === 0 ? undefined : severalFailures(failures);
}

function readCommand({ flags, words }: ParsedWords): TaintCommand | Failure {
  const dryRun = readDryRun(flags.get('dry-run'));
  if (isFailure(dryRun)) return dryRun;
  const validate = flags.get('validate') ?? 'strict';
  if (parseBoolean(validate) === undefined && !['strict', 'warn', 'ignore'].includes(validate)) {
    const choice = 'must be one of: strict (or true), warn, ignore (or false)';
    return failure(`invalid - validate option ${quoteGo(validate)}; ${choice}`);
  }
  const taints = readWords(words);
  if (isFailure(taints)) return taints;
  const { resources } = taints;
  const edit: TaintEdit = { add: taints.add, remove: taints.remove, overwrite: flags.get('overwrite') === 'true' };
  const command: TaintCommand = {
    edit,
    dryRun,
    output: flags.get('output') ?? '',
    names: resources.slice(1),
    selector: flags.get('selector') ?? '',
    all: flags.get('all') === 'true',
  };
  return checkResource(resources[0] ?? '') ?? checkCommand(command) ?? command;
}

/** Separates the resources from the taints, which begin with the first argument that looks like one. */
function readWords(words: readonly string[]): (TaintArguments & { readonly resources: readonly string[] }) | Failure {
  const isTaint = (word: string): boolean => word.includes('=') || word.includes(':') || word.endsWith('-');
  const first = words.findIndex(isTaint);
  const resources = first < 0 ? words : words.slice(0, first);
  const taints = first < 0 ? [] : words.slice(first);
  const stray = taints.find((word) => !isTaint(word));
  if (stray !== undefined) return failure(`all resources must be specified before taint changes: ${stray}`);
  if (resources.length === 0) return failure('one or more resources must be specified as <resource> <name>');
  if (taints.length === 0) return failure('at least one taint update is required');
  try {
    return { ...parseTaintArguments(taints), resources };
  } catch (error) {
    if (!(error instanceof KubectlError)) throw error;
    return failure(`${error.message}\nSee 'kubectl taint -h' for help and examples`);
  }
}

function checkResource(word: string): Failure | undefined {
  const lower = word.toLowerCase();
  // As in `kubectl explain`, the part after a dot is a field, which is ignored here.
  const [resource = ''] = lower.split('.');
  if (resource === '') return failure('a resource must be present, got: /, Resource=');
  const plural = pluralOf(resource);
  if (plural === undefined) {
    return { from: 'discovery', message: `the server doesn't have a resource type ${quoteGo(resource)}` };
  }
  return plural === 'nodes' ? undefined : failure(`invalid resource type ${lower}, only node types are supported`);
}

function checkCommand({ edit, all, selector, names }: TaintCommand): Failure | undefined {
  const conflicts = conflictsOf(edit).map(({ name }) => name);
  if (conflicts.length > 0) return failure(conflictMessage(conflicts));
  if (all && selector !== '') return failure("setting 'all' parameter with a non empty selector is prohibited");
  return !all && selector === '' && names.length === 0
    ? failure("at least one resource name must be specified since 'all' parameter is not set")
    : undefined;
}

/** The nodes to change; each is read when it is its turn. Names are ignored if a selector or `--all` is given. */
function targetsOf(
  session: KubectlSession,
  { all, selector, names }: TaintCommand,
): readonly (() => Node | Failure)[] | Failure {
  if (all || selector !== '') {
    if (selector !== '' && selector.trim() === '') {
      return failure('resource(s) were provided, but no name was specified');
    }
    const nodes = session.list(selector.trim());
    return isFailure(nodes) ? nodes : nodes.map((node) => () => node);
  }
  const found = readNames(names);
  if (isFailure(found)) return found;
  return found.map(
    ({ plural, name }) =>
      () =>
        plural === 'nodes' ? session.get(name) : notFound(plural, name),
  );
}

/** The output formats of kubectl. Only its own text and `name` are supported here. */
const FORMATS = [
  'go-template',
  'go-template-file',
  'json',
  'jsonpath',
  'jsonpath-as-json',
  'jsonpath-file',
  'kyaml',
  'name',
  'template',
  'templatefile',
  'yaml',
];

function taintNode(session: KubectlSession, node: Node, { edit, dryRun, output }: TaintCommand): Failure | undefined {
  const { name } = node.metadata;
  const edited = editTaints(name, taintsOf(node), edit);
  if ('errors' in edited) {
    const failures = edited.errors.map(({ message }) => failure(message));
    // Removals without a match form one error of the node, even if there is only one.
    return edited.errors[0]?.code === 'taint-not-found' ? severalFailures(failures) : failures[0];
  }
  if (output !== '' && output !== 'name') {
    const [format = ''] = output.split('=');
    if (FORMATS.includes(format)) throw new Error(`kubectl taint -o ${format} is not modelled`);
    const allowed = `allowed formats are: ${FORMATS.join(',')}`;
    return failure(`unable to match a printer suitable for the output format ${quoteGo(output)}, ${allowed}`);
  }
  const unschedulable = node.spec?.unschedulable ?? false;
  const refused = dryRun === 'client' ? undefined : session.send(withParts(node, edited.taints, unschedulable), dryRun);
  if (refused !== undefined) return refused;
  session.stdout += output === 'name' ? `node/${name}\n` : `node/${name} ${edited.operation}\n`;
  return undefined;
}
