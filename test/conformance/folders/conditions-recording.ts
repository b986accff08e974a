import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';

/** A step as planned; `node` is an index into the nodes, absent where the step means all of them. Conditions are type and status. */
export interface ConditionsStep {
  readonly at: number;
  readonly do: string;
  readonly node?: number;
  readonly conditions?: readonly (readonly [type: string, status: string])[];
  readonly spec?: { readonly taints?: readonly Taint[] | null; readonly unschedulable?: boolean | null };
}

/** A step as it was done. */
export interface DoneStep {
  readonly action: ConditionsStep;
  readonly node?: string;
  readonly sentAt: number;
  readonly code: number;
}

/** A node as a watch saw it; `conditions` is by type, in the order of the list; short recordings have `ready` instead. */
export interface SeenNode {
  readonly at: number;
  readonly event: string;
  readonly taints: readonly Taint[] | null;
  readonly unschedulable?: boolean | null;
  readonly conditions?: Readonly<Record<string, string>>;
  readonly reasons?: Readonly<Record<string, readonly string[]>>;
  readonly ready?: string | null;
}

/** A file of recorded/conditions. Times are seconds from `startTime`. */
export interface RecordedConditions {
  readonly input: {
    readonly nodes: readonly Node[];
    readonly healthyMatesInSameZone?: number;
    readonly steps: readonly ConditionsStep[];
    readonly leaseRenewed?: boolean;
    readonly statusPosted?: boolean;
    readonly observeUntil: number;
    readonly note?: string | null;
  };
  readonly observed: {
    readonly startTime: string;
    readonly actions?: readonly DoneStep[];
    readonly nodeTimeline: Readonly<Record<string, readonly SeenNode[]>>;
  };
}

/** The steps as they were done; a file without a list of them planned them to the millisecond. */
export function doneSteps({ input, observed }: RecordedConditions): readonly DoneStep[] {
  return (
    observed.actions ??
    input.steps.map((action) => {
      const node = action.node === undefined ? undefined : input.nodes[action.node]?.metadata.name;
      return { action, sentAt: action.at, code: 200, ...(node !== undefined && { node }) };
    })
  );
}

/** The Ready status that a watch showed; undefined if the node had none. */
export function seenReady({ conditions, ready }: SeenNode): string | undefined {
  return conditions === undefined ? (ready ?? undefined) : conditions['Ready'];
}

/** Whether the controller, not the driver, wrote the Ready condition that a watch saw. */
export function isControllersOwn({ reasons }: SeenNode): boolean {
  return reasons?.['Ready']?.[0]?.startsWith('NodeStatus') ?? false;
}
