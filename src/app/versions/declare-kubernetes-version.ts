import type { AnswerTo } from '../../contract/question.js';
import type { declareKubernetesVersion, resetKubernetesVersion } from '../../contract/versions/questions.js';
import { THE_ONE } from '../../core/cluster/setting.js';
import { defined } from '../../core/collections/defined.js';
import type { JsonObject } from '../../core/json/json-value.js';
import { chooseRules, declaredVersionOf, isFeatureGate } from '../../core/kubernetes/cluster-version.js';
import type { FeatureGates } from '../../core/kubernetes/kubernetes-rules.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import { versionBasis } from '../reads/basis.js';
import { versionEvidenceOf } from '../reads/rules-of-revision.js';
import type { RequestContext } from '../request-context.js';
import type { RequestOf } from '../request-of.js';
import { ChangeSetting } from '../settings/change-setting.js';
import { kubernetesVersionResponse } from './kubernetes-version-response.js';

type Given = Pick<RequestOf<typeof declareKubernetesVersion>, 'version' | 'featureGates'>;

/** Declares the Kubernetes version of a cluster, as a new revision. */
export class DeclareKubernetesVersion {
  constructor(private readonly changeSetting: ChangeSetting) {}

  /**
   * @throws {InvalidRequestError} for feature gates that no version has, and for an empty declaration
   * @throws {ServiceError} as `ChangeSetting.run`
   */
  async run(
    request: RequestOf<typeof declareKubernetesVersion>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof declareKubernetesVersion>> {
    return this.change(request, contentOf(request), context);
  }

  /**
   * Removes the declaration.
   * @throws {ServiceError} as `ChangeSetting.run`
   */
  async reset(
    request: RequestOf<typeof resetKubernetesVersion>,
    context: RequestContext,
  ): Promise<AnswerTo<typeof resetKubernetesVersion>> {
    return this.change(request, null, context);
  }

  private async change(
    { cluster, ifMatch, dryRun = false }: RequestOf<typeof resetKubernetesVersion>,
    content: JsonObject | null,
    context: RequestContext,
  ): Promise<AnswerTo<typeof declareKubernetesVersion>> {
    const { basis, changed, head } = await this.changeSetting.run(
      { cluster, dryRun, ifMatch, kind: 'KubernetesVersion', name: THE_ONE, content: () => content },
      context,
    );
    const evidence = { ...versionEvidenceOf(head.revision), declared: declaredVersionOf(content ?? undefined) };
    const chosen = chooseRules(evidence);
    return {
      basis: { ...basis, ...versionBasis(head.revision, chosen) },
      changed,
      dryRun,
      ...kubernetesVersionResponse(evidence, chosen.rules),
    };
  }
}

function contentOf(given: Given): JsonObject {
  const { gates, details } = readGates(given.featureGates ?? []);
  if (given.version === undefined && given.featureGates === undefined) {
    details.push({ pointer: '', code: 'required', message: 'specify version, featureGates or both' });
  }
  if (details.length > 0) throw new InvalidRequestError(details);
  return { ...defined({ version: given.version }), ...(Object.keys(gates).length > 0 && { featureGates: gates }) };
}

/** The errors in a declaration that can be found without the cluster. */
export const declarationErrors = ({ featureGates = [] }: Given): readonly ErrorDetail[] =>
  readGates(featureGates).details;

/** Gates as in --feature-gates: of one that is there twice, the last value counts (k8s.io/component-base v0.36.2, cli/flag, `MapStringBool.Set`). */
function readGates(given: readonly string[]): { readonly gates: FeatureGates; readonly details: ErrorDetail[] } {
  const gates: Record<string, boolean> = {};
  const details: ErrorDetail[] = [];
  for (const [index, text] of given.entries()) {
    const [, name = '', value] = /^\s*([A-Za-z0-9]+)\s*=\s*(true|false)\s*$/i.exec(text) ?? [];
    if (value !== undefined && isFeatureGate(name)) {
      gates[name] = value.toLowerCase() === 'true';
      continue;
    }
    const message =
      value === undefined ? 'must be NAME=true or NAME=false' : `Kubernetes 1.31 to 1.36 have no feature gate ${name}`;
    const code = value === undefined ? 'invalid-feature-gate' : 'unknown-feature-gate';
    details.push({ pointer: `/featureGates/${index}`, field: `featureGates[${index}]`, code, message });
  }
  return { gates, details };
}
