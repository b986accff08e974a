import { defined } from '../../core/collections/defined.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { allNodes } from '../../core/cluster/all-nodes.js';
import { givenDevices } from '../../core/devices/given-devices.js';
import { devicesOnNodes } from '../../core/placement/plugins/dynamic-resources/assumed-devices.js';
import type { nodePlacement } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import { stepFixesFor } from '../../core/placement/fixes/fixes-for.js';
import type { NodeFixes } from '../../core/placement/fixes/fix.js';
import type { AggregateMessage } from '../../core/placement/aggregate-message.js';
import { stepEvaluatePlacement } from '../../core/placement/evaluate-placement.js';
import type { Placement } from '../../core/placement/placement.js';
import type { ReasonCount } from '../../core/placement/roll-up.js';
import { stepRankPlacement, type NodeRanking } from '../../core/scheduling/node-ranking.js';
import { type GroupFixes, stepFixesForGroup } from '../../core/placement/fixes/fixes-for-group.js';
import { type SmallestFix, stepSmallestFixes } from '../../core/placement/fixes/smallest-fixes.js';
import { PodTrials } from '../../core/placement/fixes/pod-trials.js';
import { groupNodes, type PlacementGroup } from '../../core/placement/node-groups.js';
import { ServiceError } from '../errors/service-error.js';
import { ResponseBudget } from './response-budget.js';
import { NamedNodes } from './named-nodes.js';
import { explainedNode, partsOf, type ExplainedNode } from './node-response.js';
import type { PlacedSubject } from './placed-subject.js';
import type { ChosenProfile } from '../schedulers/chosen-profile.js';

/** Maximum number of fixes cached with an evaluation, for pages that a dashboard requests repeatedly. */
const MAX_FIXES_KEPT = 200;
/** Approximate bytes of the fixes of one node in memory. */
const KEPT_FIXES = 4000;
/**
 * Fixes and explanations are cached for pods of at most this many characters as JSON, if they have at most this many
 * parts.
 */
const SMALL_POD = 4096;
const FEW_PARTS = 16;
/** Maximum number of distinct node explanations cached with an evaluation; the nodes of a pool are mostly equal. */
const MAX_ANSWERS_KEPT = 200;
/** Maximum number of node groups cached with an evaluation; each holds at most an explanation and its fixes. */
const MAX_GROUPS_KEPT = 200;
/** Bytes of one of them in memory; measured 3,200 with 10 parts and 5,400 with 15. */
const KEPT_ANSWER = 5000;
/** In the list of its group. */
const BYTES_OF_A_GROUPED_NODE = 8;

/** An evaluated request: compact columns, and what has been derived from them. */
export class EvaluatedPlacement {
  /** Characters of the pod as JSON. */
  readonly podSize: number;
  private readonly answers = new Map<string, ExplainedNode>();
  private readonly named = new NamedNodes({ keys: MAX_ANSWERS_KEPT, parts: FEW_PARTS });
  private readonly fixes = new Map<number, NodeFixes>();
  private groups: readonly PlacementGroup[] | undefined;
  /** Garbage-collected with their groups. */
  private readonly groupFixes = new WeakMap<PlacementGroup, GroupFixes>();
  private readonly trials: PodTrials;
  private smallest: readonly SmallestFix[] | undefined;
  private counts: readonly ReasonCount[] | undefined;
  private aggregate: AggregateMessage | undefined;
  private devices: ReturnType<typeof devicesOnNodes> | undefined;
  private kept = 0;
  private onKept: ((bytes: number) => void) | undefined;

  private constructor(
    readonly subject: PlacedSubject,
    readonly profile: ChosenProfile,
    /** Names of the evaluated filters; by default all of the profile. */
    readonly filterNames: readonly string[] | undefined,
    readonly placement: Placement,
  ) {
    this.podSize = stringifyJson(subject.pod).length;
    this.trials = new PodTrials(placement, subject.readmit);
  }

  /** Evaluates a request, with pauses between the filters. */
  static *stepOf(
    subject: PlacedSubject,
    profile: ChosenProfile,
    filterNames: readonly string[] | undefined,
  ): Generator<undefined, EvaluatedPlacement> {
    const { pod, state, unknowns } = subject;
    const { gates, filters } = profile.plugins;
    const question = { pod, gates, filters, unknowns, ...defined({ filterNames }) };
    return new EvaluatedPlacement(subject, profile, filterNames, yield* stepEvaluatePlacement(state, question));
  }

  /** Approximate bytes of the explanations, groups and fixes cached with it. */
  get bytesKept(): number {
    return this.kept;
  }

  /** @param told of the bytes of each explanation, group and fix that is cached from now on */
  whenKept(told: (bytes: number) => void): void {
    this.onKept = told;
  }

  private keep(bytes: number): void {
    this.kept += bytes;
    this.onKept?.(bytes);
  }

  /** The feasible nodes, from best to worst. */
  stepRanking(seed?: number): Generator<undefined, NodeRanking> {
    return stepRankPlacement(this.placement, this.profile.plugins, seed === undefined ? {} : { seed });
  }

  rollUp(): readonly ReasonCount[] {
    return (this.counts ??= this.placement.rollUp());
  }

