import { compare } from '../json/compare.js';
import type { TaintOwnership } from '../kubernetes/objects/meta.js';
import type { AuditEvent } from './audit-event.js';
import { managerOf } from './actor.js';
import { microsecondsOf, SECOND } from '../kubernetes/moment.js';

/** The fields whose changes are attributed. Each has its own owners. */
export type WatchedField = 'taints' | 'unschedulable';

/** An entry of managedFields that owns a watched field. */
export interface FieldOwner {
  readonly manager?: string;
  readonly operation?: string;
  /** When the entry last changed, in whole seconds; absent if a server-side apply only joined the owners of a value. */
  readonly time?: string;
}

/**
 * The owners of a field, latest first; undefined without managedFields (`kubectl get` omits them unless
 * `--show-managed-fields` is set).
 *
 * `spec.taints` is an atomic list: its owner owns the whole list, whoever added a single taint. Several owners of one
 * value share it by server-side apply. A removed value has no owner.
 */
export function ownersOf(
  ownership: readonly TaintOwnership[] | undefined,
  field: WatchedField,
): readonly FieldOwner[] | undefined {
  return ownership
    ?.filter(({ owns }) => PATHS[field].some((path) => owns.includes(path)))
    .map(({ manager, operation, time }) => ({
      ...(manager !== undefined && { manager }),
      ...(operation !== undefined && { operation }),
      ...(time !== undefined && { time }),
    }))
    .sort((a, b) => momentOf(b) - momentOf(a) || compare(a.manager ?? '', b.manager ?? ''));
}

/**
 * Whether this event's request wrote an owner's entry: the same manager, and a time within the request. The API server
 * takes both times from the same clock; a manager's time changes only if a request changes the object.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/util/managedfields/internal/managedfieldsupdater.go, `Update`.
 */
export function isWrittenBy(owner: FieldOwner, event: AuditEvent): boolean {
  const time = owner.time === undefined ? undefined : microsecondsOf(owner.time);
  const received = microsecondsOf(event.requestReceivedTimestamp);
  const done = microsecondsOf(event.stageTimestamp);
  if (time === undefined || received === undefined || done === undefined) return false;
  return owner.manager === managerOf(event) && time > received - SECOND && time <= done;
}

/** A DeviceTaintRule has one taint. */
const PATHS = { taints: ['spec.taints', 'spec.taint'], unschedulable: ['spec.unschedulable'] } as const;

const momentOf = ({ time }: FieldOwner): number => (time === undefined ? 0 : (microsecondsOf(time) ?? 0));
