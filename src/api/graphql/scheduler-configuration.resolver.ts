import { Args, ArgsType, InputType, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import { DeclareSchedulerConfiguration } from '../../app/schedulers/declare-scheduler-configuration.js';
import { ReadSchedulerConfiguration } from '../../app/schedulers/read-scheduler-configuration.js';
import { ReviewSchedulerConfiguration } from '../../app/schedulers/review-scheduler-configuration.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import {
  DeclaredSchedulerConfigurationShape,
  SchedulerConfigurationReviewShape,
  SchedulerConfigurationShape,
} from '../shapes/scheduler-configuration-shape.js';
import { ReadArguments } from './read-connection.js';

const CONFIGURATION = {
  type: 'json',
  description:
    'A KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, a legacy Policy, or a ConfigMap that holds one of them; at most 1 MiB.',
} as const;

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;

const DRY_RUN = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Only say what it would be: nothing is stored.',
} as const;

const IF_MATCH = {
  type: 'string',
  optional: true,
  description: 'As the header `If-Match` of REST: `"7"` for a revision, in double quotes.',
} as const;

@InputType('SchedulerConfigurationInput')
class SchedulerConfigurationInput {
  @Given(CLUSTER)
  cluster!: string;

  @Given(CONFIGURATION)
  configuration!: JsonValue;

  @Given(DRY_RUN)
  dryRun?: boolean;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@InputType('ResetSchedulerConfigurationInput')
class ResetSchedulerConfigurationInput {
  @Given(CLUSTER)
  cluster!: string;

  @Given(DRY_RUN)
  dryRun?: boolean;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@ArgsType()
class DeclareArguments {
  @Given({ type: () => SchedulerConfigurationInput, description: 'The whole of it.' })
  input!: SchedulerConfigurationInput;
}

@ArgsType()
class ResetArguments {
  @Given({ type: () => ResetSchedulerConfigurationInput, description: 'Where.' })
  input!: ResetSchedulerConfigurationInput;
}

@ArgsType()
class ReviewArguments extends ReadArguments {
  @Given(CONFIGURATION)
  configuration!: JsonValue;
}

/** How the scheduler of a cluster is configured. */
@Resolver(() => ClusterShape)
export class SchedulerConfigurationResolver {
  constructor(
    private readonly readConfiguration: ReadSchedulerConfiguration,
    private readonly declareConfiguration: DeclareSchedulerConfiguration,
    private readonly reviewConfiguration: ReviewSchedulerConfiguration,
  ) {}

  @ResolveField(() => SchedulerConfigurationShape, {
    description: 'How its scheduler is configured: as one that was told nothing, until it is declared.',
  })
  @RequirePermission('read', 'parent')
  async schedulerConfiguration(
    @Parent() { name }: ClusterShape,
    @Args() args: ReadArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SchedulerConfigurationShape>> {
    return this.readConfiguration.run(name, readAtOf(args), edge);
  }

  @ResolveField(() => SchedulerConfigurationReviewShape, {
    description: 'What there is to say of a configuration of a scheduler. Nothing is stored.',
  })
  @RequirePermission('evaluate', 'parent')
  async schedulerConfigurationReview(
    @Parent() { name }: ClusterShape,
    @Args() args: ReviewArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SchedulerConfigurationReviewShape>> {
    const { configuration } = args;
    return this.reviewConfiguration.run(name, { configuration, at: '/configuration' }, readAtOf(args), edge);
  }

  @Mutation(() => DeclaredSchedulerConfigurationShape, {
    description: 'Says how the scheduler of a cluster is configured, or what that would be.',
  })
  @RequirePermission('evaluate', 'input.cluster')
  async declareSchedulerConfiguration(
    @Args() { input }: DeclareArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredSchedulerConfigurationShape>> {
    const { cluster, configuration, ifMatch, dryRun = false } = input;
    return this.declareConfiguration.run({ cluster, configuration, dryRun, ifMatch, at: '/input/configuration' }, edge);
  }

  @Mutation(() => DeclaredSchedulerConfigurationShape, {
    description: 'Takes back what was declared of how the scheduler of a cluster is configured.',
  })
  @RequirePermission('evaluate', 'input.cluster')
  async resetSchedulerConfiguration(
    @Args() { input }: ResetArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredSchedulerConfigurationShape>> {
    const { cluster, ifMatch, dryRun = false } = input;
    return this.declareConfiguration.run({ cluster, configuration: null, dryRun, ifMatch, at: '' }, edge);
  }
}
