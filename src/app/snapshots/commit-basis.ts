import { RULES_VERSION } from '../../core/kubernetes/versions.js';
import type { Basis } from '../reads/basis.js';
import { wholeSecondsBetween } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';

interface Committed {
  readonly clusterName: string;
  readonly revision: number;
  readonly capturedAt: Date;
  readonly kubernetesVersion: string | null;
  readonly unconfirmedNodes: number;
}

/** The basis of a response about a state that was just stored. */
export function commitBasis(committed: Committed, context: RequestContext): Basis {
  const { clusterName, revision, capturedAt, kubernetesVersion, unconfirmedNodes } = committed;
  return {
    cluster: clusterName,
    revision,
    capturedAt,
    ageSeconds: wholeSecondsBetween(capturedAt, context.now),
    kubernetesVersion,
    rulesVersion: RULES_VERSION,
    intents: { unconfirmedNodes, included: true },
    scenario: null,
    harmlessWebhooks: [],
    decisionId: context.nextDecisionId(),
  };
}
