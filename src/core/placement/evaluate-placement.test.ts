import { DEFAULT_RULES, rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ClusterState } from '../cluster/cluster-state.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec, Volume } from '../kubernetes/objects/pod.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { indexOfTolerating, gatesOf } from '../kubernetes/toleration.js';
import type { AggregateMessage } from './aggregate-message.js';
import { evaluateNode, evaluatePlacement } from './evaluate-placement.js';
import { stepFixesFor } from './fixes/fixes-for.js';
import type { RankedReason } from './node-explanation.js';
import { groupNodes } from './node-groups.js';
import type { Placement } from './placement.js';
import { stepReevaluateNodes, stepReevaluatePod } from './reevaluate.js';
import { decides } from './plugins/taint-toleration/taint-toleration.js';
import { SUCCESS, type AmountUnit } from './plugin.js';
import { DEFAULT_FILTERS, UnknownFilterError } from './profile.js';
import { TaintMatrix } from './taint-matrix.js';
import { finish } from '../collections/finish.js';

const fixesFor = (...given: Parameters<typeof stepFixesFor>) => finish(stepFixesFor(...given));

const LOADED: readonly KeptKind[] = ['Node', 'Pod', 'Namespace', 'DeviceClass'];

const node = (name: string, more: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
  ...more,
});

const pod = (name: string, spec: Partial<PodSpec> = {}, more: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd' },
  spec: { containers: [{ name: 'c' }], ...spec },
  ...more,
});

const asking = (requests: Readonly<Record<string, string>>): Partial<PodSpec> => ({
  containers: [{ name: 'c', resources: { requests } }],
});

const onPort = (hostPort: number, hostIP = ''): Partial<PodSpec> => ({
  containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, hostIP, protocol: 'TCP' }] }],
});

const place = (objects: readonly KubernetesObject[], asked: Pod, loaded = LOADED): Placement =>
  evaluatePlacement(ClusterState.build(objects, loaded), { pod: asked });

/** `verdict: plugin/code, ...` of each node. */
const verdicts = (placement: Placement): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: placement.state.nodes.count }, (_, index) => {
      const { node: name, verdict, reasons } = placement.explainNode(index);
      return [name, [verdict, ...reasons.map(({ plugin, code }) => `${plugin}/${code}`)].join(' ')];
    }),
  );

