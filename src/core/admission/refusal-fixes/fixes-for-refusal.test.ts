import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { Namespace } from '../../kubernetes/objects/namespace.js';
import type { LimitRange, LimitRangeItem, ResourceQuota } from '../../kubernetes/objects/quota.js';
import type { PriorityClass } from '../../kubernetes/objects/scheduling.js';
import type { ServiceAccount } from '../../kubernetes/objects/service-account.js';
import type { WholeContainer, WholePod, WholePodSpec } from '../../kubernetes/objects/whole-pod.js';
import { admitPod, type NewPod } from '../admission-chain.js';
import { STOCK_ADMISSION } from '../admission-configuration.js';
import type { ClusterAdmission } from '../admission-in.js';
import type { AdmissionSurroundings } from '../admission-plugins.js';
import { SYSTEM_PRIORITY_CLASSES } from '../priority.js';
import { fixesForRefusal, type RefusalFix } from './fixes-for-refusal.js';

const namespace = (labels: Readonly<Record<string, string>> = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team-a', labels },
});
const enforcing = (level: string, version = 'latest'): Partial<AdmissionSurroundings> => ({
  namespace: namespace({
    'pod-security.kubernetes.io/enforce': level,
    'pod-security.kubernetes.io/enforce-version': version,
  }),
});
const account = (name: string): ServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'team-a' },
});
const limitRange = (...limits: readonly LimitRangeItem[]): Partial<AdmissionSurroundings> => {
  const one: LimitRange = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits', namespace: 'team-a' },
    spec: { limits },
  };
  return { limitRanges: [one] };
};
const quota = (hard: Readonly<Record<string, string>>): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'team-a' },
  spec: { hard },
  status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) },
});
const pod = (container: Partial<WholeContainer> = {}, spec: Partial<WholePodSpec> = {}): WholePod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'team-a' },
  spec: { containers: [{ name: 'c', image: 'app:v1', ...container }], ...spec },
});

const into = (more: Partial<AdmissionSurroundings>): ClusterAdmission => ({
  surroundings: {
    namespace: namespace(),
    limitRanges: [],
    serviceAccounts: [account('default')],
    quotas: [],
    priorityClasses: SYSTEM_PRIORITY_CLASSES,
    findRuntimeClass: () => undefined,
    now: 0,
    ...more,
  },
  configuration: STOCK_ADMISSION,
  gates: DEFAULT_GATES,
});

/** The fixes, each of which is made again by its patch alone. */
function fixes(
  sent: WholePod,
  more: Partial<AdmissionSurroundings>,
  options: Partial<NewPod> = {},
): readonly RefusalFix[] {
  const request: NewPod = { operation: 'create', pod: sent, ...options };
  const refused = admitPod(request, into(more));
  if (refused.outcome === 'admitted') throw new Error('admitted');
  const found = fixesForRefusal(request, refused, into(more));
  for (const { patch, admission } of found) {
    const again = admitPod(
      { ...request, pod: patched(sent, patch), ...(options.whole && { whole: patched(sent, patch) }) },
      into(more),
    );
    expect(again.outcome).toBe(admission.outcome);
  }
  return found;
}

function patched(sent: WholePod, patch: RefusalFix['patch']): WholePod {
  const root = { root: structuredClone(sent) } as Record<string, unknown>;
  for (const operation of patch) {
    const path = ['root', ...operation.path.split('/').slice(1)].map((name) =>
      name.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const name = path.pop() ?? '';
    const parent = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root);
    if (Array.isArray(parent)) {
      if (operation.op === 'remove') parent.splice(Number(name), 1);
      else parent.splice(Number(name), operation.op === 'replace' ? 1 : 0, operation.value);
    } else if (operation.op === 'remove') Reflect.deleteProperty(parent as object, name);
    else (parent as Record<string, unknown>)[name] = operation.value;
  }
  return root['root'] as WholePod;
}

