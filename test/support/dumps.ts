import type { TestService } from './service.js';
import { answerOf, type Answer } from './answer.js';

/** A node as a dump has it; `rest` replaces its members. */
export function node(name: string, rest: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
    ...rest,
  };
}

/** A pod as a dump has it. @param key `namespace/name` */
export function pod(key: string, nodeName: string, spec: object = {}, owner?: { kind: string; name: string }): object {
  const [namespace, name] = key.split('/');
  const ownerReferences =
    owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', uid: owner.name, controller: true, ...owner }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, ...ownerReferences },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }], ...spec },
  };
}

/** A pod with a secret in every place where people put secrets. */
export function secretPod(secret: string) {
  const container = {
    name: 'c',
    image: 'i',
    command: ['run', `--password=${secret}`],
    args: [secret],
    env: [{ name: 'PASSWORD', value: secret }],
    lifecycle: { postStart: { exec: { command: [secret] } } },
    livenessProbe: {
      httpGet: { path: `/${secret}`, port: 80, httpHeaders: [{ name: 'Authorization', value: secret }] },
    },
    workingDir: `/${secret}`,
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'with-secrets',
      namespace: 'default',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': secret, note: secret },
      managedFields: [
        { manager: 'x', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: { [`k:{"name":"${secret}"}`]: {} } },
      ],
    },
    spec: {
      nodeName: 'a',
      containers: [container],
      initContainers: [{ ...container, name: 'init' }],
      ephemeralContainers: [{ ...container, name: 'debug' }],
      volumes: [
        { name: 'csi', csi: { driver: 'd', volumeAttributes: { token: secret } } },
        { name: 'flex', flexVolume: { driver: 'd', options: { token: secret } } },
      ],
    },
    status: {
      message: secret,
      containerStatuses: [{ name: 'c', state: { terminated: { message: secret, exitCode: 1 } } }],
    },
  };
}

/** A list, as `kubectl get -o json` prints it. */
export function list(objects: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

/** Posts bytes unchanged, by default as application/octet-stream. */
export async function send(
  { url }: Pick<TestService, 'url'>,
  path: string,
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isStream = typeof body !== 'string' && !(body instanceof Uint8Array);
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: isStream ? ReadableStream.from(body) : Buffer.from(body),
    ...(isStream ? { duplex: 'half' as const } : {}),
  });
  return answerOf(response);
}
