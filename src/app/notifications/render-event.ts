import { createHmac } from 'node:crypto';
import { VERSION } from '../../version.js';
import type { NotificationEvent, NotificationFormat } from './notification-event.js';
import { originOf } from './receiver-permission.js';

/** A request to a receiver. */
export interface ReceiverRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RenderOptions {
  /** When it is sent. */
  readonly now: Date;
  /** `whsec_...`, or several with spaces between them; signs CloudEvents. */
  readonly secret?: string | undefined;
  /** URL of the service without trailing slash; undefined if unknown. */
  readonly publicUrl?: string | undefined;
}

/** Renders an event as a receiver takes it. */
export function renderEvent(
  event: NotificationEvent,
  format: NotificationFormat,
  options: RenderOptions,
): ReceiverRequest {
  switch (format) {
    case 'cloudevents':
      return cloudEvent(event, options);
    case 'slack':
      return { headers: JSON_HEADERS, body: JSON.stringify(slackMessage(event, options)) };
    case 'alertmanager':
      return { headers: JSON_HEADERS, body: JSON.stringify([alertOf(event, options)]) };
  }
}

const USER_AGENT = { 'user-agent': `kube-placement/${VERSION}` };
const JSON_HEADERS = { ...USER_AGENT, 'content-type': 'application/json' };

/** The `type` of CloudEvents: of what happens or begins, and of what is over. */
export const EVENT_TYPES: Readonly<Record<NotificationEvent['kind'], readonly [begins: string, over?: string]>> = {
  taintChanged: ['taint.changed'],
  taintFight: ['taint.fight-started', 'taint.fight-ended'],
  evictionDue: ['eviction.due'],
  quotaAtRisk: ['quota.at-risk', 'quota.recovered'],
  expectationTurned: ['expectation.turned'],
  snapshotStale: ['snapshot.stale', 'snapshot.current'],
  connectionLost: ['connection.lost', 'connection.restored'],
  approvalNeeded: ['change.approval-needed', 'change.approval-decided'],
  applicationFinished: ['change.application-finished'],
  disagreement: ['prediction.disagreed'],
  test: ['test'],
};

function typeOf({ kind, status }: NotificationEvent): string {
  const [begins, over = begins] = EVENT_TYPES[kind];
  return eventType(status === 'over' ? over : begins);
}

export const eventType = (name: string): string => `io.kube-placement.${name}.v1`;

/** Where the service serves the schema of the data of a type. */
const schemaUrl = (type: string, publicUrl: string): string => `${publicUrl}/docs/events/${type}.schema.json`;

const sourceOf = ({ cluster }: NotificationEvent, { publicUrl = '' }: RenderOptions): string =>
  `${publicUrl}/api/v1/clusters/${encodeURIComponent(cluster)}`;

/**
 * CloudEvents 1.0.2 in structured mode (HTTP protocol binding, 3.2), as a webhook (HTTP 1.1 Web Hooks for Event Delivery), signed as
 * Standard Webhooks 1.0.0 do: `{id}.{timestamp}.{body}`.
 */
function cloudEvent(event: NotificationEvent, options: RenderOptions): ReceiverRequest {
  const { now, secret, publicUrl } = options;
  const body = JSON.stringify({
    specversion: '1.0',
    id: event.id,
    source: sourceOf(event, options),
    type: typeOf(event),
    ...(publicUrl !== undefined && { dataschema: schemaUrl(typeOf(event), publicUrl) }),
    ...(event.subject !== null && { subject: event.subject }),
    time: event.status === 'over' ? (event.overAt ?? event.happenedAt) : event.happenedAt,
    datacontenttype: 'application/json',
    severity: event.severity,
    data: { cluster: event.cluster, rule: event.rule, status: event.status, summary: event.summary, ...event.data },
  });
  const origin = originOf(publicUrl);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    headers: {
      ...USER_AGENT,
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      ...(secret !== undefined && { 'webhook-signature': signatures(secret, `${event.id}.${timestamp}.${body}`) }),
      ...(origin !== undefined && { 'webhook-request-origin': origin }),
    },
    body,
  };
}

