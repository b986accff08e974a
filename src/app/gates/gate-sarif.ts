import { counted } from '../../core/collections/counted.js';
import { VERSION } from '../../version.js';
import { nameOfObject, printable, type GateAnswer, type GateObjectName } from './gate-names.js';

/** The file that results are about if the caller does not name it: SARIF needs one. */
const DEFAULT_FILE = 'manifests.yaml';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

const RULES = {
  ObjectRefused: 'The API server refuses the object.',
  PodRefused: 'The API server refuses the pods of the workload.',
  Unschedulable: 'The scheduler finds no node for the pods.',
  NotCreated: 'A controller does not create the pods.',
  ObjectUnknown: 'It is not known whether the API server accepts the object.',
  PodsUnknown: 'It is not known whether the pods run.',
  NothingToRun: 'The request has nothing that is looked at.',
  ApiWarning: 'The API server warns about the object.',
  Finding: 'The object has a likely mistake.',
  Preemption: 'The scheduler evicts other pods.',
  DisruptionBudget: 'A PodDisruptionBudget stands in the way or is violated.',
  QuotaNearlyFull: 'A quota is nearly full afterwards.',
} as const satisfies Readonly<
  Record<GateAnswer['reasons'][number]['code'] | GateAnswer['warnings'][number]['code'], string>
>;

type Rule = keyof typeof RULES;

const RULE_IDS = Object.keys(RULES) as Rule[];

interface Result {
  readonly rule: Rule;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly object: GateObjectName | null;
}

/**
 * A gate as a SARIF log (version 2.1.0, OASIS): one result for each reason and warning, at the first line of its object. Reasons of the
 * verdict `no` are errors.
 */
export function gateSarif(answer: GateAnswer, file = DEFAULT_FILE): object {
  const results: readonly Result[] = [
    ...answer.reasons.map(({ code, verdict, message, pods, object }): Result => ({
      rule: code,
      level: verdict === 'no' ? 'error' : 'warning',
      message: `${object === null ? '' : `${nameOfObject(object)}: `}${pods > 0 ? `${counted(pods, 'pod')}: ` : ''}${message}`,
      object,
    })),
    ...answer.warnings.map(({ code, message, object }): Result => ({
      rule: code,
      level: 'warning',
      message: object === null ? message : `${nameOfObject(object)}: ${message}`,
      object,
    })),
  ];
  const { basis, verdict, summary, decision } = answer;
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'kube-placement',
            semanticVersion: VERSION,
            rules: RULE_IDS.map((id) => ({ id, shortDescription: { text: RULES[id] } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: results.map((result) => resultOf(result, file)),
        properties: {
          verdict,
          summary: printable(summary),
          cluster: basis.cluster,
          revision: basis.revision,
          rulesVersion: basis.rulesVersion,
          ...(decision === null ? {} : { decision: decision.id }),
        },
      },
    ],
  };
}

function resultOf({ rule, level, message, object }: Result, file: string): object {
  const place = {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(file) },
      ...(object?.line == null ? {} : { region: { startLine: object.line } }),
    },
    ...(object === null
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: printable(nameOfObject(object)), kind: 'resource' }] }),
  };
  return {
    ruleId: rule,
    ruleIndex: RULE_IDS.indexOf(rule),
    level,
    message: { text: printable(message) },
    locations: [place],
  };
}
