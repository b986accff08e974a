import { DEFAULT_RULES, rulesOfMinor, withGates } from '../../kubernetes-rules.js';
import { DEFAULT_GATES, gatesOf } from '../../toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../json/json-value.js';
import { decodeObject } from '../../decode.js';
import type { WholePod } from '../../objects/whole-pod.js';
import { newPod, validatePod } from './validate-pod.js';

/** A pod with one container, decoded whole, with the given fields added to its spec and its metadata. */
const podWith = (spec: JsonObject, metadata: JsonObject = {}): WholePod => {
  const decoded = decodeObject(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ...metadata },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    },
    { strict: true, whole: true },
  );
  if (decoded.outcome !== 'object') throw new Error(JSON.stringify(decoded));
  return decoded.object as WholePod;
};

const lines = (pod: WholePod, comparisonOperators = false): string[] =>
  validatePod(pod, gatesOf(DEFAULT_RULES, comparisonOperators)).map(({ field, message }) => `${field} ${message}`);

const complaints = (spec: JsonObject, metadata?: JsonObject): string[] => lines(podWith(spec, metadata));
const inContainer = (container: JsonObject): string[] =>
  complaints({ containers: [{ name: 'c', image: 'i', ...container }] });

describe('validatePod', () => {
  it('accepts a pod with all usual fields', () => {
    const pod = podWith({
      containers: [
        {
          name: 'app',
          image: 'app:v1',
          env: [
            { name: 'A-B.c', value: 'x' },
            { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'L', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
          ],
          envFrom: [{ configMapRef: { name: 'settings' } }],
          livenessProbe: { httpGet: { port: 'http' } },
          readinessProbe: { exec: { command: ['true'] } },
          startupProbe: { grpc: { port: 50051 } },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
          ports: [{ name: 'http', containerPort: 80 }],
          securityContext: { runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'tmp', mountPath: '/tmp' },
          ],
        },
      ],
      initContainers: [
        { name: 'proxy', image: 'proxy', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 1 } } },
      ],
      volumes: [
        { name: 'tmp' },
        {
          name: 'data',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
        {
          name: 'all',
          projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { configMap: { name: 'ca' } }] },
        },
      ],
      serviceAccountName: 'app',
      dnsConfig: { nameservers: ['10.0.0.10'], searches: ['_svc.local', '.'] },
    });
    expect(lines(pod)).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'a probe of two kinds, with a readiness of its own',
      { livenessProbe: { exec: {}, tcpSocket: { port: 0 }, successThreshold: 2 } },
      [
        'spec.containers[0].livenessProbe.exec.command Required value',
        'spec.containers[0].livenessProbe.tcpSocket Forbidden: may not specify more than 1 handler type',
        'spec.containers[0].livenessProbe.successThreshold Invalid value: 2: must be 1',
      ],
    ],
    [
      'a sleep beyond the grace period',
      { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      [
        'spec.containers[0].lifecycle.preStop.sleep Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)',
      ],
    ],
    [
      'a mount of nothing, and a way out of it',
      { volumeMounts: [{ name: 'x', mountPath: '/x', subPath: '../y' }] },
      [
        'spec.containers[0].volumeMounts[0].name Not found: "x"',
        'spec.containers[0].volumeMounts.subPath Invalid value: "../y": must not contain \'..\'',
      ],
    ],
    [
      'a variable of no source, and one from a field that variables do not have',
      {
        env: [
          { name: 'A=B' },
          { name: 'B', valueFrom: {} },
          { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } },
        ],
      },
      [
        'spec.containers[0].env[0].name Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
        'spec.containers[0].env[1].valueFrom Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        'spec.containers[0].env[2].valueFrom.fieldRef.fieldPath Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
      ],
    ],
    [
      'privileges that exclude each other',
      { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
      [
        'spec.containers[0].securityContext Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    ],
    [
      'a user beyond 32 bits',
      { securityContext: { runAsUser: 2n ** 62n } },
      [
        'spec.containers[0].securityContext.runAsUser Invalid value: 4611686018427387904: must be between 0 and 4294967295, inclusive',
      ],
    ],
    [
      'one of the claims of which there are none, twice',
      { resources: { claims: [{ name: 'a', request: 'x' }, { name: 'a' }] } },
      [
        'spec.containers[0].resources.claims[0] Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
        'spec.containers[0].resources.claims[1] Duplicate value: "a"',
        'spec.containers[0].resources.claims[1] Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
      ],
    ],
  ])('complains of %s', (_name, container, want) => {
    expect(inContainer(container)).toEqual(want);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'a volume of two sources',
      { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] },
      ['spec.volumes[0].configMap Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'a volume with nothing in it',
      { volumes: [{ name: 'V', persistentVolumeClaim: { claimName: '' } }] },
      [
        'spec.volumes[0].persistentVolumeClaim.claimName Required value',
        expect.stringContaining(
          'spec.volumes[0].name Invalid value: "V": a lowercase RFC 1123 label',
        ) as unknown as string,
      ],
    ],
    [
      'a token without a service account',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      [
        'spec.volumes[0].projected.sources[0].serviceAccountToken Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
    [
      'Windows with what Linux has',
      { os: { name: 'windows' }, hostIPC: true, securityContext: { fsGroup: 1, sysctls: [] } },
      [
        'spec.hostIPC Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroup Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'an address with a leading zero',
      { hostAliases: [{ ip: '010.0.0.5', hostnames: ['x'] }] },
      ['spec.hostAliases[0].ip Invalid value: "010.0.0.5": must not have leading 0s'],
    ],
    [
      "a sysctl of the network that is the node's",
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net/core/somaxconn', value: '1' }] } },
      [
        'spec.securityContext.sysctls[0].name Invalid value: "net/core/somaxconn": may not be specified when \'hostNetwork\' is true',
      ],
    ],
    [
      'users of its own on the network of the node',
      { hostUsers: false, hostNetwork: true, hostPID: true },
      ['spec.hostNetwork Forbidden: when `hostUsers` is false', 'spec.HostPID Forbidden: when `hostUsers` is false'],
    ],
    [
      'an init container that ends and would be restarted to be resized',
      {
        initContainers: [
          { name: 'i', image: 'i', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ],
      },
      [
        'spec.initContainers[0].resizePolicy[0].restartPolicy Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
      ],
    ],
  ])('complains of %s', (_name, spec, want) => {
    expect(complaints(spec)).toEqual(want);
  });

  it.each([
    [' i', 1],
    ['i\u0085', 1],
    ['\ufeffi', 0],
    ['i j', 0],
  ])('counts spaces around an image as Go does: %j', (image, count) => {
    expect(inContainer({ image })).toHaveLength(count);
  });

  it('ignores fields of disabled features', () => {
    expect(inContainer({ lifecycle: { stopSignal: 'SIGNONSENSE' } })).toEqual([]);
    expect(complaints({ schedulingGroup: { podGroupName: 'Not A Name' } })).toEqual([]);
  });

  it('accepts invalid label values in preferred node affinity, but not in required node affinity', () => {
    const term = { matchExpressions: [{ key: 'k', operator: 'In', values: ['a b'] }] };
    const preferred = [{ weight: 1, preference: term }];
    expect(
      complaints({ affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } }),
    ).toEqual([]);
    const required = { nodeSelectorTerms: [term] };
    expect(
      complaints({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
    ).toHaveLength(1);
  });

  it("points to the actual fault, whatever upstream's path is", () => {
    const pointers = (spec: JsonObject): string[] =>
      validatePod(podWith(spec), DEFAULT_GATES).map(({ pointer }) => pointer);
    const port = { containerPort: 1, hostPort: 5 };
    const init = (name: string, ports: JsonObject[]): JsonObject => ({ name, image: 'i', ports });
    expect(pointers({ initContainers: [init('a', []), init('b', [port, port])] })).toEqual([
      '/spec/initContainers/1/ports/1/hostPort',
    ]);
    expect(pointers({ overhead: { cpu: '-1' } })).toEqual(['/spec/overhead/cpu']);
    expect(
      pointers({
        resources: { limits: { cpu: '1' } },
        containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '2' }, requests: { cpu: '1' } } }],
      }),
    ).toEqual(['/spec/containers/0/resources/limits/cpu']);
  });

  it('accepts Gt and Lt if the gate is on', () => {
    const pod = podWith({ tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] });
    expect(lines(pod)).toHaveLength(1);
    expect(lines(pod, true)).toEqual([]);
  });

  it('refuses claims of a static pod with an error without a path', () => {
    const spec = { nodeName: 'n', resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] };
    expect(complaints(spec, { annotations: { 'kubernetes.io/config.mirror': 'x' } })).toEqual([
      '[] Forbidden: static pods do not support resource claims',
    ]);
  });

  it('requires a profile in an annotation to equal that in the field', () => {
    const spec = {
      containers: [{ name: 'c', image: 'i', securityContext: { appArmorProfile: { type: 'Unconfined' } } }],
    };
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' };
    expect(complaints(spec, { annotations })).toEqual([
      'spec.containers[0].securityContext.appArmorProfile.type Forbidden: apparmor type in annotation and field must match',
    ]);
  });
});

