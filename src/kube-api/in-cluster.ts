import type { ApiServer } from './api-server.js';

/**
 * The API server of the cluster that the service runs in, by the variables that Kubernetes sets in every pod; undefined elsewhere.
 *
 * Source: k8s.io/client-go v0.36.2, rest/config.go, `InClusterConfig`.
 */
export function inClusterServer(env: Readonly<Record<string, string | undefined>>): ApiServer | undefined {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '') return undefined;
  return { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, user: { kind: 'serviceAccount' } };
}
