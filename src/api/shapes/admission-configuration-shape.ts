import { InputType, ObjectType } from '@nestjs/graphql';
import type { GivenAdmission } from '../../core/admission/declare-admission.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import type { Int64, Labels } from '../../core/kubernetes/objects/meta.js';
import { defined } from '../../core/collections/defined.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { TolerationShape } from './pod-shape.js';
import { Given, Shown } from './property.js';

const PLUGINS = { type: 'string', list: true, optional: true, maximumLength: 100 } as const;
const SECONDS = { type: 'int64', optional: true, defaultsTo: 300 } as const;

@InputType('AdmissionConfigurationFields', { isAbstract: true })
export class AdmissionConfigurationBody {
  @Given({
    ...PLUGINS,
    description: 'Every plugin that is on. Give this, or `enablePlugins` and `disablePlugins`.',
    example: ['NamespaceLifecycle', 'LimitRanger', 'Priority', 'DefaultTolerationSeconds'],
  })
  plugins?: string[];

  @Given({ ...PLUGINS, description: 'As --enable-admission-plugins.', example: ['PodTolerationRestriction'] })
  enablePlugins?: string[];

  @Given({ ...PLUGINS, description: 'As --disable-admission-plugins.', example: ['PodSecurity'] })
  disablePlugins?: string[];

  @Given({ ...SECONDS, description: 'As --default-not-ready-toleration-seconds.', example: 300 })
  defaultNotReadyTolerationSeconds?: Int64;

  @Given({ ...SECONDS, description: 'As --default-unreachable-toleration-seconds.', example: 300 })
  defaultUnreachableTolerationSeconds?: Int64;

  @Given({
    type: 'json',
    optional: true,
    description:
      'The configuration of PodTolerationRestriction, for namespaces that do not say otherwise: lists of tolerations under `default` and `whitelist`.',
    example: { default: [{ key: 'team', operator: 'Exists' }] },
  })
  podTolerationRestriction?: JsonValue;

  @Given({
    type: 'json',
    optional: true,
    description:
      'The configuration of PodNodeSelector: under `clusterDefaultNodeSelector` the selector of namespaces that have none, under the name of a namespace what its pods may select, each as `key=value,key=value`.',
    example: { clusterDefaultNodeSelector: 'pool=general' },
  })
  podNodeSelector?: JsonValue;

  @Given({
    type: 'json',
    optional: true,
    description:
      'The `limitedResources` of ResourceQuota: what may be consumed only where a quota covers it. Those of pods count here.',
    example: [{ resource: 'pods', matchContains: ['requests.nvidia.com/gpu'] }],
  })
  limitedResources?: JsonValue;

  @Given({
    type: 'kubernetesObject',
    optional: true,
    description:
      'An AdmissionConfiguration of apiserver.config.k8s.io/v1, as --admission-control-config-file names it, with the configurations of plugins written out in it.',
    example: { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins: [] },
  })
  document?: JsonObject;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what it would be: nothing is stored.',
  })
  dryRun?: boolean;
}

export function givenAdmission(body: AdmissionConfigurationBody): GivenAdmission {
  const { plugins, enablePlugins, disablePlugins, podTolerationRestriction, podNodeSelector } = body;
  const { defaultNotReadyTolerationSeconds, defaultUnreachableTolerationSeconds, limitedResources, document } = body;
  return defined({
    plugins,
    enablePlugins,
    disablePlugins,
    defaultNotReadyTolerationSeconds,
    defaultUnreachableTolerationSeconds,
    podTolerationRestriction,
    podNodeSelector,
    limitedResources,
    document,
  });
}

@ObjectType('AdmissionPlugin', { description: 'A plugin of the API server.' })
class AdmissionPluginShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'LimitRanger' })
  name!: string;

  @Shown({ type: 'boolean', description: 'Whether it is on in this cluster.', example: true })
  on!: boolean;

  @Shown({ type: 'boolean', description: 'Whether it is on where nobody says otherwise.', example: true })
  onByDefault!: boolean;

  @Shown({ type: 'boolean', description: 'Whether this service runs it, or only knows of it.', example: true })
  run!: boolean;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What one that is not run could do to a pod; null where it has nothing to do with pods.',
    example: null,
  })
  toPods!: string | null;
}

@ObjectType('TolerationRestriction', {
  description: 'The configuration of PodTolerationRestriction, for namespaces that do not say otherwise.',
})
class TolerationRestrictionShape {
  @Shown({ type: () => TolerationShape, list: true, description: 'What every new pod is given.', example: [] })
  default!: readonly Plain<TolerationShape>[];

  @Shown({
    type: () => TolerationShape,
    list: true,
    description: 'What pods may tolerate; everything where it is empty.',
    example: [],
  })
  whitelist!: readonly Plain<TolerationShape>[];
}

@ObjectType('LimitedScope', { description: 'A scope of what is limited.' })
class LimitedScopeShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'PriorityClass' })
  scopeName!: string;

  @Shown({ type: 'string', description: 'The operator.', example: 'In' })
  operator!: string;

  @Shown({ type: 'string', list: true, description: 'The values.', example: ['high'] })
  values!: readonly string[];
}

@ObjectType('LimitedResource', { description: 'What pods may consume only where a quota covers it.' })
class LimitedResourceShape {
  @Shown({ type: 'string', list: true, description: 'Parts of names of resources.', example: ['nvidia.com/gpu'] })
  matchContains!: readonly string[];

  @Shown({ type: () => LimitedScopeShape, list: true, description: 'Scopes.', example: [] })
  matchScopes!: readonly Plain<LimitedScopeShape>[];
}

@ObjectType('AdmissionConfiguration', { description: 'How the API server of a cluster admits pods.' })
export class AdmissionConfigurationShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'boolean', description: 'False where nobody has said anything: then it is stock.', example: false })
  declared!: boolean;

  @Shown({
    type: () => AdmissionPluginShape,
    list: true,
    description: "The plugins that are run here, in the API server's order, and then the others.",
  })
  plugins!: readonly Plain<AdmissionPluginShape>[];

  @Shown({
    type: 'int64',
    description: 'How long a pod stays that does not say it, on a node that is not ready.',
    example: 300,
  })
  defaultNotReadyTolerationSeconds!: Int64;

  @Shown({ type: 'int64', description: 'The same for a node that does not answer.', example: 300 })
  defaultUnreachableTolerationSeconds!: Int64;

  @Shown({ type: () => TolerationRestrictionShape, description: 'The configuration of PodTolerationRestriction.' })
  podTolerationRestriction!: Plain<TolerationRestrictionShape>;

  @Shown({ type: 'labels', description: 'The configuration of PodNodeSelector.', example: {} })
  podNodeSelector!: Labels;

  @Shown({ type: () => LimitedResourceShape, list: true, description: 'Of ResourceQuota.', example: [] })
  limitedResources!: readonly Plain<LimitedResourceShape>[];
}

@ObjectType('DeclaredAdmissionConfiguration', {
  description: 'How the API server of a cluster admits pods from now on.',
})
export class DeclaredAdmissionConfigurationShape extends AdmissionConfigurationShape {
  @Shown({ type: 'boolean', description: 'Whether it is another than before.', example: true })
  changed!: boolean;

  @Shown({ type: 'boolean', description: 'Whether nothing was stored.', example: false })
  dryRun!: boolean;
}
