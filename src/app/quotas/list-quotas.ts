import { compare } from '../../core/json/compare.js';
import { stepQuotaPods } from '../../core/quota/quota-pods.js';
import type { AnswerTo } from '../../contract/question.js';
import type { listQuotas } from '../../contract/quotas/questions.js';
import { pageOf } from '../paging/page.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { quotaResponse, standingOf, type QuotaResponse } from './quota-response.js';

/** Default percentage of usage from which a quota is at risk. */
export const DEFAULT_THRESHOLD = 90;

/** Lists the ResourceQuotas of a revision: their limits, the usage counted from the objects, and their status. */
export class ListQuotas {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} as `ReadState.runPage` */
  async run(
    { cluster, readAt, namespace, standing, threshold = DEFAULT_THRESHOLD, page }: RequestOf<typeof listQuotas>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof listQuotas>> {
    const identity = ['quotas', namespace, standing?.join(), threshold];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const now = context.now.getTime();
    const { usages } = await this.digests.quotaUsages(state, now);
    const byNamespace = await this.digests.namespacePods(state);
    const slices = new TimeSlices({ signal: context.signal });
    const picked: { readonly key: string; readonly index: number }[] = [];
    for (const [index, usage] of usages.entries()) {
      if (slices.due()) await slices.pause();
      const { metadata } = usage.quota;
      if (namespace !== undefined && metadata.namespace !== namespace) continue;
      if (standing !== undefined && !standing.includes(standingOf(usage, state, threshold))) continue;
      picked.push({ key: `${metadata.namespace ?? ''}\0${metadata.name}`, index });
    }
    picked.sort((a, b) => compare(a.key, b.key));
    const cut = pageOf(picked, ({ key }) => key, page, list, basis.revision);
    const items: { item: QuotaResponse; token: string }[] = [];
    for (const { item, token } of cut.items) {
      const usage = usages[item.index]!;
      const among = byNamespace.get(usage.quota.metadata.namespace ?? '') ?? [];
      const pods = await runSteps(stepQuotaPods(state, usage.quota, { now, among }), slices);
      items.push({ item: quotaResponse(usage, pods, state, threshold), token });
    }
    return { basis, notLoaded: notLoaded(state.loadedKinds), page: { ...cut, items } };
  }
}

export const notLoaded = (loaded: ReadonlySet<string>): readonly string[] =>
  ['ResourceQuota', 'Pod'].filter((kind) => !loaded.has(kind));
