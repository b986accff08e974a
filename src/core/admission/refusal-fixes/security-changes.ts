import { without } from '../../collections/without.js';
import type {
  Handler,
  Lifecycle,
  PodSecurityContext,
  Probe,
  SecurityContext,
  WholeContainer,
  WholePod,
  WholePodSpec,
} from '../../kubernetes/objects/whole-pod.js';
import { defaultWholePod } from '../../kubernetes/whole-pod-defaults.js';
import type { SecuredPod } from '../pod-security/check.js';
import type { LevelVersion } from '../pod-security/level.js';
import { checksOf } from '../pod-security/standards.js';
import { containersText, settersText } from '../pod-security/text.js';
import { inSpec, placedContainers, type EditingChange, type PodEdit, type Way } from './refusal-change.js';

/** What answers one check; `violates` is the check, as the standard's version has it. */
type Remedy = (pod: WholePod, violates: (pod: SecuredPod) => boolean) => Omit<EditingChange, 'by'>;

/**
 * The changes by which a pod meets a standard, one for each check that finds fault with it, each as small as it can be: a setting that is
 * forbidden is taken out, one that is demanded is set. Undefined where it would take another program: what a hostPath volume, or
 * another restricted one, holds nothing else does.
 *
 * Source: k8s.io/pod-security-admission v0.36.2, policy, as the checks themselves.
 *
 * @param sent as it is sent, without defaults
 */
export function securityChanges(standard: LevelVersion, sent: WholePod): Way | undefined {
  const changes: EditingChange[] = [];
  let pod = sent;
  for (const { id, check } of checksOf(standard)) {
    const violates = (one: SecuredPod): boolean => check(one) !== undefined;
    // Defaults are set each time: in the host network, each port of a container becomes a port of the host.
    if (!violates(defaultWholePod(pod))) continue;
    const remedy = REMEDIES.get(id);
    if (remedy === undefined) return undefined;
    const change = remedy(pod, violates);
    pod = change.edit(pod);
    if (violates(defaultWholePod(pod))) return undefined;
    changes.push({ by: 'PodSecurity', ...change });
  }
  return changes;
}

type EditContext<T> = (context: T) => T;

const inPodContext = (edit: EditContext<PodSecurityContext>): PodEdit =>
  inSpec((spec) => ({ ...spec, securityContext: edit(spec.securityContext ?? {}) }));

const inContainers = (isMeant: (container: WholeContainer) => boolean, edit: EditContext<WholeContainer>): PodEdit =>
  inSpec((spec) => {
    const changed = (containers: readonly WholeContainer[]): readonly WholeContainer[] =>
      containers.map((container) => (isMeant(container) ? edit(container) : container));
    const { containers, initContainers } = spec;
    return {
      ...spec,
      containers: changed(containers),
      ...(initContainers && { initContainers: changed(initContainers) }),
    };
  });

const inContexts = (isMeant: (context: SecurityContext) => boolean, edit: EditContext<SecurityContext>): PodEdit =>
  inContainers(
    ({ securityContext = {} }) => isMeant(securityContext),
    (container) => ({ ...container, securityContext: edit(container.securityContext ?? {}) }),
  );

const namesWhere = (
  { spec }: WholePod,
  isMeant: (context: SecurityContext, container: WholeContainer) => boolean,
): readonly string[] =>
  placedContainers(spec)
    .filter(({ container }) => isMeant(container.securityContext ?? {}, container))
    .map(({ container }) => container.name);

const all =
  (...edits: readonly PodEdit[]): PodEdit =>
  (pod) =>
    edits.reduce((changed, edit) => edit(changed), pod);

/** Whether a check finds fault with a container that has this context, alone in a pod of this kind. */
const forbiddenIn =
  ({ spec: { hostUsers, os } }: WholePod, violates: (pod: SecuredPod) => boolean) =>
  (securityContext: SecurityContext): boolean =>
    violates({
      spec: {
        containers: [{ name: 'c', securityContext }],
        ...(hostUsers !== undefined && { hostUsers }),
        ...(os && { os }),
      },
    });

const forbiddenInPod =
  (violates: (pod: SecuredPod) => boolean) =>
  (securityContext: PodSecurityContext): boolean =>
    violates({ spec: { containers: [], securityContext } });

const NOT_ROOT = 'the image runs as a user other than root';

