import { Args, ArgsType, InputType, Parent, Resolver } from '@nestjs/graphql';
import { DeclareAdmissionConfiguration } from '../../app/admission/declare-admission-configuration.js';
import { ReadAdmissionConfiguration } from '../../app/admission/read-admission-configuration.js';
import { TryAdmission } from '../../app/admission/try-admission.js';
import type { RequestContext } from '../../app/request-context.js';
import { Ctx } from '../request-context.decorator.js';
import { RequirePermission } from '../require-permission.js';
import { readAtOf } from '../rest/read-at-query.js';
import {
  AdmissionConfigurationBody,
  AdmissionConfigurationShape,
  DeclaredAdmissionConfigurationShape,
  givenAdmission,
} from '../shapes/admission-configuration-shape.js';
import {
  admissionQuestion,
  AdmissionQuestionBody,
  TriedAdmissionShape,
  triedAdmissionShape,
} from '../shapes/tried-admission-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { ReadArguments } from './read-connection.js';
import { Mutation, ResolveField } from './fields.js';

const CLUSTER = { type: 'string', description: 'The cluster.' } as const;

const IF_MATCH = {
  type: 'string',
  optional: true,
  description: 'As the header `If-Match` of REST: `"7"` for a revision, in double quotes.',
} as const;

@InputType('AdmissionConfigurationInput', { description: 'How the API server of a cluster admits pods.' })
class AdmissionConfigurationInput extends AdmissionConfigurationBody {
  @Given(CLUSTER)
  cluster!: string;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@InputType('ResetAdmissionConfigurationInput', { description: 'Which declared admission configuration is taken back.' })
class ResetAdmissionConfigurationInput {
  @Given(CLUSTER)
  cluster!: string;

  @Given({
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description: 'Only say what it would be: nothing is stored.',
  })
  dryRun?: boolean;

  @Given(IF_MATCH)
  ifMatch?: string;
}

@ArgsType()
class DeclareArguments {
  @Given({ type: () => AdmissionConfigurationInput, description: 'The whole of it.' })
  input!: AdmissionConfigurationInput;
}

@ArgsType()
class ResetArguments {
  @Given({ type: () => ResetAdmissionConfigurationInput, description: 'Where.' })
  input!: ResetAdmissionConfigurationInput;
}

@ArgsType()
class AdmissionReviewArguments extends ReadArguments {
  @Given({ type: () => AdmissionQuestionBody, description: 'The pod, and what is asked.' })
  input!: AdmissionQuestionBody;
}

/** How the API server of a cluster admits pods, and what it would do with one. */
@Resolver(() => ClusterShape)
export class AdmissionResolver {
  constructor(
    private readonly readConfiguration: ReadAdmissionConfiguration,
    private readonly declareConfiguration: DeclareAdmissionConfiguration,
    private readonly tryAdmission: TryAdmission,
  ) {}

  @ResolveField(() => AdmissionConfigurationShape, {
    description: 'How its API server admits pods: stock until it is declared.',
  })
  @RequirePermission('read', 'parent')
  async admissionConfiguration(
    @Parent() { name }: ClusterShape,
    @Args() args: ReadArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<AdmissionConfigurationShape>> {
    return this.readConfiguration.run(name, readAtOf(args), edge);
  }

  @ResolveField(() => TriedAdmissionShape, {
    description: 'What its API server would do with a pod, station by station. Nothing is stored.',
  })
  @RequirePermission('evaluate', 'parent')
  async admissionReview(
    @Parent() { name }: ClusterShape,
    @Args() args: AdmissionReviewArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TriedAdmissionShape>> {
    const question = admissionQuestion(args.input);
    const request = { cluster: name, readAt: readAtOf(args), root: 'input' as const, ...question };
    return triedAdmissionShape(await this.tryAdmission.run(request, edge));
  }

  @Mutation(() => DeclaredAdmissionConfigurationShape, {
    description: 'Says how the API server of a cluster admits pods, or what that would be.',
  })
  @RequirePermission('evaluate', 'input.cluster')
  async declareAdmissionConfiguration(
    @Args() { input }: DeclareArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredAdmissionConfigurationShape>> {
    const { cluster, ifMatch, dryRun = false } = input;
    const declaration = givenAdmission(input);
    return this.declareConfiguration.run({ cluster, declaration, dryRun, ifMatch, root: 'input' }, edge);
  }

  @Mutation(() => DeclaredAdmissionConfigurationShape, {
    description: 'Takes back what was declared of how the API server of a cluster admits pods.',
  })
  @RequirePermission('evaluate', 'input.cluster')
  async resetAdmissionConfiguration(
    @Args() { input }: ResetArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DeclaredAdmissionConfigurationShape>> {
    const { cluster, ifMatch, dryRun = false } = input;
    return this.declareConfiguration.run({ cluster, declaration: null, dryRun, ifMatch, root: 'input' }, edge);
  }
}
