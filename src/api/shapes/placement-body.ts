import { InputType } from '@nestjs/graphql';
import type { JsonObject } from '../../core/json/json-value.js';
import { DEFAULT_FILTERS } from '../../core/placement/profile.js';
import { MOST_CLUSTERS } from '../../app/across-clusters.js';
import type { NodesWanted } from '../../app/placements/evaluate-placement.js';
import { MOST_ITEMS } from '../../app/placements/evaluate-placements.js';
import type { AdmissionMode, PlacementQuestion } from '../../app/placements/placement-request.js';
import type { ErrorDetail } from '../../app/errors/service-error.js';
import type { RankingRequest } from '../../app/placements/ranking-view.js';
import type { PlacementDetail } from '../../app/placements/tell-nodes.js';
import { DEFAULT_PAGE_SIZE, GREATEST_PAGE_SIZE } from '../../app/paging/page.js';
import type { Verdict } from '../../core/placement/placement.js';
import { ADMISSION } from './admission-mode.js';
import { defined } from '../../core/collections/defined.js';
import type { SchedulerChoice } from '../../app/placements/placing-profile.js';
import {
  POD_SUBJECT,
  subjectFaults,
  subjectOf,
  type FeatureGatesBody,
  type PodReferenceBody,
  type WorkloadReferenceBody,
} from './pod-subject.js';
import { wordsType } from './property-type.js';
import { Given } from './property.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';

export const VERDICT = wordsType(
  'Verdict',
  'Whether a node can take the pod. Unknown: no rule that is evaluated refuses it, but one that is not, or that lacks data, may.',
  ['feasible', 'infeasible', 'unknown'],
);

export const DETAIL = wordsType(
  'PlacementDetail',
  'How much is told of the nodes: nothing, the verdict and first failing filter of each, or every reason.',
  ['summary', 'verdicts', 'nodes'],
);

const OUT_OF_TREE_PLUGINS = wordsType(
  'OutOfTreePlugins',
  'What becomes of out-of-tree plugins: their answers are unknown, or they are left out.',
  ['keep', 'leaveOut'],
);

@InputType('SchedulerChoiceInput')
export class SchedulerChoiceBody {
  @Given({
    type: 'kubernetesObject',
    optional: true,
    description: 'A KubeSchedulerConfiguration or a legacy Policy; the one that is stored unless told.',
    example: { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
  })
  configuration?: JsonObject;

  @Given({
    type: 'string',
    optional: true,
    maximumLength: 253,
    description: 'Of the profile; the one that the pod asks for unless told.',
    example: 'default-scheduler',
  })
  schedulerName?: string;

  @Given({
    type: OUT_OF_TREE_PLUGINS,
    optional: true,
    defaultsTo: 'keep',
    description: 'What becomes of out-of-tree plugins.',
    example: 'keep',
  })
  outOfTreePlugins?: 'keep' | 'leaveOut';
}

@InputType('NodesWantedInput')
export class NodesWantedBody {
  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: 1000,
    description: 'Only nodes of these names.',
    example: ['node-1'],
  })
  names?: string[];

  @Given({
    type: 'string',
    optional: true,
    description: "Only nodes with these labels, in kubectl's syntax.",
    example: 'pool in (gpu,batch)',
  })
  labelSelector?: string;
}

/** A question, whichever way it comes. */
@InputType('PlacementInput')
export class PlacementInputBody {
  /** A caller with a misspelt field learns at once what of the rules and the manifest is to be mended, too. */
  static furtherFaults({ rules, ...subject }: PlacementInputBody): readonly ErrorDetail[] {
    const hasWords = Array.isArray(rules) && rules.every((rule) => typeof rule === 'string');
    return subjectFaults(subject, hasWords ? { rules } : {});
  }

  @Given(POD_SUBJECT.pod)
  pod?: JsonObject;

  @Given(POD_SUBJECT.workload)
  workload?: JsonObject;

  @Given({
    ...POD_SUBJECT.podRef,
    description:
      'A stored pod, placed as it is stored: as if it were not bound yet, and without counting it on its own node.',
  })
  podRef?: PodReferenceBody;

  @Given(POD_SUBJECT.workloadRef)
  workloadRef?: WorkloadReferenceBody;

  @Given(ADMISSION)
  admission?: AdmissionMode;

  @Given({
    type: 'string',
    list: true,
    optional: true,
    maximumLength: 50,
    description: `Ask only these filters; all of them unless told: ${DEFAULT_FILTERS.map(({ name }) => name).join(', ')}.`,
    example: ['TaintToleration'],
  })
  rules?: string[];

  @Given(POD_SUBJECT.featureGates)
  featureGates?: FeatureGatesBody;

  @Given({
    type: () => SchedulerChoiceBody,
    optional: true,
    description: 'By which scheduler: the stored one unless told, and the default profile where none is stored.',
  })
  scheduler?: SchedulerChoiceBody;

  @Given({ type: () => NodesWantedBody, optional: true, description: 'Which nodes are listed; the counts are of all.' })
  nodes?: NodesWantedBody;

  @Given({ type: VERDICT, optional: true, description: 'List only nodes of this verdict.', example: 'infeasible' })
  verdict?: Verdict;
}

const DETAIL_PROPERTY = {
  type: DETAIL,
  optional: true,
  description: 'How much is told of the nodes.',
  example: 'nodes',
} as const;

const FIXES = {
  type: 'boolean',
  optional: true,
  description:
    'Propose the smallest changes that would admit the pod to each refused node of the page. Unless told, they are given where that is cheap: in clusters of at most 1,000 nodes, where refused nodes of the page times nodes of the cluster are at most 20,000; `fixesOmitted` says when not.',
  example: true,
} as const;