describe('evaluatePlacement', () => {
  const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
  const second = { key: 'spot', effect: 'NoExecute' };
  const soft = { key: 'old', effect: 'PreferNoSchedule' };

  it('names every untolerated taint, marks the first failing filter, and says which toleration did it', () => {
    const state = ClusterState.build(
      [node('n', { spec: { unschedulable: true, taints: [taint, second, soft] } })],
      LOADED,
    );
    const placement = evaluatePlacement(state, {
      pod: pod('p', {
        ...asking({ cpu: '5' }),
        tolerations: [
          { key: 'x', operator: 'Exists' },
          { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
        ],
      }),
    });
    const { reasons, taints } = placement.explainNode(0);
    expect(reasons.map(({ code, facts, first }) => [code, Object.values<unknown>({ ...facts })[0], first])).toEqual([
      ['UntoleratedTaint', taint, true],
      ['UntoleratedTaint', second, true],
      ['InsufficientResource', 'cpu', false],
    ]);
    expect(reasons[0]!.fields).toEqual([{ object: 'node', path: 'spec.taints[0]', pointer: '/spec/taints/0' }]);
    expect(reasons[2]!.facts).toEqual({
      resource: 'cpu',
      requested: '5',
      used: '0',
      allocatable: '4',
      available: '4',
    });
    expect(
      taints.map((answer) => [answer.taint.key, answer.decides, answer.implied, answer.toleratedBy?.field.pointer]),
    ).toEqual([
      ['dedicated', true, false, undefined],
      ['spot', true, false, undefined],
      ['old', false, false, undefined],
      ['node.kubernetes.io/unschedulable', true, true, '/spec/tolerations/1'],
    ]);
  });

  it('gives Kubernetes its message: first failing filter only, texts sorted as texts, PreFilter exclusions', () => {
    const objects = [node('a', { spec: { taints: [taint] } }), node('b'), node('c')];
    const pinned: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }],
          },
        },
      },
    };
    expect(place(objects, pod('p', pinned)).message()).toEqual({
      text: "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      preemption: 'evaluated',
    });
    expect(place([], pod('p')).message().text).toBe('no nodes available to schedule pods');
    expect(place(objects, pod('p')).message()).toEqual({ preemption: 'none' });
    const full = [
      ...objects,
      pod('x', { ...asking({ cpu: '4' }), nodeName: 'b' }),
      pod('y', { ...asking({ cpu: '3' }), nodeName: 'c' }),
    ];
    expect(place(full, pod('p', asking({ cpu: '2' }))).message()).toEqual({
      text: '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.',
      preemption: 'not-evaluated',
    });
  });

  it('leaves the tail about preemption open for a pod whose PriorityClass, and so whose policy, is not known', () => {
    const spec = { nodeSelector: { no: 'such' }, priorityClassName: 'high' };
    const text = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    const message = (more: Partial<PodSpec>): AggregateMessage =>
      place([node('a')], pod('p', { ...spec, ...more })).message();
    expect(message({})).toEqual({ text, preemption: 'not-evaluated' });
    expect(message({ preemptionPolicy: 'PreemptLowerPriority' })).toEqual({
      text: `${text} no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`,
      preemption: 'evaluated',
    });
  });

  it('counts reasons in an order that does not depend on how the state was built', () => {
    const nodes = ['c', 'a', 'b'].map((team) =>
      node(`n-${team}`, { spec: { taints: [{ key: 'team', value: team, effect: 'NoSchedule' }] } }),
    );
    const messages = (objects: readonly Node[]): readonly string[] =>
      evaluatePlacement(ClusterState.build(objects, LOADED, rulesOfMinor(33)), { pod: pod('asked') })
        .rollUp()
        .map(({ message }) => message);
    expect(messages(nodes)).toEqual(['a', 'b', 'c'].map((team) => `node(s) had untolerated taint {team: ${team}}`));
    expect(messages([...nodes].reverse())).toEqual(messages(nodes));
  });

  it('names the first nodes by name of those with a reason, whichever taint sets they have', () => {
    const examples = (...teams: readonly string[]): readonly unknown[] => {
      const nodes = teams.map((team, index) =>
        node(`n-${index}`, { spec: { taints: [{ key: 'team', value: team, effect: 'NoSchedule' }] } }),
      );
      const [count] = evaluatePlacement(ClusterState.build(nodes, LOADED), { pod: pod('asked') }).rollUp();
      return [count?.nodes, count?.examples, count?.taints?.map(({ taint, nodes: many }) => `${many} ${taint}`)];
    };
    const taints = ['2 team=a:NoSchedule', '1 team=b:NoSchedule'];
    expect(examples('a', 'b', 'a')).toEqual([3, ['n-0', 'n-1', 'n-2'], taints]);
    expect(examples('a', 'b', 'b', 'b', 'a', 'a')).toEqual([
      6,
      ['n-0', 'n-1', 'n-2'],
      ['3 team=a:NoSchedule', '3 team=b:NoSchedule'],
    ]);
  });

  it('refuses a pod whole whose terms name different nodes', () => {
    const spec: Partial<PodSpec> = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchFields: [
                  { key: 'metadata.name', operator: 'In', values: ['a'] },
                  { key: 'metadata.name', operator: 'In', values: ['b'] },
                ],
              },
            ],
          },
        },
      },
    };
    const placement = place([node('a'), node('b')], pod('p', spec));
    expect(placement.counts).toEqual({ feasible: 0, infeasible: 2, unknown: 0 });
    expect(placement.message().text).toBe('0/2 nodes are available: pod affinity terms conflict. not found');
  });

  it('counts nominated pods of the same or a higher priority as if they were there', () => {
    const waiting = (priority: number): Pod =>
      pod('waiting', { ...asking({ cpu: '3' }), priority }, { status: { phase: 'Pending', nominatedNodeName: 'n' } });
    const asked = pod('p', { ...asking({ cpu: '2' }), priority: 5 });
    expect(verdicts(place([node('n'), waiting(5)], asked))).toEqual({
      n: 'infeasible NodeResourcesFit/InsufficientResource',
    });
    expect(verdicts(place([node('n'), waiting(4)], asked))).toEqual({ n: 'feasible' });
    expect(verdicts(place([node('n'), waiting(9)], { ...asked, metadata: waiting(9).metadata }))).toEqual({
      n: 'feasible',
    });
    const onNode = pod('waiting', { ...onPort(80), priority: 9 }, { status: { nominatedNodeName: 'n' } });
    expect(verdicts(place([node('n'), onNode], pod('p', onPort(80))))).toEqual({
      n: 'infeasible NodePorts/HostPortConflict',
    });
  });

  it('evaluates only the named filters, and refuses an unknown name', () => {
    const state = ClusterState.build([node('n', { spec: { unschedulable: true } })], LOADED);
    expect(evaluatePlacement(state, { pod: pod('p'), filterNames: ['TaintToleration'] }).counts.feasible).toBe(1);
    expect(() => evaluatePlacement(state, { pod: pod('p'), filterNames: ['Taints'] })).toThrow(
      new UnknownFilterError('Taints', DEFAULT_FILTERS),
    );
  });

  it('refuses a pod with scheduling gates everywhere, and says what else would', () => {
    const placement = place([node('n', { spec: { taints: [taint] } })], pod('p', { schedulingGates: [{ name: 'g' }] }));
    expect(verdicts(placement)).toEqual({
      n: 'infeasible SchedulingGates/SchedulingGated TaintToleration/UntoleratedTaint',
    });
    expect(placement.message().text).toBe('Scheduling is blocked due to non-empty scheduling gates');
  });
});

