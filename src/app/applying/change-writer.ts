import { ruleOf } from '../../core/audit/rule-subject.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { kindInfo } from '../../core/kubernetes/kinds.js';
import { readTaintOwnership } from '../../core/kubernetes/schema/taint-ownership.js';
import { replanChange } from '../../core/taint-change/replan-change.js';
import type { RecordedNodeChange } from '../../core/taint-change/undo-change.js';
import { ApiUnreachable } from '../../kube-api/api-client.js';
import { apiVersionOf, discoverKinds, DiscoveryFailed } from '../../kube-api/discover-kinds.js';
import { type LiveNode, type NodeDecision, nodeTarget } from '../../kube-api/taint-writer/node-target.js';
import { ruleTarget } from '../../kube-api/taint-writer/rule-target.js';
import {
  type Ask,
  type TaintWrite,
  TaintWriter,
  type WriteResult,
  type WriteTarget,
} from '../../kube-api/taint-writer/taint-writer.js';
import { ownedReasons } from './owned-taints.js';

/** A recorded change of a node, or of a DeviceTaintRule. */
export interface SubjectChange extends RecordedNodeChange {
  /** The name of the node; for a rule see `ruleSubject`. */
  readonly node: string;
}

/** Writes recorded changes to one cluster. */
export class ChangeWriter {
  private readonly writer: TaintWriter;
  private ruleVersion: Promise<string | undefined> | undefined;

  constructor(private readonly ask: Ask) {
    this.writer = new TaintWriter(ask);
  }

  /** @param force whether taints of nodes that belong to others may be touched */
  async write(change: SubjectChange, force: boolean, write: Omit<TaintWrite, 'target'>): Promise<WriteResult> {
    const target = await this.targetOf(change, force);
    if ('path' in target) return this.writer.write({ ...write, target });
    const { unsureOf } = write;
    if (target.outcome === 'refused' || unsureOf === undefined) return target;
    return { ...target, outcome: 'unknown', testedVersion: unsureOf };
  }

  /** The change is planned again on the object as it is then. */
  private async targetOf(
    { node: subject, ...change }: SubjectChange,
    force: boolean,
  ): Promise<WriteTarget | Extract<WriteResult, { readonly outcome: 'later' | 'refused' }>> {
    const rule = ruleOf(subject);
    if (rule === undefined) return targetOfNode(subject, change, force);
    const nothing = { code: null, warnings: [] };
    try {
      const version = await (this.ruleVersion ??= this.discoverRules());
      if (version !== undefined) return ruleTarget(rule, change, version);
      return { ...nothing, outcome: 'refused', message: 'the API server has no DeviceTaintRules' };
    } catch (error) {
      if (!(error instanceof ApiUnreachable || error instanceof DiscoveryFailed)) throw error;
      this.ruleVersion = undefined;
      return { ...nothing, outcome: 'later', message: error.message, retryAfter: null };
    }
  }

  /** The newest version in which the API server has DeviceTaintRules; undefined if it has none. */
  private async discoverRules(): Promise<string | undefined> {
    const [served] = await discoverKinds((path) => this.ask({ method: 'GET', path }), [kindInfo('DeviceTaintRule')]);
    return served && apiVersionOf(served);
  }
}

function targetOfNode(node: string, change: RecordedNodeChange, force: boolean): WriteTarget {
  const { added, removed, changed, cordon } = change.difference;
  const decide = (live: LiveNode): NodeDecision => {
    const planned = replanChange(live, change);
    if (planned.outcome !== 'write' || force) return planned;
    const reasons = ownedReasons(live, readTaintOwnership(live as unknown as JsonObject), planned.rest);
    return reasons.length > 0 ? { outcome: 'refused', reasons } : planned;
  };
  return nodeTarget({
    node,
    decide,
    touches: [
      ...(added.length + removed.length + changed.length > 0 && cordon === undefined ? (['taints'] as const) : []),
      ...(cordon === undefined ? [] : (['unschedulable'] as const)),
    ],
  });
}
