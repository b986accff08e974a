import { isIP } from 'node:net';
import type { putGeneralRule } from '../../contract/notifications/questions.js';
import {
  MOST_HEADERS,
  QUOTA_THRESHOLD,
  STALE_AFTER,
  type notificationRule,
} from '../../contract/notifications/notification.js';
import type { Response } from '../../contract/schema.js';
import type { FieldPath } from '../../core/kubernetes/field-path.js';
import { isDns1123Label, isQualifiedName } from '../../core/kubernetes/validation/names.js';
import { isLoopback } from '../../auth/loopback.js';
import { AddressRefused } from '../../kube-api/address-guard.js';
import { faultAt } from '../errors/fault-at.js';
import { errorsThrownBy } from '../errors/check-together.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { placeIn } from '../evictions/read-question.js';
import type { RequestOf } from '../request-of.js';
import { keyOf, SECRET_PREFIX } from './render-event.js';
import type { Receiver, ReceiverClient } from './receiver-client.js';

/** The settings of a rule that are no secret. */
export type RuleDetails = Pick<
  Response<typeof notificationRule>,
  | 'clusterSelector'
  | 'format'
  | 'receiver'
  | 'isSigned'
  | 'headerNames'
  | 'kinds'
  | 'namespaces'
  | 'nodeSelector'
  | 'taintKeys'
  | 'effects'
  | 'minSeverity'
  | 'quotaThreshold'
  | 'staleAfter'
  | 'taintValues'
  | 'disabled'
>;

export type GivenRule = Omit<RequestOf<typeof putGeneralRule>, 'cluster'>;

type Complain = (at: FieldPath, code: string, message: string) => void;

/** What may be sent to whom. */
export interface ReceiverRules {
  readonly client: Pick<ReceiverClient, 'check'>;
  /** Whether `http://` on this machine is allowed. */
  readonly allowsHttp: boolean;
}

/**
 * Checks a rule.
 * @param former the details of the rule that it replaces; undefined if it is new
 * @returns its details, and its receiver unless it keeps the former one
 * @throws {InvalidRequestError} with everything that is wrong
 */
export function givenRule(
  given: GivenRule,
  former: RuleDetails | undefined,
  rules: ReceiverRules,
): { readonly details: RuleDetails; readonly receiver: Receiver | undefined } {
  const faults: ErrorDetail[] = [];
  const place = (name: string): FieldPath => placeIn(given.root, name);
  const complain: Complain = (at, code, message) => {
    faults.push(faultAt(at, code, message));
  };
  faults.push(...nameErrors(given.name));
  if (given.kinds.length === 0) complain(place('kinds'), 'required', 'must have at least one kind');
  (given.namespaces ?? []).forEach((namespace, index) => {
    for (const message of isDns1123Label(namespace)) complain(place('namespaces').index(index), 'invalid', message);
  });
  (given.taintKeys ?? []).forEach((key, index) => {
    for (const message of isQualifiedName(key)) complain(place('taintKeys').index(index), 'invalid', message);
  });
  const receiver = receiverIn(given, former, rules, place, complain);
  if (faults.length > 0) throw new InvalidRequestError(faults);
  const details: RuleDetails = {
    clusterSelector: textOf(given.clusterSelector),
    format: given.format,
    ...(receiver === undefined
      ? { receiver: former!.receiver, isSigned: former!.isSigned, headerNames: former!.headerNames }
      : {
          receiver: new URL(receiver.url).origin,
          isSigned: receiver.secret !== undefined,
          headerNames: Object.keys(receiver.headers).sort(),
        }),
    kinds: [...new Set(given.kinds)],
    namespaces: [...new Set(given.namespaces)],
    nodeSelector: textOf(given.nodeSelector),
    taintKeys: [...new Set(given.taintKeys)],
    effects: [...new Set(given.effects)],
    minSeverity: given.minSeverity ?? 'info',
    quotaThreshold: given.quotaThreshold ?? QUOTA_THRESHOLD,
    staleAfter: given.staleAfter ?? STALE_AFTER,
    taintValues: given.taintValues ?? false,
    disabled: given.disabled ?? false,
  };
  return { details, receiver };
}

/** What else is wrong with a body that is refused already, from those of its members that are valid. */
export function ruleErrors(valid: Partial<GivenRule>): readonly ErrorDetail[] {
  // Whether the rule exists, and what the service allows, is not known here.
  const rules = { client: { check: () => undefined }, allowsHttp: true };
  const { format = valid.secret === undefined ? 'slack' : 'cloudevents' } = valid;
  const former = { format } as RuleDetails;
  return errorsThrownBy(() =>
    givenRule(
      { ...valid, format, kinds: valid.kinds ?? ['taintChanged'], name: valid.name ?? 'rule', root: '' },
      former,
      rules,
    ),
  );
}

