import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import { applyScenario, type ScenarioResult } from './apply-scenario.js';
import type { ScenarioChange } from './scenario.js';

const API = 'resource.k8s.io/v1';
const USER = { resource: 'pods', name: 'train', uid: 'train' };
const RESULT = { request: 'gpu', driver: 'gpu.example.com', pool: 'a', device: 'gpu-0' };
const HELD = { allocation: { devices: { results: [RESULT] } }, reservedFor: [USER] };

const object = (kind: string, name: string, spec: object, more: object = {}): JsonObject =>
  ({
    apiVersion: API,
    kind,
    metadata: { name, ...(kind.startsWith('ResourceClaim') && { namespace: 'd' }) },
    spec,
    ...more,
  }) as JsonObject;
const asking = (more: object = {}, deviceClassName = 'gpu'): object => ({
  devices: {
    requests: [{ name: 'gpu', exactly: { deviceClassName, allocationMode: 'ExactCount', count: 1, ...more } }],
  },
});

const BASE = ClusterState.build(
  [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd' } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'train', namespace: 'd', uid: 'train' },
      spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] },
    } as KubernetesObject,
    object('ResourceClaim', 'held', asking(), { status: HELD }) as unknown as KubernetesObject,
  ],
  ['Namespace', 'Pod', 'ResourceClaim', 'ResourceClaimTemplate', 'DeviceClass'],
);

const applied = (...changes: ScenarioChange[]): Extract<ScenarioResult, { outcome: 'applied' }> => {
  const result = applyScenario(BASE, { changes });
  if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
  return result;
};
const put = (...objects: JsonObject[]): ScenarioChange => ({ type: 'putObjects', objects });
const remove = (kind: string, name: string): ScenarioChange => ({
  type: 'removeObjects',
  objects: [{ kind, name, namespace: 'd' }],
});
const heldIn = ({ state }: { readonly state: ClusterState }): KubernetesObject | undefined =>
  state.find('ResourceClaim', 'd', 'held');

describe('objects of Dynamic Resource Allocation in a scenario', () => {
  it('are added and removed', () => {
    const { state } = applied(
      put(
        object('DeviceClass', 'gpu', { extendedResourceName: 'example.com/gpu' }),
        object('ResourceClaim', 'new', asking()),
        object('ResourceClaimTemplate', 'new', { spec: asking() }),
        object('ResourceClaimTemplate', 'other', { spec: asking() }),
      ),
      remove('ResourceClaimTemplate', 'other'),
    );
    expect(state.find('DeviceClass', '', 'gpu')).toMatchObject({ spec: { extendedResourceName: 'example.com/gpu' } });
    expect(state.find('ResourceClaim', 'd', 'new')).toMatchObject({ spec: asking() });
    expect(state.objects('ResourceClaimTemplate').map(({ metadata }) => metadata.name)).toEqual(['new']);
  });

  it('are refused in the words of the API server, with every field of every object', () => {
    const result = applyScenario(BASE, {
      changes: [
        put(
          object('DeviceClass', 'Gpu', { selectors: [{ cel: { expression: 'device.foo' } }] }),
          object('ResourceClaim', 'c', asking({ count: -1 }, '')),
          object('ResourceClaimTemplate', 't', { spec: asking({ adminAccess: true }) }),
          object('ResourceClaim', 's', asking(), {
            status: {
              allocation: { devices: { results: [{ ...RESULT, request: 'other', pool: '' }] } },
              reservedFor: [USER, { ...USER, name: '' }],
            },
          }),
          object('ResourceClaim', 'r', asking(), { status: { reservedFor: [USER] } }),
        ),
      ],
    });
    const faults = result.outcome === 'refused' ? result.faults : [];
    const at = 'scenario.changes[0].putObjects.objects';
    expect(faults.map(({ field }) => field)).toEqual([
      `${at}[0].metadata.name`,
      `${at}[0].spec.selectors[0].cel.expression`,
      `${at}[1].spec.devices.requests[0].exactly.deviceClassName`,
      `${at}[1].spec.devices.requests[0].exactly.count`,
      // The path is that of the API server for templates as well.
      `${at}[2].spec.devices.requests[0].adminAccess`,
      `${at}[3].status.reservedFor[1].name`,
      `${at}[3].status.reservedFor[1]`,
      `${at}[3].status.allocation.devices.results[0].request`,
      `${at}[3].status.allocation.devices.results[0].pool`,
      `${at}[4].status.reservedFor`,
    ]);
    expect(faults[4]?.message).toContain('resource.kubernetes.io/admin-access: true');
    expect(faults.at(-1)?.message).toContain('may not be specified when `allocated` is not set');
  });

  it('have admin access where an earlier change allows it', () => {
    const allow: ScenarioChange = {
      type: 'editNamespace',
      name: 'd',
      labels: { 'resource.kubernetes.io/admin-access': 'true' },
    };
    const { state } = applied(allow, put(object('ResourceClaim', 'admin', asking({ adminAccess: true }))));
    expect(state.find('ResourceClaim', 'd', 'admin')).toBeDefined();
  });

  it('have the status that they are given; a claim that is as it is keeps its own, and one with another spec counts as new', () => {
    const other = { allocation: { devices: { results: [{ ...RESULT, device: 'gpu-1' }] } } };
    expect(heldIn(applied(put(object('ResourceClaim', 'held', asking(), { status: other }))))).toMatchObject({
      status: other,
    });
    const same = applied(put(object('ResourceClaim', 'held', asking())));
    expect(heldIn(same)).toMatchObject({ status: HELD });
    expect(same.summary.notes).toEqual([]);
    const anew = applied(put(object('ResourceClaim', 'held', asking({ count: 2 }))));
    expect(heldIn(anew)).not.toHaveProperty('status');
    expect(anew.summary.notes).toEqual([
      expect.stringContaining('scenario.changes[0].putObjects.objects[0]: the spec of'),
    ]);
  });

  it('stay, being deleted, as long as pods use a claim that is removed', () => {
    const removed = remove('ResourceClaim', 'held');
    expect(heldIn(applied(removed))).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) as unknown },
      status: HELD,
    });
    const leave: ScenarioChange = { type: 'removePods', pods: ['d/train'] };
    expect(heldIn(applied(removed, leave))).toBeUndefined();
    expect(heldIn(applied(leave, removed))).toBeUndefined();
  });
});
