import { compare } from '../../core/json/compare.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import { stepQuotaPods } from '../../core/quota/quota-pods.js';
import { ServiceError } from '../errors/service-error.js';
import { mapPage } from '../paging/page-by-position.js';
import type { AnswerTo } from '../../contract/question.js';
import type { getQuota } from '../../contract/quotas/questions.js';
import { pageOf } from '../paging/page.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { DEFAULT_THRESHOLD, notLoaded } from './list-quotas.js';
import { QuotaPodRenderer } from './quota-pod-response.js';
import { quotaResponse } from './quota-response.js';

/** Reads a ResourceQuota of a revision, with its effect on each pod of its namespace. */
export class GetQuota {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    { cluster, readAt, namespace, name, counting, threshold = DEFAULT_THRESHOLD, page }: RequestOf<typeof getQuota>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof getQuota>> {
    const identity = ['quota', namespace, name, counting?.join(), threshold];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, context);
    const stored = state.find('ResourceQuota', namespace, name) as ResourceQuota | undefined;
    const now = context.now.getTime();
    const { usages } = await this.digests.quotaUsages(state, now);
    const usage = usages.find(({ quota }) => quota === stored);
    if (stored === undefined || usage === undefined) {
      const key = JSON.stringify(`${namespace}/${name}`);
      throw new ServiceError('object-not-found', `ResourceQuota ${key} does not exist in this revision.`);
    }
    const among = (await this.digests.namespacePods(state)).get(namespace) ?? [];
    const slices = new TimeSlices({ signal: context.signal });
    const within = await runSteps(stepQuotaPods(state, stored, { now, among }), slices);
    const renderer = new QuotaPodRenderer(state, stored, within, now);
    const { pods } = state;
    const picked =
      counting === undefined ? [...among] : among.filter((pod) => counting.includes(renderer.countingOf(pod)));
    picked.sort((a, b) => compare(pods.name(a), pods.name(b)));
    const cut = pageOf(picked, (pod) => pods.name(pod), page, list, basis.revision);
    return {
      basis,
      notLoaded: notLoaded(state.loadedKinds),
      quota: quotaResponse(usage, within, state, threshold),
      page: mapPage(cut, (pod) => renderer.view(pod)),
    };
  }
}