const summaries = (found: readonly RefusalFix[]): unknown =>
  found.map(({ changes, admission }) => [
    ...changes.map(({ summary }) => summary),
    admission.outcome === 'admitted' ? 'admitted' : admission.refusal.by,
  ]);

describe('fixesForRefusal, of PodSecurity', () => {
  it('sets what the restricted standard demands, and nothing else', () => {
    const [fix, ...more] = fixes(pod(), enforcing('restricted'));
    expect(more).toEqual([]);
    expect(fix?.admission.outcome).toBe('admitted');
    expect(fix?.patch.map((operation) => ({ ...operation, why: undefined }))).toEqual([
      {
        op: 'add',
        path: '/spec/containers/0/securityContext',
        value: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
      {
        op: 'add',
        path: '/spec/securityContext',
        value: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      },
    ]);
    expect(fix?.changes.map(({ summary }) => summary)).toEqual([
      'set allowPrivilegeEscalation to false in container "c"',
      'drop all capabilities in container "c"',
      'set runAsNonRoot to true',
      'use the seccomp profile RuntimeDefault',
    ]);
    expect(fix?.changes[2]?.condition).toBe('the image runs as a user other than root');
    expect(fix?.patch[1]?.why).toBe('set runAsNonRoot to true; use the seccomp profile RuntimeDefault');
  });

  it('leaves settings alone that meet the standard', () => {
    const good = {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const containers = [
      { name: 'a', image: 'a:v1', securityContext: good },
      { name: 'b', image: 'b:v1', securityContext: { ...good, allowPrivilegeEscalation: true } },
    ];
    const [fix] = fixes(pod({}, { containers }), enforcing('restricted'));
    expect(fix?.patch).toEqual([
      {
        op: 'replace',
        path: '/spec/containers/1/securityContext/allowPrivilegeEscalation',
        value: false,
        why: 'set allowPrivilegeEscalation to false in container "b"',
      },
    ]);
  });

  it('asks no image for a user where every container is given one', () => {
    const [fix] = fixes(pod({ securityContext: { runAsUser: 1000 } }), enforcing('restricted'));
    expect(fix?.changes.map(({ condition }) => condition)[2]).toBeNull();
  });

  it('takes out what the baseline standard forbids', () => {
    const sent = pod(
      {
        ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }],
        securityContext: {
          capabilities: { add: ['SYS_ADMIN', 'CHOWN'] },
          privileged: true,
          seccompProfile: { type: 'Unconfined' },
          seLinuxOptions: { type: 'spc_t', level: 's0' },
          appArmorProfile: { type: 'Unconfined' },
        },
        livenessProbe: { httpGet: { host: '1.2.3.4', port: 80 } },
      },
      {
        hostNetwork: true,
        hostPID: true,
        securityContext: {
          sysctls: [
            { name: 'kernel.shm_rmid_forced', value: '0' },
            { name: 'kernel.msgmax', value: '65536' },
          ],
        },
      },
    );
    sent.spec.containers[0]!.ports!.forEach((port) => Object.assign(port, { hostPort: port.containerPort }));
    const [fix] = fixes(sent, enforcing('baseline'));
    expect(fix?.admission.outcome).toBe('admitted');
    expect(fix?.pod.spec).toEqual({
      containers: [
        {
          name: 'c',
          image: 'app:v1',
          ports: [{ containerPort: 80 }, { containerPort: 81 }],
          securityContext: { capabilities: { add: ['CHOWN'] }, seLinuxOptions: { level: 's0' } },
          livenessProbe: { httpGet: { port: 80 } },
        },
      ],
      securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] },
    });
    expect(fix?.changes.map(({ summary }) => summary)).toEqual([
      'use the default AppArmor profile: remove that of container "c"',
      'do not add capabilities SYS_ADMIN to container "c"',
      'remove hostNetwork, hostPID',
      'remove the host ports of container "c"',
      'remove the hosts of probes and hooks in container "c"',
      'do not run container "c" privileged',
      'remove the forbidden SELinux options of container "c"',
      'remove the seccomp profile of container "c"',
      'do not set the sysctls kernel.msgmax',
    ]);
  });

  it('removes host ports that come with the host network by removing that', () => {
    const [fix] = fixes(pod({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }), enforcing('baseline'));
    expect(summaries([fix!])).toEqual([['remove hostNetwork', 'admitted']]);
  });

  it('knows what older versions of a standard demand', () => {
    const sent = { ...pod({}, { securityContext: { runAsNonRoot: true } }) };
    const [fix] = fixes(sent, enforcing('restricted', 'v1.8'));
    expect(summaries([fix!])).toEqual([['set allowPrivilegeEscalation to false in container "c"', 'admitted']]);
  });

  it('proposes nothing for a volume of the host', () => {
    const volumes = [{ name: 'host', hostPath: { path: '/' } }];
    expect(fixes(pod({}, { volumes }), enforcing('baseline'))).toEqual([]);
  });

  it('changes the kept fields and the whole pod alike', () => {
    const sent = pod();
    const [fix] = fixes(sent, enforcing('restricted'), { known: 'kept', whole: sent });
    expect(fix?.admission.outcome).toBe('admitted');
    expect(fix?.pod.spec.securityContext?.runAsNonRoot).toBe(true);
  });
});

