import { randomUUID } from 'node:crypto';
import type {
  deleteGeneralRule,
  getGeneralRule,
  listGeneralRules,
  putGeneralRule,
  testGeneralRule,
} from '../../contract/notifications/questions.js';
import type { AnswerTo } from '../../contract/question.js';
import type { Cluster } from '../../storage/cluster-store.js';
import { NotificationRuleStore, type CountedRule, type StoredRule } from '../../storage/notification-rule-store.js';
import type { Clock } from '../clock.js';
import { GetCluster } from '../clusters/get-cluster.js';
import { ConnectionKeys } from '../connections/connection-keys.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { ServiceError } from '../errors/service-error.js';
import { pageOf } from '../paging/page.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { givenRule, type ReceiverRules, type RuleDetails } from './given-rule.js';
import type { NotificationEvent } from './notification-event.js';
import { ReceiverUnreachable, type Receiver, type ReceiverClient } from './receiver-client.js';
import { askPermission, type ReceiverPermission } from './receiver-permission.js';
import { renderEvent } from './render-event.js';

type RuleResponse = AnswerTo<typeof getGeneralRule>;

/** How the service may reach receivers, and what it tells them of itself. */
export interface ReceiverSettings extends ReceiverRules {
  readonly client: ReceiverClient;
  readonly publicUrl: string | undefined;
}

/** `cluster` is absent for a rule about several clusters. */
type Of<Request> = Request & { readonly cluster?: string };

/** The rules of notifications about one cluster, and those about several. */
export class NotificationRules {
  constructor(
    private readonly clusters: GetCluster,
    private readonly store: NotificationRuleStore,
    private readonly receivers: Receivers,
    private readonly clock: Clock,
  ) {}

  /** @throws {ServiceError} `cluster-not-found`, `invalid-continue-token` */
  async list({
    cluster: name,
    page,
  }: Of<RequestOf<typeof listGeneralRules>>): Promise<AnswerTo<typeof listGeneralRules>> {
    const cluster = await this.clusterOf(name);
    const rules = await this.store.list(cluster?.id ?? null);
    const cut = pageOf(rules, (rule) => rule.name, page, ['notification-rules', cluster?.id]);
    return {
      page: {
        ...cut,
        items: cut.items.map(({ item, token }) => ({ item: ruleResponse(item, cluster), token })),
      },
    };
  }

  /** @throws {ServiceError} `cluster-not-found`, `object-not-found` */
  async get(request: Of<RequestOf<typeof getGeneralRule>>): Promise<RuleResponse> {
    const cluster = await this.clusterOf(request.cluster);
    return ruleResponse(await this.found(cluster, request.name), cluster);
  }

  /**
   * @throws {InvalidRequestError} with everything that is wrong with the rule
   * @throws {ServiceError} `cluster-not-found`, `connections-not-configured`, `forbidden`
   */
  async put(request: Of<RequestOf<typeof putGeneralRule>>, context: RequestContext): Promise<RuleResponse> {
    const { name } = request;
    if (request.taintValues === true) authorizeValuesOf(request.cluster, context);
    const cluster = await this.clusterOf(request.cluster);
    const former = await this.store.find(cluster?.id ?? null, name);
    const { details, receiver } = givenRule(request, former && detailsOf(former), this.receivers.settings);
    const asked = receiver ?? (former && (await this.receivers.open(former)));
    const permission = asked === undefined ? null : await this.receivers.ask(asked, details.format, context.now);
    const outcome = await this.store.put({
      clusterId: cluster?.id ?? null,
      name,
      details: JSON.stringify(details),
      receiver: receiver && (await this.receivers.seal(receiver, { clusterId: cluster?.id ?? null, name })),
      changedAt: context.now,
      changedBy: context.caller.name,
      permission: permission && JSON.stringify(permission),
    });
    if (outcome === 'too many') {
      const message = 'there are 100 rules already, which is the limit; delete one first';
      throw new InvalidRequestError([{ field: 'rule', code: 'too-many', message }]);
    }
    // `get` says what is gone: the cluster, or a rule that should have kept its receiver.
    return this.get(request);
  }

  /** @throws {ServiceError} `cluster-not-found` */
  async delete({
    cluster: ofCluster,
    name,
  }: Of<RequestOf<typeof deleteGeneralRule>>): Promise<AnswerTo<typeof deleteGeneralRule>> {
    const cluster = await this.clusterOf(ofCluster);
    return { name, deleted: await this.store.delete(cluster?.id ?? null, name) };
  }

