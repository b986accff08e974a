import type { JsonObject } from '../../core/json/json-value.js';
import type { IngestReport } from '../../ingest/ingest-report.js';
import { MADE_HERE, type Revision } from '../../storage/revision.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf, type Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';

export interface RevisionDetails {
  readonly basis: Basis;
  readonly revision: Revision;
  /** What ingest said of the snapshot when it was taken in, its findings included; null for what was changed here. */
  readonly report: IngestReport | null;
}

/** One revision of a cluster, with the report of the snapshot that made it. */
export class GetRevision {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly revisions: RevisionStore,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision` does */
  async run(cluster: string, readAt: ReadAt, edge: RequestContext): Promise<RevisionDetails> {
    const resolved = await this.resolveRevision.resolve(cluster, readAt, edge.now);
    const { clusterId, number, stats, kind } = resolved.revision;
    const basis = (): Basis => basisOf(resolved, edge.now, edge.nextDecisionId());
    if (MADE_HERE.includes(kind)) return { basis: basis(), revision: resolved.revision, report: null };
    const findings = await this.revisions.findings(clusterId, number);
    if (findings === undefined) {
      throw new ServiceError('revision-not-found', `Revision ${number} of ${cluster} was removed just now.`);
    }
    // Stored as it was given: see `TakeSnapshot`.
    const report = { ...(stats as JsonObject), findings } as unknown as IngestReport;
    return { basis: basis(), revision: resolved.revision, report };
  }
}
