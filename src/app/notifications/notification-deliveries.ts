import type { listDeliveries, retryDelivery } from '../../contract/notifications/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { NotificationOutbox, type DeliveryOfRule } from '../../storage/notification-outbox.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ServiceError } from '../errors/service-error.js';
import { readPageToken, writePageToken } from '../paging/page-token.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import type { NotificationEvent, NotificationKind } from './notification-event.js';

type Delivery = AnswerTo<typeof retryDelivery>;

const ID = /^\d{1,15}$/;

/** What was told to receivers, and what was not. */
export class NotificationDeliveries {
  constructor(
    private readonly clusters: GetCluster,
    private readonly outbox: NotificationOutbox,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async list({
    cluster,
    page,
    rule,
    state,
  }: RequestOf<typeof listDeliveries>): Promise<AnswerTo<typeof listDeliveries>> {
    const { id } = await this.clusters.run(cluster);
    const list = ['notification-deliveries', id, rule, state];
    const after = page.after === undefined ? undefined : readPageToken(list, page.after, page.afterName).after;
    if (after !== undefined && !ID.test(after)) {
      throw new ServiceError('invalid-continue-token', 'The token does not belong to a list of deliveries.');
    }
    const before = after === undefined ? undefined : Number(after);
    const rows = await this.outbox.page(id, { ...defined({ rule, state, before }), limit: page.size + 1 });
    const items = rows
      .slice(0, page.size)
      .map((row) => ({ item: deliveryResponse(row), token: writePageToken(list, { after: String(row.id) }) }));
    return { page: { items, hasMore: rows.length > page.size } };
  }

  /** @throws {ServiceError} `cluster-not-found`, `object-not-found` */
  async retry({ cluster, id }: RequestOf<typeof retryDelivery>, { now }: RequestContext): Promise<Delivery> {
    const { id: clusterId } = await this.clusters.run(cluster);
    const row = ID.test(id) ? await this.outbox.retry(clusterId, Number(id), now) : undefined;
    if (row !== undefined) return deliveryResponse(row);
    throw new ServiceError('object-not-found', `Cluster ${cluster} has no notification delivery ${id.slice(0, 100)}.`);
  }
}

function deliveryResponse({ event: text, notBefore, ...row }: DeliveryOfRule): Delivery {
  const { severity, id: eventId, summary, happenedAt } = JSON.parse(text) as NotificationEvent;
  const { id, rule, isGeneral, state, createdAt, attempts, attemptedAt, status, error, finishedAt } = row;
  return {
    id: String(id),
    rule,
    isGeneral,
    kind: row.kind as NotificationKind,
    severity,
    eventId,
    summary,
    happenedAt,
    state,
    createdAt,
    attempts,
    attemptedAt,
    nextAttemptAt: state === 'waiting' ? notBefore : null,
    status,
    error,
    finishedAt,
  };
}
