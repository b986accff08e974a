import { ruleOf } from '../../core/audit/rule-subject.js';
import type { TrailRecordKind } from '../../core/audit/trail-record.js';
import type { KeptAuditEvents } from '../../storage/taint-trail/audit-event-store.js';
import type { TakenAuditEvents } from './take-audit-events.js';

/**
 * Maximum number of distinct names to track, so that a hostile body cannot inflate the response, and of names to
 * return.
 */
const MAX_DISTINCT = 100_000;
const MAX_NAMED = 100;

/** What has been stored of a body of audit events. */
export type StoredAuditEvents = Pick<
  TakenAuditEvents,
  'kept' | 'duplicates' | 'records' | 'nodes' | 'unknownNodes' | 'deviceTaintRules'
>;

/** Sums up the batches of a body of audit events. */
export class AuditTally {
  private kept = 0;
  private duplicates = 0;
  private readonly records = new Map<TrailRecordKind, number>();
  private readonly nodes = new Set<string>();
  private readonly rules = new Set<string>();
  private readonly unknownNodes = new Set<string>();

  add(events: number, { kept, records, nodes, unknownNodes }: KeptAuditEvents): void {
    this.kept += kept;
    this.duplicates += events - kept;
    for (const [kind, count] of records) this.records.set(kind, (this.records.get(kind) ?? 0) + count);
    for (const subject of nodes) {
      const rule = ruleOf(subject);
      const names = rule === undefined ? this.nodes : this.rules;
      if (names.size < MAX_DISTINCT) names.add(rule ?? subject);
    }
    for (const node of unknownNodes) if (this.unknownNodes.size < MAX_DISTINCT) this.unknownNodes.add(node);
  }

  finish(): StoredAuditEvents {
    const { kept, duplicates } = this;
    const records = [...this.records].sort().map(([kind, count]) => ({ kind, count }));
    return {
      kept,
      duplicates,
      records,
      nodes: firstOf(this.nodes),
      unknownNodes: firstOf(this.unknownNodes),
      deviceTaintRules: firstOf(this.rules),
    };
  }
}

const firstOf = (names: ReadonlySet<string>): { readonly count: number; readonly first: readonly string[] } => ({
  count: names.size,
  first: [...names].slice(0, MAX_NAMED),
});
