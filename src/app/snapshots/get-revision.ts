import type { AnswerTo } from '../../contract/question.js';
import type { getSnapshot } from '../../contract/snapshots/questions.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { IngestReport } from '../../ingest/ingest-report.js';
import { MADE_HERE } from '../../storage/revision.js';
import { RevisionStore } from '../../storage/revision-store.js';
import { ServiceError } from '../errors/service-error.js';
import { basisOf, type Basis } from '../reads/basis.js';
import { maxAgeSeconds, readMoment } from '../reads/read-moment.js';
import { ResolveRevision } from '../reads/resolve-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { snapshotReportResponse } from './snapshot-report-response.js';
import { snapshotResponse } from './snapshot-response.js';

/** Reads a revision of a cluster, with the report of its snapshot. */
export class GetRevision {
  constructor(
    private readonly resolveRevision: ResolveRevision,
    private readonly revisions: RevisionStore,
  ) {}

  /** @throws {ServiceError} as `ResolveRevision` does */
  async run(
    { cluster, revision = 'head', maxAge }: RequestOf<typeof getSnapshot>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getSnapshot>> {
    const readAt = { ...readMoment(revision, 'revision'), ...maxAgeSeconds(maxAge) };
    const resolved = await this.resolveRevision.resolve(cluster, readAt, context.now);
    const { clusterId, number, stats, kind } = resolved.revision;
    const snapshot = snapshotResponse(resolved.revision);
    const basis = (): Basis => basisOf(resolved, context.now, context.nextDecisionId());
    // Neither a change made through this service nor a delta has a report.
    if (kind === 'delta' || MADE_HERE.includes(kind)) return { basis: basis(), snapshot, report: null };
    const findings = await this.revisions.findings(clusterId, number);
    if (findings === undefined) {
      throw new ServiceError('revision-not-found', `Revision ${number} of ${cluster} was just removed.`);
    }
    // `TakeSnapshot` stored it in this format.
    const report = { ...(stats as JsonObject), findings } as unknown as IngestReport;
    return { basis: basis(), snapshot, report: snapshotReportResponse(report) };
  }
}
