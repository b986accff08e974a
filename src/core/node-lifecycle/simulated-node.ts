import type { Condition } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import type { LifecycleNode, TaintCause, TaintChange } from './lifecycle-timeline.js';
import { readyStatus } from './node-health.js';

/** A node of a simulation: its current state, and the controller's memory of it. */
export class SimulatedNode {
  conditions: readonly Condition[];
  taints: readonly Taint[];
  unschedulable: boolean;
  /** Whether the lease is renewed regularly. */
  renewed: boolean;
  /** False until the first pass that finds the node. */
  registered = false;
  deleted = false;
  /** The pass that last observed a heartbeat (`probeTimestamp`), ms; ignored while the lease is renewed. */
  probedAt: number | undefined;
  /** Whether the last pass counted it as ready in its zone; undefined if it is not counted. */
  countedReady: boolean | undefined;

  constructor(
    readonly number: number,
    readonly given: LifecycleNode,
  ) {
    this.conditions = given.conditions;
    this.taints = given.taints;
    this.unschedulable = given.unschedulable ?? false;
    this.renewed = given.heartbeats;
  }

  get name(): string {
    return this.given.name;
  }

  get zone(): string {
    return this.given.zone;
  }

  get ready(): string | undefined {
    return readyStatus(this.conditions);
  }

  /** Sets the node's list of taints; undefined if nothing but a time changes. */
  write(at: number, taints: readonly Taint[], cause: TaintCause): TaintChange | undefined {
    const before = this.taints;
    if (taints === before) return undefined;
    this.taints = taints;
    const was = before.map(formatTaint);
    const is = taints.map(formatTaint);
    if (was.length === is.length && was.every((text, index) => text === is[index])) return undefined;
    return {
      at,
      node: this.name,
      cause,
      taints,
      added: taints.filter((_, index) => !was.includes(is[index]!)),
      removed: before.filter((_, index) => !is.includes(was[index]!)),
    };
  }
}
