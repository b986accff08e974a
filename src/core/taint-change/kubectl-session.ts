import { quoteGo } from '../kubernetes/go-text.js';
import { parseSelector, SelectorSyntaxError } from '../kubernetes/label-selector.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import { validateEdited, taintsOf, withParts } from './apply-taint-edit.js';
import { failure, nodeNotFound, type Failure } from './kubectl-failure.js';
import { parseBoolean } from './kubectl-flags.js';
import { pluralOf } from './kubectl-resources.js';
import { withUnschedulableTaint } from './unschedulable-taint.js';

/** A resource and a name on the command line; the resource is given by its plural. */
export interface ResourceName {
  readonly plural: string;
  readonly name: string;
}

/** The strategies of `--dry-run`. */
export type DryRun = 'none' | 'client' | 'server';

/** The nodes of a cluster during one run of kubectl, and its output. */
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

  /** The nodes that a selector selects, in order of name, as the API server lists them; an empty selector selects all. */
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

  /** Sends a node: the API server validates it and, unless this is a dry run, stores it; then the controllers react. */
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
 * Reads `--dry-run`. A boolean, or the flag without a value, has its former meaning (kubectl then also logs a warning, which
 * is omitted here).
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
 * Reads names, of nodes unless they have the form `resource/name`, like kubectl's resource builder. All must be well formed
 * and of existing resources.
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
