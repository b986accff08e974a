import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../json/json-value.js';
import { stringifyJson } from '../json/lossless-json.js';
import { type AuditEvent, readAuditEvent, readAuditEvents } from './audit-event.js';

const raw = (more: JsonObject = {}): JsonObject => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: 'a-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/nodes/n',
  verb: 'patch',
  user: { username: 'alice', uid: 'u', groups: ['ops'], extra: { 'authentication.kubernetes.io/token': ['hunter2'] } },
  sourceIPs: ['10.0.0.1'],
  userAgent: 'kubectl/v1.36.2 (linux/amd64)',
  objectRef: { resource: 'nodes', name: 'n', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: '2026-11-20T21:19:39.808173Z',
  stageTimestamp: '2026-11-20T21:19:39.815868Z',
  ...more,
});

function read(more: JsonObject): AuditEvent {
  const reading = readAuditEvent(raw(more));
  if (reading.outcome !== 'event') throw new Error(stringifyJson(reading));
  return reading.event;
}

describe('readAuditEvent', () => {
  it('keeps the user, the time, the program and the outcome', () => {
    const impersonated = { username: 'dave', groups: ['platform'] };
    expect(read({ impersonatedUser: impersonated, responseStatus: { code: 403, reason: 'Forbidden' } })).toMatchObject({
      auditID: 'a-1',
      user: { username: 'alice', uid: 'u', groups: ['ops'] },
      impersonatedUser: impersonated,
      sourceIPs: ['10.0.0.1'],
      userAgent: 'kubectl/v1.36.2 (linux/amd64)',
      node: 'n',
      responseCode: 403,
      responseReason: 'Forbidden',
      stageTimestamp: '2026-11-20T21:19:39.815868Z',
    });
  });

  it('keeps no secret: no extra of a user, no annotation, label or unknown parameter, and only the taints of a body', () => {
    const node = {
      kind: 'Node',
      metadata: { name: 'n', annotations: { a: 'hunter2' }, labels: { l: 'hunter2' } },
      spec: { taints: [{ key: 'k', effect: 'NoSchedule', more: 'hunter2' }], providerID: 'hunter2' },
    };
    const event = read({
      requestURI: '/api/v1/nodes/n?token=hunter2&fieldManager=kubectl-taint&force=true',
      requestObject: node,
      responseObject: node,
      annotations: { 'authorization.k8s.io/reason': 'hunter2' },
      responseStatus: { code: 200, message: 'hunter2' },
    });
    expect(stringifyJson(event)).not.toContain('hunter2');
    expect(event.requestURI).toBe('/api/v1/nodes/n?fieldManager=kubectl-taint&force=true');
    expect(event.fieldManager).toBe('kubectl-taint');
    expect(event.responded?.taints).toEqual([{ key: 'k', effect: 'NoSchedule' }]);
  });

  it.each<[string, JsonObject, string]>([
    ['another resource', { objectRef: { resource: 'pods', name: 'p' } }, 'otherResource'],
    ['nodes of another API group', { objectRef: { resource: 'nodes', apiGroup: 'metrics.k8s.io' } }, 'otherResource'],
    ['no resource at all', { objectRef: null, requestURI: '/healthz' }, 'otherResource'],
    ['a read', { verb: 'get' }, 'notAWrite'],
    ['another subresource', { objectRef: { resource: 'nodes', name: 'n', subresource: 'proxy' } }, 'otherSubresource'],
    ['level None', { level: 'None' }, 'levelNone'],
    ['a deletion of a collection', { verb: 'deletecollection', objectRef: { resource: 'nodes' } }, 'namesNoNode'],
  ])('passes over %s', (_name, more, reason) => {
    expect(readAuditEvent(raw(more))).toEqual({ outcome: 'ignored', reason });
  });

  it.each<[string, JsonObject, string[]]>([
    ['another kind', { kind: 'Pod' }, ['/kind']],
    ['an old version', { apiVersion: 'audit.k8s.io/v1beta1' }, ['/apiVersion']],
    [
      'several fields at once',
      { auditID: '', stage: 'Later', level: 7, stageTimestamp: 'noon' },
      ['/level', '/stage', '/auditID', '/stageTimestamp'],
    ],
    ['a code that is no number', { responseStatus: { code: '200' } }, ['/responseStatus/code']],
    ['a user that is no object', { user: 'alice' }, ['/user']],
    [
      'a response with taints that are no list',
      { responseObject: { kind: 'Node', spec: { taints: 'x' } } },
      ['/responseObject/spec'],
    ],
  ])('names by pointer what is wrong: %s', (_name, more, pointers) => {
    const reading = readAuditEvent(raw(more));
    expect(reading.outcome === 'invalid' && reading.faults.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it.each<[string, JsonObject, boolean]>([
    ['dryRun=All', { requestURI: '/api/v1/nodes/n?dryRun=All' }, true],
    ['dryRun in the options of a deletion', { verb: 'delete', requestObject: { dryRun: ['All'] } }, true],
    ['a parameter that only looks like it', { requestURI: '/api/v1/nodes/n?notdryRun=All' }, false],
  ])('recognizes a dry run by %s', (_name, more, dryRun) => {
    expect(read(more).dryRun).toBe(dryRun);
  });

  it.each<[string, string, JsonValue, object]>([
    [
      'a merge patch of the cordon leaves the taints alone',
      'patch',
      { spec: { unschedulable: null } },
      { taints: 'untouched', unschedulable: { value: false } },
    ],
    [
      'a list of taints is set whole',
      'patch',
      { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] }, metadata: { resourceVersion: '7' } },
      { taints: { value: [{ key: 'k', effect: 'NoSchedule' }] }, unschedulable: 'untouched', resourceVersion: '7' },
    ],
    ['taints set to null are none', 'patch', { spec: { taints: null } }, { taints: { value: [] } }],
    [
      'a directive in the list says that it changes, not to what',
      'patch',
      { spec: { taints: [{ $patch: 'delete', key: 'k', effect: 'NoSchedule' }] } },
      { taints: 'touched' },
    ],
    [
      'an apply that is silent may take a field away',
      'patch',
      { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } },
      { taints: 'omitted', unschedulable: 'omitted' },
    ],
    [
      'an update sets both, silent or not',
      'update',
      { kind: 'Node', metadata: {}, spec: {} },
      { taints: { value: [] }, unschedulable: { value: false } },
    ],
    [
      'a JSON Patch of one item touches the list',
      'patch',
      [
        { op: 'test', path: '/metadata/resourceVersion', value: '9' },
        { op: 'remove', path: '/spec/taints/0' },
      ],
      { taints: 'touched', unschedulable: 'untouched', resourceVersion: '9' },
    ],
    [
      'a JSON Patch of the whole list sets it',
      'patch',
      [{ op: 'replace', path: '/spec/taints', value: [] }],
      { taints: { value: [] } },
    ],
    [
      'a JSON Patch that only tests touches nothing',
      'patch',
      [{ op: 'test', path: '/spec/taints/0' }],
      {
        taints: 'untouched',
      },
    ],
    [
      'a JSON Patch of the spec touches both',
      'patch',
      [{ op: 'add', path: '/spec', value: {} }],
      {
        taints: 'touched',
        unschedulable: 'touched',
      },
    ],
    ['no body says nothing', 'patch', null, { taints: 'unknown', unschedulable: 'unknown' }],
  ])('reads from the body of a request: %s', (_name, verb, requestObject, want) => {
    expect(read({ verb, requestObject }).requested).toMatchObject(want);
  });

  it('replaces characters that cannot be stored', () => {
    expect(read({ userAgent: 'x\ud800\0y' }).userAgent).toBe('x\ufffd\ufffdy');
  });

  it('reports that the API server dropped the bodies', () => {
    expect(read({ annotations: { 'audit.k8s.io/truncated': 'true' } }).truncated).toBe(true);
  });
});

describe('readAuditEvents', () => {
  it('reads a list, whose items have no kind, and reports invalid items separately', () => {
    const item = Object.fromEntries(Object.entries(raw()).filter(([key]) => key !== 'kind' && key !== 'apiVersion'));
    const document = {
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      items: [item, { ...item, auditID: 5 }, null, { ...item, verb: 'list' }, { ...item, auditID: 'a-2' }],
    };
    const { events, ignored, faults } = readAuditEvents(document);
    expect(events.map(({ auditID }) => auditID)).toEqual(['a-1', 'a-2']);
    expect([...ignored]).toEqual([['notAWrite', 1]]);
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/items/1/auditID', '/items/2']);
  });

  it.each<[string, JsonValue, string]>([
    ['a list of another version', { kind: 'EventList', apiVersion: 'v1', items: [] }, '/apiVersion'],
    ['a list without items', { kind: 'EventList', apiVersion: 'audit.k8s.io/v1' }, '/items'],
    ['a text', 'x', ''],
  ])('names what is wrong with %s', (_name, document, pointer) => {
    expect(readAuditEvents(document).faults).toMatchObject([{ pointer }]);
  });
});