  message(): AggregateMessage {
    return (this.aggregate ??= this.placement.message());
  }

  /** The explanation of a node. Nodes that differ only in the name share its lists. */
  node(index: number): ExplainedNode {
    const { verdict, firstFail, reasons, untoleratedTaints, toleratedTaints } = this.nodeAlike(index);
    const node = this.placement.state.nodes.name(index);
    return { node, verdict, firstFail, reasons, untoleratedTaints, toleratedTaints };
  }

  /** The same of a node that differs only in the name, or of the node itself. */
  private nodeAlike(index: number): ExplainedNode {
    if (this.podSize > SMALL_POD) return explainedNode(this, index);
    const key = this.placement.explanationKey(index);
    if (key === undefined) return this.nodeNamed(index);
    const alike = this.answers.get(key);
    if (alike !== undefined) return alike;
    const answer = explainedNode(this, index);
    if (this.answers.size < MAX_ANSWERS_KEPT && partsOf(answer) <= FEW_PARTS) {
      this.answers.set(key, answer);
      this.keep(KEPT_ANSWER);
    }
    return answer;
  }

  /** The same of a node whose explanation has its name. */
  private nodeNamed(index: number): ExplainedNode {
    const key = this.placement.namelessKey(index);
    const explain = (): ExplainedNode => explainedNode(this, index);
    if (key === undefined) return explain();
    return this.named.explained(key, this.placement.state.nodes.name(index), explain, () => {
      this.keep(KEPT_ANSWER);
    });
  }

  /** The devices that the pod would get on a node; null if none. */
  devicesOn(index: number): Response<typeof nodePlacement>['devices'] {
    if (this.placement.verdict(index) !== 'feasible') return null;
    this.devices ??= devicesOnNodes(this.placement.input);
    const found = givenDevices(this.devices(index));
    return found.length === 0 ? null : found;
  }

  /** Groups the nodes that are equal for the pod. @throws {ServiceError} `budget-exceeded` */
  groupsOf(nodes: readonly number[]): readonly PlacementGroup[] {
    const isWhole = nodes.length === this.placement.state.nodes.count;
    if (isWhole && this.groups !== undefined) return this.groups;
    const budget = new ResponseBudget();
    const groups = groupNodes(this.placement, nodes, (reasons) => {
      budget.addReasons(reasons);
    });
    if (isWhole && this.podSize <= SMALL_POD && groups.length <= MAX_GROUPS_KEPT) {
      this.groups = groups;
      this.keep(groups.length * KEPT_ANSWER + nodes.length * BYTES_OF_A_GROUPED_NODE);
    }
    return groups;
  }

  /** The fixes of a group of infeasible nodes; undefined as in `stepFixesOf`. */
  *stepFixesOfGroup(group: PlacementGroup): Generator<undefined, GroupFixes | undefined> {
    if (this.subject.unknowns.length > 0 || group.verdict !== 'infeasible') return undefined;
    let fixes = this.groupFixes.get(group);
    if (fixes === undefined) {
      fixes = yield* stepFixesForGroup(this.placement, group, this.trials);
      // Another request may have kept them meanwhile.
      if (this.podSize <= SMALL_POD && !this.groupFixes.has(group)) {
        this.groupFixes.set(group, fixes);
        this.keep(KEPT_FIXES);
      }
    }
    return fixes;
  }

  /**
   * The smallest changes over all nodes; undefined if verdicts are uncertain, or if the nodes have too many reasons to group them.
   */
  *stepSmallestFixes(): Generator<undefined, readonly SmallestFix[] | undefined> {
    if (this.subject.unknowns.length > 0) return undefined;
    if (this.smallest === undefined) {
      const groups = this.groupsOfAll();
      if (groups === undefined) return undefined;
      this.smallest = yield* stepSmallestFixes(groups, this.trials);
    }
    return this.smallest;
  }

  private groupsOfAll(): readonly PlacementGroup[] | undefined {
    if (this.placement.counts.infeasible === 0) return [];
    try {
      return this.groupsOf(allNodes(this.placement.state));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'budget-exceeded') return undefined;
      throw error;
    }
  }

  /**
   * The fixes that make an infeasible node feasible; undefined if the node is not infeasible or its verdict is
   * uncertain. Pauses while a change is evaluated.
   */
  *stepFixesOf(index: number): Generator<undefined, NodeFixes | undefined> {
    if (this.subject.unknowns.length > 0 || this.placement.verdict(index) !== 'infeasible') return undefined;
    const known = this.fixes.get(index);
    if (known !== undefined) return known;
    const fixes = yield* stepFixesFor(this.placement, index, this.trials);
    const plans = [fixes.pod, fixes.node, fixes.claim].flatMap((plan) => plan ?? []);
    const small =
      this.podSize <= SMALL_POD &&
      plans.every(({ changes, remaining }) => changes.length + remaining.length <= FEW_PARTS);
    // Another request may have kept them meanwhile.
    if (small && !this.fixes.has(index) && this.fixes.size < MAX_FIXES_KEPT) {
      this.fixes.set(index, fixes);
      this.keep(KEPT_FIXES);
    }
    return fixes;
  }
}
