import type { JsonObject, JsonValue } from '../../json/json-value.js';
import { decodeObject } from '../../kubernetes/decode.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../../kubernetes/whole-pod-defaults.js';
import { apiObjectOf } from './pod-object.js';

/**
 * A new Deployment as policies see it: with the API server's defaults; no plugin changes it.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/apps/v1/defaults.go, `SetDefaults_Deployment`.
 *
 * @param given as it was sent, with its namespace
 */
export function deploymentObject(given: JsonObject): JsonObject {
  const spec = object(given['spec']);
  const template = object(spec['template']);
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
        ...(template['spec'] !== undefined && { spec: templateSpec(object(template['spec'])) }),
      },
    },
    status: {},
  });
}

/** A template gets the defaults of a pod, but for requests from limits. */
function templateSpec(given: JsonObject): object {
  const decoded = decodeObject(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: given },
    { whole: true },
  );
  if (decoded.outcome !== 'object') return given;
  const pod = decoded.object as unknown as WholePod;
  const { spec } = defaultWholePod(pod);
  const containers = spec.containers.map((container, index) => {
    const { resources = {} } = pod.spec.containers[index]!;
    return { ...container, resources };
  });
  return { ...spec, containers };
}

const object = (value: JsonValue | undefined): JsonObject => (value ?? {}) as JsonObject;
