import { createHash, randomUUID } from 'node:crypto';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { GivenTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import { formatTaint } from '../../core/kubernetes/taint.js';
import { kubectlCommands, shellText } from '../../core/taint-change/kubectl-command.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { type IdempotencyKey, TaintChangeStore } from '../../storage/taint-trail/taint-change-store.js';
import { authorize } from '../authorize.js';
import { checkClusterName } from '../clusters/cluster-name.js';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../../auth/caller.js';
import type { RequestEdge } from '../request-edge.js';
import { AnswerChange } from './answer-change.js';
import { checkChange, type GivenRecord, type GivenTargets, type Targets } from './check-change-request.js';
import { refuseRefused } from './refuse-refused.js';
import { MakeChange } from './make-change.js';
import type { NodeTask } from './plan-change.js';
import { checkPrecondition, readPrecondition } from './precondition.js';
import type { AskedChange, ChangeAuthor, TaintChangeAnswer } from './taint-change-view.js';
import type { Working } from './working-head.js';

export interface ChangeTaintsRequest extends GivenRecord {
  readonly cluster: string;
  readonly targets: GivenTargets;
  readonly edit: GivenTaintEdit;
  /** Whether nodes that the change does not fit are left out instead of refusing it for all. */
  readonly perNode: boolean;
  readonly dryRun: boolean;
  readonly ifMatch?: string;
  /** Where the fields stand, for errors: `input` among the arguments of GraphQL, nothing in a body of REST. */
  readonly root: '' | 'input';
}

/** Changes taints, cordons and labels of nodes as kubectl would, on the record; or says what that would do. */
export class ChangeTaints {
  constructor(
    private readonly makeChange: MakeChange,
    private readonly store: TaintChangeStore,
    private readonly answer: AnswerChange,
  ) {}

  /**
   * @throws {InvalidRequestError} everything that is wrong with the request
   * @throws {ServiceError} `taint-change-refused` with the reasons node by node; `object-not-found` for nodes that are not
   *   there; `precondition-failed`; `idempotency-key-reused`; `cluster-not-found`, `no-snapshot`; `forbidden`
   */
  async run(request: ChangeTaintsRequest, edge: RequestEdge): Promise<TaintChangeAnswer> {
    const { cluster, dryRun } = request;
    checkClusterName(cluster);
    if (!dryRun) authorize(edge, 'change', cluster);
    const idempotency = dryRun ? undefined : idempotencyOf(request, edge.caller);
    return this.answer.once(cluster, idempotency, edge, () => this.make(request, idempotency, edge));
  }

  private async make(
    request: ChangeTaintsRequest,
    idempotency: IdempotencyKey | undefined,
    edge: RequestEdge,
  ): Promise<TaintChangeAnswer> {
    const { cluster, perNode, dryRun } = request;
    const { edit, targets } = checkChange(request, { root: request.root, now: edge.now });
    const named = 'names' in targets ? targets.names.map(({ name }) => name) : undefined;
    const precondition = readPrecondition(request.ifMatch, named);
    checkOnBehalfOf(request, edge);
    const change = {
      id: randomUUID(),
      cluster,
      action: 'change' as const,
      author: authorOf(edge.caller),
      ...recordOf(request),
      ...(idempotency !== undefined && { idempotency }),
      request: asked(request, edit),
      dryRun,
      tasks: async (head: Working) => {
        await this.answer.refuseRepetition(head, idempotency, edge);
        if (precondition !== undefined) await checkPrecondition(precondition, head, named?.[0], this.store);
        return tasksOf(head, targets, edit);
      },
      accept: refuseRefused(perNode),
      kubectl: () => commandsOf(request, edit),
    };
    return this.answer.made(change, await this.makeChange.run(change, edge), edge);
  }
}

/** What of a request goes into the record as it is. */
export function recordOf({ reason, link, expiresAt, onBehalfOf }: GivenRecord) {
  return {
    reason: reason ?? '',
    ...(link !== undefined && { link }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  };
}

/** @throws {ServiceError} `forbidden` */
export function checkOnBehalfOf(
  { cluster, onBehalfOf }: GivenRecord & { readonly cluster: string },
  { access, caller }: RequestEdge,
): void {
  if (onBehalfOf === undefined || access.mayActFor(cluster)) return;
  throw new ServiceError(
    'forbidden',
    `${caller.name} may not name somebody else as the one for whom a change of cluster ${cluster} is made.`,
  );
}

/** Who makes a change: the caller, whatever the request says. */
export function authorOf({ name, kind, groups, issuer }: Caller): ChangeAuthor {
  return { name, kind, groups, issuer: issuer ?? null };
}

/** A key belongs to its caller: names are unique among callers of one kind and one issuer. */
export function idempotencyOf(
  request: object & { readonly idempotencyKey?: string; readonly expiresAt?: Date },
  { kind, issuer = '' }: Caller,
): IdempotencyKey | undefined {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return undefined;
  return { key: JSON.stringify([kind, issuer, idempotencyKey]), requestHash: hashOf(request) };
}

/** What makes two requests the same. */
function hashOf(request: object & { readonly idempotencyKey?: string; readonly expiresAt?: Date }): string {
  const { expiresAt } = request;
  const said = { ...request, idempotencyKey: undefined, expiresAt: expiresAt?.toISOString() };
  return createHash('sha256')
    .update(stringifyJson(said, { sortKeys: true }))
    .digest('hex');
}

function tasksOf({ state: { nodes } }: Working, targets: Targets, edit: TaintEdit): NodeTask[] {
  if ('names' in targets) return targets.names.map(({ name, place }) => ({ node: name, edit, place }));
  const selected: NodeTask[] = [];
  for (let index = 0; index < nodes.count; index++) {
    const { metadata } = nodes.node(index);
    if ('all' in targets || targets.selector.matches(metadata.labels ?? {}))
      selected.push({ node: metadata.name, edit });
  }
  return selected.sort((a, b) => (a.node < b.node ? -1 : 1));
}

function asked({ targets, perNode }: ChangeTaintsRequest, edit: TaintEdit): AskedChange {
  return { ...targets, ...editWords(edit), perNode, force: false };
}

/** An edit in kubectl's words. */
export function editWords({ add, remove, labels, unschedulable, overwrite }: TaintEdit) {
  return {
    taints: [
      ...add.map((taint) => formatTaint(taint)),
      ...remove.map(({ key, effect = '' }) => `${formatTaint({ key, effect })}-`),
    ],
    labels: [
      ...[...(labels?.set ?? [])].map(([key, value]) => `${key}=${value}`),
      ...(labels?.remove ?? []).map((key) => `${key}-`),
    ],
    unschedulable: unschedulable ?? null,
    overwrite,
  };
}

function commandsOf({ targets }: ChangeTaintsRequest, edit: TaintEdit): string[] {
  const { nodes, labelSelector } = targets;
  if (nodes !== undefined) return kubectlCommands(edit, { names: [...new Set(nodes)] }).map(shellText);
  if (labelSelector !== undefined) return kubectlCommands(edit, { selector: labelSelector.trim() }).map(shellText);
  // Every node: taint and label know a flag for it, cordon takes a selector that each node fits.
  return kubectlCommands(edit, { selector: HOSTNAME_LABEL }).map(shellText);
}

/** Which the kubelet gives to its node. */
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
