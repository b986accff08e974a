import { Args, ArgsType, InputType, ObjectType, Parent, Resolver } from '@nestjs/graphql';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { pageOf } from '../../app/paging/page.js';
import type { ListIdentity } from '../../app/paging/page-token.js';
import type { RequestContext } from '../../app/request-context.js';
import { ApplyRetention } from '../../app/snapshots/apply-retention.js';
import { CorrectCaptureTimes } from '../../app/snapshots/correct-capture-times.js';
import { DiffRevisions, type RevisionsDifference } from '../../app/snapshots/diff-revisions.js';
import { GetRevision } from '../../app/snapshots/get-revision.js';
import { ListRevisions } from '../../app/snapshots/list-revisions.js';
import type { Intents } from '../../app/reads/read-at.js';
import { TakeSnapshot } from '../../app/snapshots/take-snapshot.js';
import { Ctx } from '../request-context.decorator.js';
import { INTENTS } from '../rest/read-at-query.js';
import { maxAgeSeconds, readMoment } from '../moment.js';
import { RequirePermission, InheritPermission } from '../require-permission.js';
import {
  CaptureTimeCorrectionBody,
  CaptureTimeCorrectionShape,
  captureTimeCorrectionShape,
} from '../shapes/capture-times-shape.js';
import { ClusterShape } from '../shapes/cluster-shape.js';
import {
  DifferenceHeadShape,
  differenceHeadShape,
  diffRequest,
  NodeDifferenceShape,
  WorkloadDifferenceShape,
} from '../shapes/difference-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { retentionRequest } from '../shapes/retention-shape.js';
import { applyRetentionInput } from '../../contract/snapshots/retention.js';
import type { Request } from '../../contract/schema.js';
import { DIFF_SCENARIO, SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import {
  RetentionResultShape,
  retentionResultShape,
  SnapshotDetailsShape,
  snapshotDetailsShape,
  SnapshotShape,
  snapshotShape,
  TakenSnapshotShape,
  takenSnapshotShape,
} from '../shapes/snapshot-shape.js';
import { SnapshotParameters, snapshotRequest } from '../shapes/take-snapshot-shape.js';
import { inOnePiece } from './in-one-piece.js';
import { ConnectionArguments, connection, connectionOf, pageOfConnection, type Connection } from './connection.js';
import { Mutation, ResolveField } from './fields.js';

@ObjectType({ description: 'Revisions of a cluster, newest first.' })
class SnapshotConnection extends connectionOf(SnapshotShape, 'Snapshot') {}

@ObjectType({ description: 'Nodes that differ, by name.' })
class NodeDifferenceConnection extends connectionOf(NodeDifferenceShape, 'NodeDifference') {}

@ObjectType({ description: 'Workloads whose pods differ, by namespace, kind and name.' })
class WorkloadDifferenceConnection extends connectionOf(WorkloadDifferenceShape, 'WorkloadDifference') {}

@ObjectType('Difference', { description: 'What changed from one revision to another.' })
class DifferenceShape extends DifferenceHeadShape {
  /** What the connections are cut from. */
  found!: RevisionsDifference;
}

const MOMENT = { type: 'string', maximumLength: 40 } as const;

@ArgsType()
class SnapshotArguments {
  @Given({ ...MOMENT, optional: true, description: 'A number, `head` or a time; the head by default.' })
  revision?: string;

  @Given({ ...MOMENT, optional: true, description: 'Refuse what was captured longer ago than this: `90`, `5m`, `1h`.' })
  maxAge?: string;
}

@ArgsType()
class DiffArguments {
  @Given({ ...MOMENT, optional: true, description: 'A revision, `head` or a time; the one before `to` by default.' })
  from?: string;

  @Given({ ...MOMENT, optional: true, description: 'A revision, `head` or a time; the head by default.' })
  to?: string;

  @Given({ ...MOMENT, optional: true, description: 'Refuse where `to` was captured longer ago than this.' })
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given({ ...SCENARIO, description: DIFF_SCENARIO })
  scenario?: ScenarioBody;
}

const LONGEST_TEXT = 16 * 1024 * 1024;

@InputType('TakeSnapshotInput', { description: 'For small snapshots; large ones are streamed over REST.' })
class TakeSnapshotInput extends SnapshotParameters {
  @Given({ type: 'string', description: 'The cluster.' })
  cluster!: string;

  @Given({ type: 'json', optional: true, description: 'Kubernetes objects: one, a List, or an array of either.' })
  manifests?: JsonValue;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: LONGEST_TEXT,
    description: 'The same as text: JSON, YAML documents or NDJSON. Either this or `manifests`.',
  })
  text?: string;
}

@ArgsType()
class TakeSnapshotArguments {
  @Given({ type: () => TakeSnapshotInput, description: 'The snapshot.' })
  input!: TakeSnapshotInput;
}

@ArgsType()
class ApplyRetentionArguments {
  @Given({ type: applyRetentionInput, description: 'Which cluster, and what is old.' })
  input!: Request<typeof applyRetentionInput>;
}

@InputType('CorrectCaptureTimesInput', { description: 'The cluster whose capture times are corrected, and why.' })
class CorrectCaptureTimesInput extends CaptureTimeCorrectionBody {
  @Given({ type: 'string', description: 'The cluster.' })
  cluster!: string;
}

@ArgsType()
class CorrectCaptureTimesArguments {
  @Given({ type: () => CorrectCaptureTimesInput, description: 'Which cluster, and why.' })
  input!: CorrectCaptureTimesInput;
}

