import type { ClusterState } from '../cluster/cluster-state.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import { SUCCESS, UNKNOWN, type Prepared } from './plugin.js';
import type { FieldReference, Reason } from './reason.js';

/** What keeps a plugin that is not built yet from answering. */
export interface NotBuilt {
  readonly plugin: string;
  /** Ends the sentence "`plugin` is not evaluated yet: ...". */
  readonly why: string;
  readonly fields: readonly FieldReference[];
  /** Kinds that the rule reads. */
  readonly needs?: readonly KeptKind[];
  /** Whether Kubernetes may already refuse the pod before it looks at nodes. */
  readonly mayRejectPod?: boolean;
  /** The nodes that it may refuse; all of them unless told. */
  readonly concerns?: (node: number) => boolean;
}

/** The answer of a plugin that is not built yet for a pod that uses it: never a pass, always unknown, with the reason why. */
export function notBuilt(
  state: ClusterState,
  { plugin, why, fields, needs = [], mayRejectPod, concerns }: NotBuilt,
): Prepared {
  const missingKinds = needs.filter((kind) => !state.loadedKinds.has(kind));
  const code = missingKinds.length === 0 ? 'NotBuilt' : 'KindNotLoaded';
  const missing = missingKinds.length === 0 ? '' : ` (and never loaded: ${missingKinds.join(', ')})`;
  const message = `${plugin} is not evaluated yet: ${why}${missing}`;
  const reason: Reason = {
    plugin,
    code,
    status: 'Unknown',
    message,
    facts: missingKinds.length === 0 ? {} : { missingKinds },
    fields,
  };
  const isConcerned = concerns ?? (() => true);
  return {
    outcome: 'Filter',
    ...(mayRejectPod === undefined ? {} : { mayRejectPod }),
    filter: {
      status: (node) => (isConcerned(node) ? UNKNOWN : SUCCESS),
      findingKey: () => 0,
      findings: () => [{ code, message }],
      explanationKey: () => 0,
      explain: (node) => (isConcerned(node) ? [reason] : []),
    },
  };
}
