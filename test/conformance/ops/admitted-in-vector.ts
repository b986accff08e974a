import { admitPriority } from '../../../src/core/admission/priority.js';
import { withDefaultTolerations } from '../../../src/core/admission/default-toleration-seconds.js';
import { apiObjectOf } from '../../../src/core/admission/policies/pod-object.js';
import type { JsonObject, JsonValue } from '../../../src/core/json/json-value.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { WholePod } from '../../../src/core/kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../../../src/core/kubernetes/whole-pod-defaults.js';
import { computeQos } from '../../../src/core/resources/qos.js';
import { decodeManifest } from './refused-fields.js';

const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;

/** A Pod or Deployment of a vector as policies see it when it is created: with defaults and what earlier admission adds. */
export function admittedInVector(given: JsonObject, namespace: string): JsonObject {
  const named: JsonObject = { ...given, metadata: { ...object(given['metadata']), namespace } };
  return named['kind'] === 'Pod' ? admittedPod(named) : admittedDeployment(named);
}

const TOKEN = 'kube-api-access-xxxxx';
const TOKEN_MOUNT = { name: TOKEN, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };

function admittedPod(given: JsonObject): JsonObject {
  const whole = defaultWholePod(decodeManifest(given) as WholePod) as unknown as Pod;
  const pod = admitPriority(withDefaultTolerations(whole), []);
  const { spec } = pod as unknown as WholePod;
  const withToken = spec.containers.map((container) => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), TOKEN_MOUNT],
  }));
  return apiObjectOf({
    ...pod,
    spec: {
      ...spec,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: withToken,
      volumes: [...(spec.volumes ?? []), { name: TOKEN, projected: { sources: [] } }],
    },
    status: { phase: 'Pending', qosClass: computeQos(pod) },
  });
}

/** Defaults of k8s.io/kubernetes v1.36.2, pkg/apis/apps/v1/defaults.go. */
function admittedDeployment(given: JsonObject): JsonObject {
  const spec = object(given['spec']);
  const template = object(spec['template']);
  const podSpec = templateSpec(object(template['spec']));
  const strategy = object(spec['strategy']);
  const type = strategy['type'] ?? 'RollingUpdate';
  const rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...object(strategy['rollingUpdate']) };
  const { minReadySeconds, paused, ...others } = spec;
  return apiObjectOf({
    ...given,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...others,
      ...(minReadySeconds !== undefined && minReadySeconds !== 0 && { minReadySeconds }),
      ...(paused === true && { paused }),
      strategy: type === 'RollingUpdate' ? { type, rollingUpdate } : { type },
      template: {
        metadata: object(template['metadata']),
        spec: podSpec,
      },
    },
    status: {},
  });
}

/** A template gets the defaults of a pod, but for requests from limits. */
function templateSpec(given: JsonObject): WholePod['spec'] {
  const pod = decodeManifest({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: given }) as WholePod;
  const { spec } = defaultWholePod(pod);
  const containers = spec.containers.map((container, index) => {
    const { resources = {} } = pod.spec.containers[index]!;
    return { ...container, resources };
  });
  return { ...spec, containers };
}