describe('rules about other pods, claims and what nodes declare', () => {
  const repelling = (term: object): Pod =>
    pod('other', {
      nodeName: 'a',
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } }, ...term },
          ],
        },
      },
    });
  const zoned = (name: string, zone?: string): Node =>
    node(name, { metadata: { name, ...(zone === undefined ? {} : { labels: { zone } }) } });
  const zones = [zoned('a', '1'), zoned('b', '1'), zoned('c', '2'), zoned('d')];
  const web = pod('p', {}, { metadata: { name: 'p', namespace: 'd', labels: { app: 'web' } } });

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'spread that forbids',
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
      'infeasible PodTopologySpread/TopologyLabelMissing',
    ],
    [
      'spread that only prefers',
      { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }] },
      'feasible',
    ],
    [
      'required affinity',
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] } } },
      'infeasible InterPodAffinity/PodAffinityUnmet',
    ],
    [
      'a claim',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      'unknown VolumeRestrictions/KindNotLoaded NodeVolumeLimits/KindNotLoaded VolumeBinding/KindNotLoaded VolumeZone/KindNotLoaded',
    ],
    ['an empty folder', { volumes: [{ name: 'v', emptyDir: {} }] }, 'feasible'],
    [
      'a resource claim',
      { resourceClaims: [{ name: 'r', resourceClaimName: 'x' }] },
      'unknown DynamicResources/KindNotLoaded',
    ],
    [
      'the host network without host users',
      { hostNetwork: true, hostUsers: false },
      'infeasible NodeDeclaredFeatures/NodeFeatureMissing',
    ],
    ['its own users alone', { hostUsers: false }, 'feasible'],
  ])('answers for a pod with %s', (_, spec, expected) => {
    expect(verdicts(place([node('n')], pod('p', spec)))).toEqual({ n: expected });
  });

  it('leaves an infeasible node infeasible, with the unknown rule beside the reason', () => {
    const claim: Partial<PodSpec> = { volumes: [{ name: 'v', ephemeral: {} }] };
    const placement = place([node('n', { spec: { unschedulable: true } })], pod('p', claim));
    expect(placement.verdict(0)).toBe('infeasible');
    expect(placement.explainNode(0).reasons.map(({ plugin, first }) => [plugin, first])).toEqual([
      ['NodeUnschedulable', true],
      ['NodeVolumeLimits', false],
      ['VolumeBinding', false],
    ]);
    // VolumeBinding may refuse the pod before any node is filtered, with other words.
    expect(placement.message()).toEqual({ preemption: 'none' });
  });

  const NAMESPACED: [string, object, Record<string, string>][] = [
    ['its own namespace', {}, { a: 'infeasible', b: 'infeasible', c: 'feasible', d: 'feasible' }],
    ['another namespace', { namespaces: ['e'] }, { a: 'feasible', b: 'feasible', c: 'feasible', d: 'feasible' }],
    ['every namespace', { namespaceSelector: {} }, { a: 'infeasible', b: 'infeasible', c: 'feasible', d: 'feasible' }],
    [
      'namespaces by a label the pod has not',
      { namespaceSelector: { matchLabels: { team: 'x' } } },
      { a: 'feasible', b: 'feasible', c: 'feasible', d: 'feasible' },
    ],
    [
      'other labels',
      { labelSelector: { matchLabels: { app: 'db' } } },
      { a: 'feasible', b: 'feasible', c: 'feasible', d: 'feasible' },
    ],
  ];
  it.each(NAMESPACED)("minds an existing pod's anti-affinity over %s", (_, term, expected) => {
    const placement = place([...zones, repelling(term)], web);
    const found = zones.map(({ metadata }, index) => [metadata.name, placement.verdict(index)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  it('names the Namespace kind where its labels would tell and were never loaded', () => {
    const term = { namespaceSelector: { matchLabels: { team: 'x' } } };
    const placement = place([...zones, repelling(term)], web, ['Node', 'Pod']);
    const [reason] = placement.explainNode(0).reasons;
    expect(reason).toMatchObject({ code: 'KindNotLoaded', status: 'Unknown', facts: { missingKinds: ['Namespace'] } });
  });

  it('does not mind the anti-affinity of a pod that ended', () => {
    const ended = { ...repelling({}), status: { phase: 'Succeeded' } };
    expect(place([...zones, ended], web).counts.feasible).toBe(4);
  });

  it('names the kinds that tell about the resource claims of a pod where they were never loaded', () => {
    const asked = pod('p', { resourceClaims: [{ name: 'r', resourceClaimTemplateName: 'x' }] });
    expect(place([node('a')], asked).explainNode(0).reasons).toMatchObject([
      {
        code: 'KindNotLoaded',
        status: 'Unknown',
        facts: { missingKinds: ['ResourceClaim', 'ResourceClaimTemplate'] },
        fields: [{ path: 'spec.resourceClaims' }],
      },
    ]);
  });

  it('leaves an extended resource to its device class on nodes without it, and says what it took for given', () => {
    const asked = pod('p', asking({ 'example.com/gpu': '1' }));
    const objects = [
      node('gpu', { status: { allocatable: { pods: '9', 'example.com/gpu': '2' } } }),
      node('plain'),
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'x' },
        spec: { extendedResourceName: 'example.com/gpu' },
      },
    ];
    expect(verdicts(place(objects, asked))).toEqual({
      gpu: 'feasible',
      plain: 'unknown DynamicResources/KindNotLoaded',
    });
    expect(verdicts(place(objects.slice(0, 2), asked))).toEqual({
      gpu: 'feasible',
      plain: 'infeasible NodeResourcesFit/InsufficientResource',
    });
    expect(place(objects.slice(0, 2), asked).assumptions).toEqual([]);
    expect(place(objects.slice(0, 2), asked, ['Node', 'Pod']).assumptions.map(({ kind }) => kind)).toEqual([
      'DeviceClass',
    ]);
  });
});

