import { validateLabels } from '../../core/kubernetes/validation/label.js';
import type { putCluster } from '../../contract/clusters/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { NotificationRuleStore } from '../../storage/notification-rule-store.js';
import { detailsOf } from '../notifications/notification-rules.js';
import { selectsCluster } from '../notifications/told-rule.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { placeIn } from '../evictions/read-question.js';
import { faultAt } from '../errors/fault-at.js';
import { HeadCache } from '../reads/head-cache.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { checkTogether } from '../errors/check-together.js';
import { checkClusterName } from './cluster-name.js';
import { renderCluster } from './cluster-response.js';

/** Creates a cluster, or replaces the labels of an existing one. */
export class PutCluster {
  constructor(
    private readonly clusters: ClusterStore,
    private readonly heads: HeadCache,
    private readonly rules: NotificationRuleStore,
  ) {}

  async run(
    request: RequestOf<typeof putCluster>,
    { now }: Pick<RequestContext, 'now'>,
  ): Promise<{ cluster: AnswerTo<typeof putCluster>; created: boolean }> {
    const { cluster: name, labels } = request;
    checkTogether(
      () => checkClusterName(name),
      () => checkLabels(request),
    );
    if (labels !== undefined) await this.startRules(name, labels, now);
    const { cluster, created } = await this.clusters.put(name, labels);
    this.heads.changed(cluster.id);
    return { cluster: renderCluster(cluster), created };
  }

  /** Rules of notifications that select a cluster only by its new labels tell nothing of what happened before. */
  private async startRules(name: string, labels: Readonly<Record<string, string>>, now: Date): Promise<void> {
    const former = await this.clusters.get(name);
    if (former === undefined) return;
    const ids = (await this.rules.uncounted(null)).flatMap((rule) => {
      const details = detailsOf(rule);
      return selectsCluster(details, labels) && !selectsCluster(details, former.labels) ? [rule.id] : [];
    });
    await this.rules.startFromNow(former.id, ids, now);
  }
}

/** Every list of clusters contains all of their labels. */
const MAX_LABELS = 256;

/** @throws {InvalidRequestError} names every label that is not valid */
export function checkLabels({ labels, root = '' }: Partial<RequestOf<typeof putCluster>>): void {
  const at = placeIn(root, 'labels');
  const given = Object.entries(labels ?? {});
  if (given.length > MAX_LABELS) {
    const message = `must have at most ${MAX_LABELS} labels, but has ${given.length}`;
    throw new InvalidRequestError([faultAt(at, 'too-many', message)]);
  }
  const details = given.flatMap(([key, value]) => {
    const place = at.key(key);
    // Validates one label at a time, so that each error can name its label.
    return validateLabels(Object.fromEntries([[key, value]]), place).map((error) => ({
      pointer: place.toPointer(),
      field: error.field,
      code: error.type,
      message: error.message,
    }));
  });
  if (details.length > 0) throw new InvalidRequestError(details);
}
