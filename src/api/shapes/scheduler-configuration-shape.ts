import { ObjectType } from '@nestjs/graphql';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';

const SOURCE = wordsType('SchedulerConfigurationSource', 'The kind of document that says it.', [
  'KubeSchedulerConfiguration',
  'Policy',
]);

const STAGE = wordsType(
  'SchedulerConfigurationStage',
  'Where a configuration is refused: while kube-scheduler decodes it, validates it, or builds its profiles.',
  ['decoding', 'validation', 'building'],
);

@ObjectType('ProfileScore', { description: 'A score of a profile.' })
class ProfileScoreShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'int64', description: 'How much its scores of 0 to 100 count.', example: 5 })
  weight!: number;
}

@ObjectType('ProfileExtensionPoint', { description: 'The plugins of a profile at one extension point.' })
class ExtensionPointShape {
  @Shown({ type: 'string', description: 'The point.', example: 'postFilter' })
  point!: string;

  @Shown({ type: 'string', list: true, description: 'In calling order.', example: ['DefaultPreemption'] })
  plugins!: readonly string[];
}

@ObjectType('OutOfTreePlugin', {
  description: 'An out-of-tree plugin: its answers are not known.',
})
class OutOfTreePluginShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'LoadAwareScheduling' })
  name!: string;

  @Shown({ type: 'boolean', description: 'Whether Kubernetes had it once.', example: false })
  former!: boolean;

  @Shown({ type: 'string', list: true, description: 'Where it is called.', example: ['filter', 'score'] })
  points!: readonly string[];
}

@ObjectType('SchedulerProfile', { description: 'How the pods of one scheduler name are placed.' })
class SchedulerProfileShape {
  @Shown({ type: 'string', description: 'The name that pods ask for.', example: 'default-scheduler' })
  schedulerName!: string;

  @Shown({ type: 'string', list: true, description: 'The filters, in calling order.', example: ['TaintToleration'] })
  filters!: readonly string[];

  @Shown({ type: () => ProfileScoreShape, list: true, description: 'The scores, in calling order.' })
  scores!: readonly Plain<ProfileScoreShape>[];

  @Shown({ type: () => ExtensionPointShape, list: true, description: 'The plugins of every extension point.' })
  points!: readonly Plain<ExtensionPointShape>[];

  @Shown({
    type: 'json',
    description: 'The arguments of every plugin that has some, by its name, after defaulting.',
    example: {
      InterPodAffinity: {
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'InterPodAffinityArgs',
        hardPodAffinityWeight: 1,
      },
    },
  })
  arguments!: JsonObject;

  @Shown({ type: () => OutOfTreePluginShape, list: true, description: 'Out-of-tree plugins.' })
  outOfTreePlugins!: readonly Plain<OutOfTreePluginShape>[];

  @Shown({
    type: 'integer',
    optional: true,
    description: 'What kube-scheduler would look at; every node is looked at here.',
    example: null,
  })
  percentageOfNodesToScore!: number | null;
}

@ObjectType('SchedulerConfigurationWarning', { description: 'Something worth knowing of a configuration.' })
class ConfigurationWarningShape {
  @Shown({ type: 'string', description: 'What it is, for programs.', example: 'PercentageOfNodesNotApplied' })
  code!: string;

  @Shown({
    type: 'string',
    description: 'In a sentence.',
    example: 'percentageOfNodesToScore of 50 is not applied: every node is looked at',
  })
  message!: string;

  @Shown({ type: 'string', description: 'The place, as a JSON pointer.', example: '/percentageOfNodesToScore' })
  pointer!: string;

  @Shown({ type: 'string', optional: true, description: 'The plugin that it is about.', example: null })
  plugin!: string | null;
}

@ObjectType('PolicyMapping', { description: 'What became of one predicate or priority of a legacy Policy.' })
class PolicyMappingShape {
  @Shown({ type: 'string', description: '`predicate` or `priority`.', example: 'predicate' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'PodFitsResources' })
  name!: string;

  @Shown({ type: 'boolean', description: 'False of one that stands there without being named.', example: true })
  given!: boolean;

  @Shown({
    type: 'string',
    list: true,
    description: 'The plugins that Kubernetes 1.22 put in its place; none of a name that is unknown.',
    example: ['NodeResourcesFit'],
  })
  plugins!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'Those that do it today.', example: ['NodeResourcesFit'] })
  today!: readonly string[];

  @Shown({ type: 'int64', optional: true, description: 'Of a priority.', example: null })
  weight!: number | null;
}