describe('fixesFor', () => {
  const gpu = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };
  const spot = { key: 'spot', effect: 'NoExecute' };

  it('proposes tolerations as narrow as can be, and taint removals, each verified', () => {
    const placement = place([node('n', { spec: { taints: [gpu, spot] } })], pod('p'));
    const fixes = fixesFor(placement, 0);
    expect(fixes.pod?.verdict).toBe('feasible');
    expect(fixes.pod?.changes.map(({ yaml }) => yaml)).toEqual([
      'tolerations:\n- key: dedicated\n  operator: Equal\n  value: gpu\n  effect: NoSchedule\n',
      'tolerations:\n- key: spot\n  operator: Equal\n  value: ""\n  effect: NoExecute\n',
    ]);
    expect(fixes.node?.verdict).toBe('feasible');
    expect(fixes.node?.changes.map(({ command }) => command)).toEqual([
      'kubectl taint nodes n dedicated:NoSchedule-',
      'kubectl taint nodes n spot:NoExecute-',
    ]);
  });

  it('says what still stands in the way', () => {
    const objects = [node('n', { spec: { taints: [gpu] } }), pod('x', { ...asking({ cpu: '4' }), nodeName: 'n' })];
    const { node: byNode } = fixesFor(place(objects, pod('p', asking({ cpu: '1' }))), 0);
    expect(byNode?.verdict).toBe('infeasible');
    expect(byNode?.remaining.map(({ message, first }) => [message, first])).toEqual([['Insufficient cpu', true]]);
  });

  it('lowers requests by exactly what is missing, the greatest first', () => {
    const asked = pod('p', {
      containers: [
        { name: 'big', resources: { requests: { cpu: '3' } } },
        { name: 'small', resources: { requests: { cpu: '1500m' } } },
      ],
    });
    const objects = [node('n'), pod('x', { ...asking({ cpu: '250m' }), nodeName: 'n' })];
    const fixes = fixesFor(place(objects, asked), 0);
    expect(fixes.pod).toMatchObject({
      verdict: 'feasible',
      changes: [{ kind: 'LowerRequest', resource: 'cpu', from: '4500m', to: '3750m', by: '750m' }],
    });
    expect(fixes.node).toBeNull();
  });

  it('moves a taken host port to the next free one', () => {
    const objects = [
      node('n'),
      pod('x', { ...onPort(80), nodeName: 'n' }),
      pod('y', { ...onPort(81, '10.0.0.1'), nodeName: 'n' }),
    ];
    expect(fixesFor(place(objects, pod('p', onPort(80))), 0).pod).toMatchObject({
      verdict: 'feasible',
      changes: [{ kind: 'ChangeHostPort', fromPort: 80, toPort: 82, pointer: '/spec/containers/0/ports/0/hostPort' }],
    });
  });

  it('changes the selector to what the node has, or labels the node with what is selected', () => {
    const objects = [node('n', { metadata: { name: 'n', labels: { disk: 'hdd' } } })];
    const placement = place(objects, pod('p', { nodeSelector: { zone: 'a', disk: 'ssd' } }));
    const fixes = fixesFor(placement, 0);
    expect(fixes.pod?.verdict).toBe('feasible');
    expect(fixes.pod?.changed.spec.nodeSelector).toEqual({ disk: 'hdd' });
    expect(fixes.node?.verdict).toBe('feasible');
  });
});

