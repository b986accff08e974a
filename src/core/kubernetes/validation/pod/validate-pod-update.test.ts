import { DEFAULT_GATES, gatesOf } from '../../toleration.js';
import { DEFAULT_RULES, rulesOfMinor, withGates } from '../../kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../json/json-value.js';
import { decodeObject } from '../../decode.js';
import type { WholePod } from '../../objects/whole-pod.js';
import { newPod } from './validate-pod.js';
import { validatePodUpdate } from './validate-pod-update.js';

const decoded = (spec: JsonObject, metadata: JsonObject): WholePod => {
  const found = decodeObject(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ...metadata },
      spec: { containers: [{ name: 'c', image: 'i:v1' }], ...spec },
    },
    { strict: true, whole: true },
  );
  if (found.outcome !== 'object') throw new Error(JSON.stringify(found));
  return found.object as WholePod;
};

const complaints = (from: JsonObject, to: JsonObject, before: JsonObject = {}, after: JsonObject = before): string[] =>
  validatePodUpdate(decoded(to, after), newPod(decoded(from, before), DEFAULT_RULES), DEFAULT_GATES).map(
    ({ field, message }) => `${field} ${message}`,
  );

const CHANGED = expect.stringMatching(
  /^spec Forbidden: pod updates may not change fields other than/,
) as unknown as string;
const container = (given: JsonObject): JsonObject => ({ containers: [{ name: 'c', image: 'i:v1', ...given }] });

const CODES = { operator: 'In', values: [1] };
const RESTART = { action: 'Restart', exitCodes: CODES };

