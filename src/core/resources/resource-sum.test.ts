import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { defaultPod } from '../kubernetes/defaults.js';
import type { Container, Pod, PodSpec } from '../kubernetes/objects/pod.js';
import { QuantityError } from '../kubernetes/quantity.js';
import { explainQos, qosReasonText } from './explain-qos.js';
import { podLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { PodResourcesOptions } from '../kubernetes/pod-resources/pod-resources-options.js';
import { computeQos } from './qos.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { resourceSumText } from './resource-sum-text.js';
import { limitSums, requestSums, type ResourceSum } from './resource-sum.js';
import { resizeState } from './resize-state.js';

interface PodInput {
  readonly pod: Pod;
  readonly defaults?: boolean;
  readonly options?: PodResourcesOptions;
}

/** The pods in recorded answers. */
function podsOf(op: string): readonly PodInput[] {
  const text = gunzipSync(readFileSync(`test/conformance/vectors/${op}.jsonl.gz`)).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { readonly input: PodInput }).input)
    .map((input) => (input.defaults === true ? { ...input, pod: defaultPod(input.pod) } : input));
}

const texts = (amounts: ResourceAmounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, quantity.toString()]));
const totals = (sums: readonly ResourceSum[]): Record<string, string> =>
  Object.fromEntries(sums.map(({ resource, total }) => [resource, total.toString()]));

/** The result, or undefined for an invalid quantity. */
function unlessUnreadable<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

const VARIANTS: readonly PodResourcesOptions[] = [
  {},
  { useStatusResources: true, podLevelResize: true },
  { useStatusResources: true },
  { excludeOverhead: true },
  { skipPodLevelResources: true },
];

