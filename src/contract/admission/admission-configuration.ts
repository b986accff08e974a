import { GIVEN_LIMITED_RESOURCES, GIVEN_NODE_SELECTORS, GIVEN_TOLERATION_RESTRICTION } from '../common/given.js';
import { object } from '../schema.js';
import { toleration } from '../pods/pod.js';
import { answerBasis } from '../common/basis.js';

export const PLUGINS = { type: 'string', list: true, optional: true, maximumLength: 100 } as const;

export const SECONDS = { type: 'int64', optional: true, defaultsTo: 300 } as const;

export const admissionConfigurationFields = object(
  'AdmissionConfigurationFields',
  '',
  {
    plugins: {
      ...PLUGINS,
      description: 'Every enabled plugin. Alternative to `enablePlugins` and `disablePlugins`.',
      example: ['NamespaceLifecycle', 'LimitRanger', 'Priority', 'DefaultTolerationSeconds'],
    },
    enablePlugins: {
      ...PLUGINS,
      description: 'Same as --enable-admission-plugins.',
      example: ['PodTolerationRestriction'],
    },
    disablePlugins: { ...PLUGINS, description: 'Same as --disable-admission-plugins.', example: ['PodSecurity'] },
    defaultNotReadyTolerationSeconds: {
      ...SECONDS,
      description: 'Same as --default-not-ready-toleration-seconds.',
      example: 300,
    },
    defaultUnreachableTolerationSeconds: {
      ...SECONDS,
      description: 'Same as --default-unreachable-toleration-seconds.',
      example: 300,
    },
    podTolerationRestriction: {
      type: GIVEN_TOLERATION_RESTRICTION,
      optional: true,
      description:
        'Configuration of PodTolerationRestriction for namespaces without their own: lists of tolerations under ' +
        '`default` and `whitelist`.',
      example: { default: [{ key: 'team', operator: 'Exists' }] },
    },
    podNodeSelector: {
      type: GIVEN_NODE_SELECTORS,
      optional: true,
      description:
        'Configuration of PodNodeSelector: `clusterDefaultNodeSelector` has the selector for namespaces without their ' +
        'own, and the name of a namespace has what its pods may select; each as `key=value,key=value`.',
      example: { clusterDefaultNodeSelector: 'pool=general' },
    },
    limitedResources: {
      type: GIVEN_LIMITED_RESOURCES,
      optional: true,
      description:
        '`limitedResources` of ResourceQuota: resources that may only be consumed if a quota covers them. Only those ' +
        'for pods matter.',
      example: [{ resource: 'pods', matchContains: ['requests.nvidia.com/gpu'] }],
    },
    harmlessWebhooks: {
      type: 'string',
      list: true,
      optional: true,
      maximumLength: 1000,
      description:
        'Webhooks that neither refuse pods nor change what decides where these can run: names of webhook configurations ' +
        '(all of their webhooks), or CONFIGURATION/WEBHOOK. Other webhooks that would be called for a pod make responses unknown.',
      example: ['istio-sidecar-injector', 'kyverno-resource-mutating-webhook-cfg/mutate.kyverno.svc-ignore'],
    },
    document: {
      type: 'kubernetesObject',
      optional: true,
      description:
        'The AdmissionConfiguration (apiserver.config.k8s.io/v1) of --admission-control-config-file, with the ' +
        'configurations of plugins inline.',
      example: { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins: [] },
    },
    dryRun: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Dry run: return the resulting configuration without storing it.',
    },
  },
  { openApiName: 'AdmissionConfiguration' },
);

export const admissionPlugin = object('AdmissionPlugin', 'An admission plugin of the API server.', {
  name: { type: 'identifier', description: 'Plugin name.', example: 'LimitRanger' },
  enabled: { type: 'boolean', description: 'Whether the plugin is enabled in this cluster.', example: true },
  enabledByDefault: { type: 'boolean', description: 'Whether the plugin is enabled by default.', example: true },
  evaluated: { type: 'boolean', description: 'Whether this service evaluates the plugin.', example: true },
  effectOnPods: {
    type: 'string',
    optional: true,
    description:
      'What a plugin that is not evaluated could do to a pod; null if it is evaluated or does not affect pods.',
    example: null,
  },
});

