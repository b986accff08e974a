import { RULES_VERSION } from '../../core/kubernetes/versions.js';
import { ageSeconds, type ResolvedRevision } from './resolve-revision.js';

/** What an answer rests on: the head of every answer about a cluster. */
export interface Basis {
  readonly cluster: string;
  readonly revision: number;
  /** When the state was so in the cluster. */
  readonly capturedAt: Date;
  /** Seconds between `capturedAt` and the question. */
  readonly ageSeconds: number;
  /** The newest kubelet version among the nodes, as the snapshot had it; null when no node told one. */
  readonly kubernetesVersion: string | null;
  /** The version of Kubernetes whose rules the answer follows. */
  readonly rulesVersion: string;
  /** Names this answer in the log. */
  readonly decisionId: string;
}

export function basisOf({ cluster, revision }: ResolvedRevision, now: Date, decisionId: string): Basis {
  return {
    cluster: cluster.name,
    revision: revision.number,
    capturedAt: revision.capturedAt,
    ageSeconds: ageSeconds(revision, now),
    kubernetesVersion: revision.kubernetesVersion,
    rulesVersion: RULES_VERSION,
    decisionId,
  };
}