describe('validatePodUpdate', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nothing', {}, {}],
    ['the image', container({ image: 'i:v1' }), container({ image: 'i:v2' })],
    [
      'the spelling of a quantity',
      container({ resources: { limits: { cpu: '1' } } }),
      container({ resources: { limits: { cpu: '1000m' } } }),
    ],
    [
      'nothing to empty',
      {},
      {
        nodeSelector: {},
        tolerations: [],
        volumes: [],
        hostNetwork: false,
        hostname: '',
        ...container({ stdin: false, env: [], resources: {} }),
      },
    ],
    [
      'a default to what it stands for',
      container({ livenessProbe: { httpGet: { port: 1 } } }),
      container({
        livenessProbe: { httpGet: { port: 1, path: '/', scheme: 'HTTP' }, periodSeconds: 10 },
        imagePullPolicy: 'IfNotPresent',
      }),
    ],
    ['the old name of the service account', { serviceAccount: 'a' }, { serviceAccountName: 'a' }],
    [
      'the seconds of a toleration',
      { tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
      { tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }] },
    ],
    [
      'what a gated pod prefers',
      { schedulingGates: [{ name: 'g' }] },
      {
        schedulingGates: [{ name: 'g' }],
        affinity: {
          nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] },
        },
      },
    ],
  ])('has nothing against a change of %s', (_name, from, to) => {
    expect(complaints(from, to)).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['the image to one that is pulled otherwise by default', container({ image: 'i:v1' }), container({ image: 'i' })],
    ['a field that is not kept', container({ command: ['a'] }), container({ command: ['b'] })],
    ['a pointer from nothing to false', {}, { hostUsers: true }],
    ['no affinity to an empty one', {}, { affinity: {} }],
    [
      'the pod affinity of a gated pod',
      { schedulingGates: [{ name: 'g' }] },
      { schedulingGates: [{ name: 'g' }], affinity: { podAffinity: {} } },
    ],
    [
      'a resource from none to nothing of it',
      container({ resources: { limits: { cpu: '1' } } }),
      container({ resources: { limits: { cpu: '1', memory: '0' } } }),
    ],
  ])('refuses a change of %s', (_name, from, to) => {
    expect(complaints(from, to)).toEqual([CHANGED]);
  });

  it("refuses the manifest that the pod was created from, if the pod's labels were merged into a selector", () => {
    const spec = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'z',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: {},
          matchLabelKeys: ['rev'],
        },
      ],
    };
    expect(complaints(spec, spec, { labels: { rev: '1' } })).toEqual([CHANGED]);
    expect(complaints(spec, spec)).toEqual([]);
  });

  it('stops after a change of the number of containers, and after an invalid deadline', () => {
    expect(complaints({}, { containers: [], hostNetwork: true })).toEqual([
      'spec.containers Required value',
      'spec.containers Forbidden: pod updates may not add or remove containers',
    ]);
    expect(complaints({ activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 9, hostNetwork: true })).toEqual([
      'spec.activeDeadlineSeconds Invalid value: 9: must be less than or equal to previous value',
    ]);
  });

  it('refuses changes of the mirror annotation and the AppArmor annotations', () => {
    const armor = 'container.apparmor.security.beta.kubernetes.io/c';
    // The stored pod has the profile in the field, too.
    const field = container({ securityContext: { appArmorProfile: { type: 'Unconfined' } } });
    expect(complaints({}, field, { annotations: { [armor]: 'unconfined' } }, {})).toEqual([
      `metadata.annotations[${armor}] Forbidden: may not remove or update AppArmor annotations`,
    ]);
    expect(
      complaints({ nodeName: 'n' }, { nodeName: 'n' }, {}, { annotations: { 'kubernetes.io/config.mirror': '' } }),
    ).toEqual(['metadata.annotations[kubernetes.io/config.mirror] Forbidden: may not add mirror pod annotation']);
  });

  it('accepts values of an old pod that would be refused today', () => {
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '+1' };
    expect(complaints({}, {}, { annotations })).toEqual([]);
    const pages = container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } });
    expect(complaints(pages, pages)).toEqual([]);
    const affinity = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {
            topologyKey: 'z',
            labelSelector: {
              matchLabels: { a: 'b' },
              matchExpressions: [{ key: 'k', operator: 'In', values: ['a b'] }],
            },
          },
        ],
      },
    };
    expect(complaints({ affinity }, { affinity })).toEqual([]);
  });

  it('accepts what a gate that is off refuses in a new pod, if the stored pod has it', () => {
    const [off, on] = [rulesOfMinor(31), rulesOfMinor(36)];
    const update = (given: JsonObject, stored: JsonObject, rules = off): string[] =>
      validatePodUpdate(decoded(given, {}), newPod(decoded(stored, {}), on), gatesOf(rules)).map(
        ({ message }) => message,
      );
    const restart = {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: CODES }],
    };
    const sidecar = { name: 's', image: 'i', restartPolicy: 'Always', restartPolicyRules: [RESTART] };
    const devices = container({ volumeDevices: [{ name: 'v', devicePath: '/d' }] });
    const block = { hostUsers: false, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }] };
    const fields: [JsonObject, JsonObject, typeof off][] = [
      [{ dnsConfig: { searches: ['_a'] } }, {}, off],
      [{ dnsConfig: { searches: ['.'] } }, {}, off],
      [{ hostUsers: false, hostNetwork: true }, {}, on],
      [{ ...devices, ...block }, {}, on],
      [container({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }), {}, off],
      [container({ env: [{ name: '1' }] }), {}, off],
      [container({ envFrom: [{ prefix: '1', secretRef: { name: 's' } }] }), {}, off],
      [container({ env: [{ name: 'E', valueFrom: {} }] }), {}, rulesOfMinor(34)],
      [container(restart), {}, withGates(on, { RestartAllContainersOnContainerExits: false })],
      [{ initContainers: [sidecar] }, {}, withGates(on, { RestartAllContainersOnContainerExits: false })],
    ];
    for (const [spec, fresh, rules] of fields) {
      expect([spec, update(spec, fresh, rules).length > 1]).toEqual([spec, true]);
    }
    const kept = fields.filter(([spec]) => !JSON.stringify(spec).includes('valueFrom'));
    expect(kept.flatMap(([spec, , rules]) => update(spec, spec, rules))).toEqual([]);
    const file = { volumes: [{ name: 'v', emptyDir: {} }] };
    const fileKeyRef = { volumeName: 'v', path: 'f', key: 'K' };
    const fromFile = { ...container({ env: [{ name: 'E', valueFrom: { fileKeyRef } }] }), ...file };
    expect(update(fromFile, fromFile, rulesOfMinor(34))).toEqual([]);
    expect(update(fromFile, file, rulesOfMinor(34))[0]).toMatch(/`configMapKeyRef` or `secretKeyRef`$/);
  });
});
