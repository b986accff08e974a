import type { ApiServer } from './api-server.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A ServiceAccount with a ClusterRole of its own, as whom a service reads a cluster. */
export class Reader {
  constructor(
    private readonly api: ApiServer,
    private readonly name = 'reader',
  ) {}

  /** Also after it was deleted: tokens of the former account are invalid. */
  async create(): Promise<void> {
    await this.api.must('POST', ACCOUNTS, { metadata: { name: this.name } });
  }

  async delete(): Promise<void> {
    await this.api.must('DELETE', `${ACCOUNTS}/${this.name}`);
  }

  /** Gives it rules for the first time. */
  async bind(rules: readonly PolicyRule[]): Promise<void> {
    await this.api.must('POST', `${RBAC}/clusterroles`, this.role(rules));
    await this.api.must('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: this.name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: this.name },
      subjects: [{ kind: 'ServiceAccount', name: this.name, namespace: 'default' }],
    });
  }

  /** Gives it other rules. */
  async allow(rules: readonly PolicyRule[]): Promise<void> {
    await this.api.must('PUT', `${RBAC}/clusterroles/${this.name}`, this.role(rules));
  }

  /** A kubeconfig with a new token. @param ca PEM */
  async kubeconfig(server: string, ca: string): Promise<object> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
    const { status } = await this.api.must('POST', `${ACCOUNTS}/${this.name}/token`, body);
    const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
    return {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: (status as { readonly token: string }).token } }],
    };
  }

  private role(rules: readonly PolicyRule[]): object {
    return {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: this.name },
      rules,
    };
  }
}