const keys = fc.constantFrom('a', 'b');
const texts = fc.constantFrom('', '1', '2');
const effects = fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule', '');
const requirement = fc.record({
  key: keys,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Odd'),
  values: fc.array(texts, { maxLength: 2 }),
});
const anyNode = fc.record({
  labels: fc.dictionary(keys, texts),
  unschedulable: fc.boolean(),
  taints: fc.array(fc.record({ key: keys, value: texts, effect: effects }), { maxLength: 3 }),
  allocatable: fc.dictionary(
    fc.constantFrom('cpu', 'memory', 'pods', 'example.com/x'),
    fc.constantFrom('0', '1', '2', '5', '9223372036854775807'),
  ),
});
const anySelector = fc.record({ matchLabels: fc.dictionary(keys, fc.constantFrom('1', '2'), { maxKeys: 1 }) });
const podTerm = fc.record(
  {
    topologyKey: keys,
    labelSelector: anySelector,
    namespaceSelector: fc.constantFrom<LabelSelector>({}, { matchLabels: { team: 'x' } }),
  },
  { requiredKeys: ['topologyKey'] },
);
const podTerms = fc.record({
  requiredDuringSchedulingIgnoredDuringExecution: fc.array(podTerm, { maxLength: 2 }),
});
const anySpec = fc.record(
  {
    topologySpreadConstraints: fc.array(
      fc.record(
        {
          maxSkew: fc.constantFrom(1, 2),
          topologyKey: keys,
          whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'),
          labelSelector: anySelector,
          minDomains: fc.constantFrom(1, 3),
          nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
        },
        { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
      ),
      { maxLength: 2 },
    ),
    volumes: fc.array(
      fc.constantFrom<Volume>(
        { name: 'v', gcePersistentDisk: { pdName: 'd' } },
        { name: 'v', gcePersistentDisk: { pdName: 'd', readOnly: true } },
        { name: 'v', persistentVolumeClaim: { claimName: 'bound' } },
        { name: 'v', persistentVolumeClaim: { claimName: 'open' } },
        { name: 'v', persistentVolumeClaim: { claimName: 'gone' } },
      ),
      { maxLength: 1 },
    ),

    tolerations: fc.array(
      fc.record(
        { key: keys, operator: fc.constantFrom('Exists', 'Equal', 'Lt', 'Gt'), value: texts, effect: effects },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    nodeSelector: fc.dictionary(keys, texts),
    nodeName: fc.constantFrom('', 'n0', 'n1'),
    affinity: fc.record(
      {
        podAffinity: podTerms,
        podAntiAffinity: podTerms,
        nodeAffinity: fc.record({
          requiredDuringSchedulingIgnoredDuringExecution: fc.record({
            nodeSelectorTerms: fc.array(
              fc.record(
                {
                  matchExpressions: fc.array(requirement, { maxLength: 2 }),
                  matchFields: fc.array(
                    fc.record({
                      key: fc.constant('metadata.name'),
                      operator: fc.constantFrom('In', 'NotIn'),
                      values: fc.array(fc.constantFrom('n0', 'n1'), { maxLength: 2 }),
                    }),
                    { maxLength: 2 },
                  ),
                },
                { requiredKeys: [] },
              ),
              { maxLength: 2 },
            ),
          }),
        }),
      },
      { requiredKeys: [] },
    ),
    containers: fc
      .record({
        requests: fc.dictionary(
          fc.constantFrom('cpu', 'memory', 'example.com/x'),
          fc.constantFrom('0', '1', '3', '9223372036854775807'),
        ),
        hostPort: fc.constantFrom(0, 80, 81),
      })
      .map(({ requests, hostPort }) => [
        { name: 'c', resources: { requests }, ports: [{ containerPort: 1, hostPort, protocol: 'TCP' }] },
      ]),
  },
  { requiredKeys: ['containers'] },
);
const anyCluster = fc.record({
  nodes: fc.array(anyNode, { minLength: 1, maxLength: 4 }),
  // One that is on no node is nominated to one.
  pods: fc.array(fc.tuple(anySpec, fc.constantFrom('n0', 'n1', 'n2', '')), { maxLength: 5 }),
  asked: anySpec,
  comparisonOperators: fc.boolean(),
});

type AnyNode = typeof anyNode extends fc.Arbitrary<infer T> ? T : never;

const stateOf = ({
  nodes,
  pods,
}: {
  nodes: readonly AnyNode[];
  pods: readonly (readonly [PodSpec, string])[];
}): ClusterState =>
  ClusterState.build(
    [
      ...nodes.map(({ labels, unschedulable, taints, allocatable }, i) =>
        node(`n${i}`, {
          metadata: { name: `n${i}`, labels },
          spec: { unschedulable, taints },
          status: { allocatable },
        }),
      ),
      ...pods.map(([spec, nodeName], i) => {
        return pod(
          `p${i}`,
          { ...spec, nodeName },
          {
            metadata: { name: `p${i}`, namespace: 'd', labels: { a: String(i % 3) } },
            ...(nodeName === '' && { status: { phase: 'Pending', nominatedNodeName: 'n0' } }),
          },
        );
      }),
      ...VOLUMES,
    ],
    [...LOADED, ...VOLUME_KINDS],
  );

const VOLUME_KINDS: readonly KeptKind[] = [
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'VolumeAttachment',
];
const onLabel = (value: string): object => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: [value] }] }] },
});
const VOLUMES = [
  {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'bound', namespace: 'd', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName: 'of-bound', accessModes: ['ReadWriteOncePod'] },
  },
  {
    kind: 'PersistentVolume',
    metadata: { name: 'of-bound' },
    spec: { nodeAffinity: onLabel('1'), gcePersistentDisk: {} },
  },
  { kind: 'PersistentVolumeClaim', metadata: { name: 'open', namespace: 'd' }, spec: { storageClassName: 'late' } },
  {
    kind: 'PersistentVolume',
    metadata: { name: 'free' },
    spec: { storageClassName: 'late', nodeAffinity: onLabel('2') },
    status: { phase: 'Available' },
  },
  {
    kind: 'StorageClass',
    metadata: { name: 'late' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  },
  {
    kind: 'CSINode',
    metadata: { name: 'n0' },
    spec: { drivers: [{ name: 'pd.csi.storage.gke.io', nodeID: 'x', allocatable: { count: 0 } }] },
  },
] as unknown as readonly KubernetesObject[];

