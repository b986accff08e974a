import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { ADMISSION } from './admission-mode.js';
import { ObjectType } from '@nestjs/graphql';
import type { JsonObject } from '../../core/json/json-value.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { TolerationShape } from './pod-shape.js';
import { wordsType } from './property-type.js';
import { Given, Shown } from './property.js';
import { SCENARIO, type ScenarioBody } from './scenario-body.js';

export const SEVERITY = wordsType(
  'FindingSeverity',
  'error: the API server refuses it; warning: it does something else than was likely meant; info: worth knowing.',
  ['error', 'warning', 'info'],
);

@ObjectType('FindingSubject', { description: 'A pod, a workload of several pods, a node, or the cluster.' })
export class FindingSubjectShape {
  @Shown({ type: 'string', description: 'Its kind; Cluster for the cluster itself.', example: 'Deployment' })
  kind!: string;

  @Shown({ type: 'string', optional: true, description: 'Its namespace.', example: 'default' })
  namespace!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Its name.', example: 'web' })
  name!: string | null;
}

@ObjectType('FindingSuggestion', {
  description: 'A way out, in words, and where it is a piece of manifest, that piece.',
})
export class FindingSuggestionShape {
  @Shown({ type: 'string', description: 'In words.' })
  text!: string;

  @Shown({
    type: () => TolerationShape,
    optional: true,
    description: 'To be put in the place of the toleration that the finding points to, or added.',
  })
  toleration!: Plain<TolerationShape> | null;

  @Shown({ type: 'labels', optional: true, description: 'To be added to spec.nodeSelector.', example: { pool: 'gpu' } })
  nodeSelector!: Readonly<Record<string, string>> | null;
}

@ObjectType('FindingOccurrences', { description: 'The objects that a finding was seen on.' })
export class FindingOccurrencesShape {
  @Shown({ type: 'string', description: 'Pod or Node.', example: 'Pod' })
  kind!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 3 })
  count!: number;

  @Shown({ type: 'string', list: true, description: 'A few of them.', example: ['default/web-0'] })
  examples!: readonly string[];
}

@ObjectType('Finding', { description: 'Something about tolerations or taints that a reader should know.' })
export class FindingShape {
  @Shown({ type: 'string', description: 'Stable, for programs.', example: 'unmatched-toleration' })
  code!: string;

  @Shown({ type: SEVERITY, description: 'How bad it is.', example: 'warning' })
  severity!: string;

  @Shown({ type: () => FindingSubjectShape, description: 'What it is about.' })
  subject!: Plain<FindingSubjectShape>;

  @Shown({ type: 'string', optional: true, description: 'The field.', example: 'spec.tolerations[0]' })
  field!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The same as a JSON pointer.', example: '/spec/tolerations/0' })
  pointer!: string | null;

  @Shown({ type: 'string', description: 'Why, in a sentence or two.' })
  message!: string;

  @Shown({ type: () => FindingSuggestionShape, list: true, description: 'Ways out.' })
  suggestions!: readonly Plain<FindingSuggestionShape>[];

  @Shown({ type: () => FindingOccurrencesShape, optional: true, description: 'Where it was seen, if on several.' })
  occurrences!: Plain<FindingOccurrencesShape> | null;
}

@ObjectType('FindingCounts', { description: 'How many findings there are of each severity, on all pages together.' })
export class FindingCountsShape {
  @Shown({ type: 'integer', description: 'What the API server refuses.', example: 0 })
  error!: number;

  @Shown({ type: 'integer', description: 'What was likely not meant.', example: 3 })
  warning!: number;

  @Shown({ type: 'integer', description: 'What is worth knowing.', example: 7 })
  info!: number;
}

@ObjectType('ManifestFindings', { description: 'The findings on a manifest.' })
export class ManifestFindingsShape {
  @Shown({ type: () => BasisShape, optional: true, description: 'What the answer rests on; null without a cluster.' })
  basis!: Plain<BasisShape> | null;

  @Shown({ type: () => FindingCountsShape, description: 'How many of each severity.' })
  counts!: Plain<FindingCountsShape>;

  @Shown({ type: () => FindingShape, list: true, description: 'The findings, errors first.' })
  findings!: readonly Plain<FindingShape>[];

  @Shown({
    type: 'string',
    list: true,
    description: 'Fields that Kubernetes does not know: they do nothing.',
    example: [],
  })
  unknownFields!: readonly string[];
}

export class ManifestFindingsBody {
  @Given({
    type: 'kubernetesObject',
    description: 'A Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job or CronJob.',
  })
  manifest!: JsonObject;
}

/** The same, held against a cluster. */
export class ClusterManifestFindingsBody extends ManifestFindingsBody {
  @Given(SCENARIO)
  scenario?: ScenarioBody;

  @Given(ADMISSION)
  admission?: AdmissionMode;
}
