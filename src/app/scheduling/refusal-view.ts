import type { QueueRefusal } from '../../core/scheduling/queue/step-queue.js';

/** Why pods found no node. */
export interface RefusalTexts {
  /** Kubernetes' own words; null where what is not known could change them. */
  readonly message: string | null;
  /** Whether the tail about preemption is in the message; `none`: Kubernetes writes none. */
  readonly preemption: 'evaluated' | 'notEvaluated' | 'none' | null;
  readonly reasons: readonly {
    readonly plugin: string;
    readonly code: string;
    readonly message: string;
    readonly nodes: number;
    readonly first: number;
    readonly taints: readonly { readonly taint: string; readonly nodes: number }[];
  }[];
}

export const NO_REFUSAL: RefusalTexts = { message: null, preemption: null, reasons: [] };

export function refusalTexts({ message, reasons }: QueueRefusal): RefusalTexts {
  return {
    message: message.text ?? null,
    preemption: message.preemption === 'not-evaluated' ? 'notEvaluated' : message.preemption,
    reasons: reasons.map(({ plugin, code, message: text, nodes, first, taints = [] }) => ({
      plugin,
      code,
      message: text,
      nodes,
      first,
      taints,
    })),
  };
}
