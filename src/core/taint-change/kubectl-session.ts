import { quoteGo } from '../kubernetes/go-text.js';
import { parseSelector, SelectorSyntaxError } from '../kubernetes/label-selector.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import { validateEdited, taintsOf, withParts } from './apply-taint-edit.js';
import { failure, nodeNotFound, type Failure } from './kubectl-failure.js';
import { parseBoolean } from './kubectl-flags.js';
import { pluralOf } from './kubectl-resources.js';
import { withUnschedulableTaint } from './unschedulable-taint.js';

/** What a command asks the API server for: a name of a resource, known by its plural. */
export interface ResourceName {
  readonly plural: string;
  readonly name: string;
}

/** `--dry-run`. */
export type DryRun = 'none' | 'client' | 'server';

/** The nodes of a cluster as one run of kubectl sees and changes them, and what it has written. */
export class KubectlSession {
  private readonly byName: Map<string, Node>;
  stdout = '';
  stderr = '';

  constructor(
    nodes: readonly Node[],
    private readonly now: Timestamp | undefined,
  ) {
    this.byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  }

  get nodes(): readonly Node[] {
    return [...this.byName.values()];
  }

  get(name: string): Node | Failure {
    return name === '' ? failure('resource name may not be empty') : (this.byName.get(name) ?? nodeNotFound(name));
  }

  /** The nodes that a selector selects, by name, as the API server lists them; the empty one selects all. */
  list(selector: string): Node[] | Failure {
    try {
      const parsed = parseSelector(selector);
      return this.nodes
        .filter((node) => parsed.matches(node.metadata.labels ?? {}))
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    } catch (error) {
      if (!(error instanceof SelectorSyntaxError)) throw error;
      const asked = `match label selector ${quoteGo(selector)}, field selector ""`;
      return {
        from: 'server',
        reason: 'BadRequest',
        message: `Unable to find "/v1, Resource=nodes" that ${asked}: ${error.message}`,
      };
    }
  }

  /** Sends a node back: the API server validates it, stores it unless it is a dry run, and the controllers follow. */
  send(node: Node, dryRun: DryRun): Failure | undefined {
    const causes = validateEdited(node);
    if (causes.length > 0) return { from: 'server', reason: 'Invalid', node: node.metadata.name, causes };
    if (dryRun === 'server') return undefined;
    const unschedulable = node.spec?.unschedulable ?? false;
    const taints = withUnschedulableTaint(taintsOf(node), unschedulable, this.now);
    this.byName.set(node.metadata.name, withParts(node, taints, unschedulable));
    return undefined;
  }
}

/**
 * Reads `--dry-run`; a boolean, or the flag alone, is understood as of old (kubectl logs a warning then, which is left out here).
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/cmd/util/helpers.go, `GetDryRunStrategy`.
 */
export function readDryRun(given = 'none'): DryRun | Failure {
  const boolean = parseBoolean(given);
  if (boolean !== undefined) return boolean ? 'client' : 'none';
  if (given === 'unchanged') return 'client';
  return given === 'client' || given === 'server' || given === 'none'
    ? given
    : failure(`Invalid dry-run value (${given}). Must be "none", "server", or "client".`);
}

/**
 * Reads names that stand for nodes unless they are `resource/name`, as the resource builder does. All must be well formed, and of
 * resources that the server has.
 *
 * Source: k8s.io/cli-runtime v0.36.2, pkg/resource/builder.go, `ResourceNames`, `splitResourceTypeName`.
 */
export function readNames(words: readonly string[]): ResourceName[] | Failure {
  const names: ResourceName[] = [];
  const unknown: string[] = [];
  for (const word of words) {
    const [resource = '', name, ...more] = word.split('/');
    if (name === undefined) {
      names.push({ plural: 'nodes', name: word });
      continue;
    }
    if (more.length > 0) return failure('arguments in resource/name form may not have more than one slash');
    if (resource === '' || name === '' || resource.includes(',')) {
      return failure('arguments in resource/name form must have a single resource and name');
    }
    const plural = pluralOf(resource);
    if (plural === undefined) unknown.push(resource);
    else names.push({ plural, name });
  }
  const [first] = unknown;
  return first === undefined ? names : failure(`the server doesn't have a resource type ${quoteGo(first)}`);
}

export const isFailure = (value: object | string): value is Failure => typeof value === 'object' && 'from' in value;
