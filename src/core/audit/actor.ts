import type { AuditEvent, AuditUser } from './audit-event.js';

/** What kind of writer is behind a change. */
export type ActorClass =
  /** A user that is no service account and no component of Kubernetes: a person, or whatever holds that identity. */
  | 'person'
  | 'nodeLifecycleController'
  /** kube-controller-manager by its field manager alone, which all of its controllers share. */
  | 'kubeControllerManager'
  | 'cloudControllerManager'
  | 'kubelet'
  | 'clusterAutoscaler'
  | 'karpenter'
  /** kubectl by its field manager alone: somebody, or a script, used it. */
  | 'kubectl'
  /** A service account, a provider's component or another system user. */
  | 'controller'
  | 'unknown';

/**
 * Who is behind a change, as far as `from` tells: a `user` is authenticated by the API server; a field manager and a user
 * agent are what the client says of itself.
 */
export interface Actor {
  readonly class: ActorClass;
  readonly from: 'user' | 'userAgent' | 'fieldManager' | 'intent' | 'nothing';
  /** The program, where the user agent names one: `kubectl`, `kubelet`. */
  readonly program?: string;
}

const byUserName = new Map<string, ActorClass>([
  ['system:kube-controller-manager', 'kubeControllerManager'],
  ['system:cloud-controller-manager', 'cloudControllerManager'],
  ['system:serviceaccount:kube-system:node-controller', 'nodeLifecycleController'],
  ['system:serviceaccount:kube-system:cloud-node-controller', 'cloudControllerManager'],
  ['system:serviceaccount:kube-system:cloud-node-lifecycle-controller', 'cloudControllerManager'],
  ['system:serviceaccount:kube-system:cloud-controller-manager', 'cloudControllerManager'],
  ['cluster-autoscaler', 'clusterAutoscaler'],
  ['system:cluster-autoscaler', 'clusterAutoscaler'],
]);

/** What programs call themselves, as field manager or at the head of their user agent. */
const byProgram = new Map<string, ActorClass>([
  ['kube-controller-manager', 'kubeControllerManager'],
  ['cloud-controller-manager', 'cloudControllerManager'],
  ['kubelet', 'kubelet'],
  ['cluster-autoscaler', 'clusterAutoscaler'],
  ['karpenter', 'karpenter'],
  ['karpenter.sh', 'karpenter'],
]);

const SERVICE_ACCOUNT = /^system:serviceaccount:[^:]+:(.+)$/;
/** Names that clouds give to their own components. */
const PROVIDER = /^(?:eks|aks|gke|container-engine|openshift):/;

/**
 * The actor behind an audit event: by the name of the user whose rights were used (the impersonated one, if any), and
 * where that says nothing by the user agent.
 *
 * Example: `system:node:a` is that node's kubelet; `alice` with `kubectl/v1.36.2` a person using kubectl.
 */
export function actorOf(event: AuditEvent): Actor {
  const program = programOf(event.userAgent);
  const named = program === undefined ? {} : { program };
  const user = actingUser(event);
  if (user === undefined) {
    const known = program === undefined ? undefined : byProgram.get(program);
    return { class: known ?? 'unknown', from: known === undefined ? 'nothing' : 'userAgent', ...named };
  }
  const account = SERVICE_ACCOUNT.exec(user.username)?.[1];
  const known =
    byUserName.get(user.username) ??
    (user.username.startsWith('system:node:') ? 'kubelet' : undefined) ??
    (account === undefined ? undefined : ofAccount(account));
  // Where its controllers share one identity, each adds its name to the user agent.
  if (known === 'kubeControllerManager' && event.userAgent?.endsWith('/node-controller') === true) {
    return { class: 'nodeLifecycleController', from: 'userAgent', ...named };
  }
  if (known !== undefined) return { class: known, from: 'user', ...named };
  const isController = account !== undefined || user.username.startsWith('system:') || PROVIDER.test(user.username);
  if (!isController) return { class: 'person', from: 'user', ...named };
  // Only of a controller the user agent may tell which: a person's proves nothing.
  const byAgent = account === undefined || program === undefined ? undefined : byProgram.get(program);
  return byAgent === undefined
    ? { class: 'controller', from: 'user', ...named }
    : { class: byAgent, from: 'userAgent', ...named };
}

/** The actor behind a field manager, all that managedFields tell: a name that the client chose. */
export function actorOfManager(manager: string | undefined): Actor {
  if (manager === undefined) return { class: 'unknown', from: 'nothing' };
  const known = byProgram.get(manager) ?? (/^kubectl(?:-|$)/.test(manager) ? 'kubectl' : 'unknown');
  return { class: known, from: 'fieldManager', program: manager };
}

/** Whose rights a request used: the impersonated user's, else the authenticated one's. */
export function actingUser({ user, impersonatedUser }: AuditEvent): AuditUser | undefined {
  return impersonatedUser ?? user;
}

/**
 * The field manager under which the API server records an event's write: the one that the request names, else its user
 * agent up to the first slash, printable characters only and at most 128 bytes.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/endpoints/handlers/create.go, `managerOrUserAgent` and `prefixFromUserAgent`.
 */
export function managerOf({ fieldManager, userAgent = '' }: AuditEvent): string {
  if (fieldManager !== undefined) return fieldManager;
  const [prefix = ''] = userAgent.split('/', 1);
  let manager = '';
  let bytes = 0;
  for (const character of prefix) {
    const size = bytesOf(character);
    if (bytes + size > LONGEST_MANAGER) break;
    if (UNPRINTABLE.test(character)) continue;
    manager += character;
    bytes += size;
  }
  return manager;
}

const LONGEST_MANAGER = 128;
/** As Go's `unicode.IsPrint`: of white space only the plain space is printable. */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/u;

function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

function programOf(userAgent: string | undefined): string | undefined {
  return /^([^/\s]+)/.exec(userAgent ?? '')?.[1];
}

function ofAccount(account: string): ActorClass | undefined {
  if (/^(?:.+-)?cluster-autoscaler(?:-.+)?$/.test(account)) return 'clusterAutoscaler';
  if (/^(?:.+-)?karpenter(?:-.+)?$/.test(account)) return 'karpenter';
  return undefined;
}
