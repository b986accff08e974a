import type { Finding } from '../../core/findings/finding.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import type { Page } from '../../contract/page.js';
import type { Basis } from '../reads/basis.js';
import type { ListRequest } from '../reads/list-request.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { findingView, type FindingView } from './finding-view.js';

/** Which findings; all that is given must hold. */
export interface FindingFilter {
  readonly severity?: string | undefined;
  readonly code?: string | undefined;
  readonly namespace?: string | undefined;
  /** The name of the workload, or of the pod, and its kind. */
  readonly workload?: string | undefined;
  readonly workloadKind?: string | undefined;
}

export interface FindFindingsRequest extends ListRequest {
  readonly filter: FindingFilter;
}

/** How many findings of a cluster there are of each severity, whatever the page. */
export interface FindingCounts {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
}

export interface FoundFindings {
  readonly basis: Basis;
  /** Of those that the filter picks. */
  readonly counts: FindingCounts;
  readonly page: Page<FindingView>;
}

/** What a revision says of tolerations and taints that was likely not meant, or should be known; errors first. */
export class FindFindings {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run({ cluster, readAt, filter, page }: FindFindingsRequest, edge: RequestContext): Promise<FoundFindings> {
    const { severity, code, namespace, workload, workloadKind } = filter;
    const name = ['findings', severity, code, namespace, workload, workloadKind];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, name, page, edge);
    const found = (await this.digests.clusterFindings(state)).filter((finding) => fits(finding, filter));
    return {
      basis,
      counts: countFindings(found),
      page: mapPage(pageByPosition(found, page, list, basis.revision), findingView),
    };
  }
}

function fits({ severity, code, subject }: Finding, filter: FindingFilter): boolean {
  return (
    (filter.severity ?? severity) === severity &&
    (filter.code ?? code) === code &&
    (filter.namespace === undefined || filter.namespace === subject.namespace) &&
    (filter.workload === undefined || filter.workload === subject.name) &&
    (filter.workloadKind ?? subject.kind) === subject.kind
  );
}

export function countFindings(findings: readonly Finding[]): FindingCounts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}
