import type { NodeRoom } from './generated-node.js';
import { DAEMON_TOLERATIONS } from './generated-pools.js';
import { labelsOf, type GeneratedWorkload } from './generated-workload.js';
import type { Random } from './random.js';

/**
 * The pod of a workload with this ordinal as `kubectl get -o json` shows it: 3 to 5 KB, most of which the service
 * drops.
 */
export function generatePod(
  workload: GeneratedWorkload,
  ordinal: number,
  node: NodeRoom | undefined,
  random: Random,
): Record<string, unknown> {
  const { kind, namespace, name } = workload;
  const token = `kube-api-access-${random.suffix(5)}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(workload, ordinal, random),
      ...(kind === 'StatefulSet' ? {} : { generateName: `${ownerName(workload)}-` }),
      namespace,
      uid: random.uid(),
      resourceVersion: String(100_000_000 + random.below(1_000_000)),
      creationTimestamp: '2026-06-25T12:30:00Z',
      labels: { ...labelsOf(workload), ...revisionLabels(workload, ordinal) },
      annotations: {
        'checksum/config': random.suffix(16),
        'prometheus.io/scrape': 'true',
      },
      ownerReferences: [ownerReference(workload)],
      managedFields: managedFields(),
    },
    spec: {
      volumes: [
        { name: 'config', configMap: { name: `${name}-config`, defaultMode: 420 } },
        { name: 'cache', emptyDir: {} },
        { name: token, projected: projectedToken() },
      ],
      ...(workload.sidecar ? { initContainers: [sidecarContainer(token)] } : {}),
      containers: [appContainer(workload, token)],
      restartPolicy: kind === 'Job' ? 'Never' : 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: name,
      serviceAccount: name,
      securityContext: { runAsNonRoot: true, fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' } },
      ...(workload.selectsPool ? { nodeSelector: { 'example.com/node-pool': workload.set.pool.name } } : {}),
      ...(kind === 'DaemonSet' && node !== undefined ? { affinity: pinTo(node.name) } : {}),
      ...(node === undefined ? {} : { nodeName: node.name }),
      schedulerName: 'default-scheduler',
      tolerations: kind === 'DaemonSet' ? DAEMON_TOLERATIONS : workload.set.tolerations,
      ...(workload.spreads ? { topologySpreadConstraints: [spreadOverZones(workload)] } : {}),
      priority: kind === 'DaemonSet' ? 2000001000 : 0,
      ...(kind === 'DaemonSet' ? { priorityClassName: 'system-node-critical' } : {}),
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: node === undefined ? pendingStatus() : runningStatus(workload, node, random),
  };
}

const ownerName = ({ kind, name, hash }: GeneratedWorkload): string =>
  kind === 'Deployment' ? `${name}-${hash}` : name;

function podName(workload: GeneratedWorkload, ordinal: number, random: Random): string {
  // The ordinal makes generated names unique; real names have only a random suffix.
  return workload.kind === 'StatefulSet'
    ? `${workload.name}-${ordinal}`
    : `${ownerName(workload)}-${random.suffix(3)}${ordinal.toString(36)}`;
}

function ownerReference(workload: GeneratedWorkload): Record<string, unknown> {
  const { kind, uid, replicaSetUid } = workload;
  const deployment = kind === 'Deployment';
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: deployment ? 'ReplicaSet' : kind,
    name: ownerName(workload),
    uid: deployment ? replicaSetUid : uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function revisionLabels({ kind, name, hash, uid }: GeneratedWorkload, ordinal: number): Record<string, string> {
  switch (kind) {
    case 'Deployment':
      return { 'pod-template-hash': hash };
    case 'StatefulSet':
      return {
        'apps.kubernetes.io/pod-index': String(ordinal),
        'controller-revision-hash': `${name}-${hash}`,
        'statefulset.kubernetes.io/pod-name': `${name}-${ordinal}`,
      };
    case 'DaemonSet':
      return { 'controller-revision-hash': hash, 'pod-template-generation': '3' };
    case 'Job':
      return { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name };
  }
}

function appContainer(workload: GeneratedWorkload, token: string): Record<string, unknown> {
  const { name, namespace, milliCPU, memoryMi } = workload;
  const probe = (path: string) => ({
    httpGet: { path, port: 'http', scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  return {
    name: 'app',
    image: `registry.example.com/${name}:1.0.0`,
    args: ['serve', `--listen=:8080`, `--tenant=${namespace}`, '--log-format=json', '--config=/etc/app/config.yaml'],
    ports: [
      { name: 'http', containerPort: 8080, protocol: 'TCP' },
      { name: 'metrics', containerPort: 9102, protocol: 'TCP' },
    ],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
      { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef: { name: `${name}-db`, key: 'password' } } },
      { name: 'DATABASE_URL', value: `postgres://app@${name}-db.${namespace}.svc.cluster.local:5432/app` },
      { name: 'LOG_LEVEL', value: 'info' },
    ],
    resources: {
      limits: { memory: `${memoryMi * 2}Mi` },
      requests: { cpu: `${milliCPU}m`, memory: `${memoryMi}Mi` },
    },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/app', readOnly: true },
      { name: 'cache', mountPath: '/var/cache/app' },
      { name: token, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
    readinessProbe: probe('/readyz'),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
  };
}

const sidecarContainer = (token: string): Record<string, unknown> => ({
  name: 'proxy',
  image: 'registry.example.com/platform/proxy:2.3.1',
  restartPolicy: 'Always',
  args: ['proxy', 'sidecar'],
  resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '128Mi' } },
  volumeMounts: [{ name: token, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }],
});

const projectedToken = () => ({
  defaultMode: 420,
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ],
});

const pinTo = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
});

const spreadOverZones = (workload: GeneratedWorkload) => ({
  maxSkew: 1,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { 'app.kubernetes.io/name': workload.name } },
});

function managedFields(): readonly unknown[] {
  const none = {};
  return [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-06-25T12:30:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:generateName': none, 'f:labels': { '.': none, 'f:app.kubernetes.io/name': none } },
        'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': none, 'f:image': none, 'f:resources': none } } },
      },
    },
    {
      manager: 'kubelet',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-06-25T12:30:20Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': { '.': none, 'f:status': none } } } },
      subresource: 'status',
    },
  ];
}

function pendingStatus(): Record<string, unknown> {
  return {
    phase: 'Pending',
    qosClass: 'Burstable',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/5000 nodes are available: 5000 Insufficient cpu.',
        lastProbeTime: null,
        lastTransitionTime: '2026-06-25T12:30:00Z',
      },
    ],
  };
}

function runningStatus(workload: GeneratedWorkload, node: NodeRoom, random: Random): Record<string, unknown> {
  const ip = `100.${64 + random.below(64)}.${random.below(256)}.${random.below(256)}`;
  const since = '2026-06-25T12:30:20Z';
  return {
    phase: 'Running',
    qosClass: 'Burstable',
    startTime: '2026-06-25T12:30:01Z',
    hostIP: node.name.split('.')[0]!.slice(3).replaceAll('-', '.'),
    podIP: ip,
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: since,
    })),
    containerStatuses: [
      {
        name: 'app',
        image: `registry.example.com/${workload.name}:1.0.0`,
        containerID: `containerd://${random.suffix(64)}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: since } },
        lastState: {},
      },
    ],
  };
}