const RANKING = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Rank the nodes that can take the pod, with the arithmetic of every score.',
  example: true,
} as const;

const RANKING_LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: GREATEST_PAGE_SIZE,
  defaultsTo: 10,
  description: 'At most so many places of the ranking.',
  example: 10,
} as const;

const RANKING_FROM = {
  type: 'integer',
  optional: true,
  minimum: 0,
  defaultsTo: 0,
  description: 'Places of the ranking to leave out at the top.',
  example: 0,
} as const;

const SEED = {
  type: 'integer',
  optional: true,
  description:
    'Draws the first among the nodes with the greatest total, the same each time; the first by name unless told.',
  example: 1,
} as const;

/** Which places of a ranking are told. */
export const RANKING_OPTIONS = { RANKING, RANKING_LIMIT, RANKING_FROM, SEED } as const;

export interface RankingOptions {
  readonly ranking?: boolean;
  readonly rankingLimit?: number;
  readonly rankingFrom?: number;
  readonly seed?: number;
}

/** Undefined where no ranking is asked for. */
export function rankingRequestOf({
  ranking = false,
  rankingLimit = 10,
  rankingFrom = 0,
  seed,
}: RankingOptions): RankingRequest | undefined {
  if (!ranking) return undefined;
  return { limit: rankingLimit, from: rankingFrom, ...defined({ seed }) };
}

const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: GREATEST_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'At most so many nodes in this page.',
  example: 10,
} as const;

export class PlacementBody extends PlacementInputBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given({ ...DETAIL_PROPERTY, defaultsTo: 'nodes' })
  detail?: PlacementDetail;

  @Given(RANKING)
  ranking?: boolean;

  @Given(RANKING_LIMIT)
  rankingLimit?: number;

  @Given(RANKING_FROM)
  rankingFrom?: number;

  @Given(SEED)
  seed?: number;

  @Given(FIXES)
  fixes?: boolean;

  @Given(LIMIT)
  limit?: number;

  @Given({
    type: 'string',
    optional: true,
    description: 'The `continue` of the page before; the rest as there. It rests on the same revision as that one.',
  })
  continue?: string;
}

export class PlacementItemBody extends PlacementInputBody {
  @Given({
    type: 'string',
    maximumLength: 200,
    description: 'Your name for the item; the answer repeats it.',
    example: 'a',
  })
  id!: string;

  @Given({ ...DETAIL_PROPERTY, defaultsTo: 'summary' })
  detail?: PlacementDetail;

  @Given(RANKING)
  ranking?: boolean;

  @Given(RANKING_LIMIT)
  rankingLimit?: number;

  @Given(RANKING_FROM)
  rankingFrom?: number;

  @Given(SEED)
  seed?: number;

  @Given(FIXES)
  fixes?: boolean;

  @Given(LIMIT)
  limit?: number;
}

export class PlacementBatchBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given({
    type: () => PlacementItemBody,
    list: true,
    maximumLength: MOST_ITEMS,
    readApart: true,
    description: `The questions, at most ${MOST_ITEMS}; each is answered for itself.`,
  })
  items!: PlacementItemBody[];
}

@InputType('PlacementItemInput')
export class PlacementItemInputBody extends PlacementInputBody {
  @Given({
    type: 'string',
    maximumLength: 200,
    description: 'Your name for the item; the answer repeats it.',
    example: 'a',
  })
  id!: string;
}

export class PlacementAcrossBody extends PlacementInputBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given({
    type: 'string',
    optional: true,
    description: "Only clusters with these labels, in kubectl's syntax; all of them unless told.",
    example: 'env=prod',
  })
  clusterSelector?: string;

  @Given({ ...DETAIL_PROPERTY, defaultsTo: 'summary' })
  detail?: PlacementDetail;

  @Given(RANKING)
  ranking?: boolean;

  @Given(RANKING_LIMIT)
  rankingLimit?: number;

  @Given(RANKING_FROM)
  rankingFrom?: number;

  @Given(SEED)
  seed?: number;

  @Given(FIXES)
  fixes?: boolean;

  @Given({ ...LIMIT, maximum: MOST_CLUSTERS, description: 'At most so many clusters in this page.' })
  limit?: number;

  @Given({ ...LIMIT, description: 'At most so many nodes of each cluster; the cluster alone tells the others.' })
  perCluster?: number;

  @Given({
    type: 'string',
    optional: true,
    description: 'The `continue` of the page of clusters before; the rest as there.',
  })
  continue?: string;
}

/** @param query what the address says of admission, where the body says nothing */
export function questionOf(
  body: PlacementInputBody,
  query: { readonly admission?: AdmissionMode } = {},
): PlacementQuestion {
  const { rules, scheduler } = body;
  return {
    ...subjectOf(body, query),
    ...defined({ rules }),
    ...(scheduler === undefined ? {} : { scheduler: choiceOf(scheduler) }),
  };
}

const choiceOf = ({ configuration, schedulerName, outOfTreePlugins }: SchedulerChoiceBody): SchedulerChoice =>
  defined({ configuration, schedulerName, outOfTreePlugins });

export function nodesWantedOf({ nodes, verdict }: PlacementInputBody): NodesWanted {
  return {
    ...(nodes?.names === undefined ? {} : { names: nodes.names }),
    ...(nodes?.labelSelector === undefined ? {} : { labelSelector: nodes.labelSelector }),
    ...defined({ verdict }),
  };
}
