import type { AuditEvent, AuditUser } from './audit-event.js';

/** The kind of writer behind a change. */
export type ActorClass =
  /**
   * A user other than service accounts and components of Kubernetes: a person, or a program with a person's identity.
   */
  | 'person'
  | 'nodeLifecycleController'
  /** kube-controller-manager, known only by its field manager, which all of its controllers share. */
  | 'kubeControllerManager'
  | 'cloudControllerManager'
  | 'kubelet'
  | 'clusterAutoscaler'
  | 'karpenter'
  /** kubectl, known only by its field manager: a person or a script used it. */
  | 'kubectl'
  /** A service account, a provider's component or another system user. */
  | 'controller'
  | 'unknown';

/**
 * The writer behind a change, as far as `from` shows it: the API server authenticates a `user`; a field manager and a
 * user agent are chosen by the client.
 */
export interface Actor {
  readonly class: ActorClass;
  readonly from: 'user' | 'userAgent' | 'fieldManager' | 'intent' | 'nothing';
  /** The program, if the user agent names one: `kubectl`, `kubelet`. */
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

/** The names of programs, as field manager or at the beginning of their user agent. */
const byProgram = new Map<string, ActorClass>([
  ['kube-controller-manager', 'kubeControllerManager'],
  ['cloud-controller-manager', 'cloudControllerManager'],
  ['kubelet', 'kubelet'],
  ['cluster-autoscaler', 'clusterAutoscaler'],
  ['karpenter', 'karpenter'],
  ['karpenter.sh', 'karpenter'],
]);

const SERVICE_ACCOUNT = /^system:serviceaccount:[^:]+:(.+)$/;
/** The names of cloud providers' components. */
const PROVIDER = /^(?:eks|aks|gke|container-engine|openshift):/;

/**
 * The actor behind an audit event: identified by the name of the user whose permissions were used (the impersonated
 * one, if any), or else by the user agent.
 *
 * Example: `system:node:a` is that node's kubelet; `alice` with `kubectl/v1.36.2` is a person using kubectl.
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
  // Controllers that share one identity each append their name to the user agent.
  if (known === 'kubeControllerManager' && event.userAgent?.endsWith('/node-controller') === true) {
    return { class: 'nodeLifecycleController', from: 'userAgent', ...named };
  }
  if (known !== undefined) return { class: known, from: 'user', ...named };
  const isController = account !== undefined || user.username.startsWith('system:') || PROVIDER.test(user.username);
  if (!isController) return { class: 'person', from: 'user', ...named };
  // Only for controllers is the user agent used; that of a person proves nothing.
  const byAgent = account === undefined || program === undefined ? undefined : byProgram.get(program);
  return byAgent === undefined
    ? { class: 'controller', from: 'user', ...named }
    : { class: byAgent, from: 'userAgent', ...named };
}

/** The actor behind a field manager, which is a name that the client chose. */
export function actorOfManager(manager: string | undefined): Actor {
  if (manager === undefined) return { class: 'unknown', from: 'nothing' };
  const known = byProgram.get(manager) ?? (/^kubectl(?:-|$)/.test(manager) ? 'kubectl' : 'unknown');
  return { class: known, from: 'fieldManager', program: manager };
}

/** The user whose permissions a request used: the impersonated user, else the authenticated one. */
export function actingUser({ user, impersonatedUser }: AuditEvent): AuditUser | undefined {
  return impersonatedUser ?? user;
}

/**
 * The field manager under which the API server records an event's write: the one in the request, else its user agent up
 * to the first slash, only printable characters and at most 128 bytes.
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
    if (bytes + size > MAX_MANAGER_LENGTH) break;
    if (UNPRINTABLE.test(character)) continue;
    manager += character;
    bytes += size;
  }
  return manager;
}

const MAX_MANAGER_LENGTH = 128;
/** Like Go's `unicode.IsPrint`: the only printable white space is the space. */
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