export const tolerationRestriction = object(
  'TolerationRestriction',
  'Configuration of PodTolerationRestriction for namespaces without their own.',
  {
    default: { type: toleration, list: true, description: 'Tolerations added to every new pod.', example: [] },
    whitelist: {
      type: toleration,
      list: true,
      description: 'Tolerations that pods may have; empty: all.',
      example: [],
    },
  },
);

export const limitedScope = object('LimitedScope', 'A scope of a limited resource.', {
  scopeName: { type: 'identifier', description: 'Scope name.', example: 'PriorityClass' },
  operator: { type: 'identifier', description: 'Scope operator.', example: 'In' },
  values: { type: 'identifier', list: true, description: 'Scope values.', example: ['high'] },
});

export const limitedResource = object(
  'LimitedResource',
  'Resources that pods may only consume if a quota covers them.',
  {
    matchContains: {
      type: 'identifier',
      list: true,
      description: 'Substrings of resource names.',
      example: ['nvidia.com/gpu'],
    },
    matchScopes: { type: limitedScope, list: true, description: 'Scopes of the limit.', example: [] },
  },
);

export const podSecurityStandard = object('PodSecurityStandard', 'A pod security standard in one version.', {
  level: { type: 'identifier', description: '`privileged`, `baseline` or `restricted`.', example: 'baseline' },
  version: { type: 'identifier', description: '`latest`, or a minor version.', example: 'latest' },
});

const NAMES = { type: 'identifier', list: true, example: [] } as const;

export const podSecurityConfiguration = object('PodSecurityConfiguration', 'Configuration of PodSecurity.', {
  enforce: { type: podSecurityStandard, description: 'Enforced in namespaces without their own label.' },
  audit: { type: podSecurityStandard, description: 'Audited in namespaces without their own label.' },
  warn: { type: podSecurityStandard, description: 'Warned about in namespaces without their own label.' },
  exemptUsernames: { ...NAMES, description: 'Users whose requests are not judged.' },
  exemptNamespaces: { ...NAMES, description: 'Namespaces whose pods are not judged.' },
  exemptRuntimeClasses: { ...NAMES, description: 'RuntimeClasses whose pods are not judged.' },
});

export const admissionConfiguration = object('AdmissionConfiguration', 'How the API server of a cluster admits pods.', {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  declared: {
    type: 'boolean',
    description: 'Whether a configuration is declared; if false, the defaults apply.',
    example: false,
  },
  plugins: {
    type: admissionPlugin,
    list: true,
    description: "Plugins that this service evaluates, in the API server's order, then the others.",
  },
  defaultNotReadyTolerationSeconds: {
    type: 'int64',
    description: 'Default tolerationSeconds for nodes that are not ready.',
    example: 300,
  },
  defaultUnreachableTolerationSeconds: {
    type: 'int64',
    description: 'Default tolerationSeconds for unreachable nodes.',
    example: 300,
  },
  podTolerationRestriction: {
    type: tolerationRestriction,
    description: 'Configuration of PodTolerationRestriction.',
  },
  podNodeSelector: { type: 'labels', description: 'Configuration of PodNodeSelector.', example: {} },
  podSecurity: { type: podSecurityConfiguration, description: 'Configuration of PodSecurity.' },
  limitedResources: {
    type: limitedResource,
    list: true,
    description: '`limitedResources` of ResourceQuota.',
    example: [],
  },
  harmlessWebhooks: {
    type: 'identifier',
    list: true,
    description: 'Webhooks that are declared harmless: names of webhook configurations, or CONFIGURATION/WEBHOOK.',
    example: [],
  },
});

export const declaredAdmissionConfiguration = object(
  'DeclaredAdmissionConfiguration',
  'The new admission configuration of a cluster.',
  {
    ...admissionConfiguration.members,
    changed: { type: 'boolean', description: 'Whether it differs from the previous one.', example: true },
    dryRun: { type: 'boolean', description: 'True for a dry run: nothing was stored.', example: false },
  },
);