describe('resource sums of every pod in the recorded answers', () => {
  for (const op of ['podRequests', 'podLimits', 'qos', 'cgroup', 'quotaUsage']) {
    it(`come to what podRequests and podLimits say: ${op}`, () => {
      const inputs = podsOf(op);
      expect(inputs.length).toBeGreaterThan(300);
      for (const { pod, options } of inputs) {
        for (const variant of options === undefined ? VARIANTS : [options, ...VARIANTS]) {
          const got = unlessUnreadable(() => [totals(requestSums(pod, variant)), totals(limitSums(pod, variant))]);
          const wanted = unlessUnreadable(() => [texts(podRequests(pod, variant)), texts(podLimits(pod, variant))]);
          expect({ pod, got }).toEqual({ pod, got: wanted });
        }
      }
    });
  }

  it('explain each QoS class with true reasons', () => {
    for (const { pod } of podsOf('qos')) {
      const found = unlessUnreadable(() => explainQos(pod));
      if (found === undefined) continue;
      const codes = found.reasons.map(({ code }) => code);
      expect(found.computed).toBe(computeQos(pod));
      if (found.computed === 'Burstable') {
        expect(codes.length).toBeGreaterThan(0);
        expect(codes.every((code) => code === 'LimitMissing' || code === 'SumsDiffer')).toBe(true);
      } else expect(codes).toEqual([found.computed === 'Guaranteed' ? 'RequestsEqualLimits' : 'NoRequestsOrLimits']);
    }
  });

  it('count the largest of desired, allocated and actual for each container', () => {
    let compared = 0;
    for (const { pod } of [...podsOf('podRequests'), ...podsOf('quotaUsage')]) {
      const state = unlessUnreadable(() => resizeState(pod));
      const sums = unlessUnreadable(() => requestSums(pod, { useStatusResources: true, podLevelResize: true }));
      for (const { container, list, resource, counted } of state?.amounts ?? []) {
        if (list === 'limits' || container === '') continue;
        const addend = sums!
          .find((sum) => sum.resource === resource)
          ?.running?.addends.find((one) => one.container === container);
        if (addend?.role === 'init') continue;
        expect({ pod, counted: counted?.toString() }).toEqual({ pod, counted: addend?.amount.toString() });
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });
});

const asks = (name: string, requests: Record<string, string>, rest: Partial<Container> = {}): Container => ({
  name,
  resources: { requests },
  ...rest,
});
const limits = (name: string, of: Record<string, string>): Container => ({
  name,
  resources: { limits: of, requests: of },
});
const podOf = (spec: PodSpec, status?: Pod['status']): Pick<Pod, 'spec' | 'status'> => ({
  spec,
  ...(status && { status }),
});

const KATA = podOf({
  containers: [
    limits('busybox-ctr', { cpu: '500m', memory: '100Mi' }),
    limits('nginx-ctr', { cpu: '1500m', memory: '100Mi' }),
  ],
  overhead: { cpu: '250m', memory: '120Mi' },
});

describe('resourceSumText', () => {
  const said = (spec: PodSpec): readonly string[] => requestSums(podOf(spec)).map(resourceSumText);

  it('adds the containers and the overhead', () => {
    expect(requestSums(KATA).map(resourceSumText)).toEqual([
      '500m (container busybox-ctr) + 1500m (container nginx-ctr) = 2; plus overhead 250m: 2250m',
      '100Mi (container busybox-ctr) + 100Mi (container nginx-ctr) = 200Mi; plus overhead 120Mi: 320Mi',
    ]);
  });

  it('names the init container that needs more than the running containers, and the sidecars before it', () => {
    const sidecar = asks('proxy', { cpu: '1' }, { restartPolicy: 'Always' });
    const late = asks('late', { cpu: '5' }, { restartPolicy: 'Always' });
    expect(
      said({
        containers: [asks('a', { cpu: '1' })],
        initContainers: [asks('early', { cpu: '2' }), sidecar, asks('migrate', { cpu: '8' }), late],
      }),
    ).toEqual([
      'the larger of 1 (container a) + 1 (sidecar proxy) + 5 (sidecar late) = 7 and, during startup, 8 (init container migrate) + 1 (sidecar proxy) = 9: 9',
    ]);
  });

  it('replaces the containers with pod-level resources, and adds no overhead to a limit of zero', () => {
    const spec: PodSpec = {
      containers: [asks('a', { cpu: '1' }), { name: 'b', resources: { limits: { memory: '0' } } }],
      resources: { requests: { cpu: '3' } },
      overhead: { cpu: '1', memory: '1Mi' },
    };
    expect(said(spec)[0]).toBe('3 (pod-level resources), instead of 1 (container a); plus overhead 1: 4');
    expect(limitSums(podOf(spec)).map(resourceSumText)).toEqual([
      '0 (container b); overhead 1Mi is not added to a limit of zero',
    ]);
  });

  it('shows the sidecars before the init container that needs the most, the first one of equal ones', () => {
    const sidecar = (name: string) => asks(name, { cpu: '1' }, { restartPolicy: 'Always' });
    const [sum] = requestSums(
      podOf({
        containers: [{ name: 'a' }],
        initContainers: [sidecar('one'), asks('first', { cpu: '3' }), sidecar('two'), asks('second', { cpu: '2' })],
      }),
    );
    expect(sum!.starting!.addends.map(({ container }) => container)).toEqual(['first', 'one']);
    expect(sum!.running!.addends.map(({ container }) => container)).toEqual(['one', 'two']);
    expect(sum!.decidedBy).toBe('starting');
  });

  it('shows the running containers if the start needs as much', () => {
    const [sum] = requestSums(
      podOf({ containers: [asks('a', { cpu: '2' })], initContainers: [asks('i', { cpu: '2' })] }),
    );
    expect([sum!.decidedBy, sum!.ofContainers!.toString()]).toEqual(['running', '2']);
  });

  it('takes linear time for many containers with a resource of their own each', () => {
    const containers = Array.from({ length: 20_000 }, (_, at) =>
      asks(`c${at}`, { cpu: '1m', [`example.com/r${at}`]: '1' }),
    );
    const started = performance.now();
    const sums = requestSums(podOf({ containers }));
    expect(sums).toHaveLength(20_001);
    expect(sums[0]!.total.toString()).toBe('20');
    // This takes about 0.1 s; visiting all containers for every resource would take half a minute.
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('explains a resource that only the overhead has', () => {
    expect(said({ containers: [{ name: 'a' }], overhead: { cpu: '1' } })).toEqual([
      'no container specifies it; plus overhead 1: 1',
    ]);
  });
});

describe('explainQos', () => {
  const why = (pod: Pick<Pod, 'spec' | 'status'>): readonly string[] => explainQos(pod).reasons.map(qosReasonText);

  it('lists the containers without limits, and different sums', () => {
    const pod = podOf({
      containers: [
        limits('a', { cpu: '1', memory: '1Gi' }),
        { name: 'b', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } },
      ],
      initContainers: [{ name: 'i' }],
    });
    expect(why(pod)).toEqual([
      'container b has no memory limit',
      'container i has no cpu limit',
      'container i has no memory limit',
      'the cpu requests total 2, the limits 3',
    ]);
  });

  it('uses only pod-level resources, and the class in the status', () => {
    const both = { cpu: '1', memory: '1Gi' };
    const found = explainQos(
      podOf({ containers: [{ name: 'a' }], resources: { requests: both, limits: both } }, { qosClass: 'Burstable' }),
    );
    expect(found).toMatchObject({ qosClass: 'Burstable', computed: 'Guaranteed', byPodLevel: true });
  });
});

describe('resizeState', () => {
  const resized = (pending?: string): Pick<Pod, 'spec' | 'status'> =>
    podOf(
      { containers: [asks('a', { cpu: '4' })] },
      {
        containerStatuses: [{ name: 'a', allocatedResources: { cpu: '2' }, resources: { requests: { cpu: '3' } } }],
        conditions: pending === undefined ? [] : [{ type: 'PodResizePending', status: 'True', reason: pending }],
      },
    );
  const counted = (pod: Pick<Pod, 'spec' | 'status'>) => {
    const { pending, amounts } = resizeState(pod);
    return [pending, amounts[0]!.counted!.toString(), amounts[0]!.countedFrom];
  };

  it.each([
    ['the desired one while the node may still grant it', 'Deferred', ['Deferred', '4', 'desired']],
    ['the actual one if the desired one is infeasible', 'Infeasible', ['Infeasible', '3', 'actual']],
    ['the desired one without a condition', undefined, [undefined, '4', 'desired']],
    ['any reason as pending', 'Other', ['Unknown', '4', 'desired']],
  ])('counts %s', (_, pending, wanted) => {
    expect(counted(resized(pending))).toEqual(wanted);
  });

  it('reports a resize in progress with its error, and the former field for it', () => {
    const status = {
      conditions: [{ type: 'PodResizeInProgress', status: 'True', reason: 'Error' }],
      resize: 'InProgress',
    };
    expect(resizeState(podOf({ containers: [] }, status))).toEqual({
      inProgress: true,
      inProgressReason: 'Error',
      former: 'InProgress',
      amounts: [],
    });
  });
});