const textOf = (text: string | undefined): string | null => (text === undefined || text.trim() === '' ? null : text);

/** What is wrong with the name of a rule. */
export const nameErrors = (name: string): readonly ErrorDetail[] =>
  isDns1123Label(name).map((message) => faultAt(placeIn('', 'rule'), 'invalid', message));

function receiverIn(
  given: GivenRule,
  former: RuleDetails | undefined,
  rules: ReceiverRules,
  place: (name: string) => FieldPath,
  complain: Complain,
): Receiver | undefined {
  const { url, secret, headers, format } = given;
  if (url === undefined) {
    if (former === undefined) complain(place('url'), 'required', 'is required for a new rule');
    else if (former.format !== format)
      complain(place('url'), 'required', `is required, because the receiver takes ${former.format}`);
    // Otherwise the secrets of one receiver could be sent to another.
    for (const [name, value] of [['secret', secret] as const, ['headers', headers] as const])
      if (value !== undefined) complain(place(name), 'conflicting-fields', 'is given together with url');
  } else checkUrl(url, format, rules, place('url'), complain);
  if (format === 'cloudevents') {
    if (secret !== undefined) checkSecret(secret, place('secret'), complain);
    else if (url !== undefined) complain(place('secret'), 'required', 'is required to sign CloudEvents');
  } else if (secret !== undefined && url !== undefined) {
    complain(place('secret'), 'conflicting-fields', 'signs CloudEvents only');
  }
  checkHeaders(headers ?? {}, place('headers'), complain);
  if (url === undefined) return undefined;
  return { url, headers: headers ?? {}, ...(secret !== undefined && { secret }) };
}

function checkUrl(
  text: string,
  format: GivenRule['format'],
  { client, allowsHttp }: ReceiverRules,
  at: FieldPath,
  complain: Complain,
): void {
  if (!URL.canParse(text) || text !== text.trim()) {
    complain(at, 'invalid', 'must be a URL');
    return;
  }
  const { protocol, username, password, hash, hostname, pathname } = new URL(text);
  const isLocal = protocol === 'http:' && allowsHttp && isLoopback(hostname);
  if (protocol !== 'https:' && !isLocal) {
    complain(at, 'invalid', 'must be an https:// URL');
  }
  if (username !== '' || password !== '') complain(at, 'invalid', 'must have no user; use headers');
  if (hash !== '') complain(at, 'invalid', 'must have no fragment');
  if (isIP(hostname) === 0 && hostname.endsWith('.')) complain(at, 'invalid', 'must have no dot after its host');
  if (format === 'alertmanager' && !pathname.endsWith('/api/v2/alerts'))
    complain(at, 'invalid', 'must end in /api/v2/alerts, where Alertmanager takes alerts');
  try {
    client.check(text);
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    complain(at, 'address-refused', error.message);
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Standard Webhooks 1.0.0: at least 24 bytes and at most 64. Two secrets sign side by side while one is replaced. */
function checkSecret(text: string, at: FieldPath, complain: Complain): void {
  const secrets = text.split(' ');
  const isOne = (secret: string): boolean => {
    const { length } = keyOf(secret);
    return (
      secret.startsWith(SECRET_PREFIX) &&
      BASE64.test(secret.slice(SECRET_PREFIX.length)) &&
      length >= 24 &&
      length <= 64
    );
  };
  if (secrets.length > 2 || !secrets.every(isOne))
    complain(
      at,
      'invalid',
      `must be ${SECRET_PREFIX} and 24 to 64 bytes in base64, or two of these with a space between them`,
    );
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible characters, spaces and tabs. */
const VALUE = /^[\t\x20-\x7e]{0,2000}$/;

/** Headers that say how a request is sent, or that the service sets itself. */
const OWN_HEADERS =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|proxy-.*|upgrade|te|trailer|expect|date|user-agent|accept-encoding|webhook-.*|ce-.*|forwarded|x-forwarded-.*|cookie)$/i;

function checkHeaders(headers: Readonly<Record<string, string>>, at: FieldPath, complain: Complain): void {
  const names = Object.keys(headers);
  if (names.length > MOST_HEADERS) complain(at, 'too-many', `must have at most ${MOST_HEADERS} headers`);
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers).slice(0, MOST_HEADERS)) {
    const one = at.key(name.slice(0, 100));
    if (!TOKEN.test(name)) complain(one, 'invalid', 'must be the name of a header');
    else if (OWN_HEADERS.test(name)) complain(one, 'invalid', 'is set by the service, or says how a request is sent');
    else if (seen.has(name.toLowerCase())) complain(one, 'duplicate', 'must be there once');
    seen.add(name.toLowerCase());
    if (typeof value !== 'string' || !VALUE.test(value))
      complain(one, 'invalid', 'must be at most 2,000 visible ASCII characters');
  }
}
