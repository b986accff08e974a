import type { listFindings } from '../../contract/findings/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Finding } from '../../core/findings/finding.js';
import { groupedPages, listInView } from '../paging/grouped-pages.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { findingGroupResponse, groupFindings } from './finding-groups.js';
import { countFindings, findingResponse } from './finding-response.js';

type FindingFilter = Pick<
  RequestOf<typeof listFindings>,
  'severity' | 'code' | 'namespace' | 'workload' | 'workloadKind' | 'view'
>;

/** Lists likely mistakes and notable facts about the tolerations and taints of a revision, errors first. */
export class ListFindings {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  async run(request: RequestOf<typeof listFindings>, context: RequestContext): Promise<AnswerTo<typeof listFindings>> {
    const { cluster, readAt, page } = request;
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, listNameOf(request), page, context);
    const found = (await this.digests.clusterFindings(state)).filter((finding) => fits(finding, request));
    const slices = new TimeSlices({ signal: context.signal });
    return {
      basis,
      counts: countFindings(found),
      pages: groupedPages({
        list,
        view: 'findings',
        revision: basis.revision,
        items: found,
        renderItem: findingResponse,
        groups: () => groupFindings(found, slices),
        renderGroup: (group) => findingGroupResponse(group, found),
        slices,
      }),
    };
  }
}

/** Identifies a list of findings; its tokens are not valid for other lists. */
export function listNameOf({ severity, code, namespace, workload, workloadKind, view }: FindingFilter) {
  return listInView(['findings', severity, code, namespace, workload, workloadKind], view);
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
