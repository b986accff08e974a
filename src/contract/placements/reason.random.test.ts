import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { undeclared } from '../../../test/support/declared-form.js';
import { ClusterState } from '../../core/cluster/cluster-state.js';
import type { Node } from '../../core/kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../../core/kubernetes/objects/pod.js';
import { KINDS } from '../../core/kubernetes/kinds.js';
import { evaluatePlacement } from '../../core/placement/evaluate-placement.js';
import { stepFixesFor } from '../../core/placement/fixes/fixes-for.js';
import type { NodeFix, PodFix } from '../../core/placement/fixes/fix.js';
import { groupNodes } from '../../core/placement/node-groups.js';
import { placementFix } from './fix.js';
import { placementReason } from './reason.js';
import { finish } from '../../core/collections/finish.js';

const fixesFor = (...given: Parameters<typeof stepFixesFor>) => finish(stepFixesFor(...given));

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ZONE = 'topology.kubernetes.io/zone';

const object = (kind: string, name: string, rest: object) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'd' },
  ...rest,
});

function randomNode(dice: Dice, index: number): Node {
  const name = `n${index}`;
  const labels = {
    'kubernetes.io/hostname': name,
    ...(dice.chance(80) && { [ZONE]: `z${dice.below(3)}` }),
    ...(dice.chance(60) && { disk: dice.one(['ssd', 'hdd', name]) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {
      unschedulable: dice.chance(10),
      taints: dice.chance(30) ? [{ key: 'k', effect: dice.one(EFFECTS), ...(dice.chance(50) && { value: 'v' }) }] : [],
    },
    status: { allocatable: { cpu: String(1 + dice.below(4)), memory: '4Gi', pods: dice.one(['2', '110']) } },
  };
}

function randomSpec(dice: Dice): PodSpec {
  const terms = [
    { labelSelector: { matchLabels: { app: dice.one(['a', 'b']) } }, topologyKey: dice.one([ZONE, 'rack']) },
  ];
  const nodeTerm = () => ({
    matchExpressions: [
      { key: 'disk', operator: dice.one(['In', 'NotIn']), values: ['ssd'] },
      { key: ZONE, operator: 'In', values: ['z0'] },
      { key: 'kubernetes.io/hostname', operator: 'In', values: ['n0'] },
    ].filter(() => dice.chance(60)),
  });
  const required = <List>(list: List) => ({ requiredDuringSchedulingIgnoredDuringExecution: list });
  return {
    containers: [
      {
        name: 'c',
        ports: dice.chance(30) ? [{ containerPort: 80, hostPort: 80 }] : [],
        resources: { requests: { cpu: dice.one(['100m', '2', '5']) } },
      },
    ],
    ...(dice.chance(10) && { schedulingGates: [{ name: 'g' }] }),
    ...(dice.chance(20) && { nodeSelector: { disk: 'ssd' } }),
    ...(dice.chance(10) && { nodeName: 'n1' }),
    ...(dice.chance(15) && {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: dice.one(['open', 'bound', 'none', 'alone']) } }],
    }),
    ...(dice.chance(30) && {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: dice.one([ZONE, 'kubernetes.io/hostname', 'disk']),
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'a' } },
        },
      ],
    }),
    affinity: {
      ...(dice.chance(30) && { nodeAffinity: required({ nodeSelectorTerms: [nodeTerm(), nodeTerm()] }) }),
      ...(dice.chance(20) && { podAffinity: required(terms) }),
      ...(dice.chance(20) && { podAntiAffinity: required(terms) }),
    },
  };
}

const randomPod = (dice: Dice, name: string, on?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd', labels: { app: dice.one(['a', 'b']) } },
  spec: { ...randomSpec(dice), ...(on !== undefined && { nodeName: on }) },
});

const VOLUMES = [
  object('StorageClass', 'now', { provisioner: 'x', volumeBindingMode: 'Immediate' }),
  object('PersistentVolumeClaim', 'open', { spec: { storageClassName: 'now' } }),
  ...['bound', 'alone'].flatMap((name) => [
    {
      ...object('PersistentVolumeClaim', name, {
        spec: { volumeName: `v-${name}`, accessModes: name === 'alone' ? ['ReadWriteOncePod'] : [] },
      }),
      metadata: { name, namespace: 'd', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    },
    {
      ...object('PersistentVolume', `v-${name}`, { spec: { csi: { driver: 'csi', volumeHandle: name } } }),
      metadata: { name: `v-${name}`, labels: { [ZONE]: 'z1' } },
    },
  ]),
];

describe('reasons and fixes of random placements', () => {
  it('have the facts and changes that their code or kind declares, and no others', () => {
    const dice = new Dice(20_260_504);
    const codes = new Set<string>();
    const kinds = new Set<string>();
    const faults = new Set<string>();
    for (let round = 0; round < 400; round++) {
      // With more than 16 nodes, groups have columns instead of facts.
      const nodes = Array.from({ length: dice.one([3, 20]) }, (_, index) => randomNode(dice, index));
      const pods = Array.from({ length: 6 }, (_, index) =>
        randomPod(dice, `p${index}`, `n${dice.below(nodes.length)}`),
      );
      const loaded = KINDS.map(({ kind }) => kind).filter(() => dice.chance(97));
      const state = ClusterState.build([...nodes, ...pods, ...VOLUMES], loaded);
      const placement = evaluatePlacement(state, { pod: randomPod(dice, 'asked') });
      const all = Array.from({ length: state.nodes.count }, (_, node) => node);
      const reasons = [
        ...all.flatMap((node) => placement.explainNode(node).reasons),
        ...groupNodes(placement, all).flatMap(({ explanation }) => explanation.reasons),
      ];
      for (const reason of reasons) {
        codes.add(reason.code);
        for (const fault of undeclared(placementReason, reason, reason.code)) faults.add(fault);
      }
      const fixes = all.map((node) => fixesFor(placement, node));
      const changes: readonly (PodFix | NodeFix)[] = fixes.flatMap(({ pod, node }) => [
        ...(pod?.changes ?? []),
        ...(node?.changes ?? []),
      ]);
      for (const { kind, summary, ...rest } of changes) {
        kinds.add(kind);
        const { yaml = null, condition = null, command = null, ...change } = rest as Readonly<Record<string, unknown>>;
        for (const fault of undeclared(placementFix, { kind, summary, yaml, condition, command, change }, kind))
          faults.add(fault);
      }
    }
    expect([...faults]).toEqual([]);
    // The other codes share these forms or have no facts; the compiler checks that each is declared.
    expect(codes.size).toBeGreaterThanOrEqual(19);
    expect(kinds.size).toBeGreaterThanOrEqual(9);
  });
});