/** Takes a member with a forbidden value out of the contexts of the pod and its containers. */
function withoutMember(
  member: 'appArmorProfile' | 'seccompProfile' | 'seLinuxOptions' | 'windowsOptions',
  pod: WholePod,
  violates: (pod: SecuredPod) => boolean,
  edit?: (context: PodSecurityContext | SecurityContext) => PodSecurityContext | SecurityContext,
): { readonly setters: string; readonly edit: PodEdit } {
  const isBad = ({ [member]: value }: SecurityContext): boolean =>
    value !== undefined && forbiddenIn(pod, violates)({ [member]: value });
  const ofPod = pod.spec.securityContext ?? {};
  const isPodBad = ofPod[member] !== undefined && forbiddenInPod(violates)({ [member]: ofPod[member] });
  const changed = edit ?? ((context) => without(context, member));
  return {
    setters: settersText(isPodBad, namesWhere(pod, isBad)),
    edit: all(
      ...(isPodBad ? [inPodContext((context) => changed(context))] : []),
      inContexts(isBad, (context) => changed(context)),
    ),
  };
}

const withoutAnnotations =
  (isBad: (key: string, value: string) => boolean): PodEdit =>
  (pod) => {
    const { annotations } = pod.metadata;
    if (annotations === undefined) return pod;
    const kept = Object.entries(annotations).filter(([key, value]) => !isBad(key, value));
    return { ...pod, metadata: { ...pod.metadata, annotations: Object.fromEntries(kept) } };
  };

const hasBadAnnotation =
  (violates: (pod: SecuredPod) => boolean, { spec }: WholePod) =>
  (key: string, value: string): boolean =>
    violates({
      metadata: { annotations: { [key]: value } },
      spec: { containers: placedContainers(spec).map(({ container: { name } }) => ({ name })) },
    });

function withoutCapabilities(pod: WholePod, violates: (pod: SecuredPod) => boolean): readonly string[] {
  const forbids = forbiddenIn(pod, violates);
  const added = placedContainers(pod.spec).flatMap(
    ({ container }) => container.securityContext?.capabilities?.add ?? [],
  );
  return [...new Set(added)].filter((one) => forbids({ capabilities: { add: [one], drop: ['ALL'] } }));
}

const minusAdded =
  (forbidden: readonly string[]): EditContext<SecurityContext> =>
  (context) => {
    const { capabilities = {} } = context;
    const add = (capabilities.add ?? []).filter((one) => !forbidden.includes(one));
    return {
      ...context,
      capabilities: add.length > 0 ? { ...capabilities, add } : without(capabilities, 'add'),
    };
  };

const addsAny =
  (forbidden: readonly string[]) =>
  ({ capabilities }: SecurityContext): boolean =>
    (capabilities?.add ?? []).some((one) => forbidden.includes(one));

const listed = (items: readonly string[]): string => items.join(', ');

type Hosted = Pick<WholeContainer, 'livenessProbe' | 'readinessProbe' | 'startupProbe' | 'lifecycle'>;

function withoutHosts(container: WholeContainer): WholeContainer {
  const plain = <T extends Handler>(handler: T): T => ({
    ...handler,
    ...(handler.httpGet && { httpGet: without(handler.httpGet, 'host') }),
    ...(handler.tcpSocket && { tcpSocket: without(handler.tcpSocket, 'host') }),
  });
  const probe = (name: 'livenessProbe' | 'readinessProbe' | 'startupProbe'): Partial<Record<typeof name, Probe>> => {
    const given = container[name];
    return given === undefined ? {} : { [name]: plain(given) };
  };
  const { lifecycle } = container;
  const hooks = (given: Lifecycle): Lifecycle => ({
    ...given,
    ...(given.postStart && { postStart: plain(given.postStart) }),
    ...(given.preStop && { preStop: plain(given.preStop) }),
  });
  const changed: Hosted = {
    ...probe('livenessProbe'),
    ...probe('readinessProbe'),
    ...probe('startupProbe'),
    ...(lifecycle && { lifecycle: hooks(lifecycle) }),
  };
  return { ...container, ...changed };
}

const HOST_NAMESPACES = ['hostNetwork', 'hostPID', 'hostIPC'] as const satisfies readonly (keyof WholePodSpec)[];

