import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { microsecondsOf, SECOND } from '../kubernetes/moment.js';
import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import { readTaintOwnership } from '../kubernetes/schema/taint-ownership.js';
import { cleanText } from './clean-text.js';
import {
  NOTHING_KNOWN,
  requestedRule,
  requestedState,
  type RequestedState,
  ruleTaintsIn,
  taintsIn,
} from './requested-state.js';
import { ruleSubject } from './rule-subject.js';
import type { NodeTaintState } from './taint-difference.js';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** The level of detail that the audit policy sets. */
export type AuditLevel = (typeof LEVELS)[number];
export type AuditStage = (typeof STAGES)[number];

/** The user as authenticated by the API server; `extra` is not stored, because it may contain credentials. */
export interface AuditUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** A node or a DeviceTaintRule in the response of a write. */
export interface RespondedNode extends NodeTaintState {
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Set while finalizers delay the deletion of a node. */
  readonly deletionTimestamp?: Timestamp;
  /** The owners of its taints, cordon and labels; absent if the response has no managedFields. */
  readonly ownership?: readonly TaintOwnership[];
}

/**
 * The stored part of an `audit.k8s.io/v1` Event about a write to a node or a DeviceTaintRule. Bodies are never stored, except for the fields
 * listed here.
 */
export interface AuditEvent {
  readonly auditID: string;
  readonly level: Exclude<AuditLevel, 'None'>;
  readonly stage: AuditStage;
  readonly verb: string;
  /** The path, and only those query parameters that affect a write. */
  readonly requestURI: string;
  /** For a rule, its subject: see `ruleSubject`. */
  readonly node: string;
  readonly subresource?: string;
  /** Absent if the API server could not identify the client (401). */
  readonly user?: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly sourceIPs: readonly string[];
  readonly userAgent?: string;
  /** As in the request; `managerOf` returns the API server's default for an absent one. */
  readonly fieldManager?: string;
  readonly dryRun: boolean;
  readonly responseCode?: number;
  readonly responseReason?: string;
  readonly requestReceivedTimestamp: Timestamp;
  readonly stageTimestamp: Timestamp;
  /** The API server dropped the bodies, because the event was too large. */
  readonly truncated: boolean;
  readonly requested: RequestedState;
  readonly responded?: RespondedNode;
}

/** A fault in a document of events; the pointer (RFC 6901) is into the document. */
export interface AuditEventFault {
  readonly pointer: string;
  readonly message: string;
}

/** Why an event is ignored although it is valid. */
export type IgnoredEvent = 'levelNone' | 'otherResource' | 'otherSubresource' | 'notAWrite' | 'namesNoNode';

export type AuditEventReading =
  | { readonly outcome: 'event'; readonly event: AuditEvent }
  | { readonly outcome: 'ignored'; readonly reason: IgnoredEvent }
  | { readonly outcome: 'invalid'; readonly faults: readonly AuditEventFault[] };

/**
 * The content of a document of events: the events about nodes, the number of others, and the faults of invalid events.
 */
export interface AuditEventsReading {
  readonly events: readonly AuditEvent[];
  readonly ignored: ReadonlyMap<IgnoredEvent, number>;
  readonly faults: readonly AuditEventFault[];
}

const API_VERSION = 'audit.k8s.io/v1';
/** Set by the API server's truncating backend (k8s.io/apiserver v0.36.2, plugin/pkg/audit/truncate). */
const TRUNCATED = 'audit.k8s.io/truncated';

/**
 * Reads an Event (a line of an API server's log file) or an EventList (the body of its webhook). Invalid events do not
 * affect others.
 */
export function readAuditEvents(document: JsonValue): AuditEventsReading {
  const events: AuditEvent[] = [];
  const ignored = new Map<IgnoredEvent, number>();
  const faults: AuditEventFault[] = [];
  const take = (reading: AuditEventReading): void => {
    if (reading.outcome === 'event') events.push(reading.event);
    else if (reading.outcome === 'invalid') faults.push(...reading.faults);
    else ignored.set(reading.reason, (ignored.get(reading.reason) ?? 0) + 1);
  };
  if (isJsonObject(document) && document['kind'] === 'EventList') {
    const { apiVersion, items } = document;
    if (apiVersion !== API_VERSION) faults.push({ pointer: '/apiVersion', message: `must be ${API_VERSION}` });
    else if (!Array.isArray(items)) faults.push({ pointer: '/items', message: 'must be a list of events' });
    else
      for (const [index, item] of items.entries())
        take(readAuditEvent(item, { pointer: `/items/${index}`, listed: true }));
  } else {
    take(readAuditEvent(document));
  }
  return { events, ignored, faults };
}