describe('fixesForRefusal, of resources', () => {
  it('raises the limit that a request exceeds, or lowers the request', () => {
    const found = fixes(pod({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }), {});
    expect(summaries(found)).toEqual([
      ['set the cpu limit of container "c" to 2', 'admitted'],
      ['set the cpu request of container "c" to 1', 'admitted'],
    ]);
  });

  it('makes request and limit equal where no more can be promised', () => {
    const found = fixes(
      pod({ resources: { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '2' } } }),
      {},
    );
    expect(summaries(found)).toEqual([
      ['set the example.com/gpu limit of container "c" to 1', 'admitted'],
      ['set the example.com/gpu request of container "c" to 2', 'admitted'],
    ]);
  });

  it('states a limit where a default below the request would be set', () => {
    const found = fixes(
      pod({ resources: { requests: { cpu: '800m' } } }),
      limitRange({ type: 'Container', default: { cpu: '500m' } }),
    );
    expect(summaries(found)).toEqual([
      ['set the cpu limit of container "c" to 800m', 'admitted'],
      ['set the cpu request of container "c" to 500m', 'admitted'],
    ]);
  });

  it('brings containers to the bounds of a LimitRange', () => {
    const bounds = limitRange({ type: 'Container', min: { memory: '64Mi' }, max: { cpu: '2', memory: '1Gi' } });
    const resources = { requests: { cpu: '3', memory: '32Mi' }, limits: { cpu: '4', memory: '2Gi' } };
    expect(summaries(fixes(pod({ resources }), bounds))).toEqual([
      [
        'set the memory request of container "c" to 64Mi',
        'set the cpu limit of container "c" to 2',
        'set the cpu request of container "c" to 2',
        'set the memory limit of container "c" to 1Gi',
        'admitted',
      ],
    ]);
  });

  it('brings the sum of a pod to the bound by its greatest container', () => {
    const of = (name: string, cpu: string): WholeContainer => ({
      name,
      image: 'app:v1',
      resources: { requests: { cpu }, limits: { cpu } },
    });
    const found = fixes(
      pod({}, { containers: [of('a', '1'), of('b', '2')] }),
      limitRange({ type: 'Pod', max: { cpu: '2' } }),
    );
    expect(summaries(found)).toEqual([
      ['set the cpu limit of container "b" to 1', 'set the cpu request of container "b" to 1', 'admitted'],
    ]);
  });

  it('raises the request or lowers the limit where one is too many times the other', () => {
    const found = fixes(
      pod({ resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } }),
      limitRange({ type: 'Container', maxLimitRequestRatio: { cpu: '4' } }),
    );
    expect(summaries(found)).toEqual([
      ['set the cpu request of container "c" to 250m', 'admitted'],
      ['set the cpu limit of container "c" to 400m', 'admitted'],
    ]);
  });

  it('proposes nothing for a ratio that is too great to be reckoned with', () => {
    const found = fixes(
      pod({ resources: { limits: { cpu: '1' }, requests: { cpu: '0' } } }),
      limitRange({ type: 'Container', maxLimitRequestRatio: { cpu: '1e999' } }),
    );
    expect(summaries(found)).toEqual([]);
  });

  it('states what a quota demands: the limit as high as the request, else what the scheduler assumes', () => {
    const found = fixes(pod({ resources: { requests: { cpu: '300m' } } }), {
      quotas: [quota({ 'limits.cpu': '10', 'requests.memory': '10Gi' })],
    });
    expect(summaries(found)).toEqual([
      ['set the cpu limit of container "c" to 300m', 'set the memory request of container "c" to 200Mi', 'admitted'],
    ]);
    expect(found[0]?.changes[1]?.condition).toBe('the programs in container "c" do with 200Mi of memory');
  });

  it('says that an exceeded quota is left', () => {
    const found = fixes(pod(), { quotas: [quota({ 'requests.cpu': '50m' })] });
    expect(summaries(found)).toEqual([['set the cpu request of container "c" to 100m', 'ResourceQuota']]);
  });

  it('proposes nothing for a quota that is exceeded', () => {
    expect(fixes(pod(), { quotas: [quota({ pods: '0' })] })).toEqual([]);
  });
});