@ObjectType('ReadSchedulerConfiguration', { description: 'What a configuration of a scheduler comes to.' })
class ReadSchedulerConfigurationShape {
  @Shown({ type: SOURCE, description: 'The kind of document that says it.', example: 'KubeSchedulerConfiguration' })
  source!: 'KubeSchedulerConfiguration' | 'Policy';

  @Shown({ type: () => SchedulerProfileShape, list: true, description: 'The profiles.' })
  profiles!: readonly Plain<SchedulerProfileShape>[];

  @Shown({ type: () => ConfigurationWarningShape, list: true, description: 'What is worth knowing.' })
  warnings!: readonly Plain<ConfigurationWarningShape>[];

  @Shown({
    type: () => PolicyMappingShape,
    list: true,
    description: 'Of a Policy: what became of each predicate and priority.',
    example: [],
  })
  mapping!: readonly Plain<PolicyMappingShape>[];
}

@ObjectType('SchedulerConfiguration', { description: 'How the scheduler of a cluster is configured.' })
export class SchedulerConfigurationShape extends ReadSchedulerConfigurationShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({
    type: 'boolean',
    description: 'False where nobody has said anything: then it is that of a scheduler that was told nothing.',
    example: true,
  })
  declared!: boolean;

  @Shown({ type: 'json', optional: true, description: 'The document as it was declared.', example: null })
  document!: JsonValue;
}

@ObjectType('DeclaredSchedulerConfiguration', {
  description: 'How the scheduler of a cluster is configured from now on.',
})
export class DeclaredSchedulerConfigurationShape extends SchedulerConfigurationShape {
  @Shown({ type: 'boolean', description: 'Whether it is another than before.', example: true })
  changed!: boolean;

  @Shown({ type: 'boolean', description: 'Whether nothing was stored.', example: false })
  dryRun!: boolean;
}

@ObjectType('SchedulerConfigurationFault', { description: 'One thing that is wrong with a configuration.' })
class ConfigurationFaultShape {
  @Shown({ type: 'string', description: "In Kubernetes' words.", example: 'unknown field "profiles[0].plugin"' })
  message!: string;

  @Shown({ type: 'string', description: 'The place, as a JSON pointer.', example: '/profiles/0/plugin' })
  pointer!: string;
}

@ObjectType('SchedulerPods', { description: 'The pods of a cluster that ask for one scheduler.' })
class SchedulerPodsShape {
  @Shown({ type: 'string', description: 'The name that they ask for.', example: 'default-scheduler' })
  schedulerName!: string;

  @Shown({ type: 'integer', description: 'How many they are, those that have ended left out.', example: 12 })
  pods!: number;

  @Shown({ type: 'integer', description: 'Those of them that are on no node.', example: 1 })
  pending!: number;

  @Shown({
    type: 'boolean',
    optional: true,
    description: 'Whether a profile of the configuration schedules them; null where it is refused.',
    example: true,
  })
  scheduled!: boolean | null;
}

@ObjectType('SchedulerConfigurationReview', { description: 'What there is to say of a configuration of a scheduler.' })
export class SchedulerConfigurationReviewShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: 'boolean', description: 'Whether kube-scheduler would start with it.', example: true })
  accepted!: boolean;

  @Shown({ type: STAGE, optional: true, description: 'Where it is refused.', example: null })
  stage!: 'decoding' | 'validation' | 'building' | null;

  @Shown({ type: 'string', optional: true, description: 'What kube-scheduler says as it ends.', example: null })
  message!: string | null;

  @Shown({
    type: () => ConfigurationFaultShape,
    list: true,
    description: 'Everything that is wrong with it.',
    example: [],
  })
  faults!: readonly Plain<ConfigurationFaultShape>[];

  @Shown({
    type: () => ReadSchedulerConfigurationShape,
    optional: true,
    description: 'What it comes to; null where it is refused.',
  })
  configuration!: Plain<ReadSchedulerConfigurationShape> | null;

  @Shown({ type: () => SchedulerPodsShape, list: true, description: 'The pods of the cluster by their scheduler.' })
  pods!: readonly Plain<SchedulerPodsShape>[];
}