/**
 * Reads one `audit.k8s.io/v1` Event. Only writes to nodes and DeviceTaintRules are read, and of them only the members of `AuditEvent`:
 * annotations, labels, environment and headers of a request are dropped.
 *
 * @param options.pointer pointer of the event in its document; `listed`: an item of an EventList, which has no kind.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/apis/audit/v1/types.go, `Event`.
 */
export function readAuditEvent(
  value: JsonValue,
  { pointer = '', listed = false }: { readonly pointer?: string; readonly listed?: boolean } = {},
): AuditEventReading {
  const faults: AuditEventFault[] = [];
  const fault = (place: string, message: string): void => void faults.push({ pointer: `${pointer}${place}`, message });
  const invalid = (): AuditEventReading => ({ outcome: 'invalid', faults });
  const ignored = (reason: IgnoredEvent): AuditEventReading => ({ outcome: 'ignored', reason });

  if (!isJsonObject(value)) {
    fault('', 'must be an object: an Event of audit.k8s.io/v1');
    return invalid();
  }
  if (!(listed && value['kind'] === undefined) && value['kind'] !== 'Event') fault('/kind', 'must be Event');
  if (!(listed && value['apiVersion'] === undefined) && value['apiVersion'] !== API_VERSION) {
    fault('/apiVersion', `must be ${API_VERSION}`);
  }
  if (faults.length > 0) return invalid();
  if (value['level'] === 'None') return ignored('levelNone');

  const reference = value['objectRef'] ?? {};
  if (!isJsonObject(reference)) {
    fault('/objectRef', 'must be an object');
    return invalid();
  }
  const { subresource } = reference;
  const watched = watchedResource(reference);
  if (watched === undefined) return ignored('otherResource');
  if (!WRITES.includes(value['verb'] as string)) {
    if (typeof value['verb'] === 'string') return ignored('notAWrite');
    fault('/verb', 'must be a verb, a string');
  }
  if (subresource !== undefined && subresource !== '' && subresource !== 'status') return ignored('otherSubresource');

  const level = LEVELS.find((known) => known === value['level']);
  if (level === undefined) fault('/level', `must be one of ${LEVELS.join(', ')}`);
  const stage = STAGES.find((known) => known === value['stage']);
  if (stage === undefined) fault('/stage', `must be one of ${STAGES.join(', ')}`);
  const auditID = nonEmpty(value['auditID']);
  if (auditID === undefined) fault('/auditID', 'must be a string that is not empty');
  const uri = typeof value['requestURI'] === 'string' ? value['requestURI'] : undefined;
  if (uri === undefined) fault('/requestURI', 'must be a string');
  const stageTimestamp = timeIn(value['stageTimestamp']);
  if (stageTimestamp === undefined) fault('/stageTimestamp', 'must be a time as in RFC 3339');
  const received = value['requestReceivedTimestamp'];
  const requestReceivedTimestamp = received === undefined || received === null ? stageTimestamp : timeIn(received);
  if (requestReceivedTimestamp === undefined && stageTimestamp !== undefined) {
    fault('/requestReceivedTimestamp', 'must be a time as in RFC 3339');
  }
  const status = value['responseStatus'] ?? undefined;
  const code = isJsonObject(status) ? (status['code'] ?? undefined) : undefined;
  if (status !== undefined && !isJsonObject(status)) fault('/responseStatus', 'must be an object');
  if (code !== undefined && !(typeof code === 'number' && Number.isSafeInteger(code))) {
    fault('/responseStatus/code', 'must be an integer');
  }
  const user = userIn(value['user'], '/user', fault);
  const impersonatedUser = userIn(value['impersonatedUser'], '/impersonatedUser', fault);
  const verb = value['verb'] as string;
  const request = value['requestObject'] ?? undefined;
  const response = value['responseObject'] ?? undefined;
  const responded =
    isJsonObject(response) && response['kind'] === watched.kind ? respondedObject(response, watched) : undefined;
  if (responded === 'unreadable') fault('/responseObject/spec', watched.spec);

  if (
    faults.length > 0 ||
    level === undefined ||
    level === 'None' ||
    stage === undefined ||
    auditID === undefined ||
    uri === undefined ||
    stageTimestamp === undefined ||
    requestReceivedTimestamp === undefined ||
    responded === 'unreadable'
  ) {
    return invalid();
  }
  // A create by generateName and a deletecollection name no node; the response of a create does.
  const name = nonEmpty(reference['name']) ?? nameIn(response, watched.kind) ?? nameIn(request, watched.kind);
  if (name === undefined) return ignored('namesNoNode');
  if (name.length > MAX_NAME_LENGTH) {
    fault('/objectRef/name', `must be at most ${MAX_NAME_LENGTH} characters long, like node names`);
    return invalid();
  }

  const query = queryOf(uri);
  const sourceIPs = stringsIn(value['sourceIPs']);
  const userAgent = nonEmpty(value['userAgent']);
  const fieldManager = query.find(([name, text]) => name === 'fieldManager' && text !== '')?.[1];
  const reason = isJsonObject(status) ? nonEmpty(status['reason']) : undefined;
  const annotations = value['annotations'];
  return {
    outcome: 'event',
    event: {
      auditID,
      level,
      stage,
      verb,
      requestURI: uriWithoutSecrets(uri, query),
      node: watched.subjectOf(name),
      ...(subresource === 'status' && { subresource }),
      ...(user !== undefined && { user }),
      ...(impersonatedUser !== undefined && { impersonatedUser }),
      sourceIPs,
      ...(userAgent !== undefined && { userAgent: cleanText(userAgent.slice(0, MAX_USER_AGENT_LENGTH)) }),
      ...(fieldManager !== undefined && { fieldManager }),
      dryRun: query.some(([name]) => name === 'dryRun') || (verb.startsWith('delete') && asksForDryRun(request)),
      ...(typeof code === 'number' && { responseCode: code }),
      ...(reason !== undefined && { responseReason: reason }),
      requestReceivedTimestamp,
      stageTimestamp,
      truncated: isJsonObject(annotations) && annotations[TRUNCATED] === 'true',
      requested:
        subresource === 'status'
          ? UNTOUCHED
          : verb.startsWith('delete')
            ? NOTHING_KNOWN
            : watched.requested(verb, request),
      ...(responded !== undefined && { responded }),
    },
  };
}

