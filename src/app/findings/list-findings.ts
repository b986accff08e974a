import { NOTHING } from '../../core/collections/nothing.js';
import type { listFindings } from '../../contract/findings/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { AlikeGroup } from '../../core/collections/alike-groups.js';
import type { Finding } from '../../core/findings/finding.js';
import { endingEarly, groupedPages, listInView } from '../paging/grouped-pages.js';
import { mapPage, pageByPosition } from '../paging/page-by-position.js';
import { checkTokenRevision } from '../paging/page-token.js';
import type { Basis } from '../reads/basis.js';
import { ReadDigest, WHOLE, type BasedDigest, type SelectedPage } from '../reads/read-digest.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import type { Digest } from '../states/kept-digests.js';
import { runSteps } from '../states/run-steps.js';
import { TimeSlices } from '../states/time-slices.js';
import { stepFindingGroupResponse, groupFindings, type FindingGroup } from './finding-groups.js';
import { countFindings, findingResponse } from './finding-response.js';

type FindingsRequest = RequestOf<typeof listFindings>;
type FindingFilter = Pick<FindingsRequest, 'severity' | 'code' | 'namespace' | 'workload' | 'workloadKind' | 'view'>;

interface KeptGroups {
  readonly selected: SelectedPage;
  readonly kept: BasedDigest<readonly CountedCause[], FindingGroup> | undefined;
}

/** Lists likely mistakes and notable facts about the tolerations and taints of a revision, errors first. */
export class ListFindings {
  constructor(
    private readonly readDigest: ReadDigest,
    private readonly digests: DerivedStateCache,
  ) {}

  /** Reads the groups, if they are asked for and kept. @throws {ServiceError} as `ReadDigest.select` */
  async read(request: FindingsRequest, context: RequestContext): Promise<KeptGroups> {
    const { cluster, readAt, page } = request;
    const selected = await this.readDigest.select(cluster, readAt, listNameOf(request), page, context);
    if (request.view === 'findings' || filtersSubjects(request)) return { selected, kept: undefined };
    return { selected, kept: await this.readDigest.find(GROUPS, selected, context) };
  }

  async run(
    request: FindingsRequest,
    context: RequestContext,
    read?: KeptGroups,
  ): Promise<AnswerTo<typeof listFindings>> {
    const { selected, kept } = read ?? (await this.read(request, context));
    const ofWhole = async (): Promise<AnswerTo<typeof listFindings>> => {
      const { basis, findings } = await this.whole(selected, context);
      return answerOf(findings, basis, request, selected, context);
    };
    if (kept === undefined) return ofWhole();
    const { basis, head: groups } = kept;
    const fitting = groups.flatMap((group, at) => (fitsCause(group, request) ? [{ ...NOTHING, ...group, at }] : []));
    return {
      basis,
      counts: countFindings(fitting, ({ count }) => count),
      pages: {
        items: async (asked) => (await ofWhole()).pages.items(asked),
        groups: async (asked) => {
          const list = listInView(selected.list.slice(1), 'groups');
          checkTokenRevision(list, asked, basis.revision);
          const shown = endingEarly(pageByPosition(fitting, asked, list, basis.revision), ({ count }) => count);
          const [first] = shown.items;
          const last = shown.items.at(-1);
          if (first === undefined || last === undefined) return mapPage(shown, () => undefined as never);
          const items = await kept.items(first.item.at, last.item.at + 1);
          if (items === undefined) return (await ofWhole()).pages.groups(asked);
          return mapPage(shown, ({ at }) => items[at - first.item.at]!);
        },
      },
    };
  }

  /**
   * Keeps the findings of the head, for when its state is no longer in memory.
   * @param slices of all that is computed for it
   * @throws {ServiceError} as `run`
   */
  async keepOfHead(cluster: string, context: RequestContext, slices: TimeSlices): Promise<void> {
    await this.whole(await this.readDigest.select(cluster, {}, [], WHOLE, context), context, slices);
  }

  /** All findings: kept, or computed and then kept. */
  private async whole(
    selected: SelectedPage,
    context: RequestContext,
    slices = new TimeSlices(),
  ): Promise<{ readonly basis: Basis; readonly findings: readonly Finding[] }> {
    const found = await this.readDigest.find(FINDINGS, selected, context);
    const kept = await found?.items();
    if (found !== undefined && kept !== undefined) return { basis: found.basis, findings: kept };
    const { basis, content, keep } = await this.readDigest.compute(
      selected,
      (state) => this.digests.clusterFindings(state, slices),
      context,
      slices,
    );
    await keep(FINDINGS, () => Promise.resolve({ head: null, items: content }));
    await keep(GROUPS, async () => {
      const groups = await groupFindings(content, slices);
      const items = await runSteps(stepGroupResponses(groups, content), slices);
      return { head: items.map(({ severity, code, count }) => ({ severity, code, count })), items };
    });
    return { basis, findings: content };
  }
}

function* stepGroupResponses(
  groups: readonly AlikeGroup[],
  findings: readonly Finding[],
): Generator<undefined, readonly FindingGroup[]> {
  const responses: FindingGroup[] = [];
  for (const group of groups) responses.push(yield* stepFindingGroupResponse(group, findings));
  return responses;
}

/** Findings that are looked at in one step. */
const STRIDE = 1024;

async function answerOf(
  findings: readonly Finding[],
  basis: Basis,
  request: FindingFilter,
  { list }: SelectedPage,
  { signal }: RequestContext,
): Promise<AnswerTo<typeof listFindings>> {
  const slices = new TimeSlices({ signal });
  const found: Finding[] = [];
  for (const [at, finding] of findings.entries()) {
    if (at % STRIDE === 0 && slices.due()) await slices.pause();
    if (fits(finding, request)) found.push(finding);
  }
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
      renderGroup: (group) => stepFindingGroupResponse(group, found),
      slices,
    }),
  };
}

/** Identifies a list of findings; its tokens are not valid for other lists. */
export function listNameOf({ severity, code, namespace, workload, workloadKind, view }: FindingFilter) {
  return listInView(['findings', severity, code, namespace, workload, workloadKind], view);
}

type Cause = Pick<Finding, 'severity' | 'code'>;
type CountedCause = Cause & { readonly count: number };

const FINDINGS: Digest<null, Finding> = { name: 'findings', readAhead: 4_000_000 };

/** All findings in groups. Findings of a group have one severity and code, so a filter on these leaves whole groups. */
const GROUPS: Digest<readonly CountedCause[], FindingGroup> = {
  name: 'finding-groups',
  readAhead: 8_192,
  isCostly: true,
};

const filtersSubjects = ({ namespace, workload, workloadKind }: FindingFilter): boolean =>
  [namespace, workload, workloadKind].some((filter) => filter !== undefined);

const fitsCause = ({ severity, code }: Cause, filter: FindingFilter): boolean =>
  (filter.severity ?? severity) === severity && (filter.code ?? code) === code;

function fits({ severity, code, subject }: Finding, filter: FindingFilter): boolean {
  return (
    fitsCause({ severity, code }, filter) &&
    (filter.namespace === undefined || filter.namespace === subject.namespace) &&
    (filter.workload === undefined || filter.workload === subject.name) &&
    (filter.workloadKind ?? subject.kind) === subject.kind
  );
}
