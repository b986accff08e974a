import { versionBasis, type Basis } from '../reads/basis.js';
import { rulesOfRevision, type RevisionVersions } from '../reads/rules-of-revision.js';
import { wholeSecondsBetween } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';

interface Committed extends RevisionVersions {
  readonly clusterName: string;
  readonly revision: number;
  readonly capturedAt: Date;
  readonly unconfirmedNodes: number;
}

/** The basis of a response about a state that was just stored. */
export function commitBasis(committed: Committed, context: RequestContext): Basis {
  const { clusterName, revision, capturedAt, unconfirmedNodes } = committed;
  return {
    cluster: clusterName,
    revision,
    capturedAt,
    ageSeconds: wholeSecondsBetween(capturedAt, context.now),
    ...versionBasis(committed, rulesOfRevision(committed)),
    intents: { unconfirmedNodes, included: true },
    scenario: null,
    harmlessWebhooks: [],
    decisionId: context.nextDecisionId(),
  };
}