  /** @throws {ServiceError} `cluster-not-found`, `object-not-found`, `connections-not-configured` */
  async test(
    request: Of<RequestOf<typeof testGeneralRule>>,
    { now, caller }: RequestContext,
  ): Promise<AnswerTo<typeof testGeneralRule>> {
    const cluster = await this.clusterOf(request.cluster);
    const rule = await this.found(cluster, request.name);
    const event = testEvent(rule, cluster?.name ?? 'all', now, caller.name);
    const receiver = await this.receivers.open(rule);
    const { format } = detailsOf(rule);
    const permission = await this.receivers.ask(receiver, format, now);
    await this.store.notePermission(rule, permission && JSON.stringify(permission));
    const started = performance.now();
    const took = (): number => Math.round(performance.now() - started);
    try {
      const { status, body } = await this.receivers.send(receiver, event, format, this.clock.now());
      const delivered = status >= 200 && status < 300;
      return { delivered, status, body, error: null, milliseconds: took(), eventId: event.id, permission };
    } catch (error) {
      if (!(error instanceof ReceiverUnreachable)) throw error;
      const { message } = error;
      const none = { delivered: false, status: null, body: null };
      return { ...none, error: message, milliseconds: took(), eventId: event.id, permission };
    }
  }

  private async clusterOf(name: string | undefined): Promise<Cluster | undefined> {
    return name === undefined ? undefined : this.clusters.run(name);
  }

  private async found(cluster: Cluster | undefined, name: string): Promise<CountedRule> {
    const rule = await this.store.find(cluster?.id ?? null, name);
    if (rule !== undefined) return rule;
    const whose = cluster === undefined ? 'about several clusters' : `of cluster ${cluster.name}`;
    throw new ServiceError('object-not-found', `There is no notification rule ${JSON.stringify(name)} ${whose}.`);
  }
}

/** The receivers of rules: encrypts and decrypts them, and sends events to them. */
export class Receivers {
  constructor(
    private readonly keys: ConnectionKeys,
    readonly settings: ReceiverSettings,
  ) {}

  seal(receiver: Receiver, rule: Pick<StoredRule, 'clusterId' | 'name'>): Promise<string> {
    return this.keys.seal(JSON.stringify(receiver), ownerOf(rule));
  }

  /** @throws {ServiceError} `connections-not-configured` */
  async open(rule: Pick<StoredRule, 'clusterId' | 'name' | 'receiver'>): Promise<Receiver> {
    return JSON.parse(await this.keys.open(rule.receiver, ownerOf(rule))) as Receiver;
  }

  /** Asks a receiver whether it permits deliveries; null if receivers of the format are not asked. */
  async ask(receiver: Receiver, format: RuleDetails['format'], now: Date): Promise<ReceiverPermission | null> {
    const { client, publicUrl } = this.settings;
    return askPermission(client, receiver, { format, publicUrl, now });
  }

  /** @throws {ReceiverUnreachable} */
  send(
    receiver: Receiver,
    event: NotificationEvent,
    format: RuleDetails['format'],
    now: Date,
    signal?: AbortSignal,
  ): ReturnType<ReceiverClient['send']> {
    const { client, allowsHttp, publicUrl } = this.settings;
    // Settings may have changed since the rule was put.
    if (!allowsHttp && new URL(receiver.url).protocol !== 'https:')
      return Promise.reject(new ReceiverUnreachable('http:// is no longer allowed'));
    return client.send(receiver, renderEvent(event, format, { now, secret: receiver.secret, publicUrl }), signal);
  }
}

const ownerOf = ({ clusterId, name }: Pick<StoredRule, 'clusterId' | 'name'>): string =>
  `notification rule ${clusterId ?? '*'} ${name}`;

/** What the receiver of a rule said; null if it was not asked. */
export const permissionOf = ({ permission }: Pick<StoredRule, 'permission'>): ReceiverPermission | null =>
  permission === null ? null : (JSON.parse(permission) as ReceiverPermission);

export const detailsOf = ({ details }: Pick<StoredRule, 'details'>): RuleDetails => JSON.parse(details) as RuleDetails;

function ruleResponse(rule: CountedRule, cluster: Cluster | undefined): RuleResponse {
  const { name, stoppedAt, stoppedReason, waiting, givenUp, createdAt, createdBy, changedAt, changedBy } = rule;
  const counts = { waiting, givenUp };
  const history = { createdAt, createdBy, changedAt, changedBy };
  const permission = permissionOf(rule);
  return {
    name,
    cluster: cluster?.name ?? null,
    ...detailsOf(rule),
    permission,
    stoppedAt,
    stoppedReason,
    ...counts,
    ...history,
  };
}

function authorizeValuesOf(cluster: string | undefined, { access }: RequestContext): void {
  if (cluster === undefined ? !access.withholdsValues : access.seesTaintValues(cluster)) return;
  const which = cluster === undefined ? 'of all clusters' : `of cluster ${JSON.stringify(cluster)}`;
  throw new ServiceError('forbidden', `You may not see the taint values ${which}, so no rule may send them for you.`);
}

function testEvent({ name }: StoredRule, cluster: string, now: Date, by: string): NotificationEvent {
  return {
    id: `test-${randomUUID()}`,
    kind: 'test',
    severity: 'info',
    status: 'happened',
    cluster,
    rule: name,
    subject: null,
    happenedAt: now.toISOString(),
    overAt: null,
    summary: `Test of notification rule ${name}`,
    lines: [`Requested by ${by}. Nothing has happened.`],
    labels: {},
    data: { requestedBy: by },
  };
}