describe('fixesForRefusal, of names', () => {
  const high: PriorityClass = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high-priority' },
    value: 1000,
  };
  const classes = { priorityClasses: [...SYSTEM_PRIORITY_CLASSES, high] };

  it('names the PriorityClass that was likely meant, or none', () => {
    expect(summaries(fixes(pod({}, { priorityClassName: 'high-prioritiy' }), classes))).toEqual([
      ['set priorityClassName to high-priority', 'admitted'],
      ['remove priorityClassName', 'admitted'],
    ]);
  });

  it('removes a priority that is not that of the class', () => {
    expect(summaries(fixes(pod({}, { priorityClassName: 'high-priority', priority: 5 }), classes))).toEqual([
      ['remove priority', 'admitted'],
    ]);
  });

  it('names the RuntimeClass that was likely meant, or none', () => {
    const gvisor = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'gvisor' },
      handler: 'r',
    } as const;
    const found = fixes(pod({}, { runtimeClassName: 'gvsior' }), {
      findRuntimeClass: (name) => (name === 'gvisor' ? gvisor : undefined),
      runtimeClassNames: () => ['gvisor'],
    });
    expect(summaries(found)).toEqual([
      ['set runtimeClassName to gvisor', 'admitted'],
      ['remove runtimeClassName', 'admitted'],
    ]);
  });

  it('names the service account that was likely meant, or the default', () => {
    const found = fixes(pod({}, { serviceAccountName: 'bilder', serviceAccount: 'bilder' }), {
      serviceAccounts: [account('default'), account('builder')],
    });
    expect(summaries(found)).toEqual([
      ['set serviceAccountName to builder', 'admitted'],
      ['remove serviceAccountName', 'admitted'],
    ]);
  });

  it('answers one refusal after another', () => {
    const found = fixes(pod({ resources: { requests: { cpu: '1' } } }, { serviceAccountName: 'nobody' }), {
      ...enforcing('restricted'),
      ...limitRange({ type: 'Container', min: { cpu: '2' } }),
    });
    expect(found.map(({ changes, admission }) => [changes.map(({ by }) => by), admission.outcome])).toEqual([
      [['ServiceAccount', 'LimitRanger', 'PodSecurity', 'PodSecurity', 'PodSecurity', 'PodSecurity'], 'admitted'],
    ]);
  });
});