describe('validatePod in the words of older versions', () => {
  const said = (minor: number, pod: WholePod): string[] =>
    validatePod(pod, gatesOf(rulesOfMinor(minor))).map(({ field, message }) => `${field} ${message}`);

  it('says of what is too long what 1.31 says', () => {
    const annotations = { a: 'x'.repeat(256 * 1024) };
    const large = podWith({}, { annotations });
    expect(said(31, large)).toEqual(['metadata.annotations Too long: must have at most 262144 bytes']);
    expect(said(32, large)).toEqual(['metadata.annotations Too long: may not be more than 262144 bytes']);
    const localhostProfile = 'x'.repeat(5000);
    const profile = podWith({ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile } } });
    const field = 'spec.securityContext.appArmorProfile.localhostProfile';
    expect(said(31, profile)).toEqual([`${field} Too long: may not be longer than 4095`]);
    expect(said(32, profile)).toEqual([`${field} Too long: may not be more than 4095 bytes`]);
  });

  it('merges matchLabelKeys of spread constraints since 1.34, and refuses them otherwise before', () => {
    const spreading = (constraint: JsonObject): WholePod =>
      podWith(
        {
          topologySpreadConstraints: [
            { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['a'], ...constraint },
          ],
        },
        { labels: { a: '1' } },
      );
    const both = spreading({ labelSelector: { matchLabels: { a: '1' } } });
    const message = 'Invalid value: "a": exists in both matchLabelKeys and labelSelector';
    expect(said(33, both)).toEqual([`spec.topologySpreadConstraints[0].matchLabelKeys[0] ${message}`]);
    expect(said(34, both)).toEqual([`spec.topologySpreadConstraints[0][0] ${message}`]);
    const unlabelled = spreading({ labelSelector: { matchLabels: { b: '1' } }, matchLabelKeys: ['b'] });
    expect(said(33, unlabelled)).toHaveLength(1);
    expect(said(34, unlabelled)).toEqual([]);
    const bad = spreading({ matchLabelKeys: ['-'] });
    expect(said(33, bad)).toHaveLength(2);
    expect(said(34, bad)).toHaveLength(1);
    const selectors = [33, 34].map(
      (minor) => newPod(both, rulesOfMinor(minor)).spec.topologySpreadConstraints?.[0]?.labelSelector,
    );
    expect(selectors).toEqual([
      { matchLabels: { a: '1' } },
      { matchLabels: { a: '1' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['1'] }] },
    ]);
  });

  it('refuses no pod for its resource claims before 1.34, where they are dropped, those of its containers, too', () => {
    const container = { image: 'i', resources: { claims: [{ name: 'gpu' }], requests: { cpu: '1' } } };
    const claiming = podWith({
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }],
      containers: [{ name: 'c', ...container }],
      initContainers: [{ name: 'init', ...container }],
    });
    const unknown = podWith({ containers: [{ name: 'c', ...container }] });
    expect([31, 32, 33].map((minor) => [said(minor, claiming), said(minor, unknown)])).toEqual(
      Array.from({ length: 3 }, () => [[], []]),
    );
    expect(said(34, unknown)).toEqual([expect.stringContaining('spec.containers[0].resources.claims[0]')]);
    const claimsIn = (minor: number): unknown[] => {
      const { spec } = newPod(claiming, rulesOfMinor(minor));
      return [spec, ...[...spec.containers, ...spec.initContainers!].map(({ resources }) => resources)].map((one) =>
        Object.keys(one!).filter((name) => /claims/i.test(name)),
      );
    };
    expect(claimsIn(33)).toEqual([[], [], []]);
    expect(claimsIn(34)).toEqual([['resourceClaims'], ['claims'], ['claims']]);
  });

  it('drops the fields of feature gates that are off in a version', () => {
    const [hosted, procMount] = [
      { hostUsers: false, hostNetwork: true },
      { securityContext: { procMount: 'Unmasked' } },
    ];
    expect([31, 32, 33].map((minor) => said(minor, podWith(hosted)))).toEqual([
      [],
      [],
      ['spec.hostNetwork Forbidden: when `pod.Spec.HostUsers` is false'],
    ]);
    const unmasked = podWith({ containers: [{ name: 'c', image: 'i', ...procMount }] });
    expect(said(32, unmasked)).toEqual([]);
    expect(newPod(unmasked, rulesOfMinor(32)).spec.containers[0]?.securityContext).toEqual({ procMount: 'Default' });
    expect(said(33, unmasked)).toHaveLength(1);
    const policies = podWith({ securityContext: { seLinuxChangePolicy: 'No', supplementalGroupsPolicy: 'No' } });
    expect(said(32, policies)).toEqual([]);
    expect(said(33, policies)).toHaveLength(2);
    const named = podWith({ hostnameOverride: 'UPPER' });
    expect(said(34, named)).toEqual([]);
    expect(said(35, named)).toHaveLength(1);
    const mounting = podWith({
      containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', image: { reference: 'r' } }],
    });
    const mounted = (minor: number) => {
      const { spec } = newPod(mounting, rulesOfMinor(minor));
      return [spec.volumes?.length, spec.containers[0]?.volumeMounts?.length];
    };
    expect(mounted(34)).toEqual([undefined, 0]);
    expect(mounted(35)).toEqual([1, 1]);
  });

  it('refuses a rule that restarts all containers, and rules of a sidecar, unless the gate is on', () => {
    const restart = (restartPolicy: string | undefined, action: string) => ({
      name: 'c',
      image: 'i',
      ...(restartPolicy !== undefined && { restartPolicy }),
      restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [1] } }],
    });
    const all = podWith({ containers: [restart('Never', 'RestartAllContainers')] });
    const sidecar = podWith({ initContainers: [{ ...restart('Always', 'Restart'), name: 's' }] });
    const init = podWith({ initContainers: [{ ...restart(undefined, 'Restart'), name: 's' }] });
    const at = 'spec.containers[0].restartPolicyRules[0].action';
    const refused = 'Unsupported value: "RestartAllContainers": supported values: "Restart"';
    const ofSidecar =
      'spec.initContainers[0].restartPolicyRules Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always';
    const noPolicy =
      'spec.initContainers[0].restartPolicy Required value: must specify restartPolicy when restart rules are used';
    expect([34, 35, 36].map((minor) => [all, sidecar, init].map((pod) => said(minor, pod)))).toEqual([
      [[], [], []],
      [[`${at} ${refused}`], [ofSidecar], [noPolicy]],
      [[], [], [noPolicy]],
    ]);
    const withRules = (minor: number, gates: Record<string, boolean>, pod: WholePod): string[] =>
      validatePod(pod, gatesOf(withGates(rulesOfMinor(minor), gates))).map(
        (error) => `${error.field} ${error.message}`,
      );
    const rules = { ContainerRestartRules: true };
    expect([all, sidecar, init].map((pod) => withRules(34, rules, pod))).toEqual([
      [`${at} ${refused}`],
      [ofSidecar],
      [],
    ]);
    expect(withRules(36, { RestartAllContainersOnContainerExits: false }, all)).toEqual([`${at} ${refused}`]);
    const on = { RestartAllContainersOnContainerExits: true, NodeDeclaredFeatures: true };
    expect([all, sidecar].map((pod) => withRules(35, on, pod))).toEqual([[], []]);
    const unknown = podWith({ containers: [restart('Never', 'Stop')] });
    expect(withRules(35, on, unknown)).toEqual([`${at} Unsupported value: "Stop": supported values: "Restart"`]);
    expect(said(36, unknown)).toEqual([
      `${at} Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"`,
    ]);
  });

  it('says of too many restart rules that they are too long, up to 1.35', () => {
    const rule = { action: 'Restart', exitCodes: { operator: 'In', values: Array.from({ length: 256 }, () => 1) } };
    const pod = podWith({
      containers: [
        { name: 'c', image: 'i', restartPolicy: 'Never', restartPolicyRules: Array.from({ length: 21 }, () => rule) },
      ],
    });
    const at = 'spec.containers[0].restartPolicyRules';
    expect(said(35, pod).slice(0, 2)).toEqual([
      `${at} Too long: may not be more than 20 bytes`,
      `${at}[0].exitCodes.values Too long: may not be more than 255 bytes`,
    ]);
    expect(said(36, pod)[0]).toBe(`${at} Too many: 21: must have at most 20 items`);
  });

  it('drops the restart policies and rules of containers in 1.34, where their gate is off, but not that of a sidecar', () => {
    const policy = { image: 'i', restartPolicy: 'Always', restartPolicyRules: [{ action: 'Restart' }] };
    const pod = podWith({
      containers: [{ name: 'c', ...policy }],
      initContainers: [
        { name: 's', ...policy },
        { name: 'i', ...policy, restartPolicy: 'Never' },
      ],
    });
    const { containers, initContainers } = newPod(pod, rulesOfMinor(34)).spec;
    expect([...containers, ...initContainers!].map(({ restartPolicy }) => restartPolicy)).toEqual([
      undefined,
      'Always',
      undefined,
    ]);
    expect(said(34, pod)).toEqual([]);
  });

  it('names the unknown values of a resize policy before the one that the pod does not allow', () => {
    const pod = podWith({
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'i', resizePolicy: [{ resourceName: 'gpu', restartPolicy: 'Maybe' }] }],
    });
    expect(said(36, pod).map((text) => text.replace(/^\S+ (\w+) .*/, '$1'))).toEqual([
      'Unsupported',
      'Unsupported',
      'Invalid',
    ]);
  });

  const container = (fields: JsonObject): WholePod => podWith({ containers: [{ name: 'c', image: 'i', ...fields }] });

  it('refuses a hook that sleeps for zero seconds up to 1.32, in the words of each version', () => {
    const sleeping = (seconds: number): WholePod =>
      container({ lifecycle: { preStop: { sleep: { seconds } }, postStart: { sleep: { seconds: 1 } } } });
    const at = 'spec.containers[0].lifecycle.preStop.sleep Invalid value:';
    const [positive, gate] = [
      'must be greater than 0 and less than terminationGracePeriodSeconds (30)',
      '. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.',
    ];
    expect([31, 32, 33].map((minor) => said(minor, sleeping(0)))).toEqual([
      [`${at} 0: ${positive}`],
      [`${at} 0: ${positive}${gate}`],
      [],
    ]);
    expect([31, 32, 33].map((minor) => said(minor, sleeping(31)))).toEqual([
      [`${at} 31: ${positive}`],
      [`${at} 31: ${positive}${gate}`],
      [`${at} 31: must be non-negative and less than terminationGracePeriodSeconds (30)`],
    ]);
    expect(said(31, sleeping(1))).toEqual([]);
  });

  it('drops the file of a variable up to 1.34, and misses a source then', () => {
    const fileKeyRef = { volumeName: 'v', path: 'f', key: 'K' };
    const fromFile = container({ env: [{ name: 'E', valueFrom: { fileKeyRef } }] });
    const at = 'spec.containers[0].env[0].valueFrom';
    const four = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
    expect([33, 34].map((minor) => said(minor, fromFile))).toEqual(
      Array.from({ length: 2 }, () => [`${at} Invalid value: "": ${four}`]),
    );
    expect(said(35, fromFile)).toEqual([`${at}.fileKeyRef.volumeName Not found: "v"`]);
    const empty = container({ env: [{ name: 'E', valueFrom: {} }] });
    expect(said(34, empty)).toEqual([`${at} Invalid value: "": ${four}`]);
    expect(said(35, empty)[0]).toMatch(/`secretKeyRef` or `fileKeyRef`$/);
  });

  it('takes the names of variables that 1.31 takes', () => {
    const named = (name: string): WholePod => container({ env: [{ name }] });
    const rule =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
    const at = 'spec.containers[0].env[0].name Invalid value:';
    expect([31, 32].map((minor) => said(minor, named('1a')))).toEqual([[`${at} "1a": ${rule}`], []]);
    expect([31, 32].map((minor) => said(minor, named('..')))).toEqual([[`${at} "..": must not be '..'`], []]);
    expect(said(31, named('a.b-C'))).toEqual([]);
    const prefixed = container({ envFrom: [{ prefix: 'a b', configMapRef: { name: 'm' } }] });
    expect(said(31, prefixed)).toEqual([`spec.containers[0].envFrom[0].prefix Invalid value: "a b": ${rule}`]);
  });

  const by = (minor: number, gates: Record<string, boolean>, pod: WholePod): string[] =>
    validatePod(pod, gatesOf(withGates(rulesOfMinor(minor), gates))).map(({ field, message }) => `${field} ${message}`);

  it('ignores leading zeros of addresses up to 1.35, and IPv4 in IPv6', () => {
    const pod = podWith({
      dnsConfig: { nameservers: ['010.0.0.10', 'x'] },
      hostAliases: [{ ip: '::ffff:1.2.3.4', hostnames: ['h'] }],
    });
    const bad =
      'spec.dnsConfig.nameservers[1] Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    expect([31, 35].map((minor) => said(minor, pod))).toEqual([[bad], [bad]]);
    expect(said(36, pod)).toEqual([
      'spec.dnsConfig.nameservers[0] Invalid value: "010.0.0.10": must not have leading 0s',
      bad,
      'spec.hostAliases[0].ip Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
    ]);
    expect(by(33, { StrictIPCIDRValidation: true }, pod)).toHaveLength(3);
  });

  it('takes underscores and a dot as search paths since 1.33', () => {
    const searching = (...searches: string[]): WholePod => podWith({ dnsConfig: { searches } });
    const strict =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    const at = (index: number): string => `spec.dnsConfig.searches[${index}] Invalid value:`;
    const refused = [`${at(0)} "_svc.local": ${strict}`, `${at(1)} "": ${strict}`];
    const pod = searching('_svc.local', '.', 'cluster.local.');
    expect([31, 32, 33].map((minor) => said(minor, pod))).toEqual([refused, refused, []]);
    const on = { RelaxedDNSSearchValidation: true };
    expect(by(32, on, pod)).toEqual([]);
    const shown = (minor: number): string | undefined =>
      by(minor, on, searching('A'))[0]?.replace(/.* '(.*)'\)$/, '$1');
    const [old, underscored] = ['[a-z0-9]([-a-z0-9]*[a-z0-9])?', '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'];
    expect([32, 33, 34].map(shown)).toEqual([old, old, underscored].map((label) => `${label}(\\.${label})*`));
  });

  it('refuses block devices of a pod with its own users since 1.34, and the network of the host unless its gate is on', () => {
    const pod = podWith({
      hostUsers: false,
      hostNetwork: true,
      containers: [{ name: 'c', image: 'i', volumeDevices: [{ name: 'v', devicePath: '/d' }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
    });
    const when = 'when `hostUsers` is false';
    const devices = `spec.containers[0].volumeDevices Forbidden: ${when}`;
    expect(said(33, pod)).toEqual(['spec.hostNetwork Forbidden: when `pod.Spec.HostUsers` is false']);
    expect(said(34, pod)).toEqual([`spec.hostNetwork Forbidden: ${when}`, devices]);
    expect(by(35, { UserNamespacesHostNetworkSupport: true }, pod)).toEqual([devices]);
  });

  it('explains a missing operating system up to 1.33', () => {
    const at = 'spec.os.name Required value';
    expect([33, 34].map((minor) => said(minor, podWith({ os: { name: '' } })))).toEqual([
      [`${at}: cannot be empty`],
      [at],
    ]);
  });

  it('refuses a part of an image volume up to 1.32, and claims of a static pod since 1.33, where the gates are on', () => {
    const mount = { name: 'v', mountPath: '/v', subPath: 'a' };
    const mounting = podWith({
      containers: [{ name: 'c', image: 'i', volumeMounts: [mount] }],
      volumes: [{ name: 'v', image: { reference: 'r' } }],
    });
    const images = { ImageVolume: true };
    expect([32, 33].map((minor) => by(minor, images, mounting))).toEqual([
      ['spec.containers[0].volumeMounts[0].subPath Invalid value: "a": not allowed in image volume sources'],
      [],
    ]);
    const claiming = podWith(
      { nodeName: 'n', resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }] },
      { annotations: { 'kubernetes.io/config.mirror': '' } },
    );
    expect([32, 33].map((minor) => by(minor, { DynamicResourceAllocation: true }, claiming).length)).toEqual([0, 1]);
  });

  it('validates the resources of a pod as a whole otherwise while their gate is alpha', () => {
    const on = { PodLevelResources: true };
    const claiming = podWith({
      resources: { claims: [{ name: 'c' }] },
      resourceClaims: [{ name: 'c', resourceClaimName: 'c' }],
    });
    const draOn = { ...on, DynamicResourceAllocation: true };
    expect([33, 34].map((minor) => by(minor, draOn, claiming)[0])).toEqual([
      'spec.resources.claims Forbidden: claims cannot be set for Resources at pod-level',
      'spec.resources.claims Forbidden: claims may not be set for Resources at pod-level',
    ]);
    const pages = (size: string): JsonObject => ({ cpu: '1', 'hugepages-2Mi': size });
    const paging = podWith({
      resources: { requests: pages('2Mi'), limits: pages('2Mi') },
      containers: [{ name: 'c', image: 'i', resources: { requests: pages('2Mi'), limits: pages('2Mi') } }],
      initContainers: [
        { name: 's', image: 'i', restartPolicy: 'Always', resources: { requests: pages('2Mi'), limits: pages('2Mi') } },
      ],
    });
    const aboutLimits = (minor: number): number =>
      by(minor, on, paging).filter((text) => text.includes('aggregate container limits of 4Mi')).length;
    expect([33, 34].map(aboutLimits)).toEqual([0, 1]);
    const windows = podWith({ os: { name: 'windows' }, resources: { requests: { cpu: '1' } } });
    expect([33, 34].map((minor) => by(minor, on, windows))).toEqual([
      [],
      ['spec.resources Forbidden: may not be set for a windows pod'],
    ]);
    const storing = podWith({
      resources: { requests: { cpu: '1' } },
      containers: [{ name: 'c', image: 'i', resources: { requests: { 'ephemeral-storage': '1Gi' } } }],
    });
    expect([33, 34].map((minor) => by(minor, on, storing))).toEqual([
      [
        'spec.resources.requests[ephemeral-storage] Invalid value: "0": must be greater than or equal to aggregate container requests of 1Gi',
      ],
      [],
    ]);
  });

  it('reads neither sleeps, recursive mounts nor deletion costs where their gates are off', () => {
    const sleep = { sleep: { seconds: 99 } };
    const lifecycle = { preStop: sleep, postStart: { ...sleep, exec: { command: ['a'] } } };
    const mount = { name: 'v', mountPath: '/v', recursiveReadOnly: 'Enabled' };
    const pod = podWith(
      {
        containers: [
          { name: 'c', image: 'i', lifecycle, volumeMounts: [mount] },
          { name: 'd', image: 'i', lifecycle: { preStop: sleep } },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
      { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'x' } },
    );
    const off = { PodLifecycleSleepAction: false, RecursiveReadOnlyMounts: false, PodDeletionCost: false };
    expect([by(32, {}, pod).length, by(32, off, pod)]).toEqual([5, []]);
    const { containers } = newPod(pod, withGates(rulesOfMinor(32), off)).spec;
    expect(containers.map((one) => one.lifecycle)).toEqual([{ postStart: { exec: { command: ['a'] } } }, undefined]);
  });
});