/**
 * A write to the status subresource does not change the spec: k8s.io/kubernetes v1.36.2, pkg/registry/core/node,
 * strategy.go.
 */
const UNTOUCHED: RequestedState = { taints: 'untouched', unschedulable: 'untouched' };
/** k8s.io/apimachinery v0.36.2, pkg/util/validation: `DNS1123SubdomainMaxLength`. */
const MAX_NAME_LENGTH = 253;
/** Maximum length of a stored user agent, which clients choose freely. */
const MAX_USER_AGENT_LENGTH = 1024;

/** A resource whose writes are read. */
interface WatchedResource {
  readonly kind: string;
  readonly subjectOf: (name: string) => string;
  /** What its spec has to be. */
  readonly spec: string;
  /** The taints of a spec; undefined if it is none. */
  readonly taintsIn: (spec: JsonObject) => NodeTaintState['taints'] | undefined;
  readonly requested: typeof requestedState;
}

const NODES: WatchedResource = {
  kind: 'Node',
  subjectOf: (name) => name,
  spec: 'must be a node spec with a list of taints',
  taintsIn: ({ taints }) => taintsIn(taints),
  requested: requestedState,
};

const RULES: WatchedResource = {
  kind: 'DeviceTaintRule',
  subjectOf: ruleSubject,
  spec: 'must be the spec of a DeviceTaintRule, with a taint',
  taintsIn: ruleTaintsIn,
  requested: requestedRule,
};

