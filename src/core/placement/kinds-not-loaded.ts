import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { notKnown } from './not-known.js';
import type { Prepared } from './plugin.js';
import type { FieldReference, Reason } from './reason.js';

/** What a rule would have to know. */
export interface Lacking {
  readonly plugin: string;
  /** Ends the sentence "`plugin` cannot be evaluated: ...". */
  readonly why: string;
  readonly fields: readonly FieldReference[];
  /** The kinds that it reads; some of them were never loaded. */
  readonly needs: readonly KeptKind[];
}

/** The kinds of a list that were never loaded into a state. */
export function missingKinds(state: ClusterState, needs: readonly KeptKind[]): readonly KeptKind[] {
  return needs.filter((kind) => !state.loadedKinds.has(kind));
}

/** The reason of a rule that reads kinds which were never loaded. */
export function lackingReason(state: ClusterState, { plugin, why, fields, needs }: Lacking): Reason {
  const missing = missingKinds(state, needs);
  return {
    plugin,
    code: 'KindNotLoaded',
    status: 'Unknown',
    message: `${plugin} cannot be evaluated: ${why} (never loaded: ${missing.join(', ')})`,
    facts: { missingKinds: missing },
    fields,
  };
}

/** The answer of a rule that reads kinds which were never loaded: unknown on every node, with the reason why. */
export const lacking = (state: ClusterState, what: Lacking): Prepared => notKnown(lackingReason(state, what));
