import { compare } from '../../core/json/compare.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import { stepQuotaPods } from '../../core/quota/quota-pods.js';
import { ServiceError } from '../errors/service-error.js';
import { mapPage } from '../paging/page-by-position.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { pageOf } from '../paging/page.js';
import type { Basis } from '../reads/basis.js';
import type { ReadAt } from '../reads/read-at.js';
import { ReadState } from '../reads/read-state.js';
import type { RequestContext } from '../request-context.js';
import { runSteps } from '../states/run-steps.js';
import { DerivedStateCache } from '../states/derived-state-cache.js';
import { TimeSlices } from '../states/time-slices.js';
import { DEFAULT_THRESHOLD, notLoaded } from './list-quotas.js';
import { QuotaPodTelling, type QuotaPodCounting, type QuotaPodView } from './quota-pod-view.js';
import { quotaView, type QuotaView } from './quota-view.js';

export interface GetQuotaRequest {
  readonly cluster: string;
  readonly readAt: ReadAt;
  readonly namespace: string;
  readonly name: string;
  /** Only pods that count so. */
  readonly counting?: readonly QuotaPodCounting[] | undefined;
  readonly threshold?: number | undefined;
  readonly page: PageRequest;
}

export interface QuotaAnswer {
  readonly basis: Basis;
  readonly notLoaded: readonly string[];
  readonly quota: QuotaView;
  /** The pods of its namespace by name, and how each counts. */
  readonly page: Page<QuotaPodView>;
}

/** One ResourceQuota of a revision, and what each pod of its namespace has to do with it. */
export class GetQuota {
  constructor(
    private readonly readState: ReadState,
    private readonly digests: DerivedStateCache,
  ) {}

  /** @throws {ServiceError} `object-not-found` */
  async run(
    { cluster, readAt, namespace, name, counting, threshold = DEFAULT_THRESHOLD, page }: GetQuotaRequest,
    edge: RequestContext,
  ): Promise<QuotaAnswer> {
    const identity = ['quota', namespace, name, counting?.join(), threshold];
    const { state, basis, list } = await this.readState.runPage(cluster, readAt, identity, page, edge);
    const stored = state.find('ResourceQuota', namespace, name) as ResourceQuota | undefined;
    const now = edge.now.getTime();
    const { usages } = await this.digests.quotaUsages(state, now);
    const usage = usages.find(({ quota }) => quota === stored);
    if (stored === undefined || usage === undefined) {
      const key = JSON.stringify(`${namespace}/${name}`);
      throw new ServiceError('object-not-found', `There is no ResourceQuota ${key} in this revision.`);
    }
    const among = (await this.digests.namespacePods(state)).get(namespace) ?? [];
    const slices = new TimeSlices({ signal: edge.signal });
    const within = await runSteps(stepQuotaPods(state, stored, { now, among }), slices);
    const telling = new QuotaPodTelling(state, stored, within, now);
    const { pods } = state;
    const picked =
      counting === undefined ? [...among] : among.filter((pod) => counting.includes(telling.countingOf(pod)));
    picked.sort((a, b) => compare(pods.name(a), pods.name(b)));
    const cut = pageOf(picked, (pod) => pods.name(pod), page, list, basis.revision);
    return {
      basis,
      notLoaded: notLoaded(state.loadedKinds),
      quota: quotaView(usage, within, state, threshold),
      page: mapPage(cut, (pod) => telling.view(pod)),
    };
  }
}