@Resolver(() => ClusterShape)
export class SnapshotsResolver {
  constructor(
    private readonly takeSnapshotCase: TakeSnapshot,
    private readonly listRevisions: ListRevisions,
    private readonly getRevision: GetRevision,
    private readonly diffRevisions: DiffRevisions,
    private readonly applyRetentionCase: ApplyRetention,
    private readonly correctCaptureTimesCase: CorrectCaptureTimes,
  ) {}

  @ResolveField(() => SnapshotConnection, { description: 'The revisions, newest first, without their reports.' })
  @RequirePermission('read', 'parent')
  async snapshots(
    @Parent() { name }: ClusterShape,
    @Args() args: ConnectionArguments,
  ): Promise<Connection<Plain<SnapshotShape>>> {
    const page = await this.listRevisions.run({ cluster: name, page: pageOfConnection(args) });
    return connection(page, args, (revision) => ({
      ...snapshotShape(revision),
      origin: { cluster: name, readAt: {} },
    }));
  }

  @ResolveField(() => SnapshotDetailsShape, { description: 'One revision, with the report of its snapshot.' })
  @RequirePermission('read', 'parent')
  async snapshot(
    @Parent() { name }: ClusterShape,
    @Args() { revision, maxAge }: SnapshotArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<SnapshotDetailsShape>> {
    const readAt = { ...readMoment(revision ?? 'head', 'revision'), ...maxAgeSeconds(maxAge) };
    const details = snapshotDetailsShape(await this.getRevision.run(name, readAt, edge));
    return { ...details, snapshot: { ...details.snapshot, origin: { cluster: name, readAt: {} } } } as typeof details;
  }

  @ResolveField(() => DifferenceShape, { description: 'What changed from one revision to another.' })
  @RequirePermission('read', 'parent')
  async diff(
    @Parent() { name }: ClusterShape,
    @Args() args: DiffArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<DifferenceShape>> {
    const found = await this.diffRevisions.run(diffRequest(name, args, edge), edge);
    return { ...differenceHeadShape(found), found };
  }

  @Mutation(() => TakenSnapshotShape, { description: 'Stores a small dump of a cluster as its next revision.' })
  @RequirePermission('change', 'input.cluster')
  async takeSnapshot(
    @Args() { input }: TakeSnapshotArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<TakenSnapshotShape>> {
    const body = { bytes: inOnePiece(textOf(input)), signal: edge.signal };
    return takenSnapshotShape(await this.takeSnapshotCase.run(snapshotRequest(input.cluster, input, body), edge));
  }

  @Mutation(() => RetentionResultShape, { description: 'Removes the oldest revisions of a cluster.' })
  @RequirePermission('admin', 'input.cluster')
  async applyRetention(
    @Args() { input }: ApplyRetentionArguments,
    @Ctx() { now }: RequestContext,
  ): Promise<Plain<RetentionResultShape>> {
    return retentionResultShape(await this.applyRetentionCase.run(retentionRequest(input.cluster, input), now));
  }

  @Mutation(() => CaptureTimeCorrectionShape, { description: 'Sets capture times that lie in the future to now.' })
  @RequirePermission('admin', 'input.cluster')
  async correctCaptureTimes(
    @Args() { input }: CorrectCaptureTimesArguments,
    @Ctx() edge: RequestContext,
  ): Promise<Plain<CaptureTimeCorrectionShape>> {
    return captureTimeCorrectionShape(await this.correctCaptureTimesCase.run(input.cluster, input.reason, edge));
  }
}

@Resolver(() => DifferenceShape)
export class DifferenceResolver {
  @ResolveField(() => NodeDifferenceConnection, { description: 'Nodes that differ, by name.' })
  @InheritPermission()
  nodes(
    @Parent() { found }: DifferenceShape,
    @Args() args: ConnectionArguments,
  ): Connection<Plain<NodeDifferenceShape>> {
    const list = ['diff nodes', ...identity(found)];
    const page = pageOf(found.difference.nodes, ({ node }) => node, pageOfConnection(args), list);
    return connection(page, args, (node) => node);
  }

  @ResolveField(() => WorkloadDifferenceConnection, { description: 'Workloads whose pods differ, by name.' })
  @InheritPermission()
  workloads(
    @Parent() { found }: DifferenceShape,
    @Args() args: ConnectionArguments,
  ): Connection<Plain<WorkloadDifferenceShape>> {
    const list = ['diff workloads', ...identity(found)];
    const keyOf = ({ namespace, kind, name }: Plain<WorkloadDifferenceShape>): string =>
      `${namespace}\0${kind}\0${name}`;
    const page = pageOf(found.difference.workloads, keyOf, pageOfConnection(args), list);
    return connection(page, args, (workload) => workload);
  }
}

function identity({ basis, from }: RevisionsDifference): ListIdentity {
  return [basis.cluster, from.revision, basis.revision, basis.scenario?.hash, basis.intents.included];
}

function textOf({ manifests, text }: TakeSnapshotInput): string {
  if ((manifests === undefined) === (text === undefined)) {
    throw new InvalidRequestError([
      { pointer: '/input', field: 'input', code: 'required', message: 'give either manifests or text' },
    ]);
  }
  if (text !== undefined) return text;
  const objects = Array.isArray(manifests) ? manifests : [manifests];
  return objects.map((object) => stringifyJson(object)).join('\n');
}