const withoutFacts = (reason: RankedReason): object => ({ ...reason, facts: null });

const factAt = (facts: object, name: string): unknown =>
  name.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], facts);

const amountOf = (amount: number | bigint, unit: AmountUnit): string =>
  Quantity.of(BigInt(amount), unit === 'bytes' ? 'BinarySI' : 'DecimalSI', unit === 'millicores' ? -3 : 0).toString();

describe('over any small cluster', () => {
  it('the compact columns, the explanations, the counts and a single node agree', () => {
    fc.assert(
      fc.property(anyCluster, ({ nodes, pods, asked, comparisonOperators }) => {
        const state = stateOf({ nodes, pods });
        const labelled = { metadata: { name: 'asked', namespace: 'd', labels: { a: '1' } } };
        const question = { pod: pod('asked', asked, labelled), gates: gatesOf(DEFAULT_RULES, comparisonOperators) };
        const placement = evaluatePlacement(state, question);
        const counted = new Map<string, number>();
        const byKey = new Map<string, unknown>();
        for (let index = 0; index < state.nodes.count; index++) {
          const explained = placement.explainNode(index);
          for (const { name, filter, statuses } of placement.plugins) {
            const reasons = filter?.explain(index) ?? [];
            expect(reasons.length > 0).toBe((statuses?.[index] ?? SUCCESS) !== SUCCESS);
            if (filter !== undefined && reasons.length > 0) {
              const found = filter.commonReasons(filter.commonReasonKey(index)).map(({ message }) => message);
              expect(new Set(found)).toEqual(new Set(reasons.map(({ message }) => message)));
            }
            expect(explained.reasons.filter(({ plugin }) => plugin === name).length).toBeGreaterThanOrEqual(
              reasons.length,
            );
          }
          expect(explained.verdict === 'feasible').toBe(explained.reasons.length === 0);
          expect(new Set(explained.reasons.filter(({ first }) => first).map(({ plugin }) => plugin)).size).toBe(
            explained.verdict === 'infeasible' ? 1 : 0,
          );
          expect(evaluateNode(state, question, index)).toEqual(explained);
          const key = placement.explanationKey(index);
          if (key !== undefined) {
            if (byKey.has(key)) expect(explained.reasons).toEqual(byKey.get(key));
            byKey.set(key, explained.reasons);
          }
          const seen = new Set(explained.reasons.map(({ plugin, message }) => `${plugin} ${message}`));
          for (const text of seen) counted.set(text, (counted.get(text) ?? 0) + 1);
        }
        const rolled = new Map<string, number>();
        for (const { plugin, message, nodes: many } of placement.rollUp()) {
          const text = `${plugin} ${message}`;
          rolled.set(text, Math.max(rolled.get(text) ?? 0, many));
        }
        expect(rolled).toEqual(counted);
        const objects = KINDS.flatMap(({ kind }) => state.objects(kind)).reverse();
        const builtOtherwise = ClusterState.build(objects, state.loadedKinds, state.rules);
        expect(evaluatePlacement(builtOtherwise, question).rollUp()).toEqual(placement.rollUp());
      }),
      { numRuns: 400 },
    );
  });

  it('the groups hold every node once, and say of each what its explanation says', () => {
    fc.assert(
      fc.property(anyCluster, ({ nodes, pods, asked }) => {
        const placement = evaluatePlacement(stateOf({ nodes, pods }), { pod: pod('asked', asked) });
        const indices = Array.from({ length: placement.state.nodes.count }, (_, index) => index);
        const groups = groupNodes(placement, indices);
        expect(groups.flatMap((group) => group.nodes).sort((a, b) => a - b)).toEqual(indices);
        for (const { nodes: members, explanation, columns, verdict } of groups) {
          for (const [row, index] of members.entries()) {
            const own = placement.explainNode(index);
            expect(own.verdict).toBe(verdict);
            expect(own.taints).toEqual(explanation.taints);
            expect(own.reasons.map(withoutFacts)).toEqual(explanation.reasons.map(withoutFacts));
            for (const [place, { facts }] of own.reasons.entries()) {
              expect(facts).toMatchObject(explanation.reasons[place]!.facts);
            }
            for (const { reason, name, unit, values } of columns) {
              const fact = factAt(own.reasons[reason]!.facts, name);
              if (unit === null) expect(values[row]).toEqual(fact ?? null);
              else expect(amountOf(values[row] as bigint, unit)).toBe(Quantity.parse(String(fact)).toString());
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('a fix that calls itself feasible is, when made and asked again from the start', () => {
    fc.assert(
      fc.property(anyCluster, ({ nodes, pods, asked }) => {
        const state = stateOf({ nodes, pods });
        const placement = evaluatePlacement(state, { pod: pod('asked', asked) });
        for (let index = 0; index < state.nodes.count; index++) {
          const fixes = fixesFor(placement, index);
          for (const plan of [fixes.pod, fixes.node]) {
            if (plan !== null && plan.refusal !== null) expect(plan.verdict).toBe('infeasible');
          }
          if (fixes.pod !== null && fixes.pod.refusal === null) {
            expect(evaluatePlacement(state, { pod: fixes.pod.changed }).verdict(index)).toBe(fixes.pod.verdict);
          }
          if (fixes.node !== null && fixes.node.refusal === null) {
            const after = state.apply({ upserts: [fixes.node.changed] });
            expect(evaluatePlacement(after, { pod: pod('asked', asked) }).verdict(index)).toBe(fixes.node.verdict);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('a changed pod that is asked node by node gets the answers of a new placement', () => {
    fc.assert(
      fc.property(anyCluster, anyCluster, fc.nat(), ({ nodes, pods, asked }, other, taken) => {
        const state = stateOf({ nodes, pods });
        const placement = evaluatePlacement(state, { pod: pod('asked', asked) });
        // Some parts of another pod: what reads none of them is not asked again.
        const parts = Object.entries(other.asked).filter((_, index) => ((taken >> index) & 1) === 1);
        const changed = pod('asked', { ...asked, ...Object.fromEntries(parts) });
        const again = finish(stepReevaluatePod(placement, changed));
        const anew = evaluatePlacement(state, { pod: changed });
        for (let index = 0; index < state.nodes.count; index++) {
          expect(again.verdict(index)).toBe(anew.verdict(index));
          expect(again.explainNode(index)).toEqual(anew.explainNode(index));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('changed nodes that are asked one by one give the answers of a new placement', () => {
    fc.assert(
      fc.property(anyCluster, anyCluster, fc.boolean(), fc.boolean(), ({ nodes, pods, asked }, other, ...changing) => {
        const state = stateOf({ nodes, pods });
        const question = { pod: pod('asked', asked) };
        const placement = evaluatePlacement(state, question);
        const [labels, taints] = changing;
        const upserts = nodes.map((before, index) => {
          const stored = state.nodes.node(index);
          const after = other.nodes[index] ?? before;
          return {
            ...stored,
            ...(labels ? { metadata: { ...stored.metadata, labels: after.labels } } : {}),
            ...(taints ? { spec: { unschedulable: after.unschedulable, taints: after.taints } } : {}),
          };
        });
        const next = state.apply({ upserts });
        const changes = new Set<'node' | 'taints'>();
        if (labels) changes.add('node');
        if (taints) changes.add('taints');
        const again = finish(stepReevaluateNodes(placement, next, changes));
        const anew = evaluatePlacement(next, question);
        for (let index = 0; index < next.nodes.count; index++) {
          expect(again.verdict(index)).toBe(anew.verdict(index));
          expect(again.explainNode(index)).toEqual(anew.explainNode(index));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('the taint matrix is what asking every pod about every node gives', () => {
    fc.assert(
      fc.property(anyCluster, ({ nodes, pods, comparisonOperators }) => {
        const state = stateOf({ nodes, pods });
        const gates = gatesOf(DEFAULT_RULES, comparisonOperators);
        const matrix = new TaintMatrix(state, gates);
        let tolerated = 0;
        for (let p = 0; p < state.pods.count; p++) {
          const tolerations = state.pods.pod(p).spec.tolerations ?? [];
          for (let n = 0; n < state.nodes.count; n++) {
            const taints = state.nodes.node(n).spec?.taints ?? [];
            const all = taints.every((one) => !decides(one) || indexOfTolerating(tolerations, one, gates) >= 0);
            expect(matrix.tolerates(p, n)).toBe(all);
            tolerated += all ? 1 : 0;
          }
        }
        expect(matrix.toleratedPairs).toBe(tolerated);
        expect(matrix.nodesByPod().reduce((a, b) => a + b, 0)).toBe(tolerated);
        expect(matrix.podsByNode().reduce((a, b) => a + b, 0)).toBe(tolerated);
      }),
    );
  });
});