const signatures = (secret: string, signed: string): string =>
  secret
    .split(' ')
    .map((one) => createHmac('sha256', keyOf(one)).update(signed).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ');

export const SECRET_PREFIX = 'whsec_';

/** The key in a secret. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

/** Slack: 3,000 characters of text in a section. */
const MOST_IN_SECTION = 3000;
const MOST_IN_TEXT = 1000;
const MOST_LINES = 20;

const EMOJI = { info: ':information_source:', warning: ':warning:', critical: ':rotating_light:' } as const;

/**
 * A message for an incoming webhook. `&`, `<` and `>` are escaped, so that no name in a cluster can mention somebody or disguise a
 * link, and `verbatim` keeps Slack from finding mentions and links in plain text.
 */
function slackMessage(event: NotificationEvent, { publicUrl }: RenderOptions): object {
  const { severity, status, cluster, summary, lines, rule } = event;
  const icon = status === 'over' ? ':white_check_mark:' : EMOJI[severity];
  const text = (value: string): object => ({ type: 'mrkdwn', text: value, verbatim: true });
  const more = lines.slice(0, MOST_LINES).map((line) => `• ${slackText(line, MOST_IN_TEXT)}`);
  const where =
    publicUrl === undefined ? '' : ` · ${slackText(`${publicUrl}/api/v1/clusters/${cluster}`, MOST_IN_TEXT)}`;
  return {
    text: `[${slackText(cluster, 253)}] ${slackText(summary, MOST_IN_TEXT)}`,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: text(`${icon} *${slackText(cluster, 253)}*: ${slackText(summary, MOST_IN_TEXT)}`) },
      ...(more.length === 0 ? [] : [{ type: 'section', text: text(cut(more.join('\n'), MOST_IN_SECTION)) }]),
      {
        type: 'context',
        elements: [text(`${severity} · ${event.kind} · ${event.happenedAt} · rule ${slackText(rule, 253)}${where}`)],
      },
    ],
  };
}

/** Escaped after it is cut, so that no entity is cut in two; an escaped character is up to five times as long. */
function slackText(value: string, most: number): string {
  const plain = oneLine(value);
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (escaped(plain).length <= most) return escaped(plain);
  let length = 0;
  let kept = '';
  for (const character of plain) {
    length += escaped(character).length;
    if (length > most - 1) break;
    kept += character;
  }
  return `${escaped(kept)}…`;
}

/** Without control characters, which receivers refuse or show as line breaks. */
const oneLine = (value: string): string => value.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');

const cut = (value: string, most: number): string => (value.length <= most ? value : `${value.slice(0, most - 1)}…`);

/** For how long Alertmanager takes something for active that happened at one moment, in milliseconds. */
const MOMENT_LASTS = 5 * 60_000;
/** For how long it takes something for active that lasts, unless it is told again. */
const ACTIVE_LASTS = 3 * 3_600_000;

/**
 * An alert for `POST /api/v2/alerts` (api/v2/openapi.yaml, `postableAlert`). Alertmanager takes an alert for over when `endsAt` has
 * passed, and does not tell of one that is over when it comes, so the end is counted from the attempt.
 */
function alertOf(event: NotificationEvent, options: RenderOptions): object {
  const { kind, status, severity, cluster, rule, summary, lines, happenedAt, overAt, labels } = event;
  const lasts = status === 'happened' ? MOMENT_LASTS : ACTIVE_LASTS;
  const endsAt = status === 'over' && overAt !== null ? overAt : new Date(options.now.getTime() + lasts).toISOString();
  return {
    labels: {
      ...labels,
      alertname: `KubePlacement${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
      cluster,
      severity,
      rule,
    },
    annotations: { summary: cut(oneLine(summary), 2000), description: cut(lines.map(oneLine).join('\n'), 8000) },
    startsAt: happenedAt,
    endsAt,
    ...(options.publicUrl !== undefined && { generatorURL: sourceOf(event, options) }),
  };
}