/** By the id of the check. */
const REMEDIES: ReadonlyMap<string, Remedy> = new Map<string, Remedy>([
  [
    'allowPrivilegeEscalation',
    (pod) => {
      const isBad = ({ allowPrivilegeEscalation }: SecurityContext): boolean => allowPrivilegeEscalation !== false;
      return {
        summary: `set allowPrivilegeEscalation to false in ${containersText(namesWhere(pod, isBad))}`,
        condition: 'no program in them gains privileges when it is run, as sudo does',
        edit: inContexts(isBad, (context) => ({ ...context, allowPrivilegeEscalation: false })),
      };
    },
  ],
  [
    'appArmorProfile',
    (pod, violates) => {
      const { setters, edit } = withoutMember('appArmorProfile', pod, violates);
      const isBad = hasBadAnnotation(violates, pod);
      const annotations = Object.entries(pod.metadata.annotations ?? {}).some(([key, value]) => isBad(key, value));
      const places = [...(setters === '' ? [] : [setters]), ...(annotations ? ['annotations'] : [])].join(' and ');
      return {
        summary: `use the default AppArmor profile: remove that of ${places}`,
        condition: "the container runtime's default AppArmor profile allows what the programs do",
        edit: all(edit, withoutAnnotations(isBad)),
      };
    },
  ],
  [
    'capabilities_baseline',
    (pod, violates) => {
      const forbidden = withoutCapabilities(pod, violates);
      return {
        summary: `do not add capabilities ${listed(forbidden)} to ${containersText(namesWhere(pod, addsAny(forbidden)))}`,
        condition: `the programs do without ${listed(forbidden)}`,
        edit: inContexts(addsAny(forbidden), minusAdded(forbidden)),
      };
    },
  ],
  [
    'capabilities_restricted',
    (pod, violates) => {
      const forbidden = withoutCapabilities(pod, violates);
      const keeps = ({ capabilities }: SecurityContext): boolean => capabilities?.drop?.includes('ALL') !== true;
      const keeping = namesWhere(pod, keeps);
      const adding = namesWhere(pod, addsAny(forbidden));
      const parts = [
        ...(keeping.length > 0 ? [`drop all capabilities in ${containersText(keeping)}`] : []),
        ...(adding.length > 0 ? [`do not add ${listed(forbidden)} to ${containersText(adding)}`] : []),
      ];
      return {
        summary: parts.join(', and '),
        condition: 'the programs do without capabilities, other than NET_BIND_SERVICE where it is added',
        edit: all(
          inContexts(addsAny(forbidden), minusAdded(forbidden)),
          inContexts(keeps, (context) => {
            const { capabilities = {} } = context;
            return { ...context, capabilities: { ...capabilities, drop: [...(capabilities.drop ?? []), 'ALL'] } };
          }),
        ),
      };
    },
  ],
  [
    'hostNamespaces',
    ({ spec }) => {
      const shared = HOST_NAMESPACES.filter((name) => spec[name] === true);
      return {
        summary: `remove ${listed(shared)}`,
        condition: "the programs need nothing of the node's network, processes or IPC objects",
        edit: inSpec((given) => without(given, ...shared)),
      };
    },
  ],
  [
    'hostPorts',
    (pod) => {
      const isBad = ({ ports = [] }: WholeContainer): boolean => ports.some(({ hostPort = 0 }) => hostPort !== 0);
      return {
        summary: `remove the host ports of ${containersText(namesWhere(pod, (_, container) => isBad(container)))}`,
        condition: "clients reach the pod by its own address or a Service, not by its node's",
        edit: inContainers(isBad, ({ ports = [], ...container }) => ({
          ...container,
          ports: ports.map((port) => without(port, 'hostPort')),
        })),
      };
    },
  ],
  [
    'hostProbesAndHostLifecycle',
    (pod, violates) => {
      const isBad = (container: WholeContainer): boolean => violates({ spec: { containers: [container] } });
      return {
        summary: `remove the hosts of probes and hooks in ${containersText(namesWhere(pod, (_, one) => isBad(one)))}`,
        condition: 'what the probes and hooks call answers at the address of the pod',
        edit: inContainers(isBad, withoutHosts),
      };
    },
  ],
  [
    'privileged',
    (pod) => {
      const isBad = ({ privileged }: SecurityContext): boolean => privileged === true;
      return {
        summary: `do not run ${containersText(namesWhere(pod, isBad))} privileged`,
        condition: "the programs need none of the node's devices and kernel settings",
        edit: inContexts(isBad, (context) => without(context, 'privileged')),
      };
    },
  ],
  ...(['procMount', 'procMount_restricted'] as const).map((id): [string, Remedy] => [
    id,
    (pod) => {
      const isBad = ({ procMount = 'Default' }: SecurityContext): boolean => procMount !== 'Default';
      return {
        summary: `use the default procMount in ${containersText(namesWhere(pod, isBad))}`,
        condition: 'the programs run no containers themselves',
        edit: inContexts(isBad, (context) => without(context, 'procMount')),
      };
    },
  ]),
  [
    'runAsNonRoot',
    (pod) => {
      const isBad = ({ runAsNonRoot }: SecurityContext): boolean => runAsNonRoot === false;
      const refusing = namesWhere(pod, isBad);
      const ofPod = pod.spec.securityContext?.runAsUser;
      const isGiven =
        namesWhere(pod, ({ runAsUser = ofPod }) => runAsUser === undefined || runAsUser === 0).length === 0;
      return {
        summary: `set runAsNonRoot to true${refusing.length > 0 ? `, also for ${containersText(refusing)}` : ''}`,
        condition: isGiven ? null : NOT_ROOT,
        edit: all(
          inPodContext((context) => ({ ...context, runAsNonRoot: true })),
          inContexts(isBad, (context) => without(context, 'runAsNonRoot')),
        ),
      };
    },
  ],
  [
    'runAsUser',
    (pod) => {
      const isBad = ({ runAsUser }: SecurityContext): boolean => runAsUser === 0;
      const isPodBad = pod.spec.securityContext?.runAsUser === 0;
      return {
        summary: `remove runAsUser 0 of ${settersText(isPodBad, namesWhere(pod, isBad))}`,
        condition: NOT_ROOT,
        edit: all(
          ...(isPodBad ? [inPodContext((context) => without(context, 'runAsUser'))] : []),
          inContexts(isBad, (context) => without(context, 'runAsUser')),
        ),
      };
    },
  ],
  [
    'seLinuxOptions',
    (pod, violates) => {
      const changed = (context: PodSecurityContext | SecurityContext): PodSecurityContext | SecurityContext => {
        const options = without(context.seLinuxOptions ?? {}, 'user', 'role');
        const { type } = options;
        const isBad = type !== undefined && forbiddenIn(pod, violates)({ seLinuxOptions: { type } });
        return { ...context, seLinuxOptions: isBad ? without(options, 'type') : options };
      };
      const { setters, edit } = withoutMember('seLinuxOptions', pod, violates, changed);
      return {
        summary: `remove the forbidden SELinux options of ${setters}`,
        condition: 'the default SELinux type allows what the programs do',
        edit,
      };
    },
  ],
  [
    'seccompProfile_baseline',
    (pod, violates) => {
      const { setters, edit } = withoutMember('seccompProfile', pod, violates);
      const isBad = hasBadAnnotation(violates, pod);
      return {
        summary: setters === '' ? 'remove the seccomp annotations' : `remove the seccomp profile of ${setters}`,
        condition: null,
        edit: all(edit, withoutAnnotations(isBad)),
      };
    },
  ],
  [
    'seccompProfile_restricted',
    (pod, violates) => {
      const isGood = (type: string | undefined): boolean => type === 'RuntimeDefault' || type === 'Localhost';
      const isBad = ({ seccompProfile }: SecurityContext): boolean =>
        seccompProfile !== undefined && !isGood(seccompProfile.type);
      const refusing = namesWhere(pod, isBad);
      const edit = inContexts(isBad, (context) => without(context, 'seccompProfile'));
      const isPodMeant = violates(defaultWholePod(edit(pod)));
      return {
        summary: `use the seccomp profile RuntimeDefault${refusing.length > 0 ? `, also for ${containersText(refusing)}` : ''}`,
        condition: "the container runtime's default profile allows the system calls that the programs make",
        edit: isPodMeant
          ? all(
              edit,
              inPodContext((context) => ({ ...context, seccompProfile: { type: 'RuntimeDefault' } })),
            )
          : edit,
      };
    },
  ],
  [
    'sysctls',
    (pod, violates) => {
      const forbids = forbiddenInPod(violates);
      const sysctls = pod.spec.securityContext?.sysctls ?? [];
      const bad = sysctls.filter((sysctl) => forbids({ sysctls: [sysctl] }));
      const left = sysctls.filter((sysctl) => !bad.includes(sysctl));
      return {
        summary: `do not set the sysctls ${listed(bad.map(({ name = '' }) => name))}`,
        condition: 'the programs run with the values that the node has',
        edit: inPodContext((context) =>
          left.length > 0 ? { ...context, sysctls: left } : without(context, 'sysctls'),
        ),
      };
    },
  ],
  [
    'windowsHostProcess',
    (pod, violates) => {
      const { setters, edit } = withoutMember('windowsOptions', pod, violates, (context) => ({
        ...context,
        windowsOptions: without(context.windowsOptions ?? {}, 'hostProcess'),
      }));
      return {
        summary: `remove hostProcess of ${setters}`,
        condition: 'the programs need nothing of the node itself',
        edit,
      };
    },
  ],
]);