function watchedResource({ resource, apiGroup }: JsonObject): WatchedResource | undefined {
  if (resource === 'nodes' && (apiGroup ?? '') === '') return NODES;
  return resource === 'devicetaintrules' && apiGroup === 'resource.k8s.io' ? RULES : undefined;
}

function respondedObject(object: JsonObject, watched: WatchedResource): RespondedNode | 'unreadable' {
  const spec = object['spec'] ?? {};
  if (!isJsonObject(spec)) return 'unreadable';
  const taints = watched.taintsIn(spec);
  if (taints === undefined) return 'unreadable';
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const uid = nonEmpty(metadata['uid']);
  const resourceVersion = nonEmpty(metadata['resourceVersion']);
  const deletionTimestamp = nonEmpty(metadata['deletionTimestamp']);
  const hasManagers = Array.isArray(metadata['managedFields']) && metadata['managedFields'].length > 0;
  return {
    taints,
    unschedulable: spec['unschedulable'] === true,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(hasManagers && { ownership: (readTaintOwnership(object) ?? []).map(cleanOwnership) }),
  };
}

function cleanOwnership({ manager, operation, subresource, time, owns }: TaintOwnership): TaintOwnership {
  return {
    ...(manager !== undefined && { manager: cleanText(manager) }),
    ...(operation !== undefined && { operation: cleanText(operation) }),
    ...(subresource !== undefined && { subresource: cleanText(subresource) }),
    ...(time !== undefined && { time: cleanText(time) }),
    owns,
  };
}

function userIn(
  value: JsonValue | undefined,
  place: string,
  fault: (place: string, message: string) => void,
): AuditUser | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) {
    fault(place, 'must be an object');
    return undefined;
  }
  const username = nonEmpty(value['username']);
  if (username === undefined) return undefined;
  const uid = nonEmpty(value['uid']);
  return { username, ...(uid !== undefined && { uid }), groups: stringsIn(value['groups']) };
}

/** `DeleteOptions` is the only body that can request a dry run. */
function asksForDryRun(body: JsonValue | undefined): boolean {
  return isJsonObject(body) && Array.isArray(body['dryRun']) && body['dryRun'].length > 0;
}

function nameIn(object: JsonValue | undefined, kind: string): string | undefined {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(object) && object['kind'] === kind && isJsonObject(metadata)
    ? nonEmpty(metadata['name'])
    : undefined;
}

/** The query parameters that affect a write (`CreateOptions`, `UpdateOptions`, `PatchOptions`). */
const KEPT_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation', 'force'];

function queryOf(uri: string): (readonly [name: string, value: string])[] {
  const at = uri.indexOf('?');
  if (at === -1) return [];
  return uri
    .slice(at + 1)
    .split('&')
    .map((pair): [string, string] => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [decoded(pair.slice(0, equals)), decoded(pair.slice(equals + 1))];
    })
    .filter(([name]) => KEPT_PARAMETERS.includes(name));
}

function uriWithoutSecrets(uri: string, query: readonly (readonly [string, string])[]): string {
  const [path = ''] = uri.split('?', 1);
  const kept = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return cleanText(kept === '' ? path : `${path}?${kept}`);
}

function decoded(text: string): string {
  try {
    return cleanText(decodeURIComponent(text.replaceAll('+', ' ')));
  } catch {
    return cleanText(text);
  }
}

/**
 * The time as given, if it is in the API server's format; otherwise (an offset, hour 24) the same time in UTC, which
 * every database can store. Years are limited to 1 to 9999.
 */
function timeIn(value: JsonValue | undefined): Timestamp | undefined {
  const microseconds = typeof value === 'string' ? microsecondsOf(value) : undefined;
  if (typeof value !== 'string' || microseconds === undefined) return undefined;
  const utc = new Date(Math.floor(microseconds / 1000)).toISOString();
  if (!/^[0-9]{4}-/.test(utc) || utc.startsWith('0000')) return undefined;
  const seconds = utc.slice(0, 19);
  if (value.startsWith(seconds) && /^(?:\.[0-9]+)?Z$/.test(value.slice(seconds.length))) return value;
  const fraction = ((microseconds % SECOND) + SECOND) % SECOND;
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}

const nonEmpty = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? cleanText(value) : undefined;

const stringsIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string').map(cleanText) : [];
